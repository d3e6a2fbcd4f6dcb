#include "cpu/runs/strips.hpp"

#include <algorithm>

#include "common/threads_at_work.hpp"

namespace gpuccl::cpu {
namespace {

constexpr std::int64_t kElementsWorthTask = 1 << 16;
constexpr int kStripsPerThread = 4;  // so that threads with emptier strips can process more of them
constexpr int kSeamsAStrip = 8;      // so that merging strips is a small part of the work

std::int64_t strips_worth_while(const Bundles& bundles) {
  const int threads = threads_at_work();
  if (threads == 1) return 1;
  // At strip boundaries, bundles are processed twice: a row of them, or a whole layer. Strips of few layers
  // would slow down many threads.
  const std::int64_t seam = bundles.layers() > 1 ? bundles.per_layer() : 1;
  const std::int64_t thick = std::max<std::int64_t>(threads, bundles.count() / (seam * kSeamsAStrip));
  return std::min({std::int64_t{threads} * kStripsPerThread, thick,
                   bundles.image().extent.elements() / kElementsWorthTask});
}

}  // namespace

std::vector<Strip> cut_into_strips(const Bundles& bundles, int wanted) {
  const std::int64_t groups = bundles.count() / bundles.group();
  const std::int64_t count =
      std::clamp<std::int64_t>(wanted > 0 ? wanted : strips_worth_while(bundles), 1, groups);
  std::vector<Strip> strips;
  for (std::int64_t i = 0; i < count; ++i)
    strips.push_back({groups * i / count * bundles.group(), groups * (i + 1) / count * bundles.group()});
  return strips;
}

}  // namespace gpuccl::cpu
