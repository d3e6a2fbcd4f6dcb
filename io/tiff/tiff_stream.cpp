#include "io/tiff/tiff_stream.hpp"

#include <cstdio>

namespace gpuccl::io {

tmsize_t read_stream(thandle_t handle, void* out, tmsize_t count) {
  auto& stream = *static_cast<TiffStream*>(handle);
  try {
    const std::size_t got = stream.file->read_at(stream.position, out, static_cast<std::size_t>(count));
    stream.position += got;
    stream.at_end = stream.at_end || got < static_cast<std::size_t>(count);
    return static_cast<tmsize_t>(got);
  } catch (const Error& failure) {
    stream.read_failure = failure;
    return -1;
  }
}

tmsize_t write_stream(thandle_t, void*, tmsize_t) { return -1; }

toff_t seek_stream(thandle_t handle, toff_t offset, int whence) {
  auto& stream = *static_cast<TiffStream*>(handle);
  const std::uint64_t base = whence == SEEK_CUR   ? stream.position
                             : whence == SEEK_END ? stream.file->size()
                                                  : 0;
  return stream.position = base + offset;
}

int close_stream(thandle_t) { return 0; }

toff_t size_of_stream(thandle_t handle) { return static_cast<TiffStream*>(handle)->file->size(); }

}  // namespace gpuccl::io
