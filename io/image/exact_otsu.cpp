#include "io/image/exact_otsu.hpp"

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "io/image/each_slice.hpp"

// Values are parted by digits of 16 bits, of 8 where samples are few, the highest first. A histogram of the
// first digit says how many values, and of what sum, lie in each interval of numbers that share it. The
// variance between classes is a convex function of the count n and the sum s of the lower class, so on the
// path that (n, s) takes through an interval it is nowhere larger than at the corners of a triangle around
// this path: only the few intervals where that bound reaches the best variance known are counted again, by
// their next digit.

namespace gpuccl::io {
namespace {

/// Of a small image, where a histogram of 16 bits would take longer than to count the samples twice.
constexpr std::int64_t kFewSamples = 4096;
constexpr std::size_t kIntervalsAtOnce = 4;  // counted in one pass over the input

/// Wide enough for the sum of 2^64 codes.
__extension__ typedef unsigned __int128 CodeSum;
__extension__ typedef __int128 SignedCodeSum;

/// Some samples: how many, and the sum of their codes.
struct Mass {
  std::uint64_t count = 0;
  CodeSum sum = 0;

  Mass operator+(const Mass& other) const { return {count + other.count, sum + other.sum}; }
};

/// The same with codes counted from the mean of all samples. Far from 0 the means of the two classes differ
/// by little of what they are: their difference, of rounded sums, would be noise.
struct Moment {
  long double count = 0, sum = 0;

  Moment operator+(const Moment& other) const { return {count + other.count, sum + other.sum}; }
};

/// The samples of an image.
class Population {
 public:
  void add(const Mass& part) {
    all_ = all_ + part;
    mean_ = static_cast<std::uint64_t>(all_.sum / all_.count);
  }
  bool empty() const { return all_.count == 0; }

  /// Of a code.
  long double from_mean(std::uint64_t code) const {
    return static_cast<long double>(static_cast<SignedCodeSum>(code) - static_cast<SignedCodeSum>(mean_));
  }
  Moment moment(const Mass& part) const {
    return {static_cast<long double>(part.count),
            static_cast<long double>(static_cast<SignedCodeSum>(part.sum - CodeSum{mean_} * part.count))};
  }
  /// Otsu's criterion for the classes `below` and the rest.
  long double variance_between(const Moment& below) const {
    const Moment all = moment(all_);
    const long double above = all.count - below.count;
    if (below.count <= 0 || above <= 0) return -1;
    const long double distance = below.sum / below.count - (all.sum - below.sum) / above;
    return below.count * above * distance * distance;
  }

 private:
  Mass all_;
  std::uint64_t mean_ = 0;  // rounded down
};

/// Codes that share their bits above the lowest `bits`.
struct Interval {
  std::uint64_t first = 0;
  int bits = 0, digit_bits = 16;
  Mass below, inside;
  long double bound = -1;  // of the variance after any of its codes

  int shift() const { return std::max(0, bits - digit_bits); }  // of its next digit
  bool holds(std::uint64_t code) const { return bits == 64 || (code ^ first) >> bits == 0; }
};

long double bound_of(const Interval& interval, const Population& all) {
  const long double least = all.from_mean(interval.first);
  const long double most = least + std::exp2(static_cast<long double>(interval.bits)) - 1;
  const Moment below = all.moment(interval.below), inside = all.moment(interval.inside);
  // Where lines of the slopes `least`, from the start, and `most`, to the end, meet.
  const long double low =
      std::clamp<long double>((most * inside.count - inside.sum) / (most - least), 0, inside.count);
  const Moment corner = below + Moment{low, low * least};
  constexpr long double kRounding = 1e-12L;
  const long double bound = std::max(all.variance_between(below + inside), all.variance_between(corner));
  return bound + std::abs(bound) * kRounding;  // -1 of the only value there is does not fall below -1
}

/// An interval's samples counted by their next digit, and the sums of what follows that digit.
struct Histogram {
  std::vector<std::uint64_t> counts;
  std::vector<CodeSum> rests;

  explicit Histogram(const Interval& interval)
      : counts(std::size_t{1} << (interval.bits - interval.shift())),
        rests(interval.shift() > 0 ? counts.size() : 0) {}

  void add(const Histogram& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    for (std::size_t i = 0; i < rests.size(); ++i) rests[i] += other.rests[i];
  }
};

/// Samples as unsigned numbers in the order of their values.
class OrderedCodes {
 public:
  static constexpr std::int64_t kBlock = 1024;

  OrderedCodes(const SampleFormat& format, const ForegroundOptions& options)
      : format_(format), codes_(static_cast<std::size_t>(kBlock)) {
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

  /// Those of pixels [x, x + count) of a row.
  const std::uint64_t* load(const std::byte* row, std::int64_t x, std::int64_t count) {
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

 private:
  std::uint64_t lowest() const {
    return format_.kind == SampleKind::signed_integer ? std::uint64_t{1} << (format_.bits - 1) : 0;
  }

  template <std::size_t kBytes>
  const std::uint64_t* load(const std::byte* row, std::int64_t x, std::int64_t count) {
    const auto step = static_cast<std::size_t>(format_.channels) * kBytes;
    const std::byte* from = row + static_cast<std::size_t>(x) * step;
    for (std::int64_t i = 0; i < count; ++i, from += step) {
      std::uint64_t code = 0;
      std::memcpy(&code, from, kBytes);
      codes_[static_cast<std::size_t>(i)] = code ^ flip_;
    }
    return codes_.data();
  }

  const std::uint64_t* load_packed(const std::byte* row, std::int64_t x, std::int64_t count) {
    const auto channels = static_cast<std::size_t>(format_.channels);
    packed_.resize(static_cast<std::size_t>(kBlock) * channels);
    to_codes(format_.bits, row, x * format_.channels, count * format_.channels, packed_.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      codes_[i] = packed_[i * channels] ^ flip_;
    return codes_.data();
  }

  const SampleFormat& format_;
  std::uint64_t flip_ = 0;
  std::vector<std::uint64_t> codes_;
  std::vector<std::uint32_t> packed_;
};

void count_codes(const Interval& interval, const std::uint64_t* codes, std::int64_t count,
                 Histogram& histogram) {
  const int shift = interval.shift();
  const std::uint64_t rest = (std::uint64_t{1} << shift) - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!interval.holds(codes[i])) continue;
    const auto digit = static_cast<std::size_t>((codes[i] - interval.first) >> shift);
    ++histogram.counts[digit];
    if (shift > 0) histogram.rests[digit] += codes[i] & rest;
  }
}

class ExactOtsu {
 public:
  ExactOtsu(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory)
      : source_(source), options_(options), memory_(memory) {}

