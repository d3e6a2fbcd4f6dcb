#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "io/files/descriptor.hpp"
#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5_message.hpp"

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

/// Connection to the process in which libhdf5 reads a file. Not thread-safe.
class Hdf5Connection {
 public:
  Hdf5Connection(std::shared_ptr<const ByteSource> file, std::int64_t memory)
      : file_(std::move(file)), child_(memory) {}

  /// Returns the answer. Throws exceptions of the file, Error as the process refuses, and Error (data) if it
  /// crashes or takes too long. A crash or timeout ends the process, and later requests fail in the same way.
  Hdf5Message ask(const Hdf5Message& request);
  /// Returns whether a crash or timeout has ended the process.
  bool has_failed() const { return failed_ != nullptr; }

 private:
  using Clock = std::chrono::steady_clock;

  Hdf5Message ask_child(const Hdf5Message& request);
  Hdf5Message bytes_for(Hdf5Message& read);
  void send(const Hdf5Message& message);
  Hdf5Message receive();
  template <class Move>
  void move_all(std::size_t bytes, short events, Move move);
  Clock::duration time_left() const;
  void wait_for(short events) const;

  const std::shared_ptr<const ByteSource> file_;
  Hdf5Child child_;
  Clock::time_point asked_;    // time of the request
  Clock::duration reading_{};  // time of reading the file since then
  std::exception_ptr thrown_;  // exception of the file
  std::exception_ptr failed_;  // failure of the child
};

/// Answers requests of Hdf5Connection until the other end of the socket is closed. Requests bytes of the file
/// over the socket, too. Its process may crash or hang.
void serve_hdf5(int socket);

}  // namespace gpuccl::io
