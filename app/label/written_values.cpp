#include "app/label/written_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>

#include "io/files/number_text.hpp"

namespace gpuccl::app {
namespace {

/// Returns the type of up to 32 bits in which values of `type` are written.
io::LabelType written_type(ValueType type) {
  using enum io::LabelType;
  if (is_floating(type)) return f32;
  const std::size_t bytes = bytes_of(type);
  if (bytes == 1) return is_signed(type) ? i8 : u8;
  if (bytes == 2) return is_signed(type) ? i16 : u16;
  return is_signed(type) ? i32 : u32;
}

/// Returns the type that holds all values of `type`, if these do not fit 32 bits.
io::LabelType wide_type(ValueType type) {
  return is_floating(type) ? io::LabelType::f64 : is_signed(type) ? io::LabelType::i64 : io::LabelType::u64;
}

/// Returns the bits of a sample of up to 32 bits; none if the value needs more.
std::optional<Label> narrow_sample(ValueType type, ValueBits value) {
  if (is_floating(type)) {
    const double number = std::bit_cast<double>(value);
    const auto narrow = static_cast<float>(number);
    if (static_cast<double>(narrow) != number) return std::nullopt;
    return std::bit_cast<Label>(narrow);
  }
  if (is_signed(type) && static_cast<std::int64_t>(value) != static_cast<std::int32_t>(value))
    return std::nullopt;
  if (!is_signed(type) && value > UINT32_MAX) return std::nullopt;
  const int bits = std::min(32, 8 * static_cast<int>(bytes_of(type)));
  return static_cast<Label>(value & ~std::uint64_t{0} >> (64 - bits));
}

std::string text_of(ValueType type, ValueBits value) {
  if (is_floating(type)) return io::shortest(std::bit_cast<double>(value));
  return is_signed(type) ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
}

Label largest_of(ValueType type, std::span<const ValueBits> values) {
  Label largest = 0;
  for (const ValueBits value : values)
    largest = static_cast<Label>(std::clamp<double>(to_double(type, value), largest, UINT32_MAX));
  return largest;
}

}  // namespace

bool fit_32_bits(ValueType type, std::span<const ValueBits> values) {
  return std::all_of(values.begin(), values.end(),
                     [type](ValueBits value) { return narrow_sample(type, value).has_value(); });
}

WrittenValues written_values(ValueType type, std::span<const ValueBits> values,
                             const std::vector<Label>& selected) {
  WrittenValues written{written_type(type), selected, {}, largest_of(type, values)};
  if (!fit_32_bits(type, values)) {
    written.type = wide_type(type);
    written.wide = {0};
    written.wide.insert(written.wide.end(), values.begin(), values.end());
    return written;
  }
  if (selected.empty()) {
    written.map.resize(values.size() + 1);
    std::iota(written.map.begin(), written.map.end(), Label{0});
  }
  for (Label& number : written.map)
    if (number != 0) number = narrow_sample(type, values[number - std::size_t{1}]).value();
  return written;
}

void replace_by_values(ValueType type, std::span<const ValueBits> values, std::vector<Label>& numbers,
                       std::vector<ValueBits>* wide) {
  for (std::size_t label = 1; label < numbers.size(); ++label) {
    if (numbers[label] == 0) continue;
    const ValueBits value = values[label - 1];
    if (wide != nullptr) {
      numbers[label] = static_cast<Label>(wide->size());
      wide->push_back(value);
    } else {
      numbers[label] = narrow_sample(type, value).value();
    }
  }
}

std::vector<ValueBits> split_values(ValueType type, std::span<const ValueBits> values,
                                    std::span<const std::uint64_t> areas, ValueBits last) {
  std::unordered_map<ValueBits, std::size_t> largest;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_signed(type) && static_cast<std::int64_t>(values[i]) < 0)
      throw Error(ErrorCode::data, "has the value " + text_of(type, values[i]) +
                                       "; --split-values needs values of at least 1");
    const auto [known, is_first] = largest.emplace(values[i], i);
    if (!is_first && areas[i] > areas[known->second]) known->second = i;
  }
  const ValueBits most = is_signed(type) ? static_cast<ValueBits>(INT64_MAX) : UINT64_MAX;
  if (values.size() - largest.size() > most - last)
    throw Error(ErrorCode::data, "has the value " + text_of(type, last) +
                                     ", above which --split-values finds no values for all pieces");
  std::vector<ValueBits> ids(values.begin(), values.end());
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (largest.at(values[i]) != i) ids[i] = ++last;
  return ids;
}

ValueBits largest_value(ValueType type, std::span<const ValueBits> values) {
  ValueBits largest = 0;
  for (const ValueBits value : values)
    if (!is_signed(type) || static_cast<std::int64_t>(value) > 0) largest = std::max(largest, value);
  return largest;
}

ValueType type_of_ids(ValueType type, std::span<const ValueBits> ids) {
  using enum ValueType;
  const ValueBits last = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  for (const ValueType larger : is_signed(type) ? std::array{i8, i16, i32} : std::array{u8, u16, u32}) {
    const int bits = 8 * static_cast<int>(bytes_of(larger)) - (is_signed(type) ? 1 : 0);
    if (bytes_of(larger) >= bytes_of(type) && last >> bits == 0) return larger;
  }
  return is_signed(type) ? i64 : u64;
}

}  // namespace gpuccl::app
