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

/// Takes the next steps of a part, unless their files are there and undamaged:
/// 1. With holes to fill, it labels the background.
/// 2. It labels the part; with holes to fill, after gpuccl join has found them.
/// 3. It measures the part, after gpuccl join has united the components to measure.
/// 4. It writes the part's stretch of the outputs into the folder, after gpuccl join has numbered the labels.
/// Returns what the last step that it took has done to the part, as a phrase such as "is labeled".
const char* label_task(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                       LazyEngine& engine);

struct Joined {
  std::uint64_t count;
  const char* of_what;
  const char* next;  // what the tasks do when they run again
};

/// Takes the next steps between the parts, unless their files are there and undamaged:
/// 1. With holes to fill, it finds them in the backgrounds of all parts.
/// 2. It merges the components of all parts, which must be labeled.
/// 3. It gives each part the components to measure; the next step needs the measures.
/// 4. It selects components and numbers their labels.
/// Returns how many it has found; nothing if the run is finished.
///
/// `sandboxed`: the process enters a sandbox when it knows the files of the run, before it reads the input.
std::optional<Joined> join_tasks(const std::string& folder, bool sandboxed);

/// Puts the stretches together that the tasks have written, gives the outputs their names and removes the
/// files of the tasks, unless that is done. Returns the names of the outputs.
std::vector<std::string> finish_tasks(const std::string& folder, bool quiet, bool sandboxed);

}  // namespace gpuccl::app
