#pragma once

#include <string>

namespace gpuccl::app {

class Command;

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

}  // namespace gpuccl::app
