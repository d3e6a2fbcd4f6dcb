#pragma once

#include <cstdint>
#include <string>

#include "gpuccl/image.hpp"
#include "io/files/atomic_file.hpp"
#include "io/image/formats.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Returns the type in which `count` labels are written. Error (data) if they do not fit the requested type
/// or format, (usage) if the format does not have the type.
LabelType resolve_label_type(LabelType requested, Label count, LabelFormat format);

/// Returns a warning that lists the parts of `geometry` that `format` cannot store for this many slices, and
/// a format that can; "" if nothing is lost.
std::string lost_geometry(LabelFormat format, const Geometry& geometry, int depth);

/// Returns the memory of write_labels() for each strip in progress, if no row of the labels has more than
/// `runs` runs. options.type is resolved.
std::int64_t bytes_of_strip(LabelFormat format, const WriteOptions& options, Extent extent,
                            std::int64_t runs);

/// Returns the number of slices whose labels a strip needs at the same time.
int slices_of_strip(LabelFormat format, const WriteOptions& options, Extent extent);

/// Returns a label image of this format, whose name will be `path`, for write_labels(). options.type is
/// resolved. Throws Error (data, usage) if the format cannot hold it.
LabelFile new_label_file(LabelFormat format, const std::string& path, const Extent& extent, Label count,
                         const WriteOptions& options);

/// Writes a binary image: 1-bit gray PNG (depth 1 only), or 1-bit TIFF (MinIsBlack, Deflate), one page a
/// slice. The format follows the extension of the file's path: .png .tif .tiff; Error (usage) for any other.
void write_image(AtomicFile& file, BitView image);

}  // namespace gpuccl::io
