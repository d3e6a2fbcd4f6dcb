#pragma once

#include <tiffio.h>

#include <cstdarg>
#include <cstdint>
#include <string>

namespace gpuccl::io {

/// What libtiff said about one open file. Only the first of each is kept.
struct TiffMessages {
  std::string error;
  std::string warning;
  bool out_of_memory = false;  // was the reason of the error

  /// libtiff has nothing but words for it, many different ones; malloc() has left ENOMEM in errno.
  void add_error(const char* module, const char* format, va_list arguments);
  void add_warning(const char* module, const char* format, va_list arguments);
};

/// How libtiff reaches the bytes of a file: its mode, and functions that are handed `handle`. Nothing is
/// mapped.
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
