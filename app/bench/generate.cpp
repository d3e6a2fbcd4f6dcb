#include "app/bench/generate.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "common/row_bits.hpp"
#include "gpuccl/types.hpp"

// One function a kind; each draws into an image that is all background. Nothing here depends on how a
// standard library draws from a distribution or rounds: integers from MT19937 only.
namespace gpuccl {
namespace {

/// Returns `share` (0 to 1) of the range of a 32-bit draw: a draw is smaller with that probability.
std::uint64_t share_of_draws(double share) { return static_cast<std::uint64_t>(share * 4294967296.0); }

/// Draws an integer in [0, count).
int below(std::mt19937& draw, int count) {
  return static_cast<int>(std::uint64_t{draw()} * static_cast<std::uint64_t>(count) >> 32);
}

/// Sets every second element of [0, width), beginning with `first`.
void fill_every_second(std::uint32_t* row, int first, int width) {
  const std::uint32_t pattern = first % 2 == 0 ? 0x55555555u : 0xaaaaaaaau;
  for (int x = 0; x < width; x += 32)
    row[x / 32] = width - x < 32 ? pattern & ~(~0u << (width - x)) : pattern;
}

// Noise as in the random datasets of YACCLAB (Grana, Bolelli, Baraldi, Vezzani 2016): squares of
// `granularity` pixels (cubes in a volume), each foreground with probability `density`, drawn by MT19937 in
// raster order.

void random(const GenerateOptions& options, BitVolume& image) {
  std::mt19937 draw(options.seed);
  const std::uint64_t foreground = share_of_draws(options.density);
  const Extent extent = image.extent();
  const int side = options.granularity;
  const std::int64_t pitch = image.row_pitch();

  for (int z = 0; z < extent.depth; z += std::min(side, extent.depth - z)) {
    for (int y = 0; y < extent.height; y += std::min(side, extent.height - y)) {
      std::uint32_t* const first = image.row(y, z);
      for (int x = 0; x < extent.width;) {
        const int end = extent.width - x < side ? extent.width : x + side;
        if (draw() < foreground) fill_span(first, x, end);
        x = end;
      }
      for (int row = y + 1; row < extent.height && row - y < side; ++row)
        std::copy_n(first, pitch, image.row(row, z));
    }
    for (int slice = z + 1; slice < extent.depth && slice - z < side; ++slice)
      std::copy_n(image.row(0, z), pitch * extent.height, image.row(0, slice));
  }
}

// Regular patterns that are hard in one way each: most components, most runs, longest chains of unions.

void checkerboard(const GenerateOptions&, BitVolume& image) {
  const Extent extent = image.extent();
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y) fill_every_second(image.row(y, z), (y + z) % 2, extent.width);
}

void dots(const GenerateOptions&, BitVolume& image) {
  const Extent extent = image.extent();
  for (int z = 0; z < extent.depth; z += 2)
    for (int y = 0; y < extent.height; y += 2) fill_every_second(image.row(y, z), 0, extent.width);
}

/// Teeth along the last axis (y of an image, z of a volume) that meet only at its far end.
void comb(const GenerateOptions&, BitVolume& image) {
  const Extent extent = image.extent();
  const bool volume = extent.depth > 1;
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y) {
      const bool back = volume ? z == extent.depth - 1 : y == extent.height - 1;
      if (back) {
        fill_span(image.row(y, z), 0, extent.width);
      } else if (!volume || y % 2 == 0) {
        fill_every_second(image.row(y, z), 0, extent.width);
      }
    }
}

struct Point {
  int x, y;
};

