#pragma once

#include "gpuccl/image.hpp"
#include "io/files/atomic_file.hpp"

namespace gpuccl::io {

/// Writes a binary image: 1-bit gray PNG (depth 1 only), or 1-bit TIFF (MinIsBlack, Deflate), one page a
/// slice. The format follows the extension of the file's path: .png .tif .tiff; Error (usage) for any other.
void write_image(AtomicFile& file, BitView image);

}  // namespace gpuccl::io
