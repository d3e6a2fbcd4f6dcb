#include "io/image/samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "gpuccl/detail/pack_samples.hpp"
#include "gpuccl/image.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "rows of bits and samples are read as little-endian words");

/// Loads samples of one or more bytes each; `flip` inverts integers.
template <class T>
void load(const std::byte* row, std::int64_t first, std::int64_t count, bool flip, double* numbers) {
  const std::byte* from = row + first * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < count; ++i) {
    T sample;
    std::memcpy(&sample, from + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    if constexpr (std::is_integral_v<T>) {
      if (flip) sample = static_cast<T>(~sample);
    }
    numbers[i] = static_cast<double>(sample);
  }
}

template <class Signed>
void load_whole(bool is_signed, const std::byte* row, std::int64_t first, std::int64_t count, bool flip,
                double* numbers) {
  if (is_signed) return load<Signed>(row, first, count, flip, numbers);
  load<std::make_unsigned_t<Signed>>(row, first, count, flip, numbers);
}

double from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const double magnitude = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                            : std::numeric_limits<double>::quiet_NaN())
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(fraction + 1024, exponent - 25);
  return half >> 15 != 0 ? -magnitude : magnitude;
}

void load_halves(const std::byte* row, std::int64_t first, std::int64_t count, double* numbers) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint16_t half;
    std::memcpy(&half, row + (first + i) * 2, 2);
    numbers[i] = from_half(half);
  }
}

std::uint32_t triple_at(const std::byte* row, std::int64_t i) {
  std::uint32_t sample = 0;
  std::memcpy(&sample, row + i * 3, 3);
  return sample;
}

/// Loads integers of any width up to 24 bits.
void load_narrow(const SampleFormat& format, const std::byte* row, std::int64_t first, std::int64_t count,
                 bool flip, double* numbers) {
  const std::uint32_t mask = (1u << format.bits) - 1;
  const std::uint32_t sign = format.kind == SampleKind::signed_integer ? 1u << (format.bits - 1) : 0;
  std::array<std::uint32_t, 256> codes;
  for (std::int64_t done = 0; done < count; done += static_cast<std::int64_t>(codes.size())) {
    const std::int64_t block = std::min(count - done, static_cast<std::int64_t>(codes.size()));
    if (format.bits == 24) {
      for (std::int64_t i = 0; i < block; ++i)
        codes[static_cast<std::size_t>(i)] = triple_at(row, first + done + i);
    } else {
      to_codes(format.bits, row, first + done, block, codes.data());
    }
    for (std::int64_t i = 0; i < block; ++i) {
      const std::uint32_t code = codes[static_cast<std::size_t>(i)] ^ (flip ? mask : 0);
      numbers[done + i] =
          static_cast<double>(static_cast<std::int64_t>(code ^ sign) - static_cast<std::int64_t>(sign));
    }
  }
}

/// Loads samples [first, first + count) of a row as numbers.
void to_numbers(const SampleFormat& format, const std::byte* row, std::int64_t first, std::int64_t count,
                bool flip, double* numbers) {
  const bool is_signed = format.kind == SampleKind::signed_integer;
  if (format.kind == SampleKind::floating) {
    if (format.bits == 16) return load_halves(row, first, count, numbers);
    if (format.bits == 32) return load<float>(row, first, count, flip, numbers);
    return load<double>(row, first, count, flip, numbers);
  }
  switch (format.bits) {
    case 8:
      return load_whole<std::int8_t>(is_signed, row, first, count, flip, numbers);
    case 16:
      return load_whole<std::int16_t>(is_signed, row, first, count, flip, numbers);
    case 32:
      return load_whole<std::int32_t>(is_signed, row, first, count, flip, numbers);
    case 64:
      return load_whole<std::int64_t>(is_signed, row, first, count, flip, numbers);
    default:
      return load_narrow(format, row, first, count, flip, numbers);
  }
}

/// Returns the luma of a color given as shares of ink, without a color profile.
double luma_of_ink(const double* cmyk, double max) {
  const double light = (max - cmyk[3]) / max;
  return luma((max - cmyk[0]) * light, (max - cmyk[1]) * light, (max - cmyk[2]) * light);
}

double value_of(const SampleFormat& format, bool as_stored, double max, const double* pixel) {
  switch (format.photometric) {
    case Photometric::rgb:
      return luma(pixel[0], pixel[1], pixel[2]);
    case Photometric::cmyk:
      return luma_of_ink(pixel, max);
    case Photometric::palette: {
      if (as_stored) return pixel[0];
      const auto index = static_cast<std::size_t>(pixel[0]);
      return index < format.palette.size() ? format.palette[index] : 0;
    }
    default:  // of YCbCr, Y is the luma
      return pixel[0];
  }
}

