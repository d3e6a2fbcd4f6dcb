#include "common/object_runs.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

namespace gpuccl {

void check_bytes_of_surfaces(double needed, std::int64_t max_bytes) {
  if (needed > static_cast<double>(max_bytes))
    throw Error(ErrorCode::memory, "surfaces and regions need " + std::to_string(std::llround(needed)) +
                                       " bytes, but " + std::to_string(std::max<std::int64_t>(max_bytes, 0)) +
                                       " remain within the memory limit; set a larger --memory");
}

RunsOfObjects::RunsOfObjects(const LabelRows& labels, std::int64_t max_bytes)
    : begins(labels.count() + std::size_t{2}) {
  constexpr std::int64_t kRowsAtOnce = 256, kElementsAtOnce = 1 << 23;
  const Extent extent = labels.extent();
  const std::int64_t of_window =
      std::max<std::int64_t>(1, kElementsAtOnce / kRowsAtOnce / std::max(extent.width, 1));
  std::vector<LabelRuns> blocks;
  double bytes = static_cast<double>(begins.size() * sizeof(std::size_t));
  for (std::int64_t first = 0; first < extent.rows();) {
    const std::int64_t ready = labels.prepare(first, std::min(kRowsAtOnce, extent.rows() - first));
    const std::int64_t end = std::min(ready, first + of_window * kRowsAtOnce);
    const std::size_t before = blocks.size();
    blocks.resize(before + static_cast<std::size_t>((end - first + kRowsAtOnce - 1) / kRowsAtOnce));
    tbb::parallel_for(before, blocks.size(), [&](std::size_t block) {
      const std::int64_t row = first + static_cast<std::int64_t>(block - before) * kRowsAtOnce;
      labels.list_runs(row, std::min(kRowsAtOnce, end - row), blocks[block], nullptr);
    });
    for (std::size_t block = before; block < blocks.size(); ++block) {
      for (const LabelRun& run : blocks[block].runs) ++begins[run.label + 1];
      bytes += static_cast<double>(blocks[block].runs.capacity() * sizeof(LabelRun) +
                                   blocks[block].runs.size() * sizeof(ObjectRun) +
                                   blocks[block].ends.capacity() * sizeof(std::size_t));
    }
    check_bytes_of_surfaces(bytes, max_bytes);
    first = end;
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  runs.resize(begins.back());
  std::int64_t row = 0;
  for (LabelRuns& block : blocks) {
    std::size_t i = 0;
    for (const std::size_t end : block.ends) {
      int y = static_cast<int>(row % extent.height), z = static_cast<int>(row / extent.height);
      if (swaps_axes(extent)) std::swap(y, z);
      for (; i < end; ++i)
        runs[begins[block.runs[i].label]++] = {y, z, block.runs[i].begin, block.runs[i].end};
      ++row;
    }
    block = {};
  }
}

Box box_of(const Pieces& truth, const Pieces& prediction) {
  Box box{{INT32_MAX, INT32_MAX, INT32_MAX}, {-1, -1, -1}};
  for (const Pieces* pieces : {&truth, &prediction})
    for (const std::span<const ObjectRun>& runs : *pieces)
      for (const ObjectRun& run : runs) {
        const std::array<int, 3> first{run.begin, run.y, run.z}, last{run.end - 1, run.y, run.z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          box.min[axis] = std::min(box.min[axis], first[axis]);
          box.max[axis] = std::max(box.max[axis], last[axis]);
        }
      }
  return box;
}

}  // namespace gpuccl
