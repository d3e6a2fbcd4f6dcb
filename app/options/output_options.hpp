#pragma once

#include "io/files/atomic_file.hpp"

namespace gpuccl::app {

class Command;

/// What outputs may replace, and whether they are synced.
struct OutputOptions {
  io::AtomicFile::Options file;
  bool replace_foreign = false;  // also texts that gpuccl has not written

  void add_to(const Command& command);
};

}  // namespace gpuccl::app
