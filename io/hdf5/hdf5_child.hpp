#pragma once

#include <sys/types.h>

#include <cstdint>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// Process in which libhdf5 runs, because damaged files can make libhdf5 hang or crash, or take it over. It
/// is a new process of this program, without threads, locks or open files of the program. It can use only its
/// end of a socket: its memory and time are limited, and the system refuses calls that open, connect or start
/// anything.
class Hdf5Child {
 public:
  /// Starts it. `memory`: additional bytes that it may use, clamped to bounds. Throws Error (memory).
  explicit Hdf5Child(std::int64_t memory);
  /// Kills it.
  ~Hdf5Child();
  Hdf5Child(const Hdf5Child&) = delete;
  Hdf5Child& operator=(const Hdf5Child&) = delete;

  /// Returns the socket on which serve_hdf5() answers.
  int socket() const { return socket_.get(); }
  /// Kills it.
  void end();

 private:
  Descriptor socket_;
  pid_t process_ = 0;
};

}  // namespace gpuccl::io
