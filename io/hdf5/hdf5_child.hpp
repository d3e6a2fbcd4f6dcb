#pragma once

#include <sys/types.h>

#include <cstdint>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// A process of its own in which libhdf5 runs, for it is not proof against damaged files: this program,
/// started anew, so that it has no thread, no lock and no open file of the one that starts it. It reaches
/// nothing but its end of a socket: its memory and time are limited, and the system refuses it all calls that
/// open, connect or start anything. A file that hangs, crashes or takes over libhdf5 does so there.
class Hdf5Child {
 public:
  /// `memory`: bytes that it may use in addition to the program's own, within bounds. Throws Error (memory).
  explicit Hdf5Child(std::int64_t memory);
  /// Ends it.
  ~Hdf5Child();
  Hdf5Child(const Hdf5Child&) = delete;
  Hdf5Child& operator=(const Hdf5Child&) = delete;

  /// On which serve_hdf5() answers.
  int socket() const { return socket_.get(); }
  /// Ends it now, whatever it does.
  void end();

 private:
  Descriptor socket_;
  pid_t process_ = 0;
};

}  // namespace gpuccl::io
