#pragma once

#include <tiffio.h>

#include <cstdint>

#include "io/tiff/tiff_message.hpp"

namespace gpuccl::io {

/// Access of libtiff to the bytes of a file: its mode, and callbacks with `handle`.
/// Nothing is mapped.
struct TiffClient {
  const char* mode;
  thandle_t handle;
  TIFFReadWriteProc read;
  TIFFReadWriteProc write;
  TIFFSeekProc seek;
  TIFFCloseProc close;
  TIFFSizeProc size;
};

/// Opens a file with messages going to `messages`, or returns null. `handle` and `messages` must stay where
/// they are until the file is closed with close_tiff. One allocation of libtiff stays below `max_bytes` (0:
/// no limit) if it can do that.
TIFF* open_tiff(const TiffClient& client, TiffMessages& messages, std::int64_t max_bytes);
void close_tiff(TIFF* tiff, TiffMessages& messages);

}  // namespace gpuccl::io
