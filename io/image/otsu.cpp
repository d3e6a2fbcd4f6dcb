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

/// Bins of equal width for floating-point values, in units of one or two: a difference of two values does not
/// overflow, and is not 0 if they differ.
class RealBins {
 public:
  RealBins(double least, double most)
      : unit_(std::max(-least, most) > 1 ? 2 : 1), least_(least / unit_), width_(most / unit_ - least_) {}

  static constexpr std::size_t kCount = 256;
  std::size_t of(double value) const {
    const double bin = (value * (1 / unit_) - least_) / width_ * double{kCount};
    return static_cast<std::size_t>(std::clamp(bin, 0.0, double{kCount - 1}));
  }
  double middle(std::size_t bin) const {
    return (least_ + (static_cast<double>(bin) + 0.5) / double{kCount} * width_) * unit_;
  }

 private:
  double unit_, least_, width_;  // of all bins
};

/// Bins of equal width for integers, which are counted from the minimum of their type: one bin each if there
/// are at most `most_bins`.
class IntegerBins {
 public:
  IntegerBins(std::uint64_t least, std::uint64_t most, std::uint64_t most_bins)
      : least_(least), most_(most), width_((most - least) / most_bins + 1) {}

  std::size_t count() const { return of(most_) + 1; }
  std::size_t of(std::uint64_t rank) const { return width_ == 1 ? rank - least_ : (rank - least_) / width_; }
  std::uint64_t last_of(std::size_t bin) const {
    return least_ + std::min(most_ - least_, (bin + 1) * width_ - 1);
  }

