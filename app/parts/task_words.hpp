#pragma once

#include <string>
#include <vector>

#include "app/label/label_options.hpp"

namespace gpuccl::app {

/// Refuses what tasks cannot do. Error (usage).
void check_for_tasks(const LabelOptions& options);

/// The command line that decides what tasks make, always in the same form: version, input, outputs and
/// options, those left out that change nothing in the files.
std::vector<std::string> task_words(const LabelOptions& options);

/// Parses the words of such a command line. Error (data) if another version wrote them.
LabelOptions options_of_words(const std::vector<std::string>& words);

}  // namespace gpuccl::app
