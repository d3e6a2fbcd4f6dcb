#pragma once

#include "gpuccl/algorithms.hpp"
#include "gpuccl/parts.hpp"

namespace tests {

/// Labels of flood fill.
gpuccl::Labeling flood_fill(gpuccl::BitView image, gpuccl::Connectivity connectivity);

/// The labeler of the program on the CPU.
inline std::unique_ptr<gpuccl::Labeler> runs_on_cpu(gpuccl::Connectivity connectivity) {
  using namespace gpuccl;
  return find_variant(*find_algorithm("runs", DeviceKind::cpu), connectivity)->make(0);
}

/// Requires the same labels, numbers included, the same components, and rows that render alike: all at once,
/// in parts, in every type, and with a map.
void expect_same(const gpuccl::Labeling& labeled, const gpuccl::Labeling& expected);

/// Source that labels an image in memory slab by slab, and counts in `reads`, if not null, how many it has
/// read.
gpuccl::SlabWork slab_work(const gpuccl::BitVolume& image, gpuccl::Labeler& labeler, int* reads = nullptr);

void expect_same_as_flood_fill(gpuccl::Labeler& labeler, gpuccl::BitView image,
                               gpuccl::Connectivity connectivity);

}  // namespace tests
