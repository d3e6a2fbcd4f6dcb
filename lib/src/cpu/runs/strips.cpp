#include "cpu/runs/strips.hpp"

#include <algorithm>

#include "common/threads_at_work.hpp"

namespace gpuccl::cpu {
namespace {

constexpr std::int64_t kElementsWorthTask = 1 << 16;
constexpr int kStripsPerThread = 4;  // so that threads that meet emptier strips do more of them

std::int64_t strips_worth_while(const Bundles& bundles) {
  const int threads = threads_at_work();
  if (threads == 1) return 1;
  return std::min<std::int64_t>(std::int64_t{threads} * kStripsPerThread,
                                bundles.image().extent.elements() / kElementsWorthTask);
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
