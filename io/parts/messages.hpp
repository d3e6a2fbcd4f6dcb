#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
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

/// Numbers as they lie in memory: parts are machines of one kind.
inline Message message_of(const std::vector<std::uint64_t>& numbers) {
  return message_of(std::string_view(reinterpret_cast<const char*>(numbers.data()),
                                     numbers.size() * sizeof(std::uint64_t)));
}

inline std::vector<std::uint64_t> numbers_of(const Message& message) {
  std::vector<std::uint64_t> numbers(message.size() / sizeof(std::uint64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), message.data(), numbers.size() * sizeof(std::uint64_t));
  return numbers;
}

}  // namespace gpuccl::io
