#include "io/image/jpeg_frame.hpp"

#include <array>

namespace gpuccl::io {
namespace {

constexpr int kMostSegments = 1000;  // before the frame header; real streams have a few

int number_at(const unsigned char* bytes) { return bytes[0] << 8 | bytes[1]; }

bool is_frame(int marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

}  // namespace

std::int64_t JpegFrame::coefficient_bytes() const {
  constexpr std::int64_t kBlock = 32,
                         kBytes = 2;  // of the largest unit of subsampled blocks; of a coefficient
  if (!several_scans) return 0;
  return (width + kBlock) * (height + kBlock) * components * kBytes;
}

std::optional<JpegFrame> read_jpeg_frame(const InputFile& file, std::uint64_t offset, std::uint64_t bytes) {
  constexpr int kStartOfImage = 0xd8, kStartOfScan = 0xda;
  std::optional<JpegFrame> frame;
  const std::uint64_t end = offset + bytes;
  for (int segment = 0; segment < kMostSegments && offset < end; ++segment) {
    std::array<unsigned char, 10> start{};  // marker, length, and as much of what follows as is looked at
    file.read_at(offset, start.data(), start.size());
    const int marker = start[1];
    if (start[0] != 0xff) return std::nullopt;
    if (marker == 0xff) {  // padding
      ++offset;
    } else if (marker == kStartOfImage) {
      offset += 2;
    } else if (marker == kStartOfScan) {
      if (frame) frame->several_scans = frame->several_scans || start[4] < frame->components;
      return frame;
    } else {
      if (is_frame(marker))
        frame = {marker - 0xc0, number_at(&start[7]), number_at(&start[5]), start[9], marker % 4 == 2};
      offset += 2 + static_cast<std::uint64_t>(number_at(&start[2]));
    }
  }
  return std::nullopt;
}

}  // namespace gpuccl::io
