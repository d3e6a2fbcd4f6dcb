#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <span>

#include "io/image/each_slice.hpp"
#include "io/image/foreground.hpp"

namespace gpuccl::io {
namespace {

/// Wide enough for the sum of 2^64 bins.
__extension__ typedef __int128 Sum;

using Histogram = std::vector<std::uint64_t>;

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();

  void add(const Range& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

/// A range in bins of equal width. In units of half or of one: a difference of two values neither overflows
/// and is not zero if they differ.
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

/// Calls `use(part, rows, y, x, count)` for blocks of at most kBlock pixels of all rows, where `part` is the
/// thread's own copy of `start`, and returns all of these. `bytes`: of a part.
constexpr std::int64_t kBlock = 1024;
template <class Part, class Use>
std::vector<Part> reduce_blocks(const SampleSource& source, std::int64_t memory, const Part& start,
                                std::int64_t bytes, Use use) {
  const Extent& extent = source.info().extent;
  oneapi::tbb::enumerable_thread_specific<Part> parts(start);
  for_each_group(source, 0, extent.depth, source.buffer_bytes() + bytes, memory, [&](int begin, int end) {
    source.decode_group(begin, end, [&](int z, const SampleRows& rows) {
      const std::int64_t width = source.slice_extent(z).width;
      Part& part = parts.local();
      for (int y = 0; y < rows.count; ++y)
        for (std::int64_t x = 0; x < width; x += kBlock)
          use(part, rows.format, rows.data + static_cast<std::size_t>(y) * rows.pitch, x,
              std::min(width - x, kBlock));
    });
  });
  return {parts.begin(), parts.end()};
}

void add(const Histogram& more, Histogram& to) {
  std::transform(more.begin(), more.end(), to.begin(), to.begin(), std::plus<>());
}

/// Samples as unsigned numbers in the order of their values.
class OrderedCodes {
 public:
  OrderedCodes(const SampleFormat& format, const ForegroundOptions& options) : format_(format) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - format.bits);
    const bool is_inverted =
        format.photometric == Photometric::min_is_white && !options.raw && !format.inverted_by_name_only;
    flip_ = (is_inverted ? mask : 0) ^ lowest();
  }

  /// The least double that is not below it.
  double value_of(std::uint64_t code) const {
    const long double value = format_.kind == SampleKind::signed_integer
                                  ? static_cast<long double>(static_cast<std::int64_t>(code - lowest()))
                                  : static_cast<long double>(code);
    const auto nearest = static_cast<double>(value);
    return nearest < value ? std::nextafter(nearest, std::numeric_limits<double>::infinity()) : nearest;
  }

  /// Loads pixels [x, x + count) of a row, at most kBlock, without those that have no value.
  std::span<const std::uint64_t> load(const std::byte* row, std::int64_t x, std::int64_t count) {
    const std::span<const std::uint64_t> codes = load_all(row, x, count);
    if (format_.missing.empty()) return codes;
    const auto end = std::remove_if(codes_.begin(), codes_.begin() + std::ssize(codes),
                                    [&](std::uint64_t code) { return is_missing(format_, code ^ flip_); });
    return {codes_.begin(), end};
  }

 private:
  std::span<const std::uint64_t> load_all(const std::byte* row, std::int64_t x, std::int64_t count) {
    switch (format_.bits) {
      case 8:
        return load<1>(row, x, count);
      case 16:
        return load<2>(row, x, count);
      case 24:
        return load<3>(row, x, count);
      case 32:
        return load<4>(row, x, count);
      case 64:
        return load<8>(row, x, count);
      default:
        return load_packed(row, x, count);
    }
  }

  std::uint64_t lowest() const {
    return format_.kind == SampleKind::signed_integer ? std::uint64_t{1} << (format_.bits - 1) : 0;
  }

  template <std::size_t kBytes>
  std::span<const std::uint64_t> load(const std::byte* row, std::int64_t x, std::int64_t count) {
    const auto step = static_cast<std::size_t>(format_.channels) * kBytes;
    const std::byte* from = row + static_cast<std::size_t>(x) * step;
    for (std::int64_t i = 0; i < count; ++i, from += step) {
      std::uint64_t code = 0;
      std::memcpy(&code, from, kBytes);
      codes_[static_cast<std::size_t>(i)] = code ^ flip_;
    }
    return {codes_.data(), static_cast<std::size_t>(count)};
  }

  std::span<const std::uint64_t> load_packed(const std::byte* row, std::int64_t x, std::int64_t count) {
    const auto channels = static_cast<std::size_t>(format_.channels);
    packed_.resize(static_cast<std::size_t>(kBlock) * channels);
    to_codes(format_.bits, row, x * format_.channels, count * format_.channels, packed_.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      codes_[i] = packed_[i * channels] ^ flip_;
    return {codes_.data(), static_cast<std::size_t>(count)};
  }

  const SampleFormat& format_;
  std::uint64_t flip_ = 0;
  std::array<std::uint64_t, kBlock> codes_;
  std::vector<std::uint32_t> packed_;
};

/// Finite values of pixels.
class Values {
 public:
  explicit Values(const ForegroundOptions& options) : options_(options) {}

