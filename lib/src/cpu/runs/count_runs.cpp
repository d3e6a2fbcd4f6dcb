#include "cpu/runs/count_runs.hpp"

#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::cpu {
namespace {

/// Writes the number of runs of each bundle of a strip behind its place in `before`.
template <RowSet set>
void count_in(const Bundles& bundles, Strip strip, std::vector<Index>& before) {
  for (Bundles::Place at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
    const BundleRows rows = bundles.rows(at);
    Index count = 0;
    Word left = 0;
    for (int i = 0; i < bundles.words(); ++i) {
      const Word word = united_word<set>(rows, i);
      count += static_cast<Index>(std::popcount(run_starts(word, left)));
      left = word;
    }
    before[static_cast<std::size_t>(at.bundle) + 1] = count;
  }
}

}  // namespace

std::vector<Index> count_runs(const Bundles& bundles, const std::vector<Strip>& strips) {
  std::vector<Index> before(static_cast<std::size_t>(bundles.count()) + 1);
  const auto count = bundles.row_set() == 0b1111   ? count_in<0b1111>
                     : bundles.row_set() == 0b0011 ? count_in<0b0011>
                                                   : count_in<0b0001>;
  for_each_strip(strips, [&](std::size_t i) { count(bundles, strips[i], before); });
  std::uint64_t sum = 0;
  for (Index& runs : before) {
    sum += runs;
    runs = static_cast<Index>(sum);
  }
  if (sum > 0xffffffffu) throw Error(Failure::data, std::to_string(sum) + " runs, more than 4294967295");
  return before;
}

}  // namespace gpuccl::cpu
