#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/files/input_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/label_image.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Parses the field "space": "left-posterior-superior" or "LPS", in any case. Returns unknown for other
/// values and for spaces with a time axis.
WorldSpace nrrd_space(const std::string& name);
/// Its long name; "" if unknown.
const char* nrrd_name(WorldSpace space);

/// The header of an NRRD (teem.sourceforge.net/nrrd/format.html). By hand: it is a few lines of text, and
/// what is known of space, directions, spacing and units is handed on.
struct NrrdHeader {
  RawVolume volume;        // its offset is that of what follows the header, in the file or in `data_file`
  bool gzip = false;       // what follows is compressed
  std::string data_file;   // where samples are; empty: after the header
  std::int64_t lines = 0;  // to skip of that
  std::int64_t bytes = 0;  // to skip after them, of what is decompressed; -1: samples are at the end
};

/// Checks what the header specifies but not that the samples are there. Throws Error (data).
NrrdHeader read_nrrd_header(const ByteSource& file, const Limits& limits);

/// A label image as NRRD, compressed by gzip unless options.compression is none, with the space, directions,
/// spacing, origin and unit of the input. options.type is resolved.
LabelFile nrrd_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
