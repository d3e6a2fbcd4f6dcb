#include "io/image/value_sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuccl::io {

void ValueSample::look_at(const SampleRows& rows, const Extent& extent) {
  constexpr int kRowsOfSlice = 256;
  constexpr std::int64_t kBlock = 256, kPixelsOfRow = 1 << 16;
  if (rows.format.bits == 1 && rows.format.channels == 1) return;
  const int step = 1 + extent.height / kRowsOfSlice;
  const std::int64_t width = std::min<std::int64_t>(extent.width, kPixelsOfRow);
  std::array<double, kBlock> values;
  for (int y = (rows.y + step - 1) / step * step; y < rows.y + rows.count; y += step)
    for (std::int64_t x = 0; x < width && !more_; x += kBlock) {
      const std::int64_t count = std::min(width - x, kBlock);
      to_values(rows.format, true, rows.data + static_cast<std::size_t>(y - rows.y) * rows.pitch, x, count,
                values.data());
      look_at(values.data(), count);
    }
}

void ValueSample::look_at(const double* values, std::int64_t count) {
  const std::lock_guard lock(mutex_);
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isnan(values[i]) || std::find(seen_.begin(), seen_.end(), values[i]) != seen_.end()) continue;
    if (seen_.size() < 2) {
      seen_.push_back(values[i]);
    } else {
      more_ = true;
      return;
    }
  }
}

}  // namespace gpuccl::io
