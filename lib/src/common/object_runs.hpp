#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// Throws Error (memory) if `needed` bytes are above `max_bytes`.
void check_bytes_of_surfaces(double needed, std::int64_t max_bytes);

/// Elements [begin, end) of a row of an object. The longer one of the axes y and z of the image is z here, so
/// that slices are small and numerous. A 2D image is a volume of one y.
struct ObjectRun {
  int y, z, begin, end;
};

inline bool swaps_axes(const Extent& extent) { return extent.height > extent.depth; }

/// The runs of an image by object.
struct RunsOfObjects {
  std::vector<std::size_t> begins;  // of each object
  std::vector<ObjectRun> runs;

  RunsOfObjects() = default;
  /// Calls LabelRows::prepare(). Throws Error (memory) if it takes more than `max_bytes`.
  RunsOfObjects(const LabelRows& labels, std::int64_t max_bytes);
  /// Returns the bytes that remain.
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(begins.size() * sizeof(std::size_t) + runs.size() * sizeof(ObjectRun));
  }

  std::span<const ObjectRun> of(std::uint32_t object) const {
    return std::span(runs).subspan(begins[object], begins[object + 1] - begins[object]);
  }
};

using Pieces = std::vector<std::span<const ObjectRun>>;

/// Returns the bounding box of both, in the axes of runs.
Box box_of(const Pieces& truth, const Pieces& prediction);

}  // namespace gpuccl
