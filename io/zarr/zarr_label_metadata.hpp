#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/image/geometry.hpp"
#include "io/image/label_image.hpp"
#include "io/zarr/zarr_label_layout.hpp"

namespace gpuccl::io {

/// Metadata of an OME-Zarr of labels.
struct ZarrLabelHeader {
  int version = 2;           // of Zarr: 2 with OME-Zarr 0.4, 3 with 0.5
  bool is_in_image = false;  // a group in the labels of an image
  LabelType type = LabelType::u16;
  Geometry geometry;
};

/// The documents of a label image of one scale, by their keys: a group, and the array "0" in it.
std::vector<std::pair<std::string, std::string>> zarr_label_metadata(const ZarrLabelHeader& header,
                                                                     const ZarrLabelLayout& layout);

}  // namespace gpuccl::io
