#pragma once

#include <libdeflate.h>

#include <string>

namespace tests {

template <class Bound, class Compress>
std::string compressed(const std::string& data, int level, Bound bound, Compress compress) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(level);
  std::string out(bound(compressor, data.size()), '\0');
  out.resize(compress(compressor, data.data(), data.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

/// One member of gzip.
inline std::string gzipped(const std::string& data, int level = 6) {
  return compressed(data, level, libdeflate_gzip_compress_bound, libdeflate_gzip_compress);
}

inline std::string zlib_stream(const std::string& data) {
  return compressed(data, 6, libdeflate_zlib_compress_bound, libdeflate_zlib_compress);
}

}  // namespace tests
