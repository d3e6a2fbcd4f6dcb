#include "io/image/foreground.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "gpuccl/detail/pack_samples.hpp"
#include "gpuccl/image.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

constexpr int kBlock = 64;  // pixels that become one 64-bit word

/// Returns the bits of a word that are inside the image.
std::uint64_t inside(int count) {
  return count < kBlock ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

/// Calls `test(x, count, flags)` for every 64 pixels and stores the flags as bits. `x` has 64 bits, because
/// the widest row, rounded up to blocks, ends at 2^31.
template <class Test>
void pack_flags(int width, bool invert, std::uint32_t* bits, Test test) {
  alignas(64) std::uint8_t flags[kBlock] = {};
  for (std::int64_t x = 0; x < width; x += kBlock) {
    const int count = static_cast<int>(std::min<std::int64_t>(kBlock, width - x));
    test(x, count, flags);
    const std::uint64_t packed = (nonzero_bytes(flags) ^ (invert ? ~std::uint64_t{0} : 0)) & inside(count);
    std::memcpy(bits + x / 32, &packed, sizeof packed);
  }
}

/// Loads a block of samples, with zeros beyond the end of the row. Its length is constant, so that loops over
/// it are vectorized.
template <class T>
void load_block(const std::byte* row, std::int64_t x, int count, T (&samples)[kBlock]) {
  const std::byte* from = row + static_cast<std::size_t>(x) * sizeof(T);
  if (count == kBlock) {
    std::memcpy(samples, from, sizeof samples);
  } else {
    std::fill(std::begin(samples), std::end(samples), T{});
    std::memcpy(samples, from, static_cast<std::size_t>(count) * sizeof(T));
  }
}

bool looks_up(const SampleFormat& format, const ForegroundOptions& options) {
  return format.photometric == Photometric::palette && !options.raw && options.values.empty();
}

/// Returns whether pixels are compared by the luma of their color.
bool is_by_luma(const SampleFormat& format, const ForegroundOptions& options) {
  return colors_of(format.photometric) > 1 || looks_up(format, options);
}

/// Returns whether one of two samples is NaN, given their bits.
template <class Bits>
bool is_nan(Bits a, Bits b) {
  if constexpr (sizeof(Bits) <= 2) {
    constexpr int kMagnitude = 0x7fff, kInfinity = 0x7c00;
    return static_cast<std::int16_t>(a & kMagnitude) > kInfinity ||
           static_cast<std::int16_t>(b & kMagnitude) > kInfinity;
  } else {
    using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
    return std::isunordered(std::bit_cast<Float>(a), std::bit_cast<Float>(b));
  }
}

/// Returns whether any floating-point sample is NaN. Compilers vectorize the inner loop.
template <class Bits>
bool has_nan(const std::byte* samples, std::int64_t count) {
  std::array<Bits, kBlock / 2> any{};
  for (std::int64_t x = 0; x < count; x += kBlock) {
    Bits block[kBlock];
    load_block(samples, x, static_cast<int>(std::min<std::int64_t>(kBlock, count - x)), block);
    for (std::size_t k = 0; k < any.size(); ++k)
      any[k] |= is_nan(block[k], block[any.size() + k]) ? static_cast<Bits>(~Bits{0}) : Bits{0};
  }
  return std::any_of(any.begin(), any.end(), [](Bits bits) { return bits != 0; });
}

using CodeRanges = std::vector<SampleRange<std::uint64_t>>;

/// Sorts ranges of integers in ascending order and merges those without a gap.
void sort_and_unite(CodeRanges& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  std::size_t united = 0;
  for (const SampleRange<std::uint64_t> next : ranges) {
    if (united > 0 && (next.low <= ranges[united - 1].high || next.low - ranges[united - 1].high == 1)) {
      ranges[united - 1].high = std::max(ranges[united - 1].high, next.high);
    } else {
      ranges[united++] = next;
    }
  }
  ranges.resize(united);
}

/// Returns the codes up to `max` in none of the ranges, which sort_and_unite() made.
CodeRanges complement(const CodeRanges& ranges, std::uint64_t max) {
  CodeRanges others;
  std::uint64_t next = 0;
  for (const SampleRange<std::uint64_t>& range : ranges) {
    if (range.low > next) others.push_back({next, range.low - 1});
    if (range.high == max) return others;
    next = range.high + 1;
  }
  others.push_back({next, max});
  return others;
}

/// Returns whether a sample is in one of the ascending ranges; NaN is in none.
template <class Sample>
bool is_in_range(const std::vector<SampleRange<Sample>>& ranges, Sample sample) {
  const auto above =
      std::upper_bound(ranges.begin(), ranges.end(), sample,
                       [](Sample s, const SampleRange<Sample>& range) { return s < range.low; });
  return above != ranges.begin() && sample <= std::prev(above)->high;
}

}  // namespace

