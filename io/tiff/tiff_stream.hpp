#pragma once

#include "io/tiff/tiff_handle.hpp"

// Callbacks through which libtiff reads a TiffStream.
namespace gpuccl::io {

tmsize_t read_stream(thandle_t stream, void* out, tmsize_t count);
tmsize_t write_stream(thandle_t stream, void* data, tmsize_t count);
toff_t seek_stream(thandle_t stream, toff_t offset, int whence);
int close_stream(thandle_t stream);
toff_t size_of_stream(thandle_t stream);

}  // namespace gpuccl::io
