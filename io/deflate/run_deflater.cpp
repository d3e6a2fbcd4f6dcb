#include "io/deflate/run_deflater.hpp"

#include "io/deflate/token_code.hpp"

namespace gpuccl::io {
bool RunDeflater::pays(std::size_t runs, std::int64_t rows) const {
  return static_cast<std::int64_t>(runs) * kSamplesARun * row_.sample_bytes < rows * row_.width;
}

std::span<const std::byte> RunDeflater::stream() {
  tokens_.find();
  constexpr std::size_t kChecksumBytes = 4;
  const std::size_t end = write_block(2, true, kChecksumBytes);
  out_[0] = std::byte{0x78};  // Deflate, a window of 32 KiB
  out_[1] = std::byte{0x01};  // fastest
  for (std::size_t i = 0; i < kChecksumBytes; ++i)
    out_[end + i] = static_cast<std::byte>(checksum().value() >> (24 - 8 * i) & 0xff);
  return {out_.data(), end + kChecksumBytes};
}

std::span<std::byte> RunDeflater::blocks_between(std::size_t before, std::size_t after) {
  tokens_.find();
  const std::size_t end = write_block(before, false, after);
  return {out_.data(), end + after};
}

/// Writes what the tokens say as one block from byte `at` of out_ on, with room for `after` bytes after it.
/// Returns its end.
std::size_t RunDeflater::write_block(std::size_t at, bool is_last, std::size_t after) {
  constexpr std::size_t kStoredBlock = 6;  // bytes that the empty one takes at most
  const TokenCode code(tokens_.counts(), row_.sample_bytes);
  const std::size_t most = at + code.most_bytes() + kStoredBlock + after + BitWriter::kSlack;
  if (out_.size() < most) out_.resize(most);
  BitWriter writer(out_.data() + at);
  code.write_block(writer, tokens_.tokens(), is_last);
  if (!is_last) {  // an empty stored block ends on a byte (RFC 1951, 3.2.4)
    writer.put(0, 3);
    writer.align();
    writer.put(0xffff0000, 32);
  }
  writer.align();
  return at + writer.bytes();
}

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
