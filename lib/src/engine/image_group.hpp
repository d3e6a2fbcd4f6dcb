#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// Small images, one below the other with an empty row or two between them, to be labeled as one: on a GPU
/// launches and transfers take longer than a small image. All begin in an even row, so that their rows are in
/// the same pairs as when each is labeled alone.
class ImageGroup {
 public:
  /// Requires images of at least one element and exactly one slice.
  explicit ImageGroup(const std::vector<BitView>& images);

  BitView view() const { return all_.view(); }
  /// Extracts the labels of image `i` from `labeled`, which labels view() by runs.
  Labeled part(const Labeled& labeled, std::size_t i) const;

 private:
  std::vector<BitView> images_;
  std::vector<int> tops_;  // their first rows
  BitVolume all_;
};

/// Whether an image is small enough for a group: it is labeled faster than a launch takes.
bool fits_group(const Extent& extent, Connectivity connectivity);

/// Size of a group as images are added, including padding.
class GroupSize {
 public:
  /// Whether the group may have one more image; the first always fits.
  bool add(const Extent& extent);

 private:
  std::int64_t rows_ = 0, width_ = 0;
};

}  // namespace gpuccl
