#pragma once

#include <cstdint>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/algorithms.hpp"

namespace gpuccl::cpu {

using Pixel = std::uint8_t;  // 0 is background, 1 is foreground

/// An image, or one slice of a volume, in the form that the papers' CPU algorithms use: one byte and one
/// label per pixel, row by row. A frame of background surrounds the image, one pixel wide, and two pixels at
/// the top, so every pixel and every 2x2 block has all its neighbors. Labels have no frame.
struct Slice {
  int width = 0;
  int height = 0;
  const std::uint32_t* bits = nullptr;  // packed input, per row
  std::int64_t bits_pitch = 0;          // words between rows
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
  Labeling label(BitView image) final;

 private:
  /// Writes the labels of a slice, in raster order of components, from `count` + 1. Returns the last one.
  virtual Label label_slice(const Slice& slice, Label count, PhaseClock& phase) = 0;

  std::vector<Pixel> pixels_;
  Slice framed_;  // the slice for which pixels_ has room and a frame
};

/// Returns `count` + 1. Throws Error (data) if it exceeds the range of labels.
Label next_number(Label count);

}  // namespace gpuccl::cpu
