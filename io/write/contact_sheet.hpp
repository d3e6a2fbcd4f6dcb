#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/samples.hpp"

// Slices of a volume in one picture: their layout, their numbers, and the image in gray.
namespace gpuccl::io {

/// Digits of one height in pixels, with smooth edges. The pixels are the same on all machines: they are
/// computed with integers.
class Digits {
 public:
  static constexpr int kMinHeight = 7;  // one pixel for each unit of the shapes

  explicit Digits(int height);

  int height() const { return height_; }
  /// Returns the width of a number in pixels.
  int width(std::string_view digits) const { return width(height_, digits.size()); }
  static constexpr int width(int height, std::size_t digits) {
    return static_cast<int>(digits) * (glyph_width(height) + gap(height)) - gap(height);
  }
  /// Calls `paint(x, y, ink, halo)` for the pixels of a number whose upper left corner is at 0, 0. `ink` and
  /// `halo` are the shares that the strokes, and the strokes and a margin, have of the pixel, from 0 to
  /// kFull.
  template <class Paint>
  void draw(std::string_view digits, Paint paint) const {
    for (int y = -kMargin; y < height_ + kMargin; ++y)
      for (int x = -kMargin; x < width(digits) + kMargin; ++x) {
        int ink = 0, halo = 0;
        // A pixel is near two digits at most.
        const int place = (x + kMargin) / advance_;
        for (int i = place - 1; i <= place; ++i)
          if (i >= 0 && i < static_cast<int>(digits.size()) && x - i * advance_ < glyph_width_ + kMargin) {
            const Share& share = at(digits[static_cast<std::size_t>(i)] - '0', x - i * advance_, y);
            ink += share.ink;
            halo += share.halo;
          }
        if (halo > 0) paint(x, y, ink < kFull ? ink : kFull, halo < kFull ? halo : kFull);
      }
  }

  static constexpr int kFull = 16;
  static constexpr int kMargin = 2;

 private:
  static constexpr int glyph_width(int height) { return (height * 5 + 6) / 7; }
  static constexpr int gap(int height) { return (height + 3) / 7; }

  struct Share {
    std::uint8_t ink = 0, halo = 0;
  };
  const Share& at(int digit, int x, int y) const {
    const int row = digit * (height_ + 2 * kMargin) + y + kMargin;
    return shares_[static_cast<std::size_t>(row * (glyph_width_ + 2 * kMargin) + x + kMargin)];
  }

  int height_, glyph_width_, advance_;
  std::vector<Share> shares_;
};

/// Layout of the slices of a volume, reduced by an integer factor, in one picture: in rows from left to
/// right, each below its number, separated by lines of one pixel. For one slice the picture is the slice.
struct ContactSheet {
  int factor = 1;      // elements of a slice a pixel, along x and y
  int slice_step = 1;  // every so many slices are shown
  int shown = 1;       // slices
  int columns = 1, rows = 1;
  int tile_width = 0, tile_height = 0;
  int text_height = 0;     // of the numbers
  int caption_height = 0;  // above each tile; 0 where the numbers would not fit over the tiles

  int width() const { return columns * (tile_width + 1) - 1; }
  int height() const { return rows * (caption_height + tile_height + 1) - 1; }
  int left(int tile) const { return tile % columns * (tile_width + 1); }
  int top(int tile) const { return tile / columns * (caption_height + tile_height + 1) + caption_height; }
  int slice(int tile) const { return tile * slice_step; }
};

/// The sheet with the largest slices that is at most 2900 pixels wide and high, so that a sheet that is
/// halved has still half of that; at most 100 slices. Numbers are larger on larger sheets, which are seen
/// reduced, as long as slices are not smaller for them.
ContactSheet plan_contact_sheet(Extent extent);

/// Values that are black and white in the image below labels.
struct GrayRange {
  double black = 0, white = 1;
};

/// Returns a range that has all but the darkest and the brightest of a thousand values or, where these are
/// equal, all. NaN is left out, and of millions of values not all are looked at.
GrayRange gray_range(const std::vector<float>& all);

/// Draws the slices of `source` that a sheet shows into its RGB pixels. Around pages smaller than the others
/// there is a line. Pixels are the same whatever the number of threads: of each block of elements, two rows
/// are averaged. `invert`: dark objects are labeled, which are shown light.
void draw_gray(const SampleSource& source, std::int64_t memory, const ContactSheet& sheet, bool invert,
               std::uint8_t* pixels);

}  // namespace gpuccl::io
