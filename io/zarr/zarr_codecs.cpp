#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "gpuccl/types.hpp"
#include "io/zarr/zarr_array.hpp"

namespace gpuccl::io {
namespace {

struct NamedCodec {
  std::string_view name;
  std::optional<ChunkCodec> compressor;  // none: the checksum

  bool is_here() const { return !compressor || is_built_in(*compressor); }
};
constexpr std::array<NamedCodec, 6> kCodecs = {{{"zlib", ChunkCodec::zlib},
                                                {"gzip", ChunkCodec::gzip},
                                                {"zstd", ChunkCodec::zstd},
                                                {"blosc", ChunkCodec::blosc},
                                                {"lz4", ChunkCodec::lz4},
                                                {"crc32c", std::nullopt}}};

constexpr std::size_t kCrcBytes = 4;
using ByteSpan = std::span<const std::byte>;
using Out = std::span<std::byte>;

/// Returns the bytes before the checksum.
ByteSpan checked(ByteSpan bytes) {
  std::uint32_t sum = 0;
  if (bytes.size() < kCrcBytes) throw Error(ErrorCode::data, "is too short for its checksum");
  const ByteSpan body = bytes.first(bytes.size() - kCrcBytes);
  std::memcpy(&sum, body.data() + body.size(), kCrcBytes);
  if (crc32c(body) != sum) throw Error(ErrorCode::data, "has a wrong checksum");
  return body;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (0x82f63b78u & (0u - (rest & 1u)));
      table[i] = rest;
    }
    return table;
  }();
  std::uint32_t sum = ~std::uint32_t{0};
  for (const std::byte byte : bytes)
    sum = sum >> 8 ^ kTable[(sum ^ std::to_integer<std::uint32_t>(byte)) & 255u];
  return ~sum;
}

std::optional<ChunkCodec> zarr_codec(std::string_view name) {
  constexpr std::string_view kRegistry = "numcodecs.";  // how zarr-python calls those that v3 does not name
  const std::string_view plain = name.starts_with(kRegistry) ? name.substr(kRegistry.size()) : name;
  for (const NamedCodec& known : kCodecs)
    if (plain == known.name && known.is_here()) return known.compressor;
  throw Error(ErrorCode::data, "its codec '" + std::string(plain.substr(0, 60)) +
                                   "' is not in this build of gpuccl; rewrite the array with zarr-python and "
                                   "one of " +
                                   zarr_codecs_in_words());
}

std::string zarr_codecs_in_words() {
  std::string words;
  for (const NamedCodec& known : kCodecs)
    if (known.is_here()) words += (words.empty() ? "" : ", ") + std::string(known.name);
  return words;
}

void ZarrCodecs::add(std::optional<ChunkCodec> codec) {
  const auto is_compressor = [](const std::optional<ChunkCodec>& one) { return one.has_value(); };
  if (codec && std::any_of(codecs_.begin(), codecs_.end(), is_compressor))
    throw Error(ErrorCode::data, "its chunks are compressed twice; compress them once");
  codecs_.push_back(codec);
}

std::vector<std::string> ZarrCodecs::checksums() const {
  std::vector<std::string> names;
  for (const std::optional<ChunkCodec>& codec : codecs_)
    if (const char* const name = codec ? checksum_of(*codec) : "CRC-32C"; *name != 0)
      names.emplace_back(name);
  return names;
}

std::size_t ZarrCodecs::most_stored(std::size_t bytes) const {
  return codecs_.empty() ? bytes : bytes + bytes / 64 + 4096;
}

void ZarrCodecs::decode(ByteSpan stored, Out out) const {
  std::vector<std::byte> inner;  // with the checksums that were compressed as well
  auto codec = codecs_.rbegin();
  for (; codec != codecs_.rend(); ++codec) {
    if (!*codec) {
      stored = checked(stored);
      continue;
    }
    const auto sums = static_cast<std::size_t>(codecs_.rend() - codec - 1);
    Out to = out;
    if (sums > 0) {
      inner.resize(out.size() + sums * kCrcBytes);
      to = inner;
    }
    if (!decompress(**codec, stored, to))
      throw Error(ErrorCode::data, "is damaged, or contains fewer samples than its shape requires");
    stored = to;
  }
  if (stored.size() != out.size()) throw Error(ErrorCode::data, "has a size that does not match its shape");
  if (stored.data() != out.data()) std::memcpy(out.data(), stored.data(), out.size());
}

}  // namespace gpuccl::io
