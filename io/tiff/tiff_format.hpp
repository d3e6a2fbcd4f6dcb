#pragma once

#include <functional>
#include <string>

#include "io/image/samples.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// How the current page stores its samples.
struct TiffFormat {
  SampleFormat samples;
  int channels = 1;  // of a pixel as it is stored, alpha and others included
  int planes = 1;    // that have to be read, when each channel is stored on its own
};

bool is_fax(int compression);

/// Throws Error (data) when it is none that can be read.
TiffFormat read_tiff_format(const TiffHandle& tiff, bool all_channels,
                            const std::function<void(const std::string& line)>& warn);

}  // namespace gpuccl::io