Foreground::Foreground(const SampleFormat& format, const ForegroundOptions& options,
                       std::optional<double> threshold)
    : format_(format),
      as_stored_(options.raw || !options.values.empty()),
      invert_(options.invert),
      threshold_(is_by_luma(format, options) ? threshold.value_or(0) : threshold) {
  if (!options.values.empty()) choose_intervals(options.values);
  if (format.channels != 1) return;
  const bool whole_bytes = format.bits == 8 || format.bits == 16 || format.bits == 32 || format.bits == 64;
  const bool is_palette = looks_up(format, options);
  if (format.kind == SampleKind::floating) {
    if (!format.is_scaled()) choose_ranges_of_floats();
  } else if (whole_bytes && !is_palette && !format.is_scaled()) {
    method_ = Method::ranges;
    options.values.empty() ? choose_range(options.whole_threshold) : add_ranges(options.values);
    CodeRanges chosen = std::exchange(ranges_, {});
    add_ranges(format.missing);
    exclude_valueless(std::move(chosen));
  } else if (format.bits <= 8) {
    choose_table();
  }
}

bool Foreground::is_foreground(double value) const {
  if (std::isnan(value)) return false;
  const bool is_chosen = !intervals_.empty() ? is_in_range(intervals_, value)
                         : threshold_        ? value > *threshold_
                                             : value != 0;
  return is_chosen != invert_;
}

bool Foreground::is_flipped() const {
  return format_.photometric == Photometric::min_is_white && !as_stored_ && !format_.inverted_by_name_only;
}

void Foreground::choose_intervals(const std::vector<SampleInterval>& values) {
  const auto of_type = [&](const SampleValue& value) {
    return format_.is_scaled() ? value.number() : rounded_to_type(format_, value.number());
  };
  for (const SampleInterval& value : values) intervals_.push_back({of_type(value.low), of_type(value.high)});
}

/// Adds the codes of integers of these values.
void Foreground::add_ranges(const std::vector<SampleInterval>& values) {
  const bool is_signed = format_.kind == SampleKind::signed_integer;
  const std::uint64_t max = ~std::uint64_t{0} >> (64 - format_.bits);
  const std::uint64_t sign = is_signed ? std::uint64_t{1} << (format_.bits - 1) : 0;
  for (const SampleInterval& value : values) {
    const auto low = value.low.rank_from(format_.bits, is_signed),
               high = value.high.rank_to(format_.bits, is_signed);
    if (!low || !high || *low > *high) continue;
    if (*low < sign && *high >= sign) {  // crosses 0: two ranges of codes
      ranges_.push_back({*low ^ sign, max});
      ranges_.push_back({0, *high ^ sign});
    } else {
      ranges_.push_back({*low ^ sign, *high ^ sign});
    }
  }
}

/// Finds ranges of bits. The bits of positive numbers ascend with the numbers, those of negative numbers
/// descend.
void Foreground::choose_ranges_of_floats() {
  method_ = Method::ranges;
  const int digits = format_.bits == 16 ? 10 : format_.bits == 32 ? 23 : 52;
  const std::uint64_t sign = std::uint64_t{1} << (format_.bits - 1),
                      infinity = (sign - 1) >> digits << digits;
  SampleFormat numbers = format_;
  numbers.missing.clear();
  const auto value_at = [&](std::uint64_t rank) {  // in ascending order of numbers
    const std::uint64_t code = rank < sign ? 2 * sign - 1 - rank : rank - sign;
    double value;
    to_values(numbers, true, reinterpret_cast<const std::byte*>(&code), 0, 1, &value);
    return value;
  };
  const auto first = [&](auto is_meant) {  // lowest rank, or one more than that of infinity
    std::uint64_t begin = sign - 1 - infinity, end = sign + infinity + 1;
    while (begin < end) {
      const std::uint64_t middle = begin + (end - begin) / 2;
      is_meant(value_at(middle)) ? end = middle : begin = middle + 1;
    }
    return begin;
  };
  const auto from = [&](double low) { return first([=](double value) { return value >= low; }); };
  const auto above = [&](double high) { return first([=](double value) { return value > high; }); };
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin < std::min(end, sign))
      ranges_.push_back({2 * sign - std::min(end, sign), 2 * sign - 1 - begin});
    if (std::max(begin, sign) < end) ranges_.push_back({std::max(begin, sign) - sign, end - 1 - sign});
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const SampleRange<double>& interval : intervals_) add(from(interval.low), above(interval.high));
  if (intervals_.empty()) {
    if (!threshold_) add(from(-kInfinity), from(0));
    add(above(threshold_.value_or(0)), above(kInfinity));
  }
  CodeRanges chosen = std::exchange(ranges_, {});
  for (const SampleInterval& one : format_.missing) add(from(one.low.number()), above(one.high.number()));
  ranges_.push_back({infinity + 1, sign - 1});  // NaN
  ranges_.push_back({sign + infinity + 1, 2 * sign - 1});
  exclude_valueless(std::move(chosen));
}

