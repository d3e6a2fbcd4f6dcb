#include "io/image/value_rows.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

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
    throw Error(Failure::data, std::string("has colors (") + name_of(format.photometric) +
                                   "); values are those of one channel; --channel N selects one, from 0");
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

}  // namespace gpuccl::io
