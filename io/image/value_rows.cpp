#include "io/image/value_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

/// Returns whether samples in memory are values of their type.
bool are_values(const SampleFormat& format) {
  const bool whole_bytes = format.bits == 8 || format.bits == 16 || format.bits == 32 || format.bits == 64;
  const bool half = format.kind == SampleKind::floating && format.bits == 16;
  return format.channels == 1 && whole_bytes && !half && !format.is_scaled();
}

void convert(ValueType type, const double* values, std::int64_t count, std::byte* out) {
  with_type(type, [&](auto typed) {
    using T = decltype(typed);
    for (std::int64_t i = 0; i < count; ++i) {
      const T value = static_cast<T>(values[i]);
      std::memcpy(out + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof value);
    }
  });
}

bool is_rgb(const SampleFormat& format) {
  return format.photometric == Photometric::rgb && format.kind == SampleKind::unsigned_integer &&
         (format.bits == 8 || format.bits == 16);
}

template <class Channel, class Id>
void write_colors(const SampleFormat& format, int width, const std::byte* row, std::byte* out) {
  for (int x = 0; x < width; ++x, row += static_cast<std::size_t>(format.channels) * sizeof(Channel)) {
    Channel color[3];
    std::memcpy(color, row, sizeof color);
    Id id = 0;
    for (const Channel channel : color) id = static_cast<Id>(id << format.bits | channel);
    std::memcpy(out + static_cast<std::size_t>(x) * sizeof id, &id, sizeof id);
  }
}

/// Returns the number up to which the type of values has all integers.
double most_exact(const SampleFormat& format) {
  if (format.is_scaled() || format.kind != SampleKind::floating) return 0x1p53;
  return format.bits == 16 ? 0x1p11 : format.bits == 32 ? 0x1p24 : 0x1p53;
}

[[noreturn]] void refuse_large(double value, double most) {
  const int digits = std::ilogb(most), bits = digits == 11 ? 16 : digits == 24 ? 32 : 64;
  throw Error(
      ErrorCode::data,
      fmt::format("contains the value {}, which is not a label: float{} skips integers above 2^{}; store "
                  "labels as {}integers",
                  shortest(value), bits, digits, bits == 64 ? "64-bit " : ""));
}

/// Refuses a number that is not an integer. Throws Error (data).
[[noreturn]] void refuse_real(const ValueRule& rule, double value) {
  const std::string remedy = std::isinf(value) ? "" : "; round values with --round";
  if (rule.are_labels())
    throw Error(ErrorCode::data, "contains the value " + shortest(value) +
                                     ", which is not a label: labels are integers" + remedy);
  throw Error(ErrorCode::data, "has floating-point values, such as " + shortest(value) +
                                   "; add --delta D, the largest difference between connected neighbors (0: "
                                   "equal)" +
                                   (remedy.empty() ? "" : ", or round values with --round"));
}

}  // namespace

bool ValueRows::makes_integers(const SampleFormat& format) const {
  const bool is_real =
      format.kind == SampleKind::floating || (format.is_scaled() && !format.has_narrow_integers());
  return is_real && (rule_.kind != ValueRule::Kind::stored || rule_.round);
}

ValueType ValueRows::type(const SampleFormat& format) const {
  using enum ValueType;
  if (is_rgb(format)) return format.bits == 8 ? u32 : u64;
  if (colors_of(format.photometric) > 1)
    refuse_colors(format.photometric, "values are those of one channel; " + remedy_);
  if (makes_integers(format)) return rule_.are_labels() ? u64 : i64;
  if (format.is_scaled()) return format.has_narrow_integers() ? i32 : f64;
  if (format.channels > 1 && format.bits > 32)
    throw Error(ErrorCode::data, "has 64-bit values of several channels, which --values does not read");
  if (format.kind == SampleKind::floating) return format.bits == 64 ? f64 : f32;
  const bool is_signed = format.kind == SampleKind::signed_integer;
  if (format.bits <= 8) return is_signed ? i8 : u8;
  if (format.bits <= 16) return is_signed ? i16 : u16;
  if (format.bits <= 32) return is_signed ? i32 : u32;
  return is_signed ? i64 : u64;
}

void ValueRows::note(std::atomic<bool>& flag, const char* line) const {
  if (flag.exchange(true) || line == nullptr) return;
  if (warn_) warn_(line);
}

void ValueRows::look_for_missing(const SampleFormat& format, const std::byte* row, int width) const {
  if (format.missing.empty() || any_missing_) return;
  bool found = false;
  for_each_missing(format, row, 0, width, [&](std::int64_t) { found = true; });
  if (found) note(any_missing_, ("its missing values are background (" + value_rule(format) + ")").c_str());
}