  double threshold() {
    Interval all;
    all.bits = source_.format(0).bits;
    const Extent& extent = source_.info().extent;
    if (std::int64_t{extent.width} * extent.height <= kFewSamples / extent.depth) all.digit_bits = 8;
    for (std::vector<Interval> next = {all}; !next.empty(); next = take_promising()) refine(next);
    return OrderedCodes(source_.format(0), options_).value_of(best_code_);
  }

 private:
  using Histograms = std::vector<Histogram>;

  /// One pass over the input.
  Histograms count(const std::vector<Interval>& intervals) const {
    const Histograms empty(intervals.begin(), intervals.end());
    std::int64_t bytes = source_.buffer_bytes();
    for (const Histogram& histogram : empty)
      bytes +=
          static_cast<std::int64_t>(8 * histogram.counts.size() + sizeof(CodeSum) * histogram.rests.size());
    oneapi::tbb::enumerable_thread_specific<Histograms> parts(empty);
    const Extent& extent = source_.info().extent;
    for_each_group(source_, 0, extent.depth, bytes, memory_, [&](int begin, int end) {
      source_.decode_group(begin, end, [&](int z, const SampleRows& rows) {
        const int width = source_.slice_extent(z).width;
        Histograms& histograms = parts.local();
        OrderedCodes codes(rows.format, options_);
        for (int y = 0; y < rows.count; ++y)
          for (std::int64_t x = 0; x < width; x += OrderedCodes::kBlock) {
            const std::int64_t length = std::min<std::int64_t>(OrderedCodes::kBlock, width - x);
            const std::uint64_t* block =
                codes.load(rows.data + static_cast<std::size_t>(y) * rows.pitch, x, length);
            for (std::size_t i = 0; i < intervals.size(); ++i)
              count_codes(intervals[i], block, length, histograms[i]);
          }
      });
    });
    Histograms sum = empty;
    for (const Histograms& part : parts)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i].add(part[i]);
    return sum;
  }

  /// Counts intervals by their next digit: intervals of one code are splits, others wait.
  void refine(const std::vector<Interval>& intervals) {
    const Histograms histograms = count(intervals);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const std::vector<Interval> parts = parts_of(intervals[i], histograms[i]);
      if (all_.empty())  // the first pass
        for (const Interval& part : parts) all_.add(part.inside);
      for (Interval part : parts) {
        const long double variance = all_.variance_between(all_.moment(part.below + part.inside));
        if (part.bits == 0) {
          if (!found_ || variance > best_ || (variance == best_ && part.first < best_code_)) {
            best_ = variance;
            best_code_ = part.first;
            found_ = true;
          }
        } else {
          part.bound = bound_of(part, all_);
          attained_ = std::max(attained_, variance);
          waiting_.push_back(part);
        }
      }
    }
  }

  static std::vector<Interval> parts_of(const Interval& whole, const Histogram& histogram) {
    std::vector<Interval> parts;
    Mass below = whole.below;
    for (std::size_t digit = 0; digit < histogram.counts.size(); ++digit) {
      if (histogram.counts[digit] == 0) continue;  // splits the values as the digit before does
      Interval part;
      part.bits = whole.shift();
      part.digit_bits = whole.digit_bits;
      part.first = whole.first + (std::uint64_t{digit} << part.bits);
      part.below = below;
      part.inside.count = histogram.counts[digit];
      part.inside.sum = CodeSum{part.first} * part.inside.count;
      if (!histogram.rests.empty()) part.inside.sum += histogram.rests[digit];
      below = below + part.inside;
      parts.push_back(part);
    }
    return parts;
  }

  /// Of those that may hold the best split, the few that promise most.
  std::vector<Interval> take_promising() {
    const long double known = std::max(best_, attained_);
    std::erase_if(waiting_, [=](const Interval& interval) { return interval.bound < known; });
    std::sort(waiting_.begin(), waiting_.end(),
              [](const Interval& a, const Interval& b) { return a.bound < b.bound; });
    const std::size_t kept = waiting_.size() - std::min(waiting_.size(), kIntervalsAtOnce);
    std::vector<Interval> taken(waiting_.begin() + static_cast<std::ptrdiff_t>(kept), waiting_.end());
    waiting_.resize(kept);
    return taken;
  }

  const SampleSource& source_;
  const ForegroundOptions& options_;
  const std::int64_t memory_;
  Population all_;
  std::vector<Interval> waiting_;
  long double attained_ = -1;  // the best at the end of an interval, whichever its last value is
  bool found_ = false;
  long double best_ = -1;
  std::uint64_t best_code_ = 0;
};

}  // namespace

double exact_otsu(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory) {
  return ExactOtsu(source, options, memory).threshold();
}

}  // namespace gpuccl::io
