#pragma once

#include <cstdint>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/algorithms.hpp"

namespace gpuccl::cpu {

using Pixel = std::uint8_t;  // 0 is background, 1 is foreground

/// An image, or one slice of a volume, as the papers' CPU algorithms see it: a byte and a label a pixel, row
/// by row. A frame of background lies around the image, one pixel wide and two above, so that every pixel and
/// every block of 2x2 pixels has all its neighbors. The labels have none.
struct Slice {
  int width = 0;
  int height = 0;
  const std::uint32_t* bits = nullptr;  // as they came, a row
  std::int64_t bits_pitch = 0;          // words from a row to the next
  const Pixel* image = nullptr;
  Label* labels = nullptr;

  Index pitch() const { return static_cast<Index>(width) + 2; }
  Index size() const { return pitch() * (static_cast<Index>(height) + 3); }
  /// Returns the index of pixel (x, y) in `image`; the frame begins at (-1, -2), which has index 0.
  Index index(int x, int y) const { return static_cast<Index>(y + 2) * pitch() + static_cast<Index>(x + 1); }

  const Pixel* row(int y) const { return image + index(0, y); }
  Label* labels_of(int y) const { return labels + std::int64_t{y} * width; }
};

/// Shared code of the published CPU algorithms: expands bits to bytes, labels the slices of a volume one by
/// one, and measures components.
class SliceLabeler : public Labeler {
 public:
  Labeled label(BitView image) final;

 private:
  /// Writes the labels of a slice, in raster order of components from `count` + 1 on. Returns the last.
  virtual Label label_slice(const Slice& slice, Label count, PhaseClock& phase) = 0;

  std::vector<Pixel> pixels_;
  Slice framed_;  // what pixels_ has room and a frame for
};

/// `count` + 1. Error (data) if that is more than a label can be.
Label next_number(Label count);

}  // namespace gpuccl::cpu