/// Converts pixels of several channels, or with a palette.
void to_lumas(const SampleFormat& format, bool as_stored, bool flip, const std::byte* row, std::int64_t first,
              std::int64_t count, double* values) {
  const double max = std::ldexp(1.0, format.bits) - 1;
  std::vector<double> numbers(static_cast<std::size_t>(count * format.channels));
  to_numbers(format, row, first * format.channels, count * format.channels, flip, numbers.data());
  for (std::int64_t i = 0; i < count; ++i)
    values[i] = value_of(format, as_stored, max, numbers.data() + i * format.channels);
}

/// Returns the bits of sample `i` of a row.
std::uint64_t code_at(const SampleFormat& format, const std::byte* row, std::int64_t i) {
  std::uint64_t code = 0;
  if (format.bits % 8 != 0) {
    std::uint32_t narrow;
    to_codes(format.bits, row, i, 1, &narrow);
    return narrow;
  }
  const auto bytes = static_cast<std::size_t>(format.bits) / 8;
  std::memcpy(&code, row + i * static_cast<std::int64_t>(bytes), bytes);
  return code;
}

/// Rounds to a floating-point type with this number of binary digits and exponents from `least_exponent` on.
double nearest(double number, int digits, int least_exponent) {
  int exponent = 0;
  std::frexp(number, &exponent);
  const int unit = std::max(exponent - 1, least_exponent) - (digits - 1);
  return std::ldexp(std::nearbyint(std::ldexp(number, -unit)), unit);
}

}  // namespace

namespace {

/// Integers from the minimum of a sample type on.
struct Ranks {
  std::uint64_t low, high;
};

std::vector<Ranks> missing_ranks(const SampleFormat& format) {
  const bool is_signed = format.kind == SampleKind::signed_integer;
  std::vector<Ranks> ranks;
  for (const SampleInterval& one : format.missing) {
    const auto low = one.low.rank_from(format.bits, is_signed),
               high = one.high.rank_to(format.bits, is_signed);
    if (low && high) ranks.push_back({*low, *high});
  }
  return ranks;
}

std::uint64_t rank_of(const SampleFormat& format, std::uint64_t code) {
  return code ^ (format.kind == SampleKind::signed_integer ? std::uint64_t{1} << (format.bits - 1) : 0);
}

/// Calls visit(i) for each of `count` pixels all of whose samples of color pass is_missing(sample).
template <class IsMissing>
void visit_missing(const SampleFormat& format, std::int64_t count, IsMissing is_missing,
                   const std::function<void(std::int64_t i)>& visit) {
  const int colors = colors_of(format.photometric);
  for (std::int64_t i = 0; i < count; ++i) {
    bool all = true;
    for (int color = 0; color < colors && all; ++color) all = is_missing(i * format.channels + color);
    if (all) visit(i);
  }
}

}  // namespace

void for_each_missing(const SampleFormat& format, const std::byte* row, std::int64_t first,
                      std::int64_t count, const std::function<void(std::int64_t i)>& visit) {
  if (format.missing.empty()) return;
  first *= format.channels;
  if (format.kind == SampleKind::floating) {
    std::vector<double> numbers(static_cast<std::size_t>(count * format.channels));
    to_numbers(format, row, first, std::ssize(numbers), false, numbers.data());
    const auto is_one = [&](std::int64_t i) {
      const double number = numbers[static_cast<std::size_t>(i)];
      return std::any_of(format.missing.begin(), format.missing.end(), [number](const SampleInterval& one) {
        return one.low.number() <= number && number <= one.high.number();
      });
    };
    return visit_missing(format, count, is_one, visit);
  }
  const std::vector<Ranks> ranks = missing_ranks(format);
  const auto is_one = [&](std::int64_t i) {
    const std::uint64_t rank = rank_of(format, code_at(format, row, first + i));
    return std::any_of(ranks.begin(), ranks.end(),
                       [rank](const Ranks& one) { return one.low <= rank && rank <= one.high; });
  };
  visit_missing(format, count, is_one, visit);
}

bool SampleFormat::has_narrow_integers() const {
  return kind != SampleKind::floating && bits <= 16 && slope == 1 && intercept == std::floor(intercept) &&
         std::abs(intercept) < 1 << 30;
}

double rounded_to_type(const SampleFormat& format, double number) {
  if (format.kind != SampleKind::floating || format.bits == 64) return number;
  return format.bits == 16 ? nearest(number, 11, -14) : nearest(number, 24, -126);
}

