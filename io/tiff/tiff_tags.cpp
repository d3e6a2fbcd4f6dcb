#include "io/tiff/tiff_tags.hpp"

#include "gpuccl/error.hpp"

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
  }
  throw Error(Failure::internal, "unknown compression");
}

bool set_sample_tags(TIFF* tiff, const TiffPages& pages, std::int64_t height) {
  const auto set = [tiff](ttag_t tag, auto value) { return TIFFSetField(tiff, tag, value) == 1; };
  return set(TIFFTAG_IMAGEWIDTH, pages.strips.extent.width) &&
         set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(height)) &&
         set(TIFFTAG_BITSPERSAMPLE, pages.bits_per_sample) && set(TIFFTAG_SAMPLESPERPIXEL, 1) &&
         set(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT) && set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) &&
         set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
         set(TIFFTAG_COMPRESSION, tiff_scheme(pages.compression)) &&
         set(TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(pages.strips.rows_per_strip));
}

}  // namespace gpuccl::io
