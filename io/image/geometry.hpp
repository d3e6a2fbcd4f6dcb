#pragma once

#include <array>
#include <optional>
#include <string>

namespace gpuccl::io {

/// Resolution and unit as TIFF and PNG have them, carried over from the input to the label image.
struct Spacing {
  double x_resolution = 0;  // pixels per unit; 0: unknown
  double y_resolution = 0;
  int unit = 1;           // TIFF's ResolutionUnit: 1 none, 2 inch, 3 centimetre
  double z_spacing = 0;   // distance of slices as ImageJ stores it; 0: unknown
  std::string unit_name;  // ImageJ's unit, for example "um"; empty: unknown
};

/// Where a NIfTI places its elements in the world, as its header says it: handed on bit for bit.
struct NiftiFrame {
  bool is_nifti2 = false;  // numbers of 64 bits; of 32 otherwise, which a double holds as they are
  std::array<double, 8> pixdim{};
  int xyzt_units = 0;
  int qform_code = 0, sform_code = 0;
  std::array<double, 6> quatern{};  // b, c, d and the offsets x, y, z
  std::array<double, 12> srow{};
};

/// The size of elements, and where they are.
struct Geometry {
  std::array<double, 3> spacing{};  // from an element to the next along x, y, z; 0: unknown
  std::string unit;                 // of the spacing: "mm", "um"; empty: unknown
  std::optional<NiftiFrame> nifti;

  bool is_known() const { return spacing[0] > 0 && spacing[1] > 0; }
};

/// What a TIFF says of a spacing. Dots per inch or centimetre alone are how a page is printed, and no
/// spacing.
Geometry geometry_of(const Spacing& spacing);
Spacing spacing_of(const Geometry& geometry);

}  // namespace gpuccl::io
