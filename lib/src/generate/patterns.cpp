// Regular patterns that are hard in one way each: most components, most runs, longest chains of unions.

#include "common/row_bits.hpp"
#include "generate/kinds.hpp"

namespace gpuccl::generators {

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

}  // namespace gpuccl::generators
