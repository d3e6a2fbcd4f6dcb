#pragma once

#include <functional>
#include <string>

#include "app/label/label_input.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/parts/task_folder.hpp"

namespace gpuccl::app {

/// The run that a folder of tasks is of, as seen by what puts its parts together.
class OpenedRun {
 public:
  /// io::FileError if the folder is of no run, or of another version.
  explicit OpenedRun(const std::string& folder);

  const TaskFolder& folder() const { return folder_; }
  const LabelOptions& options() const { return options_; }
  const LabelPaths& files() const { return files_; }
  /// Opens the input. io::FileError (data) if it, or the image of samples, is not that of the tasks.
  LabelInput open_input() const;

  /// Does `work` on the file `path` of a part; if that is missing or damaged, the error says that the part is
  /// to be run again.
  void for_part(int part, const std::string& path, const std::function<void()>& work) const;
  /// Does work(part) for all parts, which throws if a file of one is missing or damaged: then io::FileError
  /// names the file and all parts that are to be run again.
  void for_each_part(const std::function<void(int part)>& work) const;

 private:
  TaskFolder folder_;
  TaskRun run_;
  LabelOptions options_;
  LabelPaths files_;
};

}  // namespace gpuccl::app
