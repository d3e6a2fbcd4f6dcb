#pragma once

#include <cstdint>
#include <string_view>

namespace gpuccl::io {

/// Returns a hash that distinguishes contents.
inline std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace gpuccl::io
