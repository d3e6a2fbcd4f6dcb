#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

enum class LengthUnit { unknown, pm, angstrom, nm, um, mm, cm, dm, m, inch };

/// The names of these, for messages.
inline constexpr const char* kLengthUnits = "pm, angstrom, nm, um, mm, cm, dm, m or inch";

/// "um"; "" if unknown.
std::string_view name_of(LengthUnit unit);

/// "um2", of a volume "um3"; "" if unknown.
std::string unit_of_area(LengthUnit unit, bool volume);

/// "micrometer"; "" if unknown.
std::string_view word_of(LengthUnit unit);

/// Returns the unit by a name that some program writes: "um", "micron", "micrometer", with the letter mu or
/// its escape. Unknown for other names, such as "pixel".
LengthUnit length_unit(std::string_view name);

/// Returns the factor that converts lengths in `from` to `to`; neither may be unknown.
double unit_ratio(LengthUnit from, LengthUnit to);

/// Along x, y, z.
using Vector3 = std::array<double, 3>;

enum class ResolutionUnit { none = 1, inch = 2, centimetre = 3 };  // numbered as in a TIFF

/// Pixels in a unit of length as TIFF and PNG have it: how a page was scanned or is printed.
struct Resolution {
  double x = 0, y = 0;  // 0: unknown
  ResolutionUnit unit = ResolutionUnit::none;

  bool is_known() const { return x > 0 && y > 0; }
};

/// Directions of the axes of the world relative to a body: LPS is left, posterior, superior.
enum class WorldSpace { unknown, lps, ras, las, scanner_xyz, right_handed, left_handed };

/// Origin and directions of an image in the world.
struct Orientation {
  WorldSpace space = WorldSpace::unknown;
  std::array<Vector3, 3> steps{};  // from an element to the next along x, y and z
  Vector3 origin{};                // of the center of the first element

  /// Returns the world coordinates of the point (x, y, z), given in pixels.
  Vector3 at(const Vector3& point) const;
};

/// Orientation fields of a NIfTI header, copied bit for bit to outputs.
struct NiftiFrame {
  bool is_nifti2 = false;  // numbers of 64 bits; otherwise of 32, which doubles represent exactly
  std::array<double, 8> pixdim{};
  int xyzt_units = 0;
  int qform_code = 0, sform_code = 0;
  std::array<double, 6> quatern{};  // b, c, d and the offsets x, y, z
  std::array<double, 12> srow{};

  /// Returns the affine matrix by the standard: a unit quaternion, spacings, and the sign of the third axis.
  std::array<double, 12> affine_of_quaternion() const;
};

/// Coordinates of the elements along an axis, as files list them.
struct Coordinates {
  std::vector<double> values;
  std::string unit;  // as the file names it, such as "degrees_east"
};

/// The size of elements, and where they are.
struct Geometry {
  Vector3 spacing{};  // from an element to the next; 0: unknown
  LengthUnit unit = LengthUnit::unknown;
  std::optional<Orientation> orientation = {};  // in the same unit
  std::optional<NiftiFrame> nifti = {};         // of an input that is one
  int zarr_format = 0;                          // of an input that is a Zarr: 2 or 3
  bool zarr_shards = false;                     // of such an input
  std::array<Coordinates, 3> coordinates = {};  // of inputs that list them; only for comparison
  Resolution resolution = {};                   // alone it specifies no spacing
  bool has_slice_axis = false;                  // of an array, even if the axis has one element
  int first_slice = 0;                          // of slices labeled separately: its number in the file
  bool is_in_mm = false;                        // by custom of the format, if a file has no unit
  bool has_areas = false;                       // of slices labeled separately: components have no volume

  /// Along the first `axes`.
  bool is_known(int axes = 2) const;
  /// Moves the origin to the slice `first`.
  void begin_at(int first);
};

/// A requested spacing, instead of that of the file.
struct GivenSpacing {
  Vector3 spacing{};                      // 0 along z: as in the file
  LengthUnit unit = LengthUnit::unknown;  // as in the file
};

/// Returns whether a number can be a spacing: products of three are finite and not 0.
bool is_spacing(double length);

/// Sets the spacing, if unknown, by coordinates that are equidistant and have a unit of length.
void set_spacing_by_coordinates(Geometry& geometry);

/// Returns whether neither has a unit. A NIfTI then has mm, as other programs assume.
bool needs_unit(const Geometry& geometry, const GivenSpacing& given);

/// Sets mm if the file has no unit and other programs assume mm in its format. Returns whether it did.
bool assume_unit(Geometry& geometry);

inline constexpr const char* kUnitIsAssumed =
    "has no unit of length; mm is assumed, set another with --spacing X,Y,Z,UNIT";

/// Sets the size of elements. Directions and origin do not change.
void set_spacing(Geometry& geometry, const GivenSpacing& given);

/// Returns the geometry with lengths in another unit; unchanged if its unit is not known.
Geometry in_unit(const Geometry& geometry, LengthUnit unit);

/// Converts an orientation to LPS or RAS; axes that refer to no body are assumed to be LPS.
Orientation in_lps(const Orientation& orientation);
Orientation in_ras(const Orientation& orientation);

/// Returns the default orientation, along the axes of the world from its origin.
Orientation plain_orientation(const Geometry& geometry);
/// Returns the orientation of `geometry`, or the default.
Orientation orientation_of(const Geometry& geometry);

/// Factors from pixels to physical lengths.
struct PhysicalScale {
  double element;  // area or volume
  Orientation orientation;
  std::string unit;  // of `element`: unit_of_area()
};

/// Returns none if the spacing along one of these axes is unknown.
std::optional<PhysicalScale> physical_scale(const Geometry& geometry, int axes);

/// Returns whether an image of one slice lies in a plane of x and y and has no known thickness.
bool is_flat(const Geometry& geometry);
bool is_plain(const Orientation& orientation);
/// Returns the axis of the world along which each axis of the image runs; none if one runs along no axis or
/// backward.
std::optional<std::array<std::size_t, 3>> world_axes(const Orientation& orientation);
/// Returns whether elements lie along the axes of the world, with any origin.
bool is_unturned(const Orientation& orientation);

/// Returns whether two of the first `axes` axes are not perpendicular, as in CT with gantry tilt.
bool is_sheared(const Geometry& geometry, int axes);
/// Returns the distances between columns, rows and slices, whose product is the size of an element: the
/// spacing, unless the image is sheared.
Vector3 layer_distances(const Geometry& geometry);

/// Drops an orientation whose numbers cannot be computed with, or whose steps lie in a plane. A third step of
/// length 0, which images of one slice may have, is replaced by a normal of the others. A known spacing that
/// differs from the length of a step by more than rounding, such as pixdim of NIfTI, becomes that length.
void drop_unusable(Geometry& geometry);

/// Returns the resolution that a TIFF specifies for `geometry`: the original one, or that of its spacing.
Resolution resolution_of(const Geometry& geometry);

/// Returns the first difference between elements of two images of this extent: "spacing", "direction" or
/// "origin" (a turned image has another origin, too). Returns "" if either is unknown, or if they differ by
/// less than a thousandth of an element. An axis of one element has no spacing and no direction, and its
/// coordinates are not compared.
std::string_view grid_difference(const Geometry& one, const Geometry& other, const Extent& extent);

}  // namespace gpuccl::io
