#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/parts/checked_file.hpp"

namespace gpuccl::app {

/// Identity of a run: the words of its command without --part, and the input. All tasks of a run must agree.
struct TaskRun {
  std::vector<std::string> words;
  std::string input;  // LabelInput::state()
  int parts = 0;

  std::uint64_t id() const;
};

/// The files of a run that tasks and joining leave: of each part, joined and finished of all of them.
enum class TaskFile {
  background,
  holes,
  labels,
  cavities,
  united,
  measures,
  numbers,
  stretch,
  joined,
  finished,
};

/// One such file, whether it is there or not.
struct StoredFile {
  std::string path;
  io::FileTag tag;
  std::size_t sections = 0;
  std::string remedy;  // makes it anew
  io::AtomicFile::Options options;

  bool exists() const;
  /// Whether it is there, complete and undamaged. io::FileError (io).
  bool is_whole() const { return is_whole(&io::CheckedFile::verify); }
  /// Returns whether check(file) finds no damage.
  bool is_whole(const std::function<void(const io::CheckedFile& file)>& check) const;
  io::CheckedFile open() const { return {path, tag, sections}; }
  /// Returns work(file). What is thrown is about the file.
  template <class Work>
  auto read(Work work) const {
    return io::with_path(path, [&] { return work(open()); });
  }
  /// Calls work(file) too; the error ends in the remedy if the file is missing or damaged.
  template <class Work>
  auto need(Work work) const {
    try {
      return work(open());
    } catch (const io::FileError&) {
      throw;
    } catch (const Error& error) {
      const bool again = error.failure() == Failure::data || error.failure() == Failure::no_input;
      throw io::FileError(path, error.failure(), error.what() + (again ? "; " + remedy : ""),
                          error.system_code());
    }
  }
  /// Writes it, with what `put` adds.
  void write(const std::function<void(io::CheckedFileWriter& file)>& put) const;
};

/// The folder in which the tasks of one run leave files for each other. A file has its name when it is
/// complete, and tells of which run and part it is.
class TaskFolder {
 public:
  /// `sync`: whether files reach the disk before they have their names.
  TaskFolder(std::string path, bool sync);

  /// Makes the folder that of `run`. `changed`: the input that differs from a state before, if one does.
  /// io::FileError (cannot_create) if it has other files, (usage) if it is of a run with other options,
  /// (data) if it is of another input.
  void begin(const TaskRun& run,
             const std::function<std::optional<std::string>(const std::string& before)>& changed);
  /// The run that the folder is of. io::FileError if it is of none.
  TaskRun open();
  const std::string& path() const { return path_; }
  int parts() const { return parts_; }

  /// The file that says which run the folder is of.
  StoredFile run_file() const;
  /// `part`: from 1 on; 0: of all. `joined`: JoinedParts::id(), of what depends on it.
  StoredFile file(TaskFile kind, int part, std::uint64_t joined) const;

  /// Removes all but what says that the run is finished.
  void clean() const;

 private:
  void use(const TaskRun& run);
  TaskRun read_run() const;
  bool write(const TaskRun& run, bool overwrite) const;

  std::string path_;
  io::AtomicFile::Options options_;
  std::uint64_t run_ = 0;
  int parts_ = 0;
};

}  // namespace gpuccl::app
