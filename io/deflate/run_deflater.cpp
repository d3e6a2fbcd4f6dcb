#include "io/deflate/run_deflater.hpp"

#include "io/deflate/token_code.hpp"

namespace gpuccl::io {
bool RunDeflater::pays(std::size_t runs, std::int64_t rows) const {
  return static_cast<std::int64_t>(runs) * kSamplesARun * row_.sample_bytes < rows * row_.width;
}

std::span<const std::byte> RunDeflater::stream() {
  tokens_.find();
  const std::size_t end = write_block(2, true);
  out_[0] = std::byte{0x78};  // Deflate, a window of 32 KiB
  out_[1] = std::byte{0x01};  // fastest
  for (std::size_t i = 0; i < 4; ++i)
    out_[end + i] = static_cast<std::byte>(checksum().value() >> (24 - 8 * i) & 0xff);
  return {out_.data(), end + 4};
}

std::span<const std::byte> RunDeflater::blocks() {
  tokens_.find();
  const std::size_t end = write_block(0, false);
  return {out_.data(), end};
}

/// Writes what the tokens say as one block from byte `at` of out_ on, with room for four bytes after it.
/// Returns its end.
std::size_t RunDeflater::write_block(std::size_t at, bool is_last) {
  constexpr std::size_t kEndBytes = 10;  // of the stored block, or of the checksum
  const TokenCode code(tokens_.counts(), row_.sample_bytes);
  const std::size_t most = at + code.most_bytes() + kEndBytes + BitWriter::kSlack;
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