  std::span<const double> load(const SampleFormat& format, const std::byte* row, std::int64_t x,
                               std::int64_t count) {
    to_values(format, options_.raw, row, x, count, values_.data());
    const auto end = std::remove_if(values_.begin(), values_.begin() + count,
                                    [](double value) { return !std::isfinite(value); });
    return {values_.begin(), end};
  }

 private:
  const ForegroundOptions& options_;
  std::array<double, kBlock> values_;
};

bool is_whole_numbers(const SampleFormat& format, const ForegroundOptions& options) {
  const bool is_single = format.photometric == Photometric::min_is_black ||
                         format.photometric == Photometric::min_is_white ||
                         (format.photometric == Photometric::palette && options.raw);
  return is_single && format.kind != SampleKind::floating && !format.is_scaled();
}

/// Codes in at most so many bins of equal width: one code each where they are few enough.
struct CodeBins {
  static constexpr std::uint64_t kMost = 65536;
  std::uint64_t least, most, width = (most - least) / kMost + 1;

  std::size_t count() const { return static_cast<std::size_t>((most - least) / width) + 1; }
  std::uint64_t last_of(std::size_t bin) const {
    return bin + 1 == count() ? most : least + (bin + 1) * width - 1;
  }
};

double of_whole_numbers(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory) {
  const int bits = source.format(0).bits;
  CodeBins bins{0, (std::uint64_t{1} << std::min(bits, 16)) - 1};
  if (bits > 16) {
    struct Codes {
      std::uint64_t least = ~std::uint64_t{0}, most = 0;
    };
    const auto add_codes = [&](Codes& part, const SampleFormat& format, const std::byte* row, std::int64_t x,
                               std::int64_t count) {
      OrderedCodes codes(format, options);
      for (const std::uint64_t code : codes.load(row, x, count)) {
        part.least = std::min(part.least, code);
        part.most = std::max(part.most, code);
      }
    };
    Codes all;
    for (const Codes& part : reduce_blocks(source, memory, Codes(), 0, add_codes)) {
      all.least = std::min(all.least, part.least);
      all.most = std::max(all.most, part.most);
    }
    bins = CodeBins{all.least, all.most};
  }
  Histogram histogram(bins.count());
  const auto count_codes = [&](Histogram& part, const SampleFormat& format, const std::byte* row,
                               std::int64_t x, std::int64_t count) {
    OrderedCodes codes(format, options);
    if (bins.width == 1)
      for (const std::uint64_t code : codes.load(row, x, count)) ++part[code - bins.least];
    else
      for (const std::uint64_t code : codes.load(row, x, count)) ++part[(code - bins.least) / bins.width];
  };
  const auto bytes = static_cast<std::int64_t>(histogram.size() * sizeof(histogram[0]));
  for (const Histogram& part : reduce_blocks(source, memory, histogram, bytes, count_codes))
    add(part, histogram);
  return OrderedCodes(source.format(0), options).value_of(bins.last_of(otsu_split(histogram)));
}

/// The luma of colors of few bits: bin i ends at i, so that grays have the threshold of a gray image.
double of_lumas(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory) {
  const SampleFormat& of_all = source.format(0);
  const int bits = of_all.photometric == Photometric::palette ? 8 : of_all.bits;  // lumas of a palette have 8
  Histogram histogram(std::size_t{1} << bits);
  const auto count_lumas = [&](Histogram& part, const SampleFormat& format, const std::byte* row,
                               std::int64_t x, std::int64_t count) {
    Values values(options);
    for (const double luma : values.load(format, row, x, count))
      ++part[std::min(static_cast<std::size_t>(std::ceil(luma)), part.size() - 1)];
  };
  const auto bytes = static_cast<std::int64_t>(histogram.size() * sizeof(histogram[0]));
  for (const Histogram& part : reduce_blocks(source, memory, histogram, bytes, count_lumas))
    add(part, histogram);
  return static_cast<double>(otsu_split(histogram));
}

double of_real_numbers(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory) {
  const auto add_values = [&](Range& part, const SampleFormat& format, const std::byte* row, std::int64_t x,
                              std::int64_t count) {
    Values values(options);
    for (const double value : values.load(format, row, x, count)) part.add({value, value});
  };
  Range range;
  for (const Range& part : reduce_blocks(source, memory, Range(), 0, add_values)) range.add(part);
  if (!(range.least < range.most)) return std::isfinite(range.least) ? range.least : 0;
  const Bins bins(range);
  const auto count_values = [&](Histogram& part, const SampleFormat& format, const std::byte* row,
                                std::int64_t x, std::int64_t count) {
    Values values(options);
    for (const double value : values.load(format, row, x, count)) ++part[bins.of(value)];
  };
  Histogram histogram(Bins::kCount);
  for (const Histogram& part : reduce_blocks(source, memory, histogram, 0, count_values))
    add(part, histogram);
  return bins.middle(otsu_split(histogram));
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
  const SampleFormat& format = source.format(0);
  if (is_whole_numbers(format, options)) return of_whole_numbers(source, options, memory);
  const bool has_few_lumas =
      format.kind == SampleKind::unsigned_integer && format.bits <= 16 && !format.is_scaled();
  return has_few_lumas ? of_lumas(source, options, memory) : of_real_numbers(source, options, memory);
}

}  // namespace gpuccl::io
