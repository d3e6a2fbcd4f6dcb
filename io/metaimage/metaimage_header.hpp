#pragma once

#include <cstdint>
#include <string>

#include "io/files/byte_source.hpp"
#include "io/image/raw_volume.hpp"

namespace gpuccl::io {

/// The header of a MetaImage (itk.org/Wiki/MetaIO/Documentation): lines "key = value", of which the last says
/// where the samples are.
struct MetaimageHeader {
  RawVolume volume;         // its offset is that of what follows the header, in the file or in `data_file`
  bool compressed = false;  // by zlib
  std::string data_file;    // empty: samples follow the header
  std::int64_t header_size = 0;  // bytes to skip of data_file; -1: samples are at its end
};

bool is_metaimage(const ByteSource& file);

/// Checks what the header specifies but not that the samples are there. Throws Error (data).
MetaimageHeader read_metaimage_header(const ByteSource& file, const Limits& limits);

}  // namespace gpuccl::io
