#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

inline bool is_jpeg(const InputFile& file) {
  unsigned char start[3];
  return file.read_at(0, start, sizeof start) == sizeof start && start[0] == 0xff && start[1] == 0xd8 &&
         start[2] == 0xff;
}

/// A JPEG of 8 bits, gray or color. Error (data) in a build without libjpeg, as for what is damaged, ends
/// early, or is lossless, of 12 bits or CMYK; (io, memory).
std::unique_ptr<SampleSource> open_jpeg(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
