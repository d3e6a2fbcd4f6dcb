#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/image/image_info.hpp"
#include "io/tiff/tiff_series.hpp"

namespace gpuccl::io {

/// Description that the writing program left in the text of a TIFF's first page.
struct TiffDescription {
  enum class Writer { unknown, imagej, ome, tifffile };
  Writer writer = Writer::unknown;
  bool by_tifffile =
      false;  // which stores true as 1 and calls it min-is-white; it also writes the other forms
  std::int64_t planes = 0;  // images that the file should hold; 0: unknown
  std::int64_t channels = 1;
  std::int64_t frames = 1;  // time points
  std::int64_t slices = 1;
  std::int64_t images = 1;  // of an OME-TIFF, which may be in other files; planes and axes are of the first
  std::vector<TiffSeries> series;  // if it is known how planes follow each other
  std::string other_axes;          // "2x3 planes (axes TZ)" if tifffile says that planes differ along several
  bool single_directory = false;   // tifffile states that only the first of the planes has one
  bool samples_are_channels = false;  // of a pixel, in a composite of ImageJ
  Vector3 spacing{};  // of which ImageJ specifies only z, the others by the resolution; 0: unknown
  LengthUnit unit = LengthUnit::unknown;

  /// Whether it is known of all pages which image they belong to.
  bool says_images() const { return writer == Writer::imagej || writer == Writer::ome; }
};

/// Properties of the page with the description.
struct FirstPage {
  double elements = 0;  // samples
  int samples_per_pixel = 1;
  std::int64_t pages = 1;  // of the file; counted where a pixel has several samples
};

TiffDescription parse_description(const std::string& description, const std::string& software,
                                  const FirstPage& page);

/// Checks that the `found` planes make one volume: that they are of one image and differ along one axis,
/// which is neither channel nor time. Pages that are labeled apart may differ along any axis but channels,
/// whose samples mean different things. Throws Error (data) that says how to choose among them; --per-slice
/// and --page only where their pages `are_alike`.
void check_axes(const TiffDescription& description, std::int64_t found, bool are_alike, bool are_apart);

}  // namespace gpuccl::io
