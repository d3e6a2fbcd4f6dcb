#pragma once

#include <string>
#include <vector>

#include "app/label/label_options.hpp"

namespace gpuccl::app {

inline constexpr int kMostParts = 65535;

/// Part that a task labels and writes, and the folder shared by all tasks.
struct TaskOptions {
  int part = 0, parts = 0;  // from 1 on; 0: the input is not labeled in parts
  std::string folder;

  void add_to(const Command& command);
  bool given() const { return parts > 0 || !folder.empty(); }
  /// Error (usage) if one is given without the other.
  void check() const;
};

/// "3/16", as --part takes it.
std::string word_of_part(int part, int parts);

/// Refuses what tasks cannot do. Error (usage).
void check_for_tasks(const LabelOptions& options);

/// The command line that decides what tasks make, always in the same form: version, input, outputs and
/// options, those left out that change nothing in the files.
std::vector<std::string> task_words(const LabelOptions& options);

/// Parses the words of such a command line. Error (data) if another version wrote them.
LabelOptions options_of_words(const std::vector<std::string>& words);

}  // namespace gpuccl::app
