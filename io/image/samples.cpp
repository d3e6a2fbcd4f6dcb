#include "io/image/samples.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuccl/detail/pack_samples.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"

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

}  // namespace

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
  switch (photometric) {
    case Photometric::min_is_black:
      return "min-is-black";
    case Photometric::min_is_white:
      return "min-is-white";
    case Photometric::palette:
      return "palette";
    case Photometric::rgb:
      return "rgb";
    case Photometric::cmyk:
      return "cmyk";
    case Photometric::ycbcr:
      return "ycbcr";
  }
  return "";
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
    return;
  }

  const double max = std::ldexp(1.0, format.bits) - 1;
  std::vector<double> numbers(static_cast<std::size_t>(count * format.channels));
  to_numbers(format, row, first * format.channels, count * format.channels, flip, numbers.data());
  for (std::int64_t i = 0; i < count; ++i)
    values[i] = value_of(format, as_stored, max, numbers.data() + i * format.channels);
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

namespace {

/// Returns whether samples in memory are values of their type.
bool are_values(const SampleFormat& format) {
  const bool whole_bytes = format.bits == 8 || format.bits == 16 || format.bits == 32 || format.bits == 64;
  const bool half = format.kind == SampleKind::floating && format.bits == 16;
  return format.channels == 1 && whole_bytes && !half && !format.is_scaled();
}

template <class T>
void convert(const double* values, std::int64_t count, std::byte* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(out + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof value);
  }
}

void convert(ValueType type, const double* values, std::int64_t count, std::byte* out) {
  with_type(type, [&](auto typed) { convert<decltype(typed)>(values, count, out); });
}

}  // namespace

ValueType value_type(const SampleFormat& format) {
  using enum ValueType;
  if (colors_of(format.photometric) > 1)
    refuse_colors(format.photometric, "values are those of one channel; --channel N selects one, from 0");
  if (format.is_scaled()) return f64;
  if (format.channels > 1 && format.bits > 32)
    throw Error(ErrorCode::data, "has 64-bit values of several channels, which --values does not read");
  if (format.kind == SampleKind::floating) return format.bits == 64 ? f64 : f32;
  const bool is_signed = format.kind == SampleKind::signed_integer;
  if (format.bits <= 8) return is_signed ? i8 : u8;
  if (format.bits <= 16) return is_signed ? i16 : u16;
  if (format.bits <= 32) return is_signed ? i32 : u32;
  return is_signed ? i64 : u64;
}

void to_value_row(ValueType type, int width, const SampleRows& rows, int row, std::byte* out) {
  const std::byte* const data = rows.data + static_cast<std::size_t>(row) * rows.pitch;
  if (are_values(rows.format)) {
    std::memcpy(out, data, static_cast<std::size_t>(width) * bytes_of(type));
    return;
  }
  std::vector<double> values(static_cast<std::size_t>(width));
  to_values(rows.format, true, data, 0, width, values.data());
  convert(type, values.data(), width, out);
}

void add_rows(ValueImage& image, std::int64_t first_row, int width, const SampleRows& rows) {
  const bool as_they_are = are_values(rows.format) && width == image.extent().width;
  std::vector<std::byte> converted(
      as_they_are ? 0 : static_cast<std::size_t>(image.extent().width) * bytes_of(image.type()));
  for (int row = 0; row < rows.count; ++row) {
    if (!as_they_are) to_value_row(image.type(), width, rows, row, converted.data());
    image.add_rows(first_row + rows.y + row, 1,
                   as_they_are ? rows.data + static_cast<std::size_t>(row) * rows.pitch : converted.data());
  }
}

namespace {

constexpr std::size_t kMostPixelsOfRow = std::size_t{1} << 16;  // that are looked at

/// Returns whether all are one of two values, or NaN.
bool are_known(const double* values, std::int64_t count, const TwoValueDetector::Pair& known) {
  bool all = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = values[i];
    all &= (value == known[0]) | (value == known[1]) | (value != value);
  }
  return all;
}

/// Returns the value as a sample of one byte; `otherwise` if it is not one.
unsigned char byte_of(double value, unsigned char otherwise) {
  return value >= 0 && value <= 255 && value == std::floor(value) ? static_cast<unsigned char>(value)
                                                                  : otherwise;
}

/// Returns whether all bytes of a row are one of two values.
bool are_known(const std::byte* row, std::int64_t count, const TwoValueDetector::Pair& known) {
  const unsigned char first = byte_of(known[0], byte_of(known[1], 0)), second = byte_of(known[1], first);
  if (first != known[0] && first != known[1]) return false;
  const std::array<SampleRange<std::uint8_t>, 2> ranges = {{{first, first}, {second, second}}};
  std::array<std::uint32_t, kMostPixelsOfRow / 32> others;
  pack_samples<std::uint8_t>(row, count, ranges, true, others.data());
  return std::none_of(others.begin(), others.begin() + words_per_row(count),
                      [](std::uint32_t some) { return some != 0; });
}

/// Returns whether a sample is a byte whose number is its value.
bool are_bytes(const SampleFormat& format) {
  return format.bits == 8 && format.channels == 1 && format.kind == SampleKind::unsigned_integer &&
         !format.is_scaled();
}

}  // namespace

void TwoValueDetector::look_at(const SampleRows& rows, const Extent& extent) {
  constexpr int kRowsOfSlice = 256;
  constexpr std::int64_t kBlock = 256;
  if (rows.format.bits == 1 && rows.format.channels == 1) return;
  const int step = 1 + extent.height / kRowsOfSlice;
  const std::int64_t width = std::min<std::int64_t>(extent.width, kMostPixelsOfRow);
  std::array<double, kBlock> values;
  Pair known = seen();
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

TwoValueDetector::Pair TwoValueDetector::seen() {
  const std::lock_guard lock(mutex_);
  return seen_;
}

TwoValueDetector::Pair TwoValueDetector::learn(const double* values, std::int64_t count) {
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
