#pragma once

#include <libdeflate.h>

#include <string>

namespace tests {

/// One member of gzip.
inline std::string gzipped(const std::string& data, int level = 6) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(level);
  std::string out(libdeflate_gzip_compress_bound(compressor, data.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor, data.data(), data.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

inline std::string zlib_stream(const std::string& data) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
  std::string out(libdeflate_zlib_compress_bound(compressor, data.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor, data.data(), data.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

}  // namespace tests
