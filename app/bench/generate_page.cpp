#include <algorithm>
#include <vector>

#include "app/bench/generate_kinds.hpp"
#include "common/row_bits.hpp"

// Smooth random shapes: noise on a coarse lattice, interpolated and cut at the level that leaves `density` of
// it.
namespace gpuccl::generators {
namespace {

constexpr int kLatticePitch = 16;  // elements between lattice points at granularity 1
constexpr int kBits = 12;          // of a noise value, and of a weight

/// Weights of a smooth step (3t^2 - 2t^3) from one lattice point to the next.
std::vector<int> smooth_steps(int pitch) {
  std::vector<int> weights;
  for (std::int64_t i = 0; i < pitch; ++i) {
    const std::int64_t cube = std::int64_t{pitch} * pitch * pitch;
    weights.push_back(static_cast<int>((i * i * (3 * pitch - 2 * i) << kBits) / cube));
  }
  return weights;
}

int mix(int a, int b, int weight) { return a + ((b - a) * weight >> kBits); }

class Noise {
 public:
  Noise(Extent extent, int pitch, std::uint32_t seed)
      : extent_(extent),
        pitch_(pitch),
        columns_(extent.width / pitch + 2),
        lines_(extent.height / pitch + 2),
        steps_(smooth_steps(pitch)),
        across_(static_cast<std::size_t>(columns_)) {
    std::mt19937 draw(seed);
    lattice_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(lines_) *
                    static_cast<std::size_t>(extent.depth / pitch + 2));
    for (int& value : lattice_) value = static_cast<int>(draw() >> (32 - kBits));
  }

  /// The values of one row.
  void row(int y, int z, std::vector<int>& values) {
    const int in_y = steps_[static_cast<std::size_t>(y % pitch_)];
    const int in_z = steps_[static_cast<std::size_t>(z % pitch_)];
    for (int i = 0; i < columns_; ++i) {
      const int near = mix(at(i, y / pitch_, z / pitch_), at(i, y / pitch_ + 1, z / pitch_), in_y);
      const int far = mix(at(i, y / pitch_, z / pitch_ + 1), at(i, y / pitch_ + 1, z / pitch_ + 1), in_y);
      across_[static_cast<std::size_t>(i)] = mix(near, far, in_z);
    }
    for (int x = 0; x < extent_.width; x += pitch_) {
      const std::size_t i = static_cast<std::size_t>(x / pitch_);
      const int count = std::min(pitch_, extent_.width - x);
      for (int k = 0; k < count; ++k)
        values[static_cast<std::size_t>(x + k)] =
            mix(across_[i], across_[i + 1], steps_[static_cast<std::size_t>(k)]);
    }
  }

 private:
  int at(int i, int j, int k) const {
    return lattice_[(static_cast<std::size_t>(k) * static_cast<std::size_t>(lines_) +
                     static_cast<std::size_t>(j)) *
                        static_cast<std::size_t>(columns_) +
                    static_cast<std::size_t>(i)];
  }

  Extent extent_;
  int pitch_, columns_, lines_;
  std::vector<int> steps_, lattice_, across_;
};

/// The value that `density` of all elements stay below, from a sample of the rows.
int level(Noise& noise, Extent extent, double density, std::vector<int>& values) {
  constexpr std::int64_t kRowsSampled = 4096;
  std::vector<std::int64_t> histogram(std::size_t{1} << kBits);
  std::int64_t count = 0;
  const std::int64_t step = std::max<std::int64_t>(1, extent.rows() / kRowsSampled);
  for (std::int64_t row = 0; row < extent.rows(); row += step) {
    noise.row(static_cast<int>(row % extent.height), static_cast<int>(row / extent.height), values);
    for (const int value : values) ++histogram[static_cast<std::size_t>(value)];
    count += extent.width;
  }
  const double wanted = density * static_cast<double>(count);
  std::int64_t below_level = 0;
  int value = 0;
  while (value < 1 << kBits && static_cast<double>(below_level) < wanted)
    below_level += histogram[static_cast<std::size_t>(value++)];
  return value;
}

}  // namespace

void blobs(const GenerateOptions& options, BitVolume& image) {
  const Extent extent = image.extent();
  Noise noise(extent, kLatticePitch * options.granularity, options.seed);
  std::vector<int> values(static_cast<std::size_t>(extent.width));
  const int foreground_below = level(noise, extent, options.density, values);
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y) {
      noise.row(y, z, values);
      std::uint32_t* const row = image.row(y, z);
      for (int x = 0; x < extent.width; ++x)
        row[x / 32] |= static_cast<std::uint32_t>(values[static_cast<std::size_t>(x)] < foreground_below)
                       << (x % 32);
    }
}

// A page that looks like a scan of text: lines of words, words of glyphs, glyphs of strokes with rough edges,
// specks of dirt and a rule below the heading. About as many components and runs as a real page has.

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
