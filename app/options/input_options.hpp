#pragma once

#include "io/image/read_options.hpp"

namespace gpuccl::app {

class Command;

/// Options for reading inputs: foreground rule and limits.
struct InputOptions {
  bool stack = false;
  io::ForegroundOptions foreground;
  io::PaletteUse palette = io::PaletteUse::automatic;
  io::Limits limits;

  /// `memory_help`: what becomes of inputs that need more than --memory.
  void add_to(const Command& command, const std::string& memory_help);
  /// Adds those for label images, which have no foreground rule.
  void add_for_labels(const Command& command, const std::string& memory_help);

 private:
  void add_stack_to(const Command& command);
  void add_reading_to(const Command& command, const std::string& memory_help);
};

}  // namespace gpuccl::app
