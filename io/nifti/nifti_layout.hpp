#pragma once

#include <cstddef>

namespace gpuccl::io {

/// Offsets and types of the fields of a header.
struct NiftiLayout {
  bool is_nifti2;
  std::size_t header_bytes;
  std::size_t magic, dim, intent_code, datatype, bitpix, pixdim, vox_offset, scl_slope, scl_inter, xyzt_units,
      qform_code, sform_code, quatern, srow;

  std::size_t real_bytes() const { return is_nifti2 ? 8 : 4; }  // pixdim, scl_*, quatern, srow
  std::size_t dim_bytes() const { return is_nifti2 ? 8 : 2; }
  std::size_t code_bytes() const { return is_nifti2 ? 4 : 2; }  // intent_code, qform_code, sform_code
};

inline constexpr NiftiLayout kNifti1 = {.is_nifti2 = false,
                                        .header_bytes = 348,
                                        .magic = 344,
                                        .dim = 40,
                                        .intent_code = 68,
                                        .datatype = 70,
                                        .bitpix = 72,
                                        .pixdim = 76,
                                        .vox_offset = 108,
                                        .scl_slope = 112,
                                        .scl_inter = 116,
                                        .xyzt_units = 123,
                                        .qform_code = 252,
                                        .sform_code = 254,
                                        .quatern = 256,
                                        .srow = 280};
inline constexpr NiftiLayout kNifti2 = {.is_nifti2 = true,
                                        .header_bytes = 540,
                                        .magic = 4,
                                        .dim = 16,
                                        .intent_code = 504,
                                        .datatype = 12,
                                        .bitpix = 14,
                                        .pixdim = 104,
                                        .vox_offset = 168,
                                        .scl_slope = 176,
                                        .scl_inter = 184,
                                        .xyzt_units = 500,
                                        .qform_code = 344,
                                        .sform_code = 348,
                                        .quatern = 352,
                                        .srow = 400};

}  // namespace gpuccl::io
