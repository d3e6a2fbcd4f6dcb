#pragma once

#include "app/label/job.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/parts/task_options.hpp"

namespace gpuccl::app {

/// Step that a task completed.
enum class TaskDone { background, labeled, measured, written, nothing };

/// Does what is to be done for a part: labels it, unless that is done, and if parts were united, measures it,
/// and if they were joined, writes its stretch of the outputs into the folder of the tasks, unless that is
/// done. Where holes are to be filled it labels the background first, and the part when holes were found.
/// Throws io::FileError.
TaskDone label_task(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                    LazyEngine& engine);

}  // namespace gpuccl::app
