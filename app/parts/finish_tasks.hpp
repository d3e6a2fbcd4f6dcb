#pragma once

#include <string>

namespace gpuccl::app {

/// Puts the stretches together that the tasks have written, gives the outputs their names and removes the
/// files of the tasks, unless that is done. Throws io::FileError, which names parts that are to be written
/// again.
void finish_tasks(const std::string& folder, bool quiet);

}  // namespace gpuccl::app
