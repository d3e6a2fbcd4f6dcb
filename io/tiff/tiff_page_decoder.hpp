#pragma once

#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/samples.hpp"
#include "io/tiff/tiff_format.hpp"

namespace gpuccl::io {

/// Decodes the current page of a file with libtiff, strip by strip or tile by tile.
class TiffPageDecoder {
 public:
  TiffPageDecoder(TiffHandle& tiff, const TiffFormat& format, const Extent& extent);

  /// Returns the number of bands of the page: rows of strips or tiles that are decoded together. 1 if rows
  /// are decoded one by one.
  int bands() const;
  std::int64_t band_bytes() const { return layout_.row_bytes * layout_.height * format_.planes; }
  /// Memory that an open file takes for the places and sizes of strips or tiles.
  std::int64_t table_bytes() const { return layout_.across * layout_.down * format_.planes * 16; }

  /// Decodes bands [begin, end). Throws Error (data, io).
  void decode(int begin, int end, const SampleSource::Sink& sink);

  /// Memory that this takes.
  static std::int64_t buffer_bytes(const TiffLayout& layout, int planes, const TiffPieces& pieces);

 private:
  void decode_rows(const SampleSource::Sink& sink);
  void decode_pieces(int begin, int end, const SampleSource::Sink& sink);
  void read_band(int plane, std::int64_t down, int rows, std::byte* out);
  void interleave(const std::byte* planes, std::size_t plane_bytes, std::size_t bytes,
                  std::byte* pixels) const;
  void check(bool good, const std::string& what) const;

  TiffHandle& tiff_;
  TiffFormat format_;
  Extent extent_;
  TiffLayout layout_;
  bool fills_in_ = false;  // damage is no more than a warning
  std::vector<std::byte> tile_;
};

}  // namespace gpuccl::io
