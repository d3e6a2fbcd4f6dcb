#include "io/zarr/zarr_codecs.hpp"

#include <libdeflate.h>
#ifdef GPUCCL_HAS_BLOSC
#include <blosc.h>
#endif
#ifdef GPUCCL_HAS_ZSTD
#include <zstd.h>
#endif
#ifdef GPUCCL_HAS_LZ4
#include <lz4.h>
#endif

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "gpuccl/error.hpp"
#include "io/zarr/crc32c.hpp"

namespace gpuccl::io {
namespace {

#ifdef GPUCCL_HAS_BLOSC
constexpr bool kHasBlosc = true;
#else
constexpr bool kHasBlosc = false;
#endif
#ifdef GPUCCL_HAS_ZSTD
constexpr bool kHasZstd = true;
#else
constexpr bool kHasZstd = false;
#endif
#ifdef GPUCCL_HAS_LZ4
constexpr bool kHasLz4 = true;
#else
constexpr bool kHasLz4 = false;
#endif

struct NamedCodec {
  std::string_view name;
  ZarrCodec codec;
  bool is_built_in;
};
constexpr std::array<NamedCodec, 6> kCodecs = {{{"zlib", ZarrCodec::zlib, true},
                                                {"gzip", ZarrCodec::gzip, true},
                                                {"zstd", ZarrCodec::zstd, kHasZstd},
                                                {"blosc", ZarrCodec::blosc, kHasBlosc},
                                                {"lz4", ZarrCodec::lz4, kHasLz4},
                                                {"crc32c", ZarrCodec::crc32c, true}}};

constexpr std::size_t kCrcBytes = 4;
using Bytes = std::span<const std::byte>;
using Out = std::span<std::byte>;

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

libdeflate_decompressor& decompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> own(
      libdeflate_alloc_decompressor());
  if (!own) throw std::bad_alloc();
  return *own;
}

bool inflate(ZarrCodec codec, Bytes stored, Out out) {
  const auto decompress = codec == ZarrCodec::gzip ? libdeflate_gzip_decompress : libdeflate_zlib_decompress;
  return decompress(&decompressor(), stored.data(), stored.size(), out.data(), out.size(), nullptr) ==
         LIBDEFLATE_SUCCESS;
}

bool decode_zstd([[maybe_unused]] Bytes stored, [[maybe_unused]] Out out) {
#ifdef GPUCCL_HAS_ZSTD
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> own(ZSTD_createDCtx());
  if (!own) throw std::bad_alloc();
  return ZSTD_decompressDCtx(own.get(), out.data(), out.size(), stored.data(), stored.size()) == out.size();
#else
  return false;
#endif
}

bool decode_blosc([[maybe_unused]] Bytes stored, [[maybe_unused]] Out out) {
#ifdef GPUCCL_HAS_BLOSC
  std::size_t bytes = 0;
  return blosc_cbuffer_validate(stored.data(), stored.size(), &bytes) == 0 && bytes == out.size() &&
         blosc_decompress_ctx(stored.data(), out.data(), out.size(), 1) == static_cast<int>(out.size());
#else
  return false;
#endif
}

/// As numcodecs stores it: how many bytes it makes, in 32 bits, and a block of LZ4.
bool decode_lz4([[maybe_unused]] Bytes stored, [[maybe_unused]] Out out) {
#ifdef GPUCCL_HAS_LZ4
  std::uint32_t bytes = 0;
  if (stored.size() < sizeof bytes || stored.size() > INT_MAX) return false;
  std::memcpy(&bytes, stored.data(), sizeof bytes);
  stored = stored.subspan(sizeof bytes);
  return bytes == out.size() &&
         LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()),
                             reinterpret_cast<char*>(out.data()), static_cast<int>(stored.size()),
                             static_cast<int>(out.size())) == static_cast<int>(out.size());
#else
  return false;
#endif
}

bool decompress(ZarrCodec codec, Bytes stored, Out out) {
  switch (codec) {
    case ZarrCodec::zstd:
      return decode_zstd(stored, out);
    case ZarrCodec::blosc:
      return decode_blosc(stored, out);
    case ZarrCodec::lz4:
      return decode_lz4(stored, out);
    default:
      return inflate(codec, stored, out);
  }
}

/// What is before the checksum.
Bytes checked(Bytes bytes) {
  std::uint32_t sum = 0;
  if (bytes.size() < kCrcBytes) throw Error(Failure::data, "is too short for its checksum");
  const Bytes body = bytes.first(bytes.size() - kCrcBytes);
  std::memcpy(&sum, body.data() + body.size(), kCrcBytes);
  if (crc32c(body) != sum) throw Error(Failure::data, "does not have the checksum that it says");
  return body;
}

}  // namespace

ZarrCodec zarr_codec(std::string_view name) {
  constexpr std::string_view kRegistry = "numcodecs.";  // how zarr-python calls those that v3 does not name
  const std::string_view plain = name.starts_with(kRegistry) ? name.substr(kRegistry.size()) : name;
  for (const NamedCodec& known : kCodecs) {
    if (plain != known.name) continue;
    if (known.is_built_in) return known.codec;
    throw Error(Failure::data, "its codec " + std::string(plain) + " is not in this build of gpuccl");
  }
  throw Error(Failure::data,
              "its codec '" + std::string(name.substr(0, 60)) + "' is none of " + zarr_codecs_in_words());
}

std::string zarr_codecs_in_words() {
  std::string words;
  for (const NamedCodec& known : kCodecs)
    if (known.is_built_in) words += (words.empty() ? "" : ", ") + std::string(known.name);
  return words;
}

void ZarrCodecs::add(ZarrCodec codec) {
  const auto is_compressor = [](ZarrCodec one) { return one != ZarrCodec::crc32c; };
  if (is_compressor(codec) && std::any_of(codecs_.begin(), codecs_.end(), is_compressor))
    throw Error(Failure::data, "its chunks are compressed twice, which is not supported");
  codecs_.push_back(codec);
}

std::size_t ZarrCodecs::most_stored(std::size_t bytes) const {
  return codecs_.empty() ? bytes : bytes + bytes / 64 + 4096;
}

void ZarrCodecs::decode(Bytes stored, Out out) const {
  std::vector<std::byte> inner;  // with the checksums that were compressed as well
  auto codec = codecs_.rbegin();
  for (; codec != codecs_.rend(); ++codec) {
    if (*codec == ZarrCodec::crc32c) {
      stored = checked(stored);
      continue;
    }
    const auto sums = static_cast<std::size_t>(codecs_.rend() - codec - 1);
    Out to = out;
    if (sums > 0) {
      inner.resize(out.size() + sums * kCrcBytes);
      to = inner;
    }
    if (!decompress(*codec, stored, to))
      throw Error(Failure::data, "is damaged, or does not hold as many elements as its shape says");
    stored = to;
  }
  if (stored.size() != out.size())
    throw Error(Failure::data, "does not hold as many elements as its shape says");
  if (stored.data() != out.data()) std::memcpy(out.data(), stored.data(), out.size());
}

}  // namespace gpuccl::io
