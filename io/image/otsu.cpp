#include "io/image/otsu.hpp"

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "io/image/each_slice.hpp"
#include "io/image/exact_otsu.hpp"

namespace gpuccl::io {
namespace {

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();

  void add(const Range& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

/// A range in bins of equal width. In units of half or of one: a difference of two values neither overflows
/// nor is zero where they differ.
class Bins {
 public:
  static constexpr int kCount = 256;

  explicit Bins(const Range& range)
      : unit_(std::max(-range.least, range.most) > 1 ? 2 : 1),
        least_(range.least / unit_),
        width_(range.most / unit_ - least_) {}

  std::size_t of(double value) const {
    const double bin = (value / unit_ - least_) / width_ * kCount;
    return static_cast<std::size_t>(std::clamp(bin, 0.0, kCount - 1.0));
  }
  double middle(std::size_t bin) const {
    return (least_ + (static_cast<double>(bin) + 0.5) / kCount * width_) * unit_;
  }

 private:
  double unit_, least_, width_;
};

/// Calls `use(part, value)` with every value of the input that is a finite number, where `part` is the
/// thread's own copy of `start`, and returns all of these.
template <class Part, class Use>
std::vector<Part> reduce_values(const SampleSource& source, const ForegroundOptions& options,
                                std::int64_t memory, const Part& start, Use use) {
  const Extent& extent = source.info().extent;
  oneapi::tbb::enumerable_thread_specific<Part> parts(start);
  for_each_group(source, 0, extent.depth, source.buffer_bytes(), memory, [&](int begin, int end) {
    source.decode_group(begin, end, [&](int z, const SampleRows& rows) {
      const int width = source.slice_extent(z).width;
      Part& part = parts.local();
      std::array<double, 1024> values;
      constexpr auto kBlock = static_cast<std::int64_t>(values.size());
      for (int y = 0; y < rows.count; ++y)
        for (std::int64_t x = 0; x < width; x += kBlock) {
          const std::int64_t count = std::min(width - x, kBlock);
          to_values(rows.format, options.raw, rows.data + static_cast<std::size_t>(y) * rows.pitch, x, count,
                    values.data());
          for (std::int64_t i = 0; i < count; ++i)
            if (std::isfinite(values[static_cast<std::size_t>(i)]))
              use(part, values[static_cast<std::size_t>(i)]);
        }
    });
  });
  return {parts.begin(), parts.end()};
}

bool is_whole_numbers(const SampleFormat& format, const ForegroundOptions& options) {
  const bool is_single = format.photometric == Photometric::min_is_black ||
                         format.photometric == Photometric::min_is_white ||
                         (format.photometric == Photometric::palette && options.raw);
  return is_single && format.kind != SampleKind::floating && !format.is_scaled();
}

}  // namespace

std::size_t otsu_split(const std::vector<std::uint64_t>& histogram) {
  double total = 0, total_sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    total += static_cast<double>(histogram[i]);
    total_sum += static_cast<double>(histogram[i]) * static_cast<double>(i);
  }
  std::size_t best = 0;
  double best_variance = -1, below = 0, below_sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;  // splits the values as the bin before does
    below += static_cast<double>(histogram[i]);
    below_sum += static_cast<double>(histogram[i]) * static_cast<double>(i);
    const double above = total - below;
    if (above <= 0) {
      if (best_variance < 0) best = i;  // the only value there is
      break;
    }
    const double distance = below_sum / below - (total_sum - below_sum) / above;
    const double variance = below * above * distance * distance;
    if (variance > best_variance) {
      best_variance = variance;
      best = i;
    }
  }
  return best;
}

double otsu_threshold(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory) {
  if (is_whole_numbers(source.format(0), options)) return exact_otsu(source, options, memory);

  const auto extend = [](Range& part, double value) { part.add({value, value}); };
  Range range;
  for (const Range& part : reduce_values(source, options, memory, Range(), extend)) range.add(part);
  if (!(range.least < range.most)) return std::isfinite(range.least) ? range.least : 0;

  using Histogram = std::vector<std::uint64_t>;
  const Bins bins(range);
  Histogram histogram(Bins::kCount);
  const auto count = [&](Histogram& part, double value) { ++part[bins.of(value)]; };
  for (const Histogram& part : reduce_values(source, options, memory, histogram, count))
    std::transform(part.begin(), part.end(), histogram.begin(), histogram.begin(), std::plus<>());
  return bins.middle(otsu_split(histogram));
}

}  // namespace gpuccl::io
