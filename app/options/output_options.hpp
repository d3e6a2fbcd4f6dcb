#pragma once

#include "io/files/atomic_file.hpp"

namespace gpuccl::app {

class Command;

/// Options for replacing and syncing outputs.
struct OutputOptions {
  io::AtomicFile::Options file;
  bool replace_foreign = false;  // also texts that gpuccl has not written

  void add_to(const Command& command);
};

}  // namespace gpuccl::app
