#pragma once

#include <string>

#include "io/tiff/tiff_description.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// Adds the axes that private tags of the current page specify: those of MetaMorph (STK), NIH Image and Zeiss
/// (LSM). Names the vendor of other private axes, which are not read. Throws Error (data, io).
void add_vendor_axes(const TiffHandle& tiff, const std::string& text, const std::string& software,
                     TiffDescription& description);

}  // namespace gpuccl::io
