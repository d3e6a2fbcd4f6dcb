#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "io/image/each_slice.hpp"
#include "io/image/foreground.hpp"

namespace gpuccl::io {
namespace {

/// Wide enough for the sum of 2^64 bins.
__extension__ typedef __int128 Sum;

using Histogram = std::vector<std::uint64_t>;

/// Values are counted in bins of equal width.
class Bins {
 public:
  /// Integers from `least` to `most`: one bin each if there are at most `most_bins`.
  static Bins of_numbers(double least, double most, double most_bins) {
    const double width = std::floor((most - least) / most_bins) + 1;
    return {least, most, 1, width, 1, std::floor((most - least) / width) + 1};
  }
  /// In units of one or two: a difference of two values does not overflow, and is not 0 if they differ.
  static Bins of_real_numbers(double least, double most) {
    constexpr int kCount = 256;
    const double unit = std::max(-least, most) > 1 ? 2 : 1;
    return {least / unit, most, unit, most / unit - least / unit, kCount, kCount};
  }

  std::size_t count() const { return static_cast<std::size_t>(count_); }
  std::size_t of(double value) const {
    if (is_exact_) return static_cast<std::size_t>(static_cast<std::int64_t>(value - least_));
    const double bin = (value * (1 / unit_) - least_) / width_ * parts_;
    return static_cast<std::size_t>(static_cast<std::int64_t>(std::clamp(bin, 0.0, count_ - 1)));
  }
  /// Returns the last integer of a bin. Integers beyond 2^53 are rounded to doubles, so there the next double
  /// above the bin, unless it belongs to `next`, the next bin with values.
  double last_of(std::size_t bin, std::size_t next) const {
    constexpr double kExact = 1ll << 53, kInfinity = std::numeric_limits<double>::infinity();
    double last = bin + 1 == count() ? most_ : least_ + ((static_cast<double>(bin) + 1) * width_ - 1);
    if (std::abs(last) < kExact) return last;
    while (last > least_ && of(last) > bin) last = std::nextafter(last, -kInfinity);
    double above = std::nextafter(last, kInfinity);
    for (; above <= most_ && of(above) <= bin; above = std::nextafter(above, kInfinity)) last = above;
    return above <= most_ && of(above) >= next ? last : above;
  }
  double middle(std::size_t bin) const {
    return (least_ + (static_cast<double>(bin) + 0.5) / parts_ * width_) * unit_;
  }

 private:
  Bins(double least, double most, double unit, double width, double parts, double count)
      : least_(least), most_(most), unit_(unit), width_(width), parts_(parts), count_(count) {}

  double least_, most_, unit_;
  double width_, parts_;  // a bin has width / parts
  double count_;
  bool is_exact_ = unit_ == 1 && width_ == 1 && parts_ == 1;  // bins are the numbers
};

/// Calls `use(part, format, options, row, x, count)` for blocks of at most kBlock pixels of all rows, where
/// `part` is the thread's own copy of `start`, and returns all of these. `bytes`: of a part.
constexpr std::int64_t kBlock = 1024;
template <class Part, class Use>
std::vector<Part> reduce_blocks(const SampleSource& source, const ForegroundOptions& options,
                                std::int64_t memory, const Part& start, std::int64_t bytes, Use use) {
  const Extent& extent = source.info().extent;
  oneapi::tbb::enumerable_thread_specific<Part> parts(start);
  for_each_group(source, 0, extent.depth, source.buffer_bytes() + bytes, memory, [&](int begin, int end) {
    source.decode_group(begin, end, [&](int z, const SampleRows& rows) {
      const std::int64_t width = source.slice_extent(z).width;
      Part& part = parts.local();
      for (int y = 0; y < rows.count; ++y)
        for (std::int64_t x = 0; x < width; x += kBlock)
          use(part, rows.format, options, rows.data + static_cast<std::size_t>(y) * rows.pitch, x,
              std::min(width - x, kBlock));
    });
  });
  return {parts.begin(), parts.end()};
}

/// Calls `visit` for the finite values of a block.
template <class Visit>
void for_each_value(const SampleFormat& format, const ForegroundOptions& options, const std::byte* row,
                    std::int64_t x, std::int64_t count, Visit visit) {
  std::array<double, kBlock> values;
  to_values(format, options.raw, row, x, count, values.data());
  for (const double value : std::span(values).first(static_cast<std::size_t>(count)))
    if (std::isfinite(value)) visit(value);
}

/// Counts samples that are bins: in most images they are.
template <class Sample>
void count_stored(const std::byte* row, std::int64_t x, std::int64_t count, Histogram& histogram) {
  for (std::int64_t i = x; i < x + count; ++i) {
    Sample sample;
    std::memcpy(&sample, row + i * std::int64_t{sizeof sample}, sizeof sample);
    ++histogram[sample];
  }
}

bool is_whole_numbers(const SampleFormat& format, const ForegroundOptions& options) {
  const bool is_single = format.photometric == Photometric::min_is_black ||
                         format.photometric == Photometric::min_is_white ||
                         (format.photometric == Photometric::palette && options.raw);
  return is_single && format.kind != SampleKind::floating && !format.is_scaled();
}

}  // namespace

std::size_t otsu_split(const std::vector<std::uint64_t>& histogram) {
  std::uint64_t total = 0;
  Sum sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    total += histogram[i];
    sum += static_cast<Sum>(histogram[i]) * static_cast<Sum>(i);
  }
  if (total == 0) return 0;
  // Bins are counted from their mean: the means of the two classes differ by little of what they are.
  const auto mean = static_cast<std::int64_t>(sum / static_cast<Sum>(total));
  const auto count = static_cast<long double>(total),
             all = static_cast<long double>(sum - static_cast<Sum>(mean) * static_cast<Sum>(total));
  std::size_t best = 0;
  long double best_variance = -1;
  std::uint64_t below = 0;
  Sum below_sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;  // splits the values as the bin before does
    below += histogram[i];
    below_sum += static_cast<Sum>(histogram[i]) * (static_cast<std::int64_t>(i) - mean);
    if (below == total) return best_variance < 0 ? i : best;  // the only value there is
    const auto lower = static_cast<long double>(below), lower_sum = static_cast<long double>(below_sum);
    const long double upper = count - lower;
    const long double distance = lower_sum / lower - (all - lower_sum) / upper;
    const long double variance = lower * upper * distance * distance;
    if (variance > best_variance) {
      best_variance = variance;
      best = i;
    }
  }
  return best;
}

