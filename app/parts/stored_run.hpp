#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/label/label_input.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/parts/task_files.hpp"
#include "app/parts/task_folder.hpp"
#include "app/parts/task_options.hpp"
#include "io/image/strip_file.hpp"

namespace gpuccl::app {

/// Run of job-array tasks: its command, its input, and the files that the tasks leave for each other.
class StoredRun {
 public:
  /// Begins the run of a task: opens the input and claims the folder. Throws as LabelInput, LabelOutputs and
  /// TaskFolder::begin().
  StoredRun(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
            LabelInput::Warn warn);
  /// Reads which run a folder is of, and does not open the input. io::FileError if there is none, or one of
  /// another version.
  explicit StoredRun(const std::string& folder);
  StoredRun(const StoredRun&) = delete;

  const LabelOptions& options() const { return options_; }
  const LabelPaths& files() const { return files_; }
  const std::string& folder() const { return folder_.path(); }
  int parts() const { return folder_.parts(); }

  /// Opens the input. io::FileError (data) if it, or the image of samples, is not that of the tasks.
  void open_input();
  LabelInput& input() { return *input_; }
  const LabelInput& input() const { return *input_; }
  const LabelMeasures& measures() const { return input_->measures(); }
  Extent extent() const { return input_->extent(); }
  /// Returns the slab of a part, counted from 1. Empty parts are the last ones.
  const Slab& slab(int part) const { return slabs_[static_cast<std::size_t>(part) - 1]; }
  bool is_empty(int part) const { return extent_of(slab(part), extent()).elements() == 0; }

  /// Returns one of its files. `joined`: JoinedParts::id(), for files that depend on it.
  StoredFile file(TaskFile kind, int part = 0, std::uint64_t joined = 0) const {
    return folder_.file(kind, part, joined);
  }
  /// Reads the file of joined parts; an error about it ends in `remedy`.
  JoinedParts joined(const std::string& remedy) const;
  /// Does work(part) for all parts, which throws if a file of one is missing or damaged: then io::FileError
  /// names the file and all parts that are to be run again.
  void for_each_part(const std::function<void(int part)>& work) const;

  /// Writes the file of labels of a part or of its background: TaskFile::background, labels or cavities.
  void leave(TaskFile kind, int part, const PieceReport& report, const Piece::Labels& labels) const;
  /// Reads such a file, with other numbers for its labels. io::FileError (data) if its id has changed.
  NumberedSlab labels(TaskFile kind, int part, std::uint64_t id, std::vector<Label> numbers) const;
  /// Merges such labels of all parts.
  JoinedSlabs join(TaskFile kind, Connectivity connectivity) const;

  /// Returns how the label image is written. io::FileError (data) if its type cannot hold the labels.
  io::WriteOptions image_options(const JoinedParts& joined) const;
  /// Returns the label image that parts write together.
  io::LabelFile image(const JoinedParts& joined) const;

  /// Returns whether the outputs have their names. io::FileError (data) if they had and have changed or gone
  /// since.
  bool is_finished() const;
  /// Records in the folder which outputs are those of the run, when they are complete and before they get
  /// their names.
  void write_finished(const LabelOutputs& outputs) const;
  /// Removes the files of a run that is finished.
  void clean() const { folder_.clean(); }

 private:
  double delta(TaskFile kind) const {
    return kind == TaskFile::labels ? options_.values.most_difference() : 0;
  }

  TaskFolder folder_;
  LabelOptions options_;
  LabelPaths files_;
  std::string state_;                // of the input that the tasks have read
  std::optional<LabelInput> input_;  // looks at the two above
  std::vector<Slab> slabs_;          // of all parts
};

}  // namespace gpuccl::app
