#include "io/deflate/stream_frame.hpp"

namespace gpuccl::io {
namespace {

constexpr std::byte kLastBlock[] = {std::byte{0x03}, std::byte{0x00}};  // it is empty

void add_little_endian(std::uint64_t value, std::size_t bytes, std::vector<std::byte>& out) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i & 0xff));
}

}  // namespace

std::vector<std::byte> zlib_begin() { return {std::byte{0x78}, std::byte{0x01}}; }  // 32 KiB, fastest

std::vector<std::byte> zlib_end(const Adler32& checksum) {
  std::vector<std::byte> end(std::begin(kLastBlock), std::end(kLastBlock));
  for (int shift = 24; shift >= 0; shift -= 8)
    end.push_back(static_cast<std::byte>(checksum.value() >> shift & 0xff));
  return end;
}

std::vector<std::byte> gzip_begin(std::span<const std::byte> head) {
  std::vector<std::byte> begin;
  add_little_endian(0x00088b1f, 4, begin);      // Deflate; no name follows
  add_little_endian(0xff0000000000, 6, begin);  // no time, of no system
  if (head.empty()) return begin;
  add_little_endian(0, 1, begin);  // a block of bytes as they are, not the last
  add_little_endian(head.size(), 2, begin);
  add_little_endian(~head.size() & 0xffff, 2, begin);
  begin.insert(begin.end(), head.begin(), head.end());
  return begin;
}

std::vector<std::byte> gzip_end(std::uint32_t checksum, std::uint64_t bytes) {
  std::vector<std::byte> end(std::begin(kLastBlock), std::end(kLastBlock));
  add_little_endian(checksum, 4, end);
  add_little_endian(bytes & 0xffffffffu, 4, end);
  return end;
}

}  // namespace gpuccl::io
