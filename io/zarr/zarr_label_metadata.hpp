#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/image/label_image.hpp"
#include "io/zarr/zarr_label_layout.hpp"

namespace gpuccl::io {

/// Metadata of an OME-Zarr of labels.
struct ZarrLabelHeader {
  int version = 2;           // of Zarr: 2 with OME-Zarr 0.4, 3 with 0.5
  bool is_in_image = false;  // a group in the labels of an image
  WriteOptions options;      // with the type resolved
  std::vector<ZarrLevel> levels;
};

/// Returns the documents of a label image with their keys: a group, and one array per level, "0", "1" and so
/// on.
std::vector<std::pair<std::string, std::string>> zarr_label_metadata(const ZarrLabelHeader& header);

/// Colors and properties of labels, for `image-label`: JSON objects, separated by commas.
struct LabelTexts {
  std::string colors, properties;
};
/// Adds these to the metadata of the label image in `folder`. Error (io).
void add_label_texts(int folder, const LabelTexts& texts);

}  // namespace gpuccl::io
