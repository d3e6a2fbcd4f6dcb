#include "io/image/exif.hpp"

#include <algorithm>
#include <array>

namespace gpuccl::io {

// EXIF data are a TIFF, of whose first directory only the orientation matters.
int exif_orientation(const ByteSource& file, std::uint64_t offset) {
  constexpr std::uint64_t kDirectory = 4, kEntryBytes = 12, kMaxEntries = 200, kOrientation = 0x0112;
  constexpr int kUpright = 1, kLast = 8;
  std::array<unsigned char, 2> order{};
  file.read_at(offset, order.data(), order.size());
  const bool big_endian = order[0] == 'M';
  const auto number = [&](std::uint64_t at, std::size_t bytes) {
    std::array<unsigned char, 4> stored{};
    file.read_at(offset + at, stored.data(), bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | stored[big_endian ? i : bytes - 1 - i];
    return value;
  };
  const std::uint64_t directory = number(kDirectory, 4), count = std::min(number(directory, 2), kMaxEntries);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t entry = directory + 2 + i * kEntryBytes;
    if (number(entry, 2) != kOrientation) continue;
    const auto orientation = static_cast<int>(number(entry + 8, 2));
    return orientation >= kUpright && orientation <= kLast ? orientation : kUpright;
  }
  return kUpright;
}

void warn_of_orientation(int orientation, const std::function<void(const std::string& line)>& warn) {
  if (orientation != 1 && warn)
    warn("orientation " + std::to_string(orientation) + " ignored, read as stored");
}

}  // namespace gpuccl::io
