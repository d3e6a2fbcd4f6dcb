#pragma once

#include <cstdint>
#include <string>

#include "io/files/byte_source.hpp"
#include "io/image/raw_volume.hpp"

namespace gpuccl::io {

/// The header of an NRRD (teem.sourceforge.net/nrrd/format.html). By hand: it is a few lines of text, and
/// what is known of space, directions, spacing and units is handed on.
struct NrrdHeader {
  RawVolume volume;        // its offset is that of what follows the header, in the file or in `data_file`
  bool gzip = false;       // what follows is compressed
  std::string data_file;   // where samples are; empty: after the header
  std::int64_t lines = 0;  // to skip of that
  std::int64_t bytes = 0;  // to skip after them, of what is decompressed; -1: samples are at the end
};

bool is_nrrd(const ByteSource& file);

/// Checks what the header specifies but not that the samples are there. Throws Error (data).
NrrdHeader read_nrrd_header(const ByteSource& file, const Limits& limits);

}  // namespace gpuccl::io
