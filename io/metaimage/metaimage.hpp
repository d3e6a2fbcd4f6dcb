#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/files/input_file.hpp"
#include "io/image/label_image.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The header of a MetaImage (itk.org/Wiki/MetaIO/Documentation): lines "key = value", of which the last says
/// where the samples are.
struct MetaimageHeader {
  RawVolume volume;         // its offset is that of what follows the header, in the file or in `data_file`
  bool compressed = false;  // by zlib
  std::string data_file;    // empty: samples follow the header
  std::int64_t header_size = 0;  // bytes to skip of data_file; -1: samples are at its end
};

bool is_metaimage(const InputFile& file);

/// Checks what the header specifies but not that the samples are there. Throws Error (data).
MetaimageHeader read_metaimage_header(const ByteSource& file, const Limits& limits);

/// A label image as MetaImage with its samples in the same file, compressed by zlib unless
/// options.compression is none, with spacing, directions and origin in LPS. options.type is resolved.
LabelFile metaimage_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
