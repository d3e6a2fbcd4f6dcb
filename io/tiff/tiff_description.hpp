#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/image/image_info.hpp"
#include "io/tiff/tiff_series.hpp"

namespace gpuccl::io {

/// What the program that wrote a TIFF says about it in the text of its first page.
struct TiffDescription {
  enum class Writer { unknown, imagej, ome, tifffile };
  Writer writer = Writer::unknown;
  bool by_tifffile =
      false;  // which stores true as 1 and calls it min-is-white; it also writes the other forms
  std::int64_t planes = 0;  // images that the file should hold; 0: unknown
  std::int64_t channels = 1;
  std::int64_t frames = 1;  // points in time
  std::int64_t slices = 1;
  std::int64_t images = 1;  // of an OME-TIFF, which may be in other files; planes and axes are of the first
  std::vector<TiffSeries> series;  // if it is known how planes follow each other
  std::string other_axes;          // "2x3 planes (axes TZ)" if tifffile says that planes differ along several
  bool single_directory = false;   // tifffile says that only the first of the planes has one
  Vector3 spacing{};               // of which ImageJ tells z alone, the others by the resolution; 0: unknown
  LengthUnit unit = LengthUnit::unknown;

  /// Whether it is known of all pages which image they belong to.
  bool says_images() const { return writer == Writer::imagej || writer == Writer::ome; }
};

/// `elements` is the number of samples of the first page, `samples_per_pixel` how many of them make a pixel.
TiffDescription parse_description(const std::string& description, const std::string& software,
                                  double elements, int samples_per_pixel);

/// Checks that the `found` planes make one volume: that they are of one image and differ along one axis only,
/// which in an OME-TIFF is neither channel nor time. Throws Error (data). Returns a warning if that axis is
/// not called slices, else an empty text.
std::string check_axes(const TiffDescription& description, std::int64_t found);

}  // namespace gpuccl::io
