#pragma once

#include <vector>

#include "app/label/label_paths.hpp"
#include "app/parts/task_folder.hpp"
#include "io/files/atomic_file.hpp"

namespace gpuccl::app {

/// Writes into the folder which outputs are those of the run: to be done when they are complete, before they
/// get their names.
void write_finished(const TaskFolder& folder, const std::vector<io::AtomicFile*>& outputs);

/// Whether the outputs have their names. io::FileError (data) if they had and have changed or gone since.
bool is_finished(const TaskFolder& folder, const LabelPaths& files);

}  // namespace gpuccl::app
