#pragma once

#include <cstdint>
#include <memory>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Header of a .npy file: a Python dictionary. NumPy always writes it in the same form, so it is parsed
/// without evaluating anything.
struct NpyHeader {
  SampleFormat format;
  Extent extent;
  bool has_slice_axis = false;
  bool swapped = false;    // samples are big-endian
  bool fortran = false;    // z is the axis that varies fastest, then y
  std::uint64_t data = 0;  // offset of the first sample
};

/// Versions 1 to 3 of the format. Checks that the samples are inside of the file. Throws Error (data, io).
NpyHeader read_npy_header(const InputFile& file, const Limits& limits);

/// A label image as .npy; options.type is resolved and fits the format.
LabelFile npy_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
