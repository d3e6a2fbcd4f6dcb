#include "io/deflater.hpp"

#include <libdeflate.h>

#include <new>

#include "gpuccl/error.hpp"

namespace gpuccl::io {

Deflater::Deflater(int level) : compressor_(libdeflate_alloc_compressor(level)) {
  if (!compressor_) throw std::bad_alloc();
}

void Deflater::Free::operator()(libdeflate_compressor* compressor) const {
  libdeflate_free_compressor(compressor);
}

std::size_t Deflater::compress(const void* data, std::size_t bytes, std::vector<std::byte>& out) {
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor_.get(), bytes);
  if (out.size() < bound) out.resize(bound);
  const std::size_t size = libdeflate_zlib_compress(compressor_.get(), data, bytes, out.data(), out.size());
  if (size == 0) throw Error(Failure::internal, "compressed data are larger than they can be");
  return size;
}

}  // namespace gpuccl::io
