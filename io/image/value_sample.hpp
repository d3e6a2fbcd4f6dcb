#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Finds out, by a look at some rows of an input, whether its pixels have more than two values. For several
/// threads.
class ValueSample {
 public:
  /// Looks at a few of `rows`, of an image of this extent. Values that are no number do not count.
  void look_at(const SampleRows& rows, const Extent& extent);
  bool has_more_than_two() const { return more_; }

 private:
  void look_at(const double* values, std::int64_t count);

  std::atomic<bool> more_ = false;
  std::mutex mutex_;
  std::vector<double> seen_;  // two at most
};

}  // namespace gpuccl::io
