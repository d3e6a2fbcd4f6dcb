#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/label/job.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/parts/task_options.hpp"

// One input in parts by job-array tasks: `label --part`, `join` and `join --finish`. The steps are those of
// Job; between them, tasks store what parts would send each other. All functions throw io::FileError, which
// names missing and damaged files and the command that creates them again.
namespace gpuccl::app {

/// Runs the next steps of a part whose files are missing or damaged:
/// 1. With --fill-holes, label the background.
/// 2. Label the part; with --fill-holes, after gpuccl join has found the holes.
/// 3. Measure the part, after gpuccl join has merged the components to measure.
/// 4. Write the part's stretch of the outputs into the folder, after gpuccl join has numbered the labels.
/// Returns the result of the last of these steps as a phrase such as "is labeled".
const char* label_task(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                       LazyEngine& engine);

struct JoinResult {
  std::uint64_t count;
  const char* of_what;
  const char* next;  // purpose of the next round of tasks
};

/// Runs the next steps between rounds of tasks whose files are missing or damaged:
/// 1. With --fill-holes, find the holes in the backgrounds of all parts.
/// 2. Merge the components of all parts, which must be labeled.
/// 3. Give each part its components to measure; step 4 needs their measures.
/// 4. Select components and number their labels.
/// Returns the number found in the last of these steps; none if the run is finished.
///
/// `sandboxed`: whether the process enters a sandbox once it knows the files of the run.
std::optional<JoinResult> join_tasks(const std::string& folder, bool sandboxed);

/// Assembles the outputs from the stretches of all parts, renames them and removes the files of the tasks,
/// unless that is done. Returns the names of the outputs.
std::vector<io::Target> finish_tasks(const std::string& folder, bool quiet, bool sandboxed);

}  // namespace gpuccl::app
