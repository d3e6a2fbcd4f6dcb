#include "io/image/value_sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuccl::io {
namespace {

/// Whether all are one of two, or no number. Without a branch, so that several are compared at once.
bool are_known(const double* values, std::int64_t count, const ValueSample::Pair& known) {
  bool all = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = values[i];
    all &= (value == known[0]) | (value == known[1]) | (value != value);
  }
  return all;
}

}  // namespace

void ValueSample::look_at(const SampleRows& rows, const Extent& extent) {
  constexpr int kRowsOfSlice = 256;
  constexpr std::int64_t kBlock = 256, kPixelsOfRow = 1 << 16;
  if (rows.format.bits == 1 && rows.format.channels == 1) return;
  const int step = 1 + extent.height / kRowsOfSlice;
  const std::int64_t width = std::min<std::int64_t>(extent.width, kPixelsOfRow);
  std::array<double, kBlock> values;
  Pair known = seen();
  for (int y = (rows.y + step - 1) / step * step; y < rows.y + rows.count; y += step)
    for (std::int64_t x = 0; x < width && !more_; x += kBlock) {
      const std::int64_t count = std::min(width - x, kBlock);
      to_values(rows.format, true, rows.data + static_cast<std::size_t>(y - rows.y) * rows.pitch, x, count,
                values.data());
      if (!are_known(values.data(), count, known)) known = learn(values.data(), count);
    }
}

ValueSample::Pair ValueSample::seen() {
  const std::lock_guard lock(mutex_);
  return seen_;
}

ValueSample::Pair ValueSample::learn(const double* values, std::int64_t count) {
  const std::lock_guard lock(mutex_);
  for (std::int64_t i = 0; i < count && !more_; ++i) {
    if (std::isnan(values[i]) || values[i] == seen_[0] || values[i] == seen_[1]) continue;
    const auto free = std::find_if(seen_.begin(), seen_.end(), [](double one) { return std::isnan(one); });
    if (free == seen_.end()) {
      more_ = true;
    } else {
      *free = values[i];
    }
  }
  return seen_;
}

}  // namespace gpuccl::io
