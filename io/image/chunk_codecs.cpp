#include "io/image/chunk_codecs.hpp"

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

#include <climits>
#include <cstdint>
#include <cstring>
#include <new>

#include "gpuccl/types.hpp"

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

bool inflate(ChunkCodec codec, Bytes stored, Out out) {
  const auto decompress = codec == ChunkCodec::gzip ? libdeflate_gzip_decompress : libdeflate_zlib_decompress;
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

/// Decodes LZ4 as numcodecs stores it: the decompressed size in 32 bits, then one block.
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

}  // namespace

const char* checksum_of(ChunkCodec codec) {
  return codec == ChunkCodec::zlib ? "Adler-32" : codec == ChunkCodec::gzip ? "CRC-32" : "";
}

bool is_built_in(ChunkCodec codec) {
  switch (codec) {
    case ChunkCodec::zstd:
      return kHasZstd;
    case ChunkCodec::blosc:
      return kHasBlosc;
    case ChunkCodec::lz4:
      return kHasLz4;
    default:
      return true;
  }
}

bool decompress(ChunkCodec codec, Bytes stored, Out out) {
  switch (codec) {
    case ChunkCodec::zstd:
      return decode_zstd(stored, out);
    case ChunkCodec::blosc:
      return decode_blosc(stored, out);
    case ChunkCodec::lz4:
      return decode_lz4(stored, out);
    default:
      return inflate(codec, stored, out);
  }
}

ChunkCompressor::ChunkCompressor(const ChunkCompression& how, int sample_bytes)
    : how_(how), sample_bytes_(sample_bytes) {
  if (how.is_deflate()) deflater_.emplace(how.level);
#ifdef GPUCCL_HAS_ZSTD
  if (how.codec == ChunkCodec::zstd) zstd_.reset(ZSTD_createCCtx());
#endif
}

void ChunkCompressor::Free::operator()([[maybe_unused]] void* context) const {
#ifdef GPUCCL_HAS_ZSTD
  ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(context));
#endif
}

Bytes ChunkCompressor::compress(Bytes samples) {
  if (!how_.codec) return samples;
  std::size_t bytes = 0;
  switch (*how_.codec) {
    case ChunkCodec::zlib:
      bytes = deflater_->compress(samples.data(), samples.size(), stream_);
      break;
    case ChunkCodec::gzip:
      bytes = deflater_->compress_gzip(samples.data(), samples.size(), stream_);
      break;
#ifdef GPUCCL_HAS_ZSTD
    case ChunkCodec::zstd:
      if (!zstd_) throw std::bad_alloc();
      stream_.resize(ZSTD_compressBound(samples.size()));
      bytes = ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(zstd_.get()), stream_.data(), stream_.size(),
                                samples.data(), samples.size(), how_.level);
      if (ZSTD_isError(bytes) != 0) bytes = 0;
      break;
#endif
#ifdef GPUCCL_HAS_BLOSC
    case ChunkCodec::blosc: {
      stream_.resize(samples.size() + BLOSC_MAX_OVERHEAD);
      const int done =
          blosc_compress_ctx(how_.level, BLOSC_SHUFFLE, static_cast<std::size_t>(sample_bytes_),
                             samples.size(), samples.data(), stream_.data(), stream_.size(), "lz4", 0, 1);
      bytes = done > 0 ? static_cast<std::size_t>(done) : 0;
      break;
    }
#endif
    default:
      throw Error(ErrorCode::data, "its compression is not in this build of gpuccl");
  }
  if (bytes == 0) throw Error(ErrorCode::internal, "cannot compress a chunk");
  return Bytes(stream_).first(bytes);
}

}  // namespace gpuccl::io
