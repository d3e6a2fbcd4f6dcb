// A page that looks like a scan of text: lines of words, words of glyphs, glyphs of strokes with rough edges,
// specks of dirt and a rule below the heading. About as many components and runs as a real page has.

#include <algorithm>

#include "common/row_bits.hpp"
#include "generate/kinds.hpp"

namespace gpuccl::generators {
namespace {

// Strokes of a glyph.
constexpr unsigned kLeftStem = 1, kRightStem = 2, kMiddleStem = 4, kTopBar = 8, kMiddleBar = 16,
                   kBottomBar = 32;
constexpr unsigned kAscender = 64, kDescender = 128, kDot = 256;

constexpr unsigned kGlyphs[] = {
    kLeftStem | kBottomBar | kMiddleBar | kRightStem,              // a
    kLeftStem | kAscender | kMiddleBar | kRightStem | kBottomBar,  // b
    kLeftStem | kTopBar | kBottomBar,                              // c
    kLeftStem | kTopBar | kMiddleBar | kBottomBar,                 // e
    kMiddleStem | kAscender | kTopBar,                             // f
    kLeftStem | kTopBar | kRightStem | kDescender | kBottomBar,    // g
    kLeftStem | kAscender | kTopBar | kRightStem,                  // h
    kMiddleStem | kDot,                                            // i
    kMiddleStem | kAscender,                                       // l
    kLeftStem | kMiddleStem | kRightStem | kTopBar,                // m
    kLeftStem | kRightStem | kTopBar,                              // n
    kLeftStem | kRightStem | kTopBar | kBottomBar,                 // o
    kLeftStem | kDescender | kTopBar | kRightStem | kBottomBar,    // p
    kLeftStem | kTopBar,                                           // r
    kTopBar | kMiddleBar | kBottomBar,                             // s
    kMiddleStem | kMiddleBar | kAscender,                          // t
    kLeftStem | kRightStem | kBottomBar,                           // u
};
constexpr int kGlyphCount = static_cast<int>(std::size(kGlyphs));

class Pen {
 public:
  Pen(BitVolume& image, int z, std::mt19937& draw) : image_(image), z_(z), draw_(draw) {}

  /// A filled box whose left and right edges are rough by up to one pixel.
  void box(int x0, int y0, int x1, int y1) {
    const Extent extent = image_.extent();
    std::uint32_t rough = 0;
    for (int y = std::max(y0, 0); y < std::min(y1, extent.height); ++y) {
      if ((y - y0) % 8 == 0) rough = static_cast<std::uint32_t>(draw_());
      const int begin = x0 - static_cast<int>(rough & 1u);
      const int end = x1 + static_cast<int>(rough >> 1 & 1u);
      rough >>= 2;
      fill_span(image_.row(y, z_), std::clamp(begin, 0, extent.width), std::clamp(end, 0, extent.width));
    }
  }

  /// A glyph whose small letters reach from `top` to `top + size`. Returns its width.
  int glyph(unsigned strokes, int left, int top, int size) {
    const int thick = std::max(1, size / 6);
    const bool narrow = (strokes & kMiddleStem) != 0 && (strokes & (kLeftStem | kMiddleBar)) == 0;
    const int width = narrow ? 2 * thick : (strokes & kMiddleStem) != 0 ? size : size * 3 / 4;
    const int right = left + width;
    const int middle = left + (width - thick) / 2;
    const int above = (strokes & kAscender) != 0 ? top - size * 2 / 3 : top;
    const int under = (strokes & kDescender) != 0 ? top + size + size / 2 : top + size;
    if (strokes & kLeftStem) box(left, above, left + thick, under);
    if (strokes & kRightStem) box(right - thick, top, right, top + size);
    if (strokes & kMiddleStem) box(middle, above, middle + thick, top + size);
    if (strokes & kTopBar) box(left, top, right, top + thick);
    if (strokes & kMiddleBar) box(left, top + (size - thick) / 2, right, top + (size + thick) / 2);
    if (strokes & kBottomBar) box(left, top + size - thick, right, top + size);
    if (strokes & kDot) box(middle, top - 2 * thick, middle + thick, top - thick);
    return width;
  }

  /// Words from `left` to `right` at most.
  void line(int left, int right, int top, int size) {
    const int gap = std::max(1, size / 5);
    while (left < right) {
      int glyphs = 1 + below(draw_, 5);
      glyphs += below(draw_, 6);
      if (left + glyphs * (size + gap) > right) return;
      for (int i = 0; i < glyphs; ++i)
        left += glyph(kGlyphs[below(draw_, kGlyphCount)], left, top, size) + gap;
      left += size * 2 / 3;
    }
  }

  void specks(std::int64_t count) {
    const Extent extent = image_.extent();
    for (; count > 0; --count) {
      const int x = below(draw_, extent.width), y = below(draw_, extent.height),
                side = 1 + below(draw_, 3) / 2;
      box(x, y, x + side, y + side);
    }
  }

 private:
  BitVolume& image_;
  int z_;
  std::mt19937& draw_;
};

void draw_page(BitVolume& image, int z, std::mt19937& draw) {
  const Extent extent = image.extent();
  const int line_pitch = std::max(10, extent.height / 64);
  const int size = line_pitch * 2 / 5;
  const int left = extent.width / 12, right = extent.width - left;
  const int first = extent.height / 14, last = extent.height - first;
  Pen pen(image, z, draw);

  pen.line(left + (right - left) / 5, right - (right - left) / 5, first, size * 3 / 2);
  pen.box(left, first + line_pitch * 3 / 2, right, first + line_pitch * 3 / 2 + std::max(1, size / 8));
  bool paragraph_begins = true;
  for (int top = first + 3 * line_pitch; top + line_pitch < last; top += line_pitch) {
    const bool paragraph_ends = below(draw, 7) == 0;
    const int end =
        paragraph_ends ? left + (right - left) / 4 + below(draw, std::max(1, (right - left) / 2)) : right;
    pen.line(paragraph_begins ? left + 2 * size : left, end, top, size);
    if (paragraph_ends) top += line_pitch / 2;
    paragraph_begins = paragraph_ends;
  }
  pen.specks(extent.elements() / extent.depth / 20000);
}

}  // namespace

void page(const GenerateOptions& options, BitVolume& image) {
  std::mt19937 draw(options.seed);
  for (int z = 0; z < image.extent().depth; ++z) draw_page(image, z, draw);
}

}  // namespace gpuccl::generators
