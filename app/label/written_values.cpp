#include "app/label/written_values.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "gpuccl/error.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::app {
namespace {

io::LabelType written_type(ValueType type) {
  switch (type) {
    case ValueType::u8:
      return io::LabelType::u8;
    case ValueType::u16:
      return io::LabelType::u16;
    case ValueType::u32:
    case ValueType::u64:
      return io::LabelType::u32;
    case ValueType::i8:
      return io::LabelType::i8;
    case ValueType::i16:
      return io::LabelType::i16;
    case ValueType::i32:
    case ValueType::i64:
      return io::LabelType::i32;
    default:
      return io::LabelType::f32;
  }
}

[[noreturn]] void not_of_32_bits(const std::string& value) {
  throw Error(
      Failure::data,
      "the value " + value + " does not fit the 32 bits of a label image; write labels instead of values");
}

/// The bits of a sample.
Label sample_of(ValueType type, ValueBits value) {
  if (is_floating(type)) {
    const double number = std::bit_cast<double>(value);
    const auto narrow = static_cast<float>(number);
    if (static_cast<double>(narrow) != number) not_of_32_bits(io::shortest(number));
    return std::bit_cast<Label>(narrow);
  }
  if (is_signed(type) && static_cast<std::int64_t>(value) != static_cast<std::int32_t>(value))
    not_of_32_bits(std::to_string(static_cast<std::int64_t>(value)));
  if (!is_signed(type) && value > UINT32_MAX) not_of_32_bits(std::to_string(value));
  const int bits = std::min(32, 8 * static_cast<int>(bytes_of(type)));
  return static_cast<Label>(value & ~std::uint64_t{0} >> (64 - bits));
}

}  // namespace

WrittenValues written_values(ValueType type, std::span<const ValueBits> values,
                             const std::vector<Label>& selected) {
  WrittenValues written;
  written.type = written_type(type);
  std::vector<Label> samples = {0};
  samples.reserve(values.size() + 1);
  for (const ValueBits value : values) {
    samples.push_back(sample_of(type, value));
    written.largest =
        static_cast<Label>(std::clamp<double>(to_double(type, value), written.largest, UINT32_MAX));
  }
  if (selected.empty()) {
    written.map = std::move(samples);
    return written;
  }
  written.map.reserve(selected.size());
  for (const Label label : selected) written.map.push_back(samples[label]);
  return written;
}

WrittenValues written_values_of_part(ValueType type, std::span<const ValueBits> values,
                                     const std::vector<Label>& numbers) {
  std::vector<ValueBits> stay;
  std::vector<Label> selected(numbers.size());
  for (std::size_t label = 1; label < numbers.size(); ++label) {
    if (numbers[label] == 0) continue;
    stay.push_back(values[label - 1]);
    selected[label] = static_cast<Label>(stay.size());
  }
  return written_values(type, stay, selected);
}

}  // namespace gpuccl::app
