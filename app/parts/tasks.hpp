#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/label/job.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/parts/task_options.hpp"

// One input in parts by job-array tasks: `label --part`, `join` and `join --finish`. All of them throw
// io::FileError, which names files that are missing or damaged and what makes them anew.
namespace gpuccl::app {

/// Step that a task completed.
enum class TaskDone { background, labeled, measured, written, nothing };

/// Does what is to be done for a part: labels it, unless that is done, and if parts were united, measures it,
/// and if they were joined, writes its stretch of the outputs into the folder of the tasks, unless that is
/// done. Where holes are to be filled it labels the background first, and the part when holes were found.
TaskDone label_task(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                    LazyEngine& engine);

struct Joined {
  std::uint64_t count;
  const char* of_what;
  const char* next;  // what the tasks do when they run again
};

/// Unites the components of parts that were labeled, and numbers them, unless that is done; where holes are
/// to be filled, first finds these. Returns how many there are; nothing if the run is finished.
///
/// `sandboxed`: the process enters a sandbox when it knows the files of the run, before it reads the input.
std::optional<Joined> join_tasks(const std::string& folder, bool sandboxed);

/// Puts the stretches together that the tasks have written, gives the outputs their names and removes the
/// files of the tasks, unless that is done. Returns the names of the outputs.
std::vector<std::string> finish_tasks(const std::string& folder, bool quiet, bool sandboxed);

}  // namespace gpuccl::app