double otsu_threshold(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory) {
  const SampleFormat& of_all = source.format(0);
  const bool is_whole = is_whole_numbers(of_all, options);
  // Lumas of integers are rounded up to integers, so that grays have the threshold of a gray image. Those of
  // a palette, whose colors have 8 bits, are thousandths, so each has a bin.
  const bool is_luma = !is_whole && of_all.kind != SampleKind::floating && !of_all.is_scaled();
  const bool is_palette = is_luma && of_all.photometric == Photometric::palette;
  const double per_unit = is_palette ? 1000 : 1;
  const auto step_of = [&](double value) {
    if (!is_palette) return is_luma ? std::ceil(value) : value;
    const double step = std::ceil(value * per_unit);
    return (step - 1) / per_unit >= value ? step - 1 : step;
  };
  const int bits = of_all.bits;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  if (is_palette) {
    least = 0;
    most = 255 * per_unit;
  } else if (bits <= 16 && (is_whole || (is_luma && of_all.kind == SampleKind::unsigned_integer))) {
    least = of_all.kind == SampleKind::signed_integer ? -std::exp2(bits - 1) : 0;
    most = least + std::exp2(bits) - 1;
  } else {
    const auto add = [&](auto& part, const auto&... block) {
      for_each_value(block..., [&](double value) {
        part = {std::min(part.first, value), std::max(part.second, value)};
      });
    };
    for (const auto& part : reduce_blocks(source, options, memory, std::pair(least, most), 0, add)) {
      least = std::min(least, part.first);
      most = std::max(most, part.second);
    }
    if (least > most) return 0;
    if (!is_whole && least == most) return least;
    least = step_of(least);
    most = step_of(most);
  }
  const bool is_real = !is_whole && !is_luma;
  const Bins bins = is_real ? Bins::of_real_numbers(least, most)
                            : Bins::of_numbers(least, most, is_palette ? most + 1 : 65536);
  Histogram histogram(bins.count());
  const auto count_values = [&](Histogram& part, const SampleFormat& format, const ForegroundOptions& rule,
                                const std::byte* row, std::int64_t x, std::int64_t count) {
    const bool is_stored = is_whole && least == 0 && format.missing.empty() && format.channels == 1 &&
                           (format.photometric == Photometric::min_is_black || rule.raw);
    if (is_stored && format.bits == 8) return count_stored<std::uint8_t>(row, x, count, part);
    if (is_stored && format.bits == 16) return count_stored<std::uint16_t>(row, x, count, part);
    for_each_value(format, rule, row, x, count, [&](double value) { ++part[bins.of(step_of(value))]; });
  };
  const auto bytes = static_cast<std::int64_t>(histogram.size() * sizeof(histogram[0]));
  for (const Histogram& part : reduce_blocks(source, options, memory, histogram, bytes, count_values))
    std::transform(part.begin(), part.end(), histogram.begin(), histogram.begin(), std::plus<>());
  const std::size_t split = otsu_split(histogram);
  if (is_real) return bins.middle(split);
  std::size_t next = split + 1;
  while (next < histogram.size() && histogram[next] == 0) ++next;
  return bins.last_of(split, next) / per_unit;
}

}  // namespace gpuccl::io
