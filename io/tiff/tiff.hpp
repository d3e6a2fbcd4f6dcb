#pragma once

#include <memory>
#include <string>

#include "io/files/input_file.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Reads the directories of all pages. Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_tiff(std::shared_ptr<const InputFile> file, const ReadOptions& options);

/// Returns an image of `count` labels as TIFF, described for ImageJ, which shows it in color, or with OME-XML
/// if `path` ends in .ome.tif; options.type is resolved. Throws Error as TiffFile and ome_xml().
LabelFile tiff_label_file(const std::string& path, const Extent& extent, Label count,
                          const WriteOptions& options);

}  // namespace gpuccl::io
