#include "app/bench/generate.hpp"

#include <algorithm>
#include <array>

#include "app/bench/generate_kinds.hpp"
#include "common/row_bits.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

struct Kind {
  GenerateKind about;
  void (*draw)(const GenerateOptions&, BitVolume&);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {{"random",
        "noise by MT19937: squares of --granularity, foreground with probability --density",
        {"density", "granularity", "seed"}},
       generators::random},
      {{"checkerboard", "every second pixel: no two share an edge", {}}, generators::checkerboard},
      {{"dots", "single pixels that do not touch: the maximum number of components", {}}, generators::dots},
      {{"spiral", "an arm one pixel wide", {}}, generators::spiral},
      {{"comb", "teeth one pixel wide that meet only at the far end", {}}, generators::comb},
      {{"blobs",
        "smooth shapes, about 16 times --granularity wide, --density of them foreground",
        {"density", "granularity", "seed"}},
       generators::blobs},
      {{"hilbert", "the Hilbert curve of --order, in 2D or 3D", {"order"}}, generators::hilbert},
      {{"page", "lines of words that look like a scanned page", {"seed"}}, generators::page},
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

// Noise as in the random datasets of YACCLAB (Grana, Bolelli, Baraldi, Vezzani 2016): squares of
// `granularity` pixels (cubes in a volume), each foreground with probability `density`, drawn by MT19937 in
// raster order.
namespace gpuccl::generators {

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

namespace {

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

}  // namespace

/// A spiral in every second slice, joined at the inner end and at the outer end by turns: one component.
void spiral(const GenerateOptions&, BitVolume& image) {
  const Extent extent = image.extent();
  for (int z = 0; z < extent.depth; z += 2) {
    const Point inner = draw_spiral(image, z);
    const Point joint = z / 2 % 2 == 0 ? inner : Point{0, 0};
    if (z + 2 < extent.depth) image.set(joint.x, joint.y, z + 1);
  }
}

void fill_every_second(std::uint32_t* row, int first, int width) {
  const std::uint32_t pattern = first % 2 == 0 ? 0x55555555u : 0xaaaaaaaau;
  for (int x = 0; x < width; x += 32)
    row[x / 32] = width - x < 32 ? pattern & ~(~0u << (width - x)) : pattern;
}

// The Hilbert curve, in two or three dimensions, one element wide, as in YACCLAB's Hilbert dataset: one
// component that visits 2^order places along each axis, spread over the extent.
//
//   J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004, doi:10.1063/1.1751381

namespace {

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

}  // namespace

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

}  // namespace gpuccl::generators
