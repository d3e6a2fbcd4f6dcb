#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Returns the orientation that EXIF data at this offset of a file specify: 1 to 8, as in a TIFF; 1 if they
/// specify none. Throws Error (data, io).
int exif_orientation(const ByteSource& file, std::uint64_t offset);

/// Warns of an orientation other than 1, because samples are read as stored.
void warn_of_orientation(int orientation, const std::function<void(const std::string& line)>& warn);

}  // namespace gpuccl::io
