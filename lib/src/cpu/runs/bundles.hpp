#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/shape.hpp"
#include "cpu/runs/words.hpp"
#include "gpuccl/image.hpp"

namespace gpuccl::cpu {

/// The rows of a bundle, numbered as in RowSet. Rows beyond the edge of the image contain zeros.
using BundleRows = std::array<const std::uint32_t*, 4>;

/// An image as bundles of rows, numbered in the order z, then y. A layer is one slice or one pair of slices.
class Bundles {
 public:
  /// `rows`: the rows of a bundle, from cpu::Shape.
  Bundles(BitView image, RowSet rows)
      : image_(image),
        row_set_(rows),
        height_(height_of(rows)),
        depth_(depth_of(rows)),
        per_layer_((image.extent.height - 1) / height_ + 1),
        layers_((image.extent.depth - 1) / depth_ + 1),
        zeros_(static_cast<std::size_t>(words_per_row(image.extent.width))) {}

  const BitView& image() const { return image_; }
  int words() const { return static_cast<int>(words_per_row(image_.extent.width) / 2); }  // per row
  RowSet row_set() const { return row_set_; }
  int height() const { return height_; }
  int per_layer() const { return per_layer_; }
  int layers() const { return layers_; }
  std::int64_t count() const { return std::int64_t{per_layer_} * layers_; }

  /// Position of a bundle. at(0) and next() visit all bundles in order without divisions.
  struct BundlePosition {
    std::int64_t bundle;
    int y, layer;
  };
  BundlePosition at(std::int64_t bundle) const {
    return {bundle, static_cast<int>(bundle % per_layer_), static_cast<int>(bundle / per_layer_)};
  }
  void next(BundlePosition& place) const {
    ++place.bundle;
    if (++place.y == per_layer_) {
      place.y = 0;
      ++place.layer;
    }
  }
  /// Returns the bundle that contains row (y, z) of the image.
  BundlePosition holding(int y, int z) const {
    const int in_layer = height_ == 2 ? y / 2 : y;
    const int layer = depth_ == 2 ? z / 2 : z;
    return {std::int64_t{layer} * per_layer_ + in_layer, in_layer, layer};
  }
  /// Layer l consists of slices [first_slice(l), first_slice(l + 1)).
  int first_slice(int layer) const {
    const std::int64_t slice = std::int64_t{layer} * depth_;
    return slice < image_.extent.depth ? static_cast<int>(slice) : image_.extent.depth;
  }

  /// Returns the number of bundles that are numbered together by first elements: those of a layer if it is a
  /// pair of slices, otherwise 1.
  int group() const { return depth_ > 1 ? per_layer_ : 1; }

  BundleRows rows(const BundlePosition& place) const {
    const std::int64_t slice = image_.row_pitch * image_.extent.height;
    const int y = place.y * height_, z = first_slice(place.layer);
    const std::uint32_t* const first = image_.row(y, z);
    const bool two_y = height_ == 2 && y + 1 < image_.extent.height;
    const bool two_z = depth_ == 2 && z + 1 < image_.extent.depth;
    const std::uint32_t* const zeros = zeros_.data();
    return {first, two_y ? first + image_.row_pitch : zeros, two_z ? first + slice : zeros,
            two_y && two_z ? first + slice + image_.row_pitch : zeros};
  }

 private:
  BitView image_;
  RowSet row_set_;
  int height_, depth_, per_layer_, layers_;
  std::vector<std::uint32_t> zeros_;
};

/// Returns one word of the union of some rows of a bundle.
template <RowSet set>
Word united_word(const BundleRows& rows, int word) {
  Word united = 0;
  if constexpr ((set & 1u) != 0) united |= load_word(rows[0], word);
  if constexpr ((set & 2u) != 0) united |= load_word(rows[1], word);
  if constexpr ((set & 4u) != 0) united |= load_word(rows[2], word);
  if constexpr ((set & 8u) != 0) united |= load_word(rows[3], word);
  return united;
}

}  // namespace gpuccl::cpu
