#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/image/label_image.hpp"

namespace gpuccl::app {

/// One input of a batch in the index of pages.
struct IndexEntry {
  std::string input, name;  // name: of its outputs
  std::string status;       // "labeled", "failed", ...
  std::string error;        // one line, if it failed
  std::string page;         // next to the index; "" if there is none
  std::uint64_t components = 0;
  double foreground = 0;  // share of the elements in components
  std::vector<std::string> hints;
  std::string thumbnail;  // the bytes of a PNG, or none
  std::string place;      // in a plate of OME-Zarr, such as "A/1/0"
};

/// Returns the file name of the page of an input with this name: UTF-8 with at most 255 bytes per path
/// component, so that browsers and servers find it, and different for different names.
std::string page_name(const std::string& name);

/// A slice in gray, a byte for each pixel.
struct GrayPicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Returns a small PNG of the labels over the image `below`, which may be empty; of a volume, it shows the
/// middle slice. Components smaller than a pixel are visible.
std::string thumbnail(const io::MappedLabels& labels, const GrayPicture& below, bool invert);

/// Returns the index of the pages of a batch, a file next to them.
std::string batch_page(const std::vector<IndexEntry>& entries);

/// Returns whether a file with this beginning, without white space, is such an index.
bool is_batch_page(std::string_view beginning);

}  // namespace gpuccl::app
