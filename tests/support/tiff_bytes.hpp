#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tests {

/// One entry of a hand-made directory; `value` is stored in the entry itself.
struct TiffTag {
  std::uint16_t tag;
  std::uint16_t type;  // 3: 16 bits, 4: 32 bits
  std::uint32_t count;
  std::uint32_t value;
};

inline void append_number(std::string& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> (8 * i) & 255));
}

/// A classic little-endian TIFF of one directory at offset 8 and, behind it, `data`, at tiff_data_offset.
inline std::string tiff_of_tags(const std::vector<TiffTag>& tags, const std::string& data = {},
                                std::uint32_t next_directory = 0) {
  std::string bytes = "II*";
  bytes.push_back('\0');
  append_number(bytes, 8, 4);
  append_number(bytes, tags.size(), 2);
  for (const TiffTag& tag : tags) {
    append_number(bytes, tag.tag, 2);
    append_number(bytes, tag.type, 2);
    append_number(bytes, tag.count, 4);
    append_number(bytes, tag.value, 4);
  }
  append_number(bytes, next_directory, 4);
  return bytes + data;
}

inline std::uint32_t tiff_data_offset(std::size_t tags) {
  return static_cast<std::uint32_t>(8 + 2 + tags * 12 + 4);
}

}  // namespace tests
