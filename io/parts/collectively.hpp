#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::io {

inline Message message_of(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

inline std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

/// Converts a list to its bytes in memory, because parts run on machines of one kind.
template <class T>
Message message_of(const std::vector<T>& list) {
  static_assert(std::is_trivially_copyable_v<T>);
  return message_of(std::string_view(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)));
}

template <class T>
std::vector<T> list_of(const Message& message) {
  std::vector<T> list(message.size() / sizeof(T));
  if (!list.empty()) std::memcpy(list.data(), message.data(), list.size() * sizeof(T));
  return list;
}

/// Returns the concatenated lists of all parts.
template <class T>
std::vector<T> gather_lists(PartLink& link, const std::vector<T>& mine) {
  std::vector<T> all;
  for (const Message& message : link.gather(message_of(mine))) {
    const std::vector<T> more = list_of<T>(message);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Failure of some part, thrown in all parts.
class PartFailed : public Error {
 public:
  /// `thrown`: the exception in the part that reports it; null in all others.
  PartFailed(ErrorCode failure, std::exception_ptr thrown)
      : Error(failure, "a part has failed"), thrown_(std::move(thrown)) {}

  const std::exception_ptr& thrown() const { return thrown_; }

 private:
  std::exception_ptr thrown_;
};

/// As collectively(), with several parts.
void collectively_in_parts(PartLink& link, const std::function<void()>& work);

/// Runs `work`, which sends no messages, in all parts. If it throws in some parts, all parts throw PartFailed
/// with the exception of the first of them. With a single part, rethrows the exception itself.
template <class Work>
void collectively(PartLink& link, Work&& work) {
  if (link.parts() == 1)
    work();
  else
    collectively_in_parts(link, work);
}
/// Errors are about the file `path`.
template <class Work>
void collectively(PartLink& link, const std::string& path, Work&& work) {
  collectively(link, [&] { with_path(path, work); });
}

}  // namespace gpuccl::io
