#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/image/geometry.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// A number of planes that no file has. Larger claims count as this, so that their products do not overflow.
constexpr std::int64_t kMaxPlanes = INT32_MAX;

/// Returns the product of two numbers of planes, at most kMaxPlanes.
constexpr std::int64_t planes_of(std::int64_t a, std::int64_t b) { return std::min(a * b, kMaxPlanes); }

/// One image of a TIFF: which of its planes it has, and how they follow each other.
struct TiffSeries {
  std::int64_t first = 0;  // plane, counted from 0
  std::int64_t channels = 1, slices = 1, frames = 1;
  std::vector<std::string> channel_names;
  std::string order = "CZT";  // the axis along which planes follow each other first
  bool is_scattered = false;  // planes follow each other in another way
  Vector3 spacing{};          // of OME; 0: unknown
  LengthUnit unit = LengthUnit::unknown;

  /// Returns the number of planes, at most kMaxPlanes.
  std::int64_t planes() const { return planes_of(planes_of(channels, slices), frames); }
};

/// Returns the planes of the slices that are chosen, in ascending order. Throws Error (data).
std::vector<std::int64_t> chosen_planes(const std::vector<TiffSeries>& series, const PlaneChoice& choice);

/// Refuses a scattered series. Throws Error (data).
void check_order(const TiffSeries& series, const PlaneOptions& options);

/// Returns the series that is chosen. Throws Error (data).
const TiffSeries& chosen_series(const std::vector<TiffSeries>& series, const PlaneChoice& choice);

/// Description that the writing program left in the text of a TIFF's first page.
struct TiffDescription {
  enum class Writer { unknown, imagej, ome, tifffile, metamorph, nih_image, zeiss };
  Writer writer = Writer::unknown;
  bool by_tifffile =
      false;  // which stores true as 1 and calls it min-is-white; it also writes the other forms
  std::int64_t planes = 0;  // images that the file should hold; 0: unknown
  std::int64_t channels = 1;
  std::int64_t frames = 1;  // time points
  std::int64_t slices = 1;
  std::int64_t images = 1;  // of an OME-TIFF, which may be in other files; planes and axes are of the first
  std::vector<TiffSeries> series;     // if it is known how planes follow each other
  std::string other_axes;             // "2x3 planes (axes TZ)" of tifffile, if planes differ along several
  std::string vendor;                 // of axes that are not read, which only its private tags specify
  std::string metadata_file;          // another file, which contains the OME-XML
  char samples_axis = 'S';            // in an array of tifffile, of samples in separate planes; '?': no name
  bool single_directory = false;      // tifffile states that only the first of the planes has one
  bool samples_are_channels = false;  // of a pixel, in a composite of ImageJ, and of Zeiss
  Vector3 spacing{};  // of which ImageJ specifies only z, the others by the resolution; 0: unknown
  LengthUnit unit = LengthUnit::unknown;
  std::optional<LengthUnit> y_unit, z_unit;  // of ImageJ, if they differ from `unit`

  std::string calibration;  // ImageJ's function number and coefficients: "0 -32768.0 1.0"

  /// Returns whether the image that each page belongs to is known.
  bool says_images() const { return writer != Writer::unknown && writer != Writer::tifffile; }
  /// Returns whether slices may follow the first page without a directory of their own.
  bool has_hidden() const {
    return writer == Writer::imagej || writer == Writer::metamorph || writer == Writer::nih_image ||
           single_directory;
  }
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
/// which is neither channel nor time. Pages that are labeled separately may differ along any axis but
/// channels, whose samples mean different things. Throws Error (data) with the options that choose among
/// them; --per-slice and --page only if their pages `are_alike`.
void check_axes(const TiffDescription& description, std::int64_t found, bool are_alike, bool are_apart,
                const PlaneOptions& options);

/// Adds images, planes and pixel sizes from OME-XML to `description`. Each plane has `samples_per_pixel`
/// channels. Text whose root is not an element OME adds nothing. Throws Error (data) for metadata that take
/// more memory than any image needs.
void parse_ome(const std::string& xml, int samples_per_pixel, TiffDescription& description);

/// Adds the axes that private tags of the current page specify: those of MetaMorph (STK), NIH Image and Zeiss
/// (LSM). Names the vendor of other private axes, which are not read. Throws Error (data, io).
void add_vendor_axes(const TiffHandle& tiff, const std::string& text, const std::string& software,
                     TiffDescription& description);

/// Returns the resolution of the current page.
Resolution read_resolution(const TiffHandle& tiff);

/// Adds the spacing of the description. A resolution is ImageJ's spacing if the description has a unit. On
/// its own, in inches or centimeters, it is the print resolution of a page.
void add_spacing(const TiffDescription& description, Geometry& geometry);

}  // namespace gpuccl::io
