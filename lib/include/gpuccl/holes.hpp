#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/bit_volume.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Holes of an image: background components that do not touch the image border. With 3D connectivity,
/// the first and last slice are border too.
class Holes {
 public:
  /// Requires labels of the inverted image with complementary() connectivity. `per_slice`: slices are
  /// separate images. Holes with more than `max_size` elements are ignored.
  Holes(Labeled background, bool per_slice, std::uint64_t max_size);

  std::uint64_t count() const { return count_; }
  std::uint64_t elements() const { return elements_; }

  /// Writes rows from `first_row` on, with holes filled, to all of `out`. Calls
  /// LabelSource::prepare() of the background.
  void draw_filled(std::int64_t first_row, BitVolume& out) const;

 private:
  std::unique_ptr<LabelSource> background_;
  std::vector<Label> map_;  // background label -> hole, 0: none; empty: all are holes
  std::uint64_t count_ = 0, elements_ = 0;
};

/// Writes rows of the image from `first_row` on, with holes filled, to all of `out`. `background` are labels
/// as those of Holes; `holes` has for each of them, and 0, whether it is a hole, and is empty if all are. The
/// labels are made ready for them (LabelSource::prepare).
void draw_filled(const LabelSource& background, const std::vector<Label>& holes, std::int64_t first_row,
                 BitVolume& out);

/// Writes the inverted image from `first_row` on to all of `out`: elements without a label are
/// foreground. Calls LabelSource::prepare().
void draw_background(const LabelSource& labels, std::int64_t first_row, BitVolume& out);

/// Returns the background of a volume without what is connected to the border; its components are the
/// cavities. `connectivity` is that of the background. Returns all of the background if removing the
/// outside would take longer than labeling it.
BitVolume enclosed_background(const LabelSource& labels, Connectivity connectivity);

}  // namespace gpuccl
