#include "cpu/slices/measure.hpp"

#include <algorithm>

namespace gpuccl::cpu {
namespace {

/// Pixels [begin, end) of a row, all of component i. A slice has less than 2^32 pixels, so no sum passes
/// 2^64.
void add_span(Components& components, std::size_t i, int begin, int end, int y, int z) {
  const std::uint64_t length = static_cast<std::uint64_t>(end - begin);
  const std::uint64_t ends = static_cast<std::uint64_t>(begin) + static_cast<std::uint64_t>(end) - 1;
  components.area[i] += length;
  components.sum[i][0] += length * ends / 2;
  components.sum[i][1] += length * static_cast<std::uint64_t>(y);
  components.sum[i][2] += length * static_cast<std::uint64_t>(z);

  Box& box = components.box[i];
  box.min = {std::min(box.min[0], begin), std::min(box.min[1], y), std::min(box.min[2], z)};
  box.max = {std::max(box.max[0], end - 1), std::max(box.max[1], y), std::max(box.max[2], z)};
}

}  // namespace

Components measure(const LabelImage& labels) {
  const Extent extent = labels.extent();
  Components components;
  components.area.resize(labels.count(), 0);
  components.box.resize(labels.count(), Component{}.box);
  components.sum.resize(labels.count(), {});

  const Label* row = labels.data();
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y, row += extent.width)
      for (int begin = 0, end; begin < extent.width; begin = end) {
        for (end = begin + 1; end < extent.width && row[end] == row[begin];) ++end;
        if (row[begin] != 0) add_span(components, row[begin] - 1, begin, end, y, z);
      }
  return components;
}

}  // namespace gpuccl::cpu
