#pragma once

#include "io/reader.hpp"

namespace CLI {
class App;
}

namespace gpuccl::app {

/// How inputs are read: which samples are foreground, and what is refused.
struct InputOptions {
  bool stack = false;
  io::ForegroundOptions foreground;
  io::Limits limits;

  void add_to(CLI::App& command);
};

}  // namespace gpuccl::app
