#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/label/label_input.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/parts/task_files.hpp"
#include "app/parts/task_options.hpp"
#include "gpuccl/detail/parts.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::app {

/// Run of job-array tasks: its command, its input, and the folder in which tasks and gpuccl join exchange
/// files. The file `run` in the folder contains the command.
class StoredRun {
 public:
  /// Opens the input, checks that the outputs can be written, and claims the folder. Throws as LabelInput and
  /// LabelOutputs; io::FileError (cannot_create) if the folder has other files, (usage) if it belongs to a
  /// run with other options, (data) to one of another input.
  StoredRun(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task, WarnAbout warn);
  /// Reads the command of an existing run; call open_input() before anything that needs the input.
  /// io::FileError if there is none, or one of another version.
  explicit StoredRun(const std::string& folder);
  StoredRun(const StoredRun&) = delete;

  const LabelOptions& options() const { return options_; }
  const LabelPaths& files() const { return files_; }
  const std::string& folder() const { return folder_; }
  int parts() const { return command_.parts; }

  /// io::FileError (data) if the input, or an image of samples, differs from that of the tasks.
  void open_input();
  LabelInput& input() { return *input_; }
  const LabelInput& input() const { return *input_; }
  const LabelMeasures& measures() const { return input_->measures(); }
  Extent extent() const { return input_->extent(); }
  bool is_periodic() const { return options_.periodic != PeriodicAxes{}; }
  /// Returns the slab of a part, counted from 1. Empty parts are the last ones.
  const Slab& slab(int part) const { return slabs_[static_cast<std::size_t>(part) - 1]; }
  RowRange rows(int part) const { return rows_of(slab(part), extent()); }

  /// Returns a file of the run. `part`: from 1; 0 for all. `joined`: JoinedParts::id() for files that depend
  /// on it.
  StoredFile file(TaskFile kind, int part = 0, std::uint64_t joined = 0) const;
  /// Calls work(part) for all parts. If files of some are missing or damaged, io::FileError names the first
  /// file, and all parts to run again.
  void for_each_part(const std::function<void(int part)>& work) const;

  /// Writes the file of labels of a part or of its background: TaskFile::background, labels or cavities.
  void write_labels(TaskFile kind, int part, const PartFacts& report,
                    const PartLabeler::Labels& labels) const;
  /// Returns labels from such a file, with final labels `numbers`. io::FileError (data) if its id differs.
  SlabLabels labels(TaskFile kind, int part, std::uint64_t id, std::vector<Label> numbers) const;
  /// Merges such labels of all parts.
  JoinedSlabs join(TaskFile kind, Connectivity connectivity) const;

  /// Reads the state of the joined parts; an error about it ends in `remedy`.
  JoinedParts joined(const std::string& remedy) const;
  /// Returns how the label image is written. io::FileError (data) if its type cannot hold the labels.
  io::WriteOptions image_options(const JoinedParts& joined) const;
  /// Returns the label image of which each part writes a stretch.
  io::LabelFile image(const JoinedParts& joined) const;

  /// Returns whether the outputs are complete. io::FileError (data) if they have changed or gone since.
  bool is_finished() const;
  /// Records which outputs belong to the run: call it when they are complete, before they are renamed.
  void write_finished(const LabelOutputs& outputs) const;
  /// Removes all files but `run` and `finished`.
  void remove_files() const;

 private:
  /// Properties that all tasks of a run share.
  struct RunCommand {
    std::vector<std::string> words;  // task_words()
    std::string input;               // LabelInput::state()
    int parts = 0;

    std::uint64_t id() const;
  };

  StoredFile command_file() const;
  RunCommand read_command() const;
  bool write_command(bool overwrite) const;
  void claim_folder();
  io::AtomicFile::Options file_options() const;

  std::string folder_;
  LabelOptions options_;
  LabelPaths files_;
  RunCommand command_;
  std::optional<LabelInput> input_;  // refers to options_ and files_
  std::vector<Slab> slabs_;          // of all parts
};

}  // namespace gpuccl::app