void SampleFormat::set_missing(const std::vector<SampleValue>& samples) {
  missing.clear();
  const bool is_rounded = kind == SampleKind::floating && bits < 64;
  for (const SampleValue& sample : samples)
    missing.push_back({is_rounded ? SampleValue::of(rounded_to_type(*this, sample.number())) : sample});
  sort_and_unite(missing);
}

std::string value_rule(const SampleFormat& format) {
  std::string rule;
  if (format.is_scaled()) {
    if (format.slope != 1) rule += shortest(format.slope) + " * ";
    rule += "sample";
    if (format.intercept != 0)
      rule += (format.intercept < 0 ? " - " : " + ") + shortest(std::abs(format.intercept));
  }
  for (const SampleInterval& one : format.missing)
    rule += (&one != &format.missing.front() ? ", " : rule.empty() ? "" : "; ") + one.text();
  if (format.missing.empty()) return rule;
  return rule +
         (format.missing.size() == 1 && format.missing.front().is_one() ? " is missing" : " are missing");
}

void check_format(const SampleFormat& format) {
  const std::string bits = std::to_string(format.bits);
  if (format.kind == SampleKind::floating) {
    if (format.bits != 16 && format.bits != 32 && format.bits != 64)
      throw Error(ErrorCode::data, bits + "-bit floating-point samples are not supported");
  } else if (format.bits < 1 ||
             (format.bits > 16 && format.bits != 24 && format.bits != 32 && format.bits != 64)) {
    throw Error(ErrorCode::data, bits + "-bit samples are not supported");
  }
  if (format.channels < colors_of(format.photometric))
    throw Error(ErrorCode::data,
                std::string("has too few samples per pixel to be ") + name_of(format.photometric));
  const bool is_unsigned = format.kind == SampleKind::unsigned_integer;
  if (format.photometric == Photometric::palette && (!is_unsigned || format.bits > 16))
    throw Error(ErrorCode::data, "palette images of other than 1 to 16-bit indices are not supported");
  if (format.photometric == Photometric::cmyk && !is_unsigned)
    throw Error(ErrorCode::data, "cmyk images of other than unsigned samples are not supported");
}

const char* name_of(Photometric photometric) {
  constexpr const char* kNames[] = {"min-is-black", "min-is-white", "palette", "rgb", "cmyk", "ycbcr"};
  return kNames[static_cast<std::size_t>(photometric)];
}

void SampleSource::describe(const std::string& format_name, const Extent& extent,
                            const SampleFormat& format) {
  format_ = format;
  info_.format = format_name;
  info_.extent = extent;
  info_.bits_per_sample = format.bits;
  info_.photometric = name_of(format.photometric);
}

void refuse_colors(Photometric photometric, const std::string& remedy) {
  const bool is_rgb = photometric == Photometric::rgb;
  throw Error(ErrorCode::data, std::string("has colors (") + name_of(photometric) + "); " + remedy +
                                   (is_rgb ? " (any, if the image is gray)" : ""));
}

int colors_of(Photometric photometric) {
  if (photometric == Photometric::cmyk) return 4;
  return photometric == Photometric::rgb || photometric == Photometric::ycbcr ? 3 : 1;
}

double luma(double red, double green, double blue) { return (299 * red + 587 * green + 114 * blue) / 1000; }

void to_values(const SampleFormat& format, bool as_stored, const std::byte* row, std::int64_t first,
               std::int64_t count, double* values) {
  const bool flip =
      format.photometric == Photometric::min_is_white && !as_stored && !format.inverted_by_name_only;
  const bool plain =
      format.photometric == Photometric::min_is_black || format.photometric == Photometric::min_is_white;
  if (plain && format.channels == 1) {
    to_numbers(format, row, first, count, flip, values);
    if (format.is_scaled())
      for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] * format.slope + format.intercept;
  } else {
    to_lumas(format, as_stored, flip, row, first, count, values);
  }
  for_each_missing(format, row, first, count,
                   [&](std::int64_t i) { values[i] = std::numeric_limits<double>::quiet_NaN(); });
}

void to_codes(int bits, const std::byte* row, std::int64_t first, std::int64_t count, std::uint32_t* codes) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::int64_t at = first * bits / 8;
  int have = 8 - static_cast<int>(first * bits % 8);  // bits of `window` not yet used
  std::uint64_t window = std::to_integer<std::uint64_t>(row[at++]);
  for (std::int64_t i = 0; i < count; ++i) {
    for (; have < bits; have += 8) window = window << 8 | std::to_integer<std::uint64_t>(row[at++]);
    have -= bits;
    codes[i] = static_cast<std::uint32_t>(window >> have & mask);
  }
}

