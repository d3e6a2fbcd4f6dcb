#include "io/tiff/tiff_scheme.hpp"

#include <tiff.h>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

int tiff_scheme(Compression compression) {
  switch (compression) {
    case Compression::none:
      return COMPRESSION_NONE;
    case Compression::deflate:
      return COMPRESSION_ADOBE_DEFLATE;
    case Compression::lzw:
      return COMPRESSION_LZW;
    case Compression::zstd:
      return COMPRESSION_ZSTD;
    case Compression::packbits:
      return COMPRESSION_PACKBITS;
    case Compression::blosc:
      break;
  }
  throw Error(Failure::internal, "unknown compression");
}

}  // namespace gpuccl::io
