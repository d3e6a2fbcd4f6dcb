#include "io/image/value_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "gpuccl/detail/pack_samples.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::io {
namespace {

/// Whether samples lie in memory as values of their type.
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
    throw Error(Failure::data, "has 64-bit values of several channels, which --values does not read");
  if (format.kind == SampleKind::floating) return format.bits == 64 ? f64 : f32;
  const bool is_signed = format.kind == SampleKind::signed_integer;
  if (format.bits <= 8) return is_signed ? i8 : u8;
  if (format.bits <= 16) return is_signed ? i16 : u16;
  if (format.bits <= 32) return is_signed ? i32 : u32;
  return is_signed ? i64 : u64;
}

void add_rows(ValueImage& image, std::int64_t first_row, int width, const SampleRows& rows) {
  const auto data = [&](int row) { return rows.data + static_cast<std::size_t>(row) * rows.pitch; };
  if (are_values(rows.format) && width == image.extent().width) {
    for (int row = 0; row < rows.count; ++row) image.add_rows(first_row + rows.y + row, 1, data(row));
    return;
  }
  std::vector<double> values(static_cast<std::size_t>(width));
  std::vector<std::byte> converted(static_cast<std::size_t>(image.extent().width) * bytes_of(image.type()));
  for (int row = 0; row < rows.count; ++row) {
    if (are_values(rows.format)) {
      std::memcpy(converted.data(), data(row), static_cast<std::size_t>(width) * bytes_of(image.type()));
    } else {
      to_values(rows.format, true, data(row), 0, width, values.data());
      convert(image.type(), values.data(), width, converted.data());
    }
    image.add_rows(first_row + rows.y + row, 1, converted.data());
  }
}

namespace {

constexpr std::size_t kMostPixelsOfRow = std::size_t{1} << 16;  // that are looked at

/// Whether all are one of two, or no number.
bool are_known(const double* values, std::int64_t count, const TwoValueDetector::Pair& known) {
  bool all = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = values[i];
    all &= (value == known[0]) | (value == known[1]) | (value != value);
  }
  return all;
}

/// The byte that this value is as a sample, or `otherwise` where it is none.
unsigned char byte_of(double value, unsigned char otherwise) {
  return value >= 0 && value <= 255 && value == std::floor(value) ? static_cast<unsigned char>(value)
                                                                  : otherwise;
}

/// Whether all of a row of bytes are one of two.
bool are_known(const std::byte* row, std::int64_t count, const TwoValueDetector::Pair& known) {
  const unsigned char first = byte_of(known[0], byte_of(known[1], 0)), second = byte_of(known[1], first);
  if (first != known[0] && first != known[1]) return false;
  const std::array<SampleRange<std::uint8_t>, 2> ranges = {{{first, first}, {second, second}}};
  std::array<std::uint32_t, kMostPixelsOfRow / 32> others;
  pack_samples<std::uint8_t>(row, count, ranges, true, others.data());
  return std::none_of(others.begin(), others.begin() + words_per_row(count),
                      [](std::uint32_t some) { return some != 0; });
}

/// Whether a sample is a byte, and its value the same number.
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
