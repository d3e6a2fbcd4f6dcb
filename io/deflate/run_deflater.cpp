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

}  // namespace gpuccl::io
