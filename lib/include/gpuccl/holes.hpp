#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/bit_volume.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// The holes of an image: components of its background that do not touch the border of the image. In a volume
/// whose slices touch, the first and last slice are border too.
class Holes {
 public:
  /// `background`: labels of the inverted image by complementary() of the connectivity in use. `per_slice`:
  /// slices are images of their own. Holes of more than `max_size` elements do not count.
  Holes(Labeled background, bool per_slice, std::uint64_t max_size);

  std::uint64_t count() const { return count_; }
  std::uint64_t elements() const { return elements_; }

  /// Writes rows of the image from `first_row` on, with the holes filled, to all of `out`; the labels of the
  /// background are made ready for them (LabelSource::prepare).
  void draw_filled(std::int64_t first_row, BitVolume& out) const;

 private:
  std::unique_ptr<LabelSource> background_;
  std::vector<Label> map_;  // of background to hole, 0: none; empty: all are
  std::uint64_t count_ = 0, elements_ = 0;
};

/// Writes rows of the image from `first_row` on, with holes filled, to all of `out`. `background` are labels
/// as those of Holes; `holes` has for each of them, and 0, whether it is a hole, and is empty if all are. The
/// labels are made ready for them (LabelSource::prepare).
void draw_filled(const LabelSource& background, const std::vector<Label>& holes, std::int64_t first_row,
                 BitVolume& out);

/// Writes rows of the image from `first_row` on, inverted, to all of `out`: what has no label is foreground.
/// The labels are made ready for them (LabelSource::prepare).
void draw_background(const LabelSource& labels, std::int64_t first_row, BitVolume& out);

/// The background of a volume, as draw_background() draws it, without what is connected with the border by
/// `connectivity`, that of the background: its components are the cavities. Where that would take longer than
/// to label the background, or labels know no image, it is all of the background.
BitVolume enclosed_background(const LabelSource& labels, Connectivity connectivity);

}  // namespace gpuccl