/// Returns the integer that a number stands for, as the bits of the values that type() returns.
std::uint64_t ValueRows::integer_of(double value, double most) const {
  constexpr double kNear = 1e-3;
  if (std::isnan(value)) {
    note(any_nan_, nullptr);  // who reads reports it, as for other values
    return 0;
  }
  const double nearest = std::nearbyint(value);
  if (std::isinf(value) || (!rule_.round && std::abs(value - nearest) > kNear)) refuse_real(rule_, value);
  if (std::abs(nearest) > most) refuse_large(value, most);
  if (nearest < 0 && rule_.are_labels()) {
    note(any_negative_, "negative labels count as background");
    return 0;
  }
  if (nearest != value) note(any_rounded_, "values that are not integers are rounded");
  if (nearest == 0 && std::abs(value) > kNear)
    note(any_lost_, "values that are rounded to 0 become background");
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(nearest));
}

template <class Number>
void ValueRows::write_integers(const std::byte* numbers, int width, double most, std::byte* out) const {
  Number last = 0;
  std::uint64_t integer = 0;  // of `last`
  for (int x = 0; x < width; ++x) {
    Number number;
    std::memcpy(&number, numbers + static_cast<std::size_t>(x) * sizeof number, sizeof number);
    if (!(number == last)) integer = integer_of(double{number}, most);
    last = number;
    std::memcpy(out + static_cast<std::size_t>(x) * sizeof integer, &integer, sizeof integer);
  }
}

/// Returns whether ids of a signed type are below 0. Compilers vectorize the loop.
template <class Sample>
bool ValueRows::any_below_0(int width, const std::byte* row) const {
  Sample all = 0;
  for (int x = 0; x < width; ++x) {
    Sample sample;
    std::memcpy(&sample, row + static_cast<std::size_t>(x) * sizeof sample, sizeof sample);
    all = static_cast<Sample>(all | sample);
  }
  return all < 0;
}

/// Makes ids below 0 background.
void ValueRows::clear_negative(ValueType type, int width, std::byte* row) const {
  if (!rule_.are_labels() || !is_signed(type)) return;
  with_type(type, [&](auto typed) {
    using T = decltype(typed);
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      if (!any_below_0<T>(width, row)) return;
      note(any_negative_, "negative labels count as background");
      for (int x = 0; x < width; ++x, row += sizeof(T)) {
        T sample;
        std::memcpy(&sample, row, sizeof sample);
        sample = std::max(sample, T{0});
        std::memcpy(row, &sample, sizeof sample);
      }
    }
  });
}

void ValueRows::write(ValueType type, int width, const SampleRows& rows, int row, std::byte* out) const {
  const SampleFormat& format = rows.format;
  const std::byte* const data = rows.data + static_cast<std::size_t>(row) * rows.pitch;
  look_for_missing(format, data, width);
  const auto clear_missing = [&](std::byte* values, std::size_t bytes) {
    for_each_missing(format, data, 0, width, [&](std::int64_t x) {
      std::memset(values + static_cast<std::size_t>(x) * bytes, 0, bytes);
    });
  };
  if (is_rgb(format)) {
    const char* const value =
        format.bits == 8 ? "65536 red + 256 green + blue; " : "2^32 red + 2^16 green + blue; ";
    if (!any_color_) note(any_color_, ("each color is one value, " + (value + remedy_)).c_str());
    format.bits == 8 ? write_colors<std::uint8_t, std::uint32_t>(format, width, data, out)
                     : write_colors<std::uint16_t, std::uint64_t>(format, width, data, out);
  } else if (!are_values(format) || (makes_integers(format) && !format.missing.empty())) {
    std::vector<double> values(static_cast<std::size_t>(width));
    to_values(format, true, data, 0, width, values.data());
    auto* const bytes = reinterpret_cast<std::byte*>(values.data());
    clear_missing(bytes, sizeof(double));
    makes_integers(format) ? write_integers<double>(bytes, width, most_exact(format), out)
                           : convert(type, values.data(), width, out);
    return clear_negative(type, width, out);
  } else if (makes_integers(format)) {
    return format.bits == 32 ? write_integers<float>(data, width, most_exact(format), out)
                             : write_integers<double>(data, width, most_exact(format), out);
  } else {
    std::memcpy(out, data, static_cast<std::size_t>(width) * bytes_of(type));
  }
  clear_missing(out, bytes_of(type));
  clear_negative(type, width, out);
}

/// Returns whether a row in memory is one of values, without a change.
bool ValueRows::are_as_stored(ValueType type, int width, const SampleFormat& format,
                              const std::byte* row) const {
  if (!are_values(format) || makes_integers(format) || !format.missing.empty()) return false;
  if (!rule_.are_labels() || !is_signed(type)) return true;
  return with_type(type, [&](auto typed) {
    using T = decltype(typed);
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) return !any_below_0<T>(width, row);
    return true;
  });
}

void ValueRows::add(ValueImage& image, std::int64_t first_row, int width, const SampleRows& rows) const {
  std::vector<std::byte> converted;
  for (int row = 0; row < rows.count; ++row) {
    const std::byte* values = rows.data + static_cast<std::size_t>(row) * rows.pitch;
    if (width != image.extent().width || !are_as_stored(image.type(), width, rows.format, values)) {
      converted.resize(static_cast<std::size_t>(image.extent().width) * bytes_of(image.type()));
      write(image.type(), width, rows, row, converted.data());
      values = converted.data();
    }
    image.add_rows(first_row + rows.y + row, 1, values);
  }
}

}  // namespace gpuccl::io