/// Makes the codes that are `chosen` the foreground, or with invert_ the others, without those in ranges_,
/// which have no value.
void Foreground::exclude_valueless(CodeRanges chosen) {
  const std::uint64_t max = ~std::uint64_t{0} >> (64 - format_.bits);
  sort_and_unite(chosen);
  if (ranges_.empty()) {
    ranges_ = std::move(chosen);
  } else {
    const CodeRanges background = invert_ ? chosen : complement(chosen, max);
    ranges_.insert(ranges_.end(), background.begin(), background.end());
    sort_and_unite(ranges_);
    ranges_ = complement(ranges_, max);
    invert_ = false;
  }
  if (!ranges_.empty()) return;
  ranges_.push_back({0, max});  // no sample is foreground
  invert_ = !invert_;
}

/// Compares integers as integers: a double cannot distinguish those beyond 2^53.
void Foreground::choose_range(const std::optional<SampleValue>& whole_threshold) {
  const std::uint64_t max = ~std::uint64_t{0} >> (64 - format_.bits);
  const bool is_signed = threshold_ && format_.kind == SampleKind::signed_integer;
  const std::uint64_t sign = is_signed ? std::uint64_t{1} << (format_.bits - 1) : 0;
  std::uint64_t low = 1;  // counted from the minimum
  if (threshold_) {
    const SampleValue threshold = whole_threshold ? *whole_threshold : SampleValue::of(*threshold_);
    const auto background = threshold.rank_to(format_.bits, is_signed);  // its maximum
    const bool is_all = background == max;
    low = background && !is_all ? *background + 1 : 0;
    if (is_all) invert_ = !invert_;
  }
  if (low < sign) {
    ranges_ = {{0, sign - 1}, {low + sign, max}};
  } else {
    ranges_ = {{low - sign, is_signed ? sign - 1 : max}};
  }
  if (!is_flipped()) return;
  std::reverse(ranges_.begin(), ranges_.end());
  for (SampleRange<std::uint64_t>& range : ranges_) range = {max - range.high, max - range.low};
}

void Foreground::choose_table() {
  method_ = format_.bits == 1 ? Method::bits : Method::codes;
  for (int code = 0; code < 1 << format_.bits; ++code) {
    const std::byte row{static_cast<unsigned char>(code << (8 - format_.bits))};
    double value;
    to_values(format_, as_stored_, &row, 0, 1, &value);
    table_[static_cast<std::size_t>(code)] = is_foreground(value);
  }
}

bool Foreground::pack(const std::byte* row, int width, std::uint32_t* bits) const {
  switch (method_) {
    case Method::bits:
      pack_bits(row, width, bits);
      return false;
    case Method::ranges:
      return format_.bits == 8    ? pack_ranges<std::uint8_t>(row, width, bits)
             : format_.bits == 16 ? pack_ranges<std::uint16_t>(row, width, bits)
             : format_.bits == 32 ? pack_ranges<std::uint32_t>(row, width, bits)
                                  : pack_ranges<std::uint64_t>(row, width, bits);
    case Method::codes:
      pack_codes(row, width, bits);
      return false;
    case Method::values:
      return pack_values(row, width, bits);
  }
  return false;
}

void Foreground::pack_bits(const std::byte* row, int width, std::uint32_t* bits) const {
  const std::uint64_t where_clear = table_[0] != 0 ? ~std::uint64_t{0} : 0;
  const std::uint64_t differ = table_[1] != table_[0] ? ~std::uint64_t{0} : 0;
  const auto words = static_cast<std::size_t>(width) / kBlock;
  reverse_bits(row, words * 8, reinterpret_cast<std::byte*>(bits), differ, where_clear);
  const int rest = width % kBlock;
  if (rest == 0) return;
  std::uint64_t last = 0;
  std::memcpy(&last, row + words * 8, (static_cast<std::size_t>(rest) + 7) / 8);
  last = ((reverse_bits_of_bytes(last) & differ) ^ where_clear) & inside(rest);
  std::memcpy(bits + words * 2, &last, sizeof last);
}

