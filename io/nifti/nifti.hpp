#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/label_image.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

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

/// Bytes of the largest header, that of NIfTI-2.
inline constexpr std::size_t kNiftiHeaderBytes = 540;

/// The header of a NIfTI-1 or NIfTI-2. libnifti is not used, because it reads a volume as a whole, or
/// inflates it again for each part.
struct NiftiHeader {
  RawVolume volume;
  bool is_pair = false;  // samples are in a file of their own
};

/// Reads a header. `start`: the first bytes of a file, at least a header unless the file is shorter. Checks
/// the header, but not that the samples exist. Throws Error (data).
NiftiHeader read_nifti_header(std::span<const std::byte> start, const Limits& limits);

/// Returns the name of the file with the samples, next to `file`, if that is the header of a pair; otherwise
/// "". Throws Error (data, io).
std::string name_of_nifti_samples(const std::shared_ptr<const InputFile>& file);

/// Opens a NIfTI-1 or NIfTI-2 of one volume, or a header with samples next to it in .img or .img.gz. Throws
/// Error (data, io, memory; no_input if there are no samples).
std::unique_ptr<SampleSource> open_nifti(std::shared_ptr<const InputFile> file, const ReadOptions& options);
/// Opens a NIfTI compressed by gzip. `file` contains the compressed data of `contents`.
std::unique_ptr<SampleSource> open_nifti(const InputFile& file, std::shared_ptr<GunzippedFile> contents,
                                         const ReadOptions& options);

/// Returns the bytes before the samples of a label image: the header, and four bytes that specify no
/// extension.
std::vector<std::byte> nifti_label_header(const Extent& extent, LabelType type, const Geometry& geometry);

/// Returns a label image as NIfTI-1, or as NIfTI-2 if the input was one or an axis has more than 32767
/// elements. It has intent 1002 and the unchanged frame of the input. options.type is resolved.
LabelFile nifti_label_file(const Extent& extent, const WriteOptions& options);

/// Writes a NIfTI compressed by gzip, in one member.
LabelFile nifti_gz_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
