#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Reads a label image written by this program or another: TIFF of 8/16/32-bit unsigned gray (pages are
/// slices), PNG of 1 to 16-bit gray, .npy with 2 or 3 axes, NIfTI, Zarr. Values are taken as stored. count()
/// of the result is the largest value. Throws Error as open_reader does; (memory) when the labels, and a row
/// of each of two images that are compared, are more than `limits.memory`. `info`, if given, gets what else
/// the file specifies.
///
/// With `long_labels`, labels may have 64 bits. Where samples have, the result has numbers 1..N in the place
/// of labels, in the same order, and `long_labels` gets what they stand for; else it is left empty. Error
/// (memory) also when these are too many.
LabelImage read_labels(const std::string& path, std::vector<std::uint64_t>* long_labels = nullptr,
                       const Limits& limits = {}, ImageInfo* info = nullptr);

}  // namespace gpuccl::io
