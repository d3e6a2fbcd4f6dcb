#pragma once

#include <cstdint>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/algorithms.hpp"

namespace gpuccl::cpu {

using Pixel = std::uint8_t;  // 0 is background, 1 is foreground

/// An image, or one slice of a volume, as the papers' CPU algorithms see it: a byte and a label a pixel, row
/// by row. A frame of background, one pixel wide, lies around both, so that every pixel has all its
/// neighbors.
struct Slice {
  int width = 0;
  int height = 0;
  const Pixel* image = nullptr;
  Label* labels = nullptr;

  Index pitch() const { return static_cast<Index>(width) + 2; }
  Index size() const { return pitch() * (static_cast<Index>(height) + 2); }
  /// Of pixel (x, y) in `image` and `labels`; the frame begins at (-1, -1), which has index 0.
  Index index(int x, int y) const { return static_cast<Index>(y + 1) * pitch() + static_cast<Index>(x + 1); }
};

/// What the papers' CPU algorithms have in common: bits become bytes, slices of a volume are labeled one by
/// one, provisional labels are renumbered (1..N over all slices) into a label image, and components are
/// measured.
class SliceLabeler : public Labeler {
 public:
  Labeled label(BitView image) final;

 private:
  /// Writes the same label to all pixels of a component, 0 to background. Labels are less than slice.size().
  virtual void label_slice(const Slice& slice, PhaseClock& phase) = 0;

  void unpack(BitView image, int z);
  void renumber(const Slice& slice, Label* out, Label& count);

  std::vector<Pixel> pixels_;
  std::vector<Label> labels_;
  std::vector<Label> numbers_;  // of provisional labels, 0 where none was given yet
};

}  // namespace gpuccl::cpu
