#pragma once

#include <functional>
#include <string>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// Sample storage of the current page.
struct TiffFormat {
  SampleFormat samples;
  int channels = 1;  // of a pixel as it is stored, alpha and others included
  int planes = 1;    // that have to be read, when each channel is stored on its own
  Photometric stored = Photometric::min_is_black;  // by the tag, whatever samples are read as
};

/// Settings for reading samples, in addition to the tags of a page.
struct TiffReading {
  bool all_channels = false;  // of a pixel, because one is chosen
  bool by_imagej = false;     // whose palettes only display samples
  PaletteUse palette = PaletteUse::automatic;
};

bool is_fax(int compression);

/// Throws Error (data) when it is none that can be read.
TiffFormat read_tiff_format(const TiffHandle& tiff, const TiffReading& reading,
                            const std::function<void(const std::string& line)>& warn);

}  // namespace gpuccl::io
