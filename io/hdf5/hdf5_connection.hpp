#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

enum class Hdf5Word : std::uint32_t {
  // To the process of libhdf5:
  open,   // size of the file, name of a dataset
  find,   // indices of a chunk
  bytes,  // bytes of the file; fewer than requested at its end
  // From this process:
  read,     // request for bytes before the answer: offset, number
  answer,   // Hdf5Array, or places of chunks
  refusal,  // ErrorCode, reason
};

/// Message between the program and the process of libhdf5: a word, the number of bytes, and the bytes. The
/// program does not trust this process: the receiver checks each number.
class Hdf5Message {
 public:
  struct Head {
    Hdf5Word word{};
    std::uint32_t bytes = 0;
  };
  static constexpr std::uint32_t kMaxBytes = std::uint32_t{4} << 20;

  explicit Hdf5Message(Hdf5Word word = {}) : word_(word) {}
  explicit Hdf5Message(const Head& head) : word_(head.word), body_(head.bytes) {}

  Hdf5Word word() const { return word_; }
  Head head() const { return {word_, static_cast<std::uint32_t>(body_.size())}; }
  std::vector<std::byte>& body() { return body_; }
  const std::vector<std::byte>& body() const { return body_; }

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    body_.insert(body_.end(), bytes, bytes + sizeof value);
  }
  /// Appends a list of numbers or characters.
  template <class List>
  void put_list(const List& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const auto& one : list) put(one);
  }

  /// Returns the next value in the order of put(). Throws Error (data) if there is none.
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    if (body_.size() - taken_ < sizeof(T)) refuse();
    T value{};
    std::memcpy(static_cast<void*>(&value), body_.data() + taken_, sizeof value);
    taken_ += sizeof value;
    return value;
  }
  template <class List>
  List take_list() {
    const auto count = take<std::uint32_t>();
    if (count > (body_.size() - taken_) / sizeof(typename List::value_type)) refuse();
    List list;
    list.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) list.push_back(take<typename List::value_type>());
    return list;
  }
  bool is_taken() const { return taken_ == body_.size(); }

  /// Throws Error (data) for an answer that only a crashed or hijacked process gives.
  [[noreturn]] static void refuse() { throw Error(ErrorCode::data, "damaged (libhdf5 fails on it)"); }

 private:
  Hdf5Word word_;
  std::vector<std::byte> body_;
  std::size_t taken_ = 0;
};

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
