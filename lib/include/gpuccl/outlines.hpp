#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Outlines of objects in 2D: polygons along the edges of pixels, and runs along columns.
#pragma GCC visibility push(default)
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

/// A closed line. The first corner is not repeated at the end, and no three consecutive corners are
/// collinear.
using Ring = std::vector<Corner>;

/// A 4-connected piece of an object. By the shoelace formula, the outer ring has a positive area and holes
/// have a negative one. Rings are simple: no ring visits a corner twice. Two rings touch at single corners at
/// most, so polygons are valid Simple Features (OGC).
struct Polygon {
  Ring outer;
  std::vector<Ring> holes;
};

/// Returns the polygons of an object, in raster order of their first pixels. Their areas, without holes, add
/// up to its number of pixels. `runs`: maximal, in raster order. Thread-safe. Time: O(n log n) for n runs.
std::vector<Polygon> outline(std::span<const RowRun> runs);

/// Returns the run lengths of an object in column-major order, as in COCO's RLE: alternately pixels outside
/// and inside, beginning outside, without a last count of pixels outside. `height`: of the image. `runs`: as
/// in outline().
std::vector<std::int64_t> column_run_lengths(std::span<const RowRun> runs, int height);

}  // namespace gpuccl
#pragma GCC visibility pop