/// An arm one pixel wide from the corner to the middle, with a gap of one pixel. Returns where it ends.
Point draw_spiral(BitVolume& image, int z) {
  constexpr Point kDirections[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  const Extent extent = image.extent();
  const auto set = [&](Point p) { return extent.contains(p.x, p.y) && image(p.x, p.y, z); };
  Point at{0, 0};
  image.set(0, 0, z);
  for (int arm = 0;; ++arm) {
    const Point step = kDirections[arm % 4];
    int length = 0;
    for (;; ++length) {
      const Point next{at.x + step.x, at.y + step.y};
      if (!extent.contains(next.x, next.y) || set(next) || set({next.x + step.x, next.y + step.y})) break;
      image.set(next.x, next.y, z);
      at = next;
    }
    // An arm of one pixel leaves no gap for the next; the first one of a narrow image may be that short.
    if (length < 2 && arm > 0) return at;
  }
}

/// A spiral in every second slice, joined at the inner end and at the outer end by turns: one component.
void spiral(const GenerateOptions&, BitVolume& image) {
  const Extent extent = image.extent();
  for (int z = 0; z < extent.depth; z += 2) {
    const Point inner = draw_spiral(image, z);
    const Point joint = z / 2 % 2 == 0 ? inner : Point{0, 0};
    if (z + 2 < extent.depth) image.set(joint.x, joint.y, z + 1);
  }
}

// The Hilbert curve, in two or three dimensions, one element wide, as in YACCLAB's Hilbert dataset: one
// component that visits 2^order places along each axis, spread over the extent.
//
//   J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004, doi:10.1063/1.1751381

using Place = std::array<std::uint32_t, 3>;

/// Skilling's TransposetoAxes: from the distance along the curve to the place, in `axes` dimensions.
Place place_at(std::uint64_t distance, int axes, int order) {
  Place place{};
  for (int bit = 0; bit < axes * order; ++bit) {
    const std::uint32_t value = static_cast<std::uint32_t>(distance >> (axes * order - 1 - bit) & 1u);
    place[static_cast<std::size_t>(bit % axes)] |= value << (order - 1 - bit / axes);
  }
  const std::size_t last = static_cast<std::size_t>(axes - 1);
  const std::uint32_t carry = place[last] >> 1;
  for (std::size_t i = last; i > 0; --i) place[i] ^= place[i - 1];  // Gray decode
  place[0] ^= carry;
  for (std::uint32_t bit = 2; bit != std::uint32_t{1} << order; bit <<= 1) {  // undo excess work
    const std::uint32_t low = bit - 1;
    for (std::size_t i = last + 1; i-- > 0;) {
      if (place[i] & bit) {
        place[0] ^= low;
      } else {
        const std::uint32_t swapped = (place[0] ^ place[i]) & low;
        place[0] ^= swapped;
        place[i] ^= swapped;
      }
    }
  }
  return place;
}

void hilbert(const GenerateOptions& options, BitVolume& image) {
  const Extent extent = image.extent();
  const int axes = extent.depth > 1 ? 3 : 2;
  const std::int64_t side = std::int64_t{1} << options.order;
  const auto position = [&](std::uint32_t place, int size) {
    return static_cast<int>((2 * std::int64_t{place} + 1) * size / (2 * side));
  };

  std::array<int, 3> previous{};
  for (std::uint64_t distance = 0; distance < std::uint64_t{1} << (axes * options.order); ++distance) {
    const Place place = place_at(distance, axes, options.order);
    const std::array<int, 3> here{position(place[0], extent.width), position(place[1], extent.height),
                                  axes == 3 ? position(place[2], extent.depth) : 0};
    if (distance == 0) previous = here;
    for (int z = std::min(previous[2], here[2]); z <= std::max(previous[2], here[2]); ++z)
      for (int y = std::min(previous[1], here[1]); y <= std::max(previous[1], here[1]); ++y)
        fill_span(image.row(y, z), std::min(previous[0], here[0]), std::max(previous[0], here[0]) + 1);
    previous = here;
  }
}

// Smooth random shapes: noise on a coarse lattice, interpolated and cut at the level that leaves `density` of
// it.

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

void page(const GenerateOptions& options, BitVolume& image) {
  std::mt19937 draw(options.seed);
  for (int z = 0; z < image.extent().depth; ++z) draw_page(image, z, draw);
}

struct Kind {
  GenerateKind about;
  void (*draw)(const GenerateOptions&, BitVolume&);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {{"random",
        "noise by MT19937: squares of --granularity, foreground with probability --density",
        {"density", "granularity", "seed"}},
       random},
      {{"checkerboard", "every second pixel: no two share an edge", {}}, checkerboard},
      {{"dots", "single pixels that do not touch: the maximum number of components", {}}, dots},
      {{"spiral", "an arm one pixel wide", {}}, spiral},
      {{"comb", "teeth one pixel wide that meet only at the far end", {}}, comb},
      {{"blobs",
        "smooth shapes, about 16 times --granularity wide, --density of them foreground",
        {"density", "granularity", "seed"}},
       blobs},
      {{"hilbert", "the Hilbert curve of --order, in 2D or 3D", {"order"}}, hilbert},
      {{"page", "lines of words that look like a scanned page", {"seed"}}, page},
  };
  return all;
}

[[noreturn]] void refuse(const std::string& reason) { throw Error(ErrorCode::usage, reason); }

/// The curve needs two elements a step, so that its arms do not touch.
void check_hilbert(const GenerateOptions& options) {
  const bool volume = options.extent.depth > 1;
  const int largest = volume ? 6 : 12;
  if (options.order < 1 || options.order > largest)
    refuse("the order of a Hilbert curve must be 1 to " + std::to_string(largest) +
           (volume ? " in 3D" : " in 2D"));
  const int needed = 2 << options.order;
  if (options.extent.width < needed || options.extent.height < needed ||
      (volume && options.extent.depth < needed))
    refuse("a Hilbert curve of order " + std::to_string(options.order) + " needs at least " +
           std::to_string(needed) + " pixels along each axis");
}

void check(const GenerateOptions& options) {
  if (options.extent.width < 1 || options.extent.height < 1 || options.extent.depth < 1)
    refuse("the size must be at least 1 along each axis");
  if (!(options.density >= 0 && options.density <= 1)) refuse("the density must be between 0 and 1");
  if (options.granularity < 1 || options.granularity > 65536)
    refuse("the granularity must be between 1 and 65536");
  if (options.kind == "hilbert") check_hilbert(options);
}

}  // namespace

const std::vector<GenerateKind>& generate_kinds() {
  static const std::vector<GenerateKind> all = [] {
    std::vector<GenerateKind> list;
    for (const Kind& kind : kinds()) list.push_back(kind.about);
    return list;
  }();
  return all;
}

BitVolume generate(const GenerateOptions& options) {
  check(options);
  for (const Kind& kind : kinds()) {
    if (kind.about.name != options.kind) continue;
    BitVolume image(options.extent);
    kind.draw(options, image);
    return image;
  }
  std::string names;
  for (const Kind& kind : kinds()) names += (names.empty() ? "" : ", ") + kind.about.name;
  refuse("no kind of image '" + options.kind + "'; there are " + names);
}

}  // namespace gpuccl
