#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace tests {

/// An image with a name to be found by when a test fails.
struct NamedImage {
  std::string name;
  gpuccl::BitVolume image;
};

/// An image drawn as text: rows of '#' (foreground) and any other character; slices are lists of rows.
gpuccl::BitVolume drawn(const std::vector<std::string>& rows);
gpuccl::BitVolume drawn(const std::vector<std::vector<std::string>>& slices);

/// Calls visit(x, y, z) for each element in raster order.
template <class Visit>
void for_each_element(gpuccl::Extent extent, Visit visit) {
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y)
      for (int x = 0; x < extent.width; ++x) visit(x, y, z);
}

/// The elements of which `is_foreground(x, y, z)`.
template <class Rule>
gpuccl::BitVolume made_from(gpuccl::Extent extent, Rule is_foreground) {
  gpuccl::BitVolume image(extent);
  for_each_element(extent, [&](int x, int y, int z) { image.set(x, y, z, is_foreground(x, y, z)); });
  return image;
}

/// A label image with these labels, of which the largest is the count.
gpuccl::LabelImage label_image(gpuccl::Extent extent, const std::vector<gpuccl::Label>& labels);

gpuccl::BitVolume random_image(gpuccl::Extent extent, double density, int granularity, std::uint32_t seed);
/// Boxes in boxes, each of which is foreground or background around the next, some with a corner, an edge or
/// a side open; they may cut each other.
gpuccl::BitVolume random_shells(gpuccl::Extent extent, std::uint32_t seed);
gpuccl::BitVolume generated(const std::string& kind, gpuccl::Extent extent, int order = 1);

gpuccl::BitVolume transposed(gpuccl::BitView image);  // x and y change places

/// Extents that have been trouble somewhere: 1x1, 1xN, Nx1, odd sizes, widths around words of 32 and 64 bits.
std::vector<gpuccl::Extent> awkward_extents_2d();
std::vector<gpuccl::Extent> awkward_extents_3d();

/// Every regular pattern, empty, full, and noise of many densities and granularities, at one extent.
std::vector<NamedImage> every_pattern(gpuccl::Extent extent);

std::string to_string(gpuccl::Extent extent);

}  // namespace tests
