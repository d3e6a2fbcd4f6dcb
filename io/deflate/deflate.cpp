#include "io/deflate/deflate.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "gpuccl/types.hpp"

namespace gpuccl::io {
namespace {

bool are_zeros(const void* data, std::size_t bytes) {
  const auto* first = static_cast<const unsigned char*>(data);
  return bytes > 0 && *first == 0 && std::memcmp(first, first + 1, bytes - 1) == 0;
}

std::size_t checked(std::size_t size) {
  if (size == 0) throw Error(ErrorCode::internal, "compressed data are larger than they can be");
  return size;
}

}  // namespace

Deflater::Deflater(int level) : compressor_(libdeflate_alloc_compressor(level)) {
  if (!compressor_) throw std::bad_alloc();
}

void Deflater::Free::operator()(libdeflate_compressor* compressor) const {
  libdeflate_free_compressor(compressor);
}

std::size_t Deflater::compress(const void* data, std::size_t bytes, std::vector<std::byte>& out) {
  if (!are_zeros(data, bytes)) return compress_any(data, bytes, out);
  if (zero_bytes_ != bytes) {
    zeros_size_ = compress_any(data, bytes, zeros_);
    zero_bytes_ = bytes;
  }
  if (out.size() < zeros_size_) out.resize(zeros_size_);
  std::copy_n(zeros_.begin(), zeros_size_, out.begin());
  return zeros_size_;
}

std::size_t Deflater::compress_any(const void* data, std::size_t bytes, std::vector<std::byte>& out) {
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor_.get(), bytes);
  if (out.size() < bound) out.resize(bound);
  return checked(libdeflate_zlib_compress(compressor_.get(), data, bytes, out.data(), out.size()));
}

std::size_t Deflater::compress_gzip(const void* data, std::size_t bytes, std::vector<std::byte>& out) {
  const std::size_t bound = libdeflate_gzip_compress_bound(compressor_.get(), bytes);
  if (out.size() < bound) out.resize(bound);
  return checked(libdeflate_gzip_compress(compressor_.get(), data, bytes, out.data(), out.size()));
}

}  // namespace gpuccl::io