 private:
  std::uint64_t least_, most_, width_;
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

/// Returns the minimum and maximum of all values; the first is above the second if there are none.
template <class Value, class ForEach>
std::pair<Value, Value> range_of(const SampleSource& source, const ForegroundOptions& options,
                                 std::int64_t memory, ForEach for_each) {
  using Limits = std::numeric_limits<Value>;
  std::pair<Value, Value> range(Limits::max(), Limits::lowest());
  const auto add = [&](auto& part, const auto&... block) {
    for_each(block..., [&](Value value) {
      part = {std::min(part.first, value), std::max(part.second, value)};
    });
  };
  for (const auto& part : reduce_blocks(source, options, memory, range, 0, add))
    range = {std::min(range.first, part.first), std::max(range.second, part.second)};
  return range;
}

/// Returns how many values are in each of `bins` bins, which `add(part, block...)` adds.
template <class Add>
Histogram count_in_bins(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory,
                        std::size_t bins, Add add) {
  Histogram histogram(bins);
  const auto bytes = static_cast<std::int64_t>(bins * sizeof histogram[0]);
  for (const Histogram& part : reduce_blocks(source, options, memory, histogram, bytes, add))
    std::transform(part.begin(), part.end(), histogram.begin(), histogram.begin(), std::plus<>());
  return histogram;
}

/// Returns whether values next to the split, on both sides, are about as frequent as any: there is one peak,
/// as in noise without objects, and not a valley between two. Few values are classes.
bool cuts_peak(const Histogram& histogram, std::size_t split) {
  constexpr double kTail = 0.001, kAsFrequent = 0.9;
  constexpr std::size_t kWindows = 32, kMinValues = 8;
  std::vector<double> sums(histogram.size() + 1);  // of the bins before each
  for (std::size_t i = 0; i < histogram.size(); ++i)
    sums[i + 1] = sums[i] + static_cast<double>(histogram[i]);
  const auto bin_at = [&](double share) {
    return static_cast<std::size_t>(std::lower_bound(sums.begin() + 1, sums.end(), share * sums.back()) -
                                    sums.begin() - 1);
  };
  const std::size_t begin = bin_at(kTail), end = bin_at(1 - kTail) + 1;
  const auto values =
      std::count_if(histogram.begin() + static_cast<std::ptrdiff_t>(begin),
                    histogram.begin() + static_cast<std::ptrdiff_t>(std::min(end, histogram.size())),
                    [](std::uint64_t count) { return count > 0; });
  if (static_cast<std::size_t>(values) < kMinValues) return false;
  const std::size_t width = std::max<std::size_t>(1, (end - begin) / kWindows);
  if (split + 1 < width || split + 1 + width > histogram.size()) return false;
  double most = 0;
  for (std::size_t i = 0; i + width <= histogram.size(); ++i)
    most = std::max(most, sums[i + width] - sums[i]);
  const double at = sums[split + 1];
  return std::min(at - sums[split + 1 - width], sums[split + 1 + width] - at) >= kAsFrequent * most;
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

OtsuThreshold threshold_of_real_numbers(const SampleSource& source, const ForegroundOptions& options,
                                        std::int64_t memory) {
  const auto for_each = [](const auto&... block) { for_each_value(block...); };
  const auto [least, most] = range_of<double>(source, options, memory, for_each);
  if (least >= most) return {SampleValue::of(least == most ? least : 0)};
  const RealBins bins(least, most);
  const auto add = [&](Histogram& part, const auto&... block) {
    for_each_value(block..., [&](double value) { ++part[bins.of(value)]; });
  };
  const Histogram histogram = count_in_bins(source, options, memory, RealBins::kCount, add);
  const std::size_t split = otsu_split(histogram);
  return {SampleValue::of(bins.middle(split)), cuts_peak(histogram, split)};
}

/// Integer values of an image, counted from the minimum of 64-bit integers: samples, or lumas of integers.
class IntegerValues {
 public:
  IntegerValues(const SampleFormat& format, const ForegroundOptions& options)
      : is_signed_(format.kind == SampleKind::signed_integer),
        is_palette_(format.photometric == Photometric::palette && !options.raw),
        is_luma_(is_palette_ || colors_of(format.photometric) > 1),
        of_white_(format.photometric == Photometric::min_is_white && !options.raw &&
                  !format.inverted_by_name_only) {}

  bool are_lumas() const { return is_luma_; }
  bool are_of_palette() const { return is_palette_; }

  /// Lumas are rounded up to integers, so that grays have the threshold of a gray image. Those of a palette,
  /// whose colors have 8 bits, are thousandths, so each has a bin.
  std::uint64_t of(double value) const {
    if (is_palette_) {
      const double step = std::ceil(value * kPerUnit);
      value = (step - 1) / kPerUnit >= value ? step - 1 : step;
    }
    constexpr std::uint64_t kMax = ~std::uint64_t{0};
    if (!is_signed_) return value >= 0x1p64 ? kMax : static_cast<std::uint64_t>(std::ceil(value));
    return value >= 0x1p63 ? kMax
                           : static_cast<std::uint64_t>(static_cast<std::int64_t>(std::ceil(value))) ^ kSign;
  }

  /// Calls `visit` for the values of a block. Integers of 64 bits are not rounded to doubles.
  template <class Visit>
  void for_each(const SampleFormat& format, const ForegroundOptions& options, const std::byte* row,
                std::int64_t x, std::int64_t count, Visit visit) const {
    if (format.bits != 64 || is_luma_)
      return for_each_value(format, options, row, x, count, [&](double value) { visit(of(value)); });
    std::array<bool, kBlock> missing{};
    for_each_missing(format, row, x, count,
                     [&](std::int64_t i) { missing[static_cast<std::size_t>(i)] = true; });
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint64_t sample;
      std::memcpy(&sample, row + (x + i) * format.channels * std::int64_t{sizeof sample}, sizeof sample);
      if (!missing[static_cast<std::size_t>(i)])
        visit((of_white_ ? ~sample : sample) ^ (is_signed_ ? kSign : 0));
    }
  }

  SampleValue value_of(std::uint64_t rank) const {
    if (is_palette_) return SampleValue::of(static_cast<double>(rank) / kPerUnit);
    const std::uint64_t bits = rank ^ (is_signed_ ? kSign : 0);
    SampleValue exact = *SampleValue::parse(is_signed_ ? std::to_string(static_cast<std::int64_t>(bits))
                                                       : std::to_string(bits));
    if (!is_luma_) return exact;
    const SampleValue number = SampleValue::of(exact.number());  // lumas are doubles: the last up to it
    return exact < number ? SampleValue::of(std::nextafter(exact.number(), -HUGE_VAL)) : number;
  }

 private:
  static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  static constexpr double kPerUnit = 1000;
  bool is_signed_, is_palette_, is_luma_, of_white_;
};

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

OtsuThreshold otsu_threshold(const SampleSource& source, const ForegroundOptions& options,
                             std::int64_t memory) {
  const SampleFormat& first = source.format(0);
  if (first.kind == SampleKind::floating || first.is_scaled())
    return threshold_of_real_numbers(source, options, memory);
  const IntegerValues values(first, options);
  const bool is_signed = first.kind == SampleKind::signed_integer;
  const auto for_each = [&](const auto&... block) { values.for_each(block...); };
  std::pair<std::uint64_t, std::uint64_t> range;
  if (values.are_of_palette()) {
    range = {0, values.of(255)};
  } else if (first.bits <= 16 && (!is_signed || !values.are_lumas())) {
    const double least = is_signed ? -std::exp2(first.bits - 1) : 0;
    range = {values.of(least), values.of(least + std::exp2(first.bits) - 1)};
  } else {
    range = range_of<std::uint64_t>(source, options, memory, for_each);
    if (range.first > range.second) return {SampleValue::of(0)};
  }
  const IntegerBins bins(range.first, range.second, values.are_of_palette() ? range.second + 1 : 65536);
  const bool is_stored = !values.are_lumas() && !is_signed && first.bits <= 16;
  const auto add = [&](Histogram& part, const SampleFormat& format, const ForegroundOptions& rule,
                       const std::byte* row, std::int64_t x, std::int64_t count) {
    const bool is_bin = is_stored && format.missing.empty() && format.channels == 1 &&
                        (format.photometric == Photometric::min_is_black || rule.raw);
    if (is_bin && format.bits == 8) return count_stored<std::uint8_t>(row, x, count, part);
    if (is_bin && format.bits == 16) return count_stored<std::uint16_t>(row, x, count, part);
    for_each(format, rule, row, x, count, [&](std::uint64_t rank) { ++part[bins.of(rank)]; });
  };
  const Histogram histogram = count_in_bins(source, options, memory, bins.count(), add);
  const std::size_t split = otsu_split(histogram);
  return {values.value_of(bins.last_of(split)), cuts_peak(histogram, split)};
}

}  // namespace gpuccl::io
