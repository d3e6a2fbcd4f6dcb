#pragma once

#include <string>
#include <vector>

#include "app/label/label_options.hpp"

namespace gpuccl::app {

inline constexpr int kMaxParts = 65535;

/// Part that a task labels and writes, and the folder shared by all tasks.
struct TaskOptions {
  int part = 0, parts = 0;  // from 1; 0: not labeled in parts
  std::string folder;

  void add_to(const Command& command);
  bool given() const { return parts > 0 || !folder.empty(); }
  /// Error (usage) if one is given without the other.
  void check() const;
};

/// "3/16", as --part takes it.
std::string word_of_part(int part, int parts);

/// Rejects options that tasks do not support. Error (usage).
void check_for_tasks(const LabelOptions& options);

/// Returns the command of a run in a fixed form: version, outputs, the options that change outputs, and the
/// input.
std::vector<std::string> task_words(const LabelOptions& options);

/// Parses such words. Error (data) if another version wrote them.
LabelOptions options_of_words(const std::vector<std::string>& words);

}  // namespace gpuccl::app
