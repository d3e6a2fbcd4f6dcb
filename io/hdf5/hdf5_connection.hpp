#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5_child.hpp"
#include "io/hdf5/hdf5_message.hpp"

namespace gpuccl::io {

/// Connection to the process in which libhdf5 reads a file. Not thread-safe.
class Hdf5Connection {
 public:
  Hdf5Connection(std::shared_ptr<const ByteSource> file, std::int64_t memory)
      : file_(std::move(file)), child_(memory) {}

  /// Returns the answer. Throws exceptions of the file, Error as the process refuses, and Error (data) if it
  /// crashes or takes too long. A crash or timeout ends the process, and later requests fail in the same way.
  Hdf5Message ask(const Hdf5Message& request);

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

}  // namespace gpuccl::io