template <class Unsigned>
bool Foreground::pack_ranges(const std::byte* row, int width, std::uint32_t* bits) const {
  if (format_.kind != SampleKind::floating) {
    pack_integers<Unsigned>(row, width, bits);
    return false;
  }
  constexpr std::int64_t kPiece = 2048;  // stays in the L1 cache while NaN is looked for
  bool any_nan = false;
  for (std::int64_t x = 0; x < width; x += kPiece) {
    const std::byte* const piece = row + static_cast<std::size_t>(x) * sizeof(Unsigned);
    const int count = static_cast<int>(std::min(kPiece, width - x));
    pack_integers<Unsigned>(piece, count, bits + x / 32);
    any_nan = any_nan || has_nan<Unsigned>(piece, count);
  }
  return any_nan;
}

template <class Unsigned>
void Foreground::pack_integers(const std::byte* row, int width, std::uint32_t* bits) const {
  if (ranges_.size() > kMaxSampleRanges) return pack_many_ranges<Unsigned>(row, width, bits);
  SampleRange<Unsigned> ranges[kMaxSampleRanges];
  std::transform(ranges_.begin(), ranges_.end(), ranges, [](const SampleRange<std::uint64_t>& range) {
    return SampleRange<Unsigned>{static_cast<Unsigned>(range.low), static_cast<Unsigned>(range.high)};
  });
  pack_samples<Unsigned>(row, width, {ranges, ranges_.size()}, invert_, bits);
}

/// Packs with a binary search, which is faster for many ranges.
template <class Unsigned>
void Foreground::pack_many_ranges(const std::byte* row, int width, std::uint32_t* bits) const {
  pack_flags(width, invert_, bits, [&](std::int64_t x, int count, std::uint8_t* flags) {
    Unsigned samples[kBlock];
    load_block(row, x, count, samples);
    for (int i = 0; i < count; ++i) flags[i] = is_in_range(ranges_, std::uint64_t{samples[i]});
  });
}

void Foreground::pack_codes(const std::byte* row, int width, std::uint32_t* bits) const {
  pack_flags(width, false, bits, [&](std::int64_t x, int count, std::uint8_t* flags) {
    if (format_.bits == 8) {
      std::uint8_t codes[kBlock];
      load_block(row, x, count, codes);
      for (int i = 0; i < kBlock; ++i) flags[i] = table_[codes[i]];
    } else {
      std::uint32_t codes[kBlock];
      to_codes(format_.bits, row, x, count, codes);
      for (int i = 0; i < count; ++i) flags[i] = table_[codes[i]];
    }
  });
}

bool Foreground::pack_values(const std::byte* row, int width, std::uint32_t* bits) const {
  bool any_nan = false;
  pack_flags(width, false, bits, [&](std::int64_t x, int count, std::uint8_t* flags) {
    double values[kBlock];
    to_values(format_, as_stored_, row, x, count, values);
    for (int i = 0; i < count; ++i) {
      flags[i] = is_foreground(values[i]);
      any_nan |= std::isnan(values[i]) && format_.missing.empty();
    }
  });
  return any_nan;
}

std::string foreground_rule(const SampleFormat& format, const ForegroundOptions& options,
                            std::optional<double> threshold) {
  const bool by_luma = is_by_luma(format, options), by_index = looks_up(format, options);
  const bool is_white_0 =  // floating point has no largest value to invert by
      format.photometric == Photometric::min_is_white && format.kind != SampleKind::floating;
  const bool by_value = !options.values.empty();
  const bool as_stored = options.raw || format.inverted_by_name_only || (is_white_0 && by_value);

  const std::string index = format.photometric == Photometric::palette && by_value ? "index" : "value";
  std::string rule = by_index    ? "palette luma"
                     : by_luma   ? "luma"
                     : by_value  ? index
                     : threshold ? "value"
                                 : "nonzero";
  if (as_stored && !by_luma) rule += " as stored";
  if (format.inverted_by_name_only && !options.raw) {
    rule += " (MinIsWhite of tifffile)";
  } else if (is_white_0 && !options.raw) {
    rule += by_value ? " (MinIsWhite)" : " after inversion (MinIsWhite)";
  }
  for (const SampleInterval& value : options.values)
    rule += (&value == &options.values.front() ? " = " : ", ") + value.text();
  if (threshold) {
    rule += " > " + (options.whole_threshold ? options.whole_threshold->text() : shortest(*threshold));
  } else if (by_luma && !by_value) {
    rule += " > 0";
  }
  return (options.otsu ? "otsu: " : "") + rule + (options.invert ? ", inverted" : "");
}

}  // namespace gpuccl::io
