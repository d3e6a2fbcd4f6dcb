#include "io/image/content_hash.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gpuccl::io {
namespace {

constexpr std::uint64_t kMix[] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9};  // K1 and K2

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const Product product = Product{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Adds up the runs of one row.
class RowSum {
 public:
  explicit RowSum(std::int64_t row) : row_(mix(static_cast<std::uint64_t>(row) ^ kMix[0], kMix[1])) {}

  void add(int begin, int end, std::uint64_t number) {
    const std::uint64_t place =
        static_cast<std::uint32_t>(begin) | std::uint64_t{static_cast<std::uint32_t>(end)} << 32;
    sum_ += mix(place ^ kMix[1], number ^ row_);
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t row_, sum_ = 0;
};

std::uint64_t number_of(double value) {
  constexpr double kPastInt64 = 9223372036854775808.0;
  const bool is_integer = value >= -kPastInt64 && value < kPastInt64 && value == std::trunc(value);
  return is_integer ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                    : std::bit_cast<std::uint64_t>(value);
}

/// The number of a sample of a type, given its bits.
template <class Sample, class Bits>
std::uint64_t number_of_bits(Bits bits) {
  if constexpr (std::is_floating_point_v<Sample>)
    return number_of(double{std::bit_cast<Sample>(bits)});
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<Sample>(bits)));
}

/// `number` gives that of a label.
template <class Number>
std::uint64_t sum_of_runs(std::int64_t first_row, const LabelRuns& rows, Number number) {
  std::uint64_t sum = 0;
  std::size_t i = 0;
  for (const std::size_t end : rows.ends) {
    RowSum row(first_row++);
    while (i < end) {
      const LabelRun& run = rows.runs[i++];
      const std::uint64_t of_run = number(run.label);
      int last = run.end;
      for (; i < end && rows.runs[i].begin == last && number(rows.runs[i].label) == of_run; ++i)
        last = rows.runs[i].end;
      if (of_run != 0) row.add(run.begin, last, of_run);
    }
    sum += row.sum();
  }
  return sum;
}

/// The end of the run of equal samples that begins at `x`.
template <class Bits>
int end_of_run(const Bits* row, int x, int width) {
  constexpr int kInWord = std::numeric_limits<std::uint64_t>::digits / std::numeric_limits<Bits>::digits;
  const Bits sample = row[x++];
  std::uint64_t same = sample;
  for (std::size_t bits = 8 * sizeof(Bits); bits < 64; bits *= 2) same |= same << bits;
  for (; width - x >= kInWord; x += kInWord) {
    std::uint64_t word;
    std::memcpy(&word, row + x, sizeof word);
    if ((word ^= same) == 0) continue;
    const int zeros =
        std::endian::native == std::endian::little ? std::countr_zero(word) : std::countl_zero(word);
    return x + zeros / static_cast<int>(8 * sizeof(Bits));
  }
  while (x < width && row[x] == sample) ++x;
  return x;
}

template <class Sample, class Bits>
std::uint64_t sum_of(std::int64_t first_row, std::int64_t rows, int width, const Bits* samples) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < rows; ++i, samples += width) {
    RowSum row(first_row + i);
    for (int x = 0; x < width;) {
      const int end = end_of_run(samples, x, width);
      const std::uint64_t number = samples[x] == 0 ? 0 : number_of_bits<Sample>(samples[x]);
      if (number != 0) row.add(x, end, number);
      x = end;
    }
    sum += row.sum();
  }
  return sum;
}

template <class Visit>
std::uint64_t with_sample(LabelType type, Visit visit) {
  switch (type) {
    case LabelType::u8:
      return visit(std::uint8_t{}, std::uint8_t{});
    case LabelType::u16:
      return visit(std::uint16_t{}, std::uint16_t{});
    case LabelType::i8:
      return visit(std::int8_t{}, std::uint8_t{});
    case LabelType::i16:
      return visit(std::int16_t{}, std::uint16_t{});
    case LabelType::i32:
      return visit(std::int32_t{}, std::uint32_t{});
    case LabelType::f32:
      return visit(float{}, std::uint32_t{});
    case LabelType::u64:
      return visit(std::uint64_t{}, std::uint64_t{});
    case LabelType::i64:
      return visit(std::int64_t{}, std::uint64_t{});
    case LabelType::f64:
      return visit(double{}, std::uint64_t{});
    default:
      return visit(std::uint32_t{}, std::uint32_t{});
  }
}

}  // namespace

void ContentHash::add(std::int64_t first_row, const LabelRuns& rows, std::span<const std::uint64_t> wide) {
  add_sum(with_sample(type_, [&](auto sample, auto bits) {
    using Sample = decltype(sample);
    if constexpr (sizeof bits == sizeof(std::uint64_t))
      return sum_of_runs(first_row, rows, [=](Label label) { return number_of_bits<Sample>(wide[label]); });
    else
      return sum_of_runs(first_row, rows, [](Label label) {
        return number_of_bits<Sample>(static_cast<decltype(bits)>(label));
      });
  }));
}

void ContentHash::add(std::int64_t first_row, std::int64_t rows, int width, const void* samples) {
  add_sum(with_sample(type_, [&](auto sample, auto bits) {
    return sum_of<decltype(sample)>(first_row, rows, width, static_cast<const decltype(bits)*>(samples));
  }));
}

void ContentHash::add(ValueType type, std::int64_t row, std::span<const ValueRun> runs) {
  RowSum sum(row);
  for (const ValueRun& run : runs) {
    const std::uint64_t number =
        is_floating(type) ? number_of(std::bit_cast<double>(run.value)) : std::uint64_t{run.value};
    if (number != 0) sum.add(run.begin, run.end, number);
  }
  add_sum(sum.sum());
}

std::string ContentHash::text(const Extent& extent) const {
  std::uint64_t hash = sum();
  for (const int axis : {extent.width, extent.height, extent.depth})
    hash = mix(hash ^ kMix[0], static_cast<std::uint64_t>(axis) ^ kMix[1]);
  std::string text(16, '0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
  return text;
}

}  // namespace gpuccl::io
