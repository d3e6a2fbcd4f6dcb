#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpuccl/parts.hpp"

namespace gpuccl::io {

inline Message message_of(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

inline std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

/// Entries as they lie in memory: parts are machines of one kind.
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

/// The lists of all parts, one after the other.
template <class T>
std::vector<T> gather_lists(PartLink& link, const std::vector<T>& mine) {
  std::vector<T> all;
  for (const Message& message : link.gather(message_of(mine))) {
    const std::vector<T> more = list_of<T>(message);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace gpuccl::io
