#include <algorithm>
#include <cstring>
#include <string>

#include "gpuccl/types.hpp"
#include "io/hdf5/hdf5_dataset.hpp"

namespace gpuccl::io {
namespace {

/// Decodes Marc Lehmann's LZF, a filter of h5py: a control byte starts either up to 32 literal bytes or a
/// copy of bytes up to 8 KiB back. Returns true if it is valid and makes exactly the bytes of `out`.
bool decode_lzf(std::span<const std::byte> stored, std::span<std::byte> out) {
  std::size_t from = 0, to = 0;
  const auto next = [&] { return std::to_integer<std::size_t>(stored[from++]); };
  while (from < stored.size()) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t count = control + 1;
      if (count > stored.size() - from || count > out.size() - to) return false;
      std::memcpy(&out[to], &stored[from], count);
      from += count;
      to += count;
      continue;
    }
    std::size_t count = control >> 5;
    const bool is_long = count == 7;
    if (stored.size() - from < (is_long ? 2U : 1U)) return false;
    if (is_long) count += next();
    const std::size_t back = ((control & 31) << 8 | next()) + 1;
    count += 2;
    if (back > to || count > out.size() - to) return false;
    for (; count > 0; --count, ++to) out[to] = out[to - back];  // which may overlap
  }
  return to == out.size();
}

constexpr std::size_t kSumBytes = 4;
using Bytes = std::span<const std::byte>;

[[noreturn]] void refuse_damaged() {
  throw Error(ErrorCode::data, "is damaged, or contains fewer samples than its shape requires");
}

/// Fletcher's sum of words of 16 bits, the high byte first; of a last byte alone as well.
std::uint32_t fletcher32(Bytes bytes) {
  std::uint32_t low = 0, high = 0;
  constexpr std::size_t kWords = 360;  // whose sums do not wrap
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  const auto add = [&](std::byte first, std::byte second) {
    low += std::to_integer<std::uint32_t>(first) << 8 | std::to_integer<std::uint32_t>(second);
    high += low;
  };
  std::size_t at = 0;
  while (at + 1 < bytes.size()) {
    for (std::size_t i = 0; i < kWords && at + 1 < bytes.size(); ++i, at += 2) add(bytes[at], bytes[at + 1]);
    low = fold(low);
    high = fold(high);
  }
  if (at < bytes.size()) {
    add(bytes[at], std::byte{0});
    low = fold(low);
    high = fold(high);
  }
  return fold(high) << 16 | fold(low);
}

/// Returns the bytes before the checksum.
Bytes before_sum(Bytes bytes) {
  if (bytes.size() < kSumBytes) refuse_damaged();
  const Bytes body = bytes.first(bytes.size() - kSumBytes);
  std::uint32_t sum = 0;
  std::memcpy(&sum, body.data() + body.size(), kSumBytes);
  if (fletcher32(body) != sum) throw Error(ErrorCode::data, "has a wrong checksum");
  return body;
}

/// Puts the bytes of elements together that lie apart: all first bytes, then all second ones.
void unshuffle(Bytes bytes, std::size_t element, std::span<std::byte> out) {
  const std::size_t count = bytes.size() / element;
  for (std::size_t k = 0; k < element; ++k)
    for (std::size_t i = 0; i < count; ++i) out[i * element + k] = bytes[k * count + i];
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(count * element), bytes.end(),
            out.begin() + static_cast<std::ptrdiff_t>(count * element));
}

}  // namespace

Hdf5Filters::Hdf5Filters(std::vector<Hdf5Filter> filters) : filters_(std::move(filters)) {
  using Kind = Hdf5Filter::Kind;
  constexpr std::size_t kMax = 32;  // bits of Hdf5Place::skipped
  std::size_t compressors = 0;
  for (const Hdf5Filter& filter : filters_) {
    if (filter.kind > Kind::checksum || filter.codec < ChunkCodec::zlib || filter.codec > ChunkCodec::lz4)
      refuse_damaged();
    if (filter.element == 0 || filter.element > Hdf5Filter::kLargestElement) refuse_damaged();
    if (filter.kind == Kind::compressor || filter.kind == Kind::lzf) ++compressors;
  }
  if (compressors > 1) throw Error(ErrorCode::data, "its chunks are compressed twice; compress them once");
  if (filters_.size() > kMax) throw Error(ErrorCode::data, "its chunks go through more than 32 filters");
}

std::vector<std::string> Hdf5Filters::checksums() const {
  std::vector<std::string> names;
  for (const Hdf5Filter& filter : filters_) {
    if (filter.kind == Hdf5Filter::Kind::checksum) names.emplace_back("Fletcher-32");
    if (filter.kind == Hdf5Filter::Kind::compressor && *checksum_of(filter.codec) != 0)
      names.emplace_back(checksum_of(filter.codec));
  }
  return names;
}

std::size_t Hdf5Filters::most_stored(std::size_t bytes) const {
  return filters_.empty() ? bytes : bytes + bytes / 16 + 4096;
}

void Hdf5Filters::decode(Bytes stored, std::uint32_t skipped, std::span<std::byte> out) const {
  using Kind = Hdf5Filter::Kind;
  const auto is_used = [&](std::size_t i) { return (skipped >> i & 1) == 0; };
  std::vector<std::byte> decoded, next;
  for (std::size_t i = filters_.size(); i-- > 0;) {
    const Hdf5Filter& filter = filters_[i];
    if (!is_used(i)) continue;
    if (filter.kind == Kind::checksum) {
      stored = before_sum(stored);
      continue;
    }
    if (filter.kind == Kind::shuffle) {
      next.resize(stored.size());
      unshuffle(stored, filter.element, next);
    } else {
      std::size_t bytes = out.size();
      for (std::size_t before = 0; before < i; ++before)
        if (is_used(before) && filters_[before].kind == Kind::checksum) bytes += kSumBytes;
      next.resize(bytes);
      if (!(filter.kind == Kind::lzf ? decode_lzf(stored, next) : decompress(filter.codec, stored, next)))
        refuse_damaged();
    }
    decoded.swap(next);
    stored = decoded;
  }
  if (stored.size() != out.size()) refuse_damaged();
  std::memcpy(out.data(), stored.data(), out.size());
}

}  // namespace gpuccl::io
