#pragma once

#include <string>
#include <vector>

#include "gpuccl/extent.hpp"
#include "io/image/samples.hpp"
#include "io/tiff/tiff_format.hpp"
#include "io/tiff/tiff_layout.hpp"

namespace gpuccl::io {

/// Decodes the current page of a file with libtiff, strip by strip or tile by tile.
class TiffPageDecoder {
 public:
  TiffPageDecoder(TiffHandle& tiff, const TiffFormat& format, const Extent& extent);

  /// Throws Error (data, io).
  void decode(const SampleSource::Sink& sink);

  /// Memory that this takes.
  static std::int64_t buffer_bytes(const TiffLayout& layout, int planes, const TiffPieces& pieces);

 private:
  void decode_rows(const SampleSource::Sink& sink);
  void decode_pieces(const SampleSource::Sink& sink);
  void read_band(int plane, std::int64_t down, int rows, std::byte* out);
  void interleave(const std::vector<std::byte>& planes, std::size_t plane_bytes,
                  std::vector<std::byte>& pixels) const;
  void check(bool good, const std::string& what) const;

  TiffHandle& tiff_;
  TiffFormat format_;
  Extent extent_;
  TiffLayout layout_;
  bool fills_in_ = false;  // damage is no more than a warning
  std::vector<std::byte> tile_;
};

}  // namespace gpuccl::io
