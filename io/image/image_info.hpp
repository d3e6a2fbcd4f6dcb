#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/geometry.hpp"

namespace gpuccl::io {

/// Header of an input, and the rule that makes its samples foreground.
struct ImageInfo {
  std::string path;    // as given; "-" for stdin
  std::string format;  // "png", "tiff", "stack"
  Extent extent;
  int bits_per_sample = 0;
  std::string photometric;  // "min-is-black", "min-is-white", "palette", "rgb", ...
  // "nonzero", "luma > 0", "value > 128", "otsu: value > 93.5", with ", inverted"; empty until Otsu's
  // threshold is known.
  std::string foreground_rule;
  std::string value_rule = "";  // value_rule() of the first slice
  /// Checksums in the file that reading compares: "Adler-32". Without any, damage may become other samples.
  std::vector<std::string> checksums = {};
  Geometry geometry = {};
  bool otsu_cuts_peak = false;      // OtsuThreshold::cuts_peak, when the threshold is known
  bool is_image_stack = false;      // an MRC that declares its sections images
  bool is_described_stack = false;  // a TIFF whose description lists its slices, as ImageJ's do
  // Width and height are those of the largest pages; smaller ones are at the upper left, next to background.
  bool has_smaller_pages = false;
  std::int64_t beside_pages = 0;  // elements of the extent outside of pages

  std::int64_t elements() const { return extent.elements() - beside_pages; }
};

}  // namespace gpuccl::io
