#pragma once

#include <string>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// TIFF's ImageDescription as ImageJ writes it: a stack of slices, shown with a contrast from 0 to `max`.
std::string imagej_description(Extent extent, Label max, const Geometry& geometry);

/// ImageJ's lookup table for labels, the value of tag IJMetadata with one "luts" entry: black for 0, then the
/// colors of label_color(). ImageJ spreads it over the contrast of the description.
std::string imagej_lookup_table();
/// Bytes of the head and of the table, the values of tag IJMetadataByteCounts.
inline constexpr int kImagejHeadBytes = 12, kImagejTableBytes = 3 * 256;

/// Whether a TIFF of this name has OME-XML: .ome.tif, .ome.tiff.
bool is_ome_tiff(const std::string& path);

/// TIFF's ImageDescription as OME-XML (schema 2016-06): one channel and one time point of pages along z.
/// Error (data) for integers of 64 bits, which OME does not have.
std::string ome_xml(Extent extent, LabelType type, const Geometry& geometry);

}  // namespace gpuccl::io
