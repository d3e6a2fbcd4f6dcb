#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Outlines of objects in 2D: polygons along the edges of pixels, and runs along columns.
namespace gpuccl {

/// Pixels [begin, end) of row y that belong to one object.
struct RowRun {
  int y = 0, begin = 0, end = 0;
};

/// Corner of a pixel: pixel (x, y) has corners (x, y) to (x + 1, y + 1).
struct Corner {
  int x = 0, y = 0;

  friend bool operator==(const Corner&, const Corner&) = default;
};

/// A closed line; the first corner is not repeated at the end, and no three consecutive ones are collinear.
using Ring = std::vector<Corner>;

/// A 4-connected piece of an object: its outer ring has a positive area by the shoelace formula, holes a
/// negative one. Rings are simple: no ring visits a corner twice. Two rings touch at most at single corners,
/// so polygons are valid in the sense of OGC Simple Features.
struct Polygon {
  Ring outer;
  std::vector<Ring> holes;
};

/// Returns the polygons of an object, in raster order of their first pixels. Their areas, holes subtracted,
/// add up to its number of pixels. `runs`: maximal, in raster order. Thread-safe. O(n log n) for n runs.
std::vector<Polygon> outline(std::span<const RowRun> runs);

/// Returns the run lengths of an object in an image of this size in column-major order: alternately pixels
/// outside and inside, outside first, without a last count of pixels outside. This is COCO's RLE.
/// `runs`: as outline().
std::vector<std::int64_t> column_run_lengths(std::span<const RowRun> runs, int height);

}  // namespace gpuccl
