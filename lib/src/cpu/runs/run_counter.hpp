#pragma once

#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"

namespace gpuccl::cpu {

/// Returns the index of the run of a bundle that contains an element; call with ascending elements.
template <RowSet set>
class RunCounter {
 public:
  explicit RunCounter(const BundleRows& rows) : rows_(rows) {}

  Index operator()(int word, int bit) {
    while (word_ < word) {
      before_ += static_cast<Index>(std::popcount(starts_));
      const Word united = united_word<set>(rows_, ++word_);
      starts_ = run_starts(united, left_);
      left_ = united;
    }
    return before_ + static_cast<Index>(std::popcount(starts_ & up_to(bit))) - 1;
  }

 private:
  BundleRows rows_;
  int word_ = -1;
  Index before_ = 0;
  Word starts_ = 0, left_ = 0;
};

}  // namespace gpuccl::cpu
