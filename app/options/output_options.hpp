#pragma once

#include "io/files/atomic_file.hpp"

namespace gpuccl::app {

class Command;

/// How files come to be under their names.
struct OutputOptions {
  io::AtomicFile::Options file;
  bool replace_foreign = false;  // also texts that are not of our making

  void add_to(const Command& command);
};

}  // namespace gpuccl::app