void reverse_bits(const std::byte* from, std::size_t bytes, std::byte* to, std::uint64_t keep,
                  std::uint64_t flip) {
  constexpr std::size_t kWords = 8, kWordBytes = 8;  // a number that compilers know makes a loop of vectors
  std::size_t at = 0;
  for (; at + kWords * kWordBytes <= bytes; at += kWords * kWordBytes) {
    std::uint64_t words[kWords];
    std::memcpy(words, from + at, sizeof words);
    for (std::uint64_t& word : words) word = (reverse_bits_of_bytes(word) & keep) ^ flip;
    std::memcpy(to + at, words, sizeof words);
  }
  const auto reverse_word = [&](std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + at, count);
    word = (reverse_bits_of_bytes(word) & keep) ^ flip;
    std::memcpy(to + at, &word, count);
  };
  for (; at + kWordBytes <= bytes; at += kWordBytes) reverse_word(kWordBytes);
  if (at < bytes) reverse_word(bytes - at);
}

constexpr std::size_t kMaxPixelsOfRow = std::size_t{1} << 16;  // that are looked at

/// Returns whether all are one of two values, or NaN.
static bool are_known(const double* values, std::int64_t count, const TwoValueDetector::Found& known) {
  bool all = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = values[i];
    all &= (value == known[0]) | (value == known[1]) | (value != value);
  }
  return all;
}

/// Returns the value as a sample of one byte; `otherwise` if it is not one.
static unsigned char byte_of(double value, unsigned char otherwise) {
  return value >= 0 && value <= 255 && value == std::floor(value) ? static_cast<unsigned char>(value)
                                                                  : otherwise;
}

/// Returns whether all bytes of a row are one of two values.
static bool are_known(const std::byte* row, std::int64_t count, const TwoValueDetector::Found& known) {
  const unsigned char first = byte_of(known[0], byte_of(known[1], 0)), second = byte_of(known[1], first);
  if (first != known[0] && first != known[1]) return false;
  const std::array<SampleRange<std::uint8_t>, 2> ranges = {{{first, first}, {second, second}}};
  std::array<std::uint32_t, kMaxPixelsOfRow / 32> others;
  pack_samples<std::uint8_t>(row, count, ranges, true, others.data());
  return std::none_of(others.begin(), others.begin() + words_per_row(count),
                      [](std::uint32_t some) { return some != 0; });
}

/// Returns whether a sample is a byte whose number is its value.
static bool are_bytes(const SampleFormat& format) {
  return format.bits == 8 && format.channels == 1 && format.kind == SampleKind::unsigned_integer &&
         !format.is_scaled() && format.missing.empty();
}

void TwoValueDetector::look_at(const SampleRows& rows, const Extent& extent) {
  constexpr int kRowsOfSlice = 256;
  constexpr std::int64_t kBlock = 256;
  if (rows.format.bits == 1 && rows.format.channels == 1) return;
  const int step = 1 + extent.height / kRowsOfSlice;
  const std::int64_t width = std::min<std::int64_t>(extent.width, kMaxPixelsOfRow);
  std::array<double, kBlock> values;
  Found known = seen();
  for (int y = (rows.y + step - 1) / step * step; y < rows.y + rows.count && !more_; y += step) {
    const std::byte* row = rows.data + static_cast<std::size_t>(y - rows.y) * rows.pitch;
    if (are_bytes(rows.format) && are_known(row, width, known)) continue;
    for (std::int64_t x = 0; x < width && !more_; x += kBlock) {
      const std::int64_t count = std::min(width - x, kBlock);
      to_values(rows.format, true, row, x, count, values.data());
      if (!are_known(values.data(), count, known)) known = learn(values.data(), count);
    }
  }
}

TwoValueDetector::Found TwoValueDetector::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::vector<double> TwoValueDetector::values() const {
  const Found found = seen();
  return {found.begin(),
          std::find_if(found.begin(), found.end(), [](double one) { return std::isnan(one); })};
}

TwoValueDetector::Found TwoValueDetector::learn(const double* values, std::int64_t count) {
  const std::lock_guard lock(mutex_);
  for (std::int64_t i = 0; i < count && !more_; ++i) {
    if (std::isnan(values[i]) || std::find(seen_.begin(), seen_.end(), values[i]) != seen_.end()) continue;
    *std::find_if(seen_.begin(), seen_.end(), [](double one) { return std::isnan(one); }) = values[i];
    more_ = !std::isnan(seen_.back());
  }
  return seen_;
}

}  // namespace gpuccl::io
