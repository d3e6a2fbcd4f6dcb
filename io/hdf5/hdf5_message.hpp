#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gpuccl/types.hpp"

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
  static constexpr std::uint32_t kMostBytes = std::uint32_t{4} << 20;

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

}  // namespace gpuccl::io
