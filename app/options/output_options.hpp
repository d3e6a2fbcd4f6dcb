#pragma once

#include "io/files/atomic_file.hpp"

namespace CLI {
class App;
}

namespace gpuccl::app {

/// How files come to be under their names.
struct OutputOptions {
  io::AtomicFile::Options file;

  void add_to(CLI::App& command);
};

}  // namespace gpuccl::app
