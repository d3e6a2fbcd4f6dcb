#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/number_text.hpp"
#include "io/image/geometry.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// Takes text that goes to a file, piece by piece.
using TextSink = std::function<void(std::string_view text)>;
/// Returns a sink that writes to a descriptor that is open, such as standard output.
TextSink text_to(int descriptor);

/// Rows of a table of components, as text.
class RowsText {
 public:
  void clear() { size_ = 0; }
  /// Returns the start of the next row, with room for this many bytes.
  char* begin_row(std::size_t bytes) {
    if (capacity_ - size_ < bytes) {
      capacity_ = std::max(size_ + bytes, 2 * capacity_);
      auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
      std::copy_n(text_.get(), size_, larger.get());
      text_ = std::move(larger);
    }
    return text_.get() + size_;
  }
  void end_row(const char* end) { size_ = static_cast<std::size_t>(end - text_.get()); }

  std::string_view view() const { return {text_.get(), size_}; }

 private:
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Constant text around the fields of a row and between rows. The numbers of a field are separated by
/// commas.
struct RowStyle {
  std::string_view before_label, before_value, before_area, before_box, before_centroid, before_physical_area,
      before_physical_centroid, after_centroids, end, between;
  bool names_measures;
  std::string_view missing;  // written for a missing measure; if empty, one with a name is left out
};

/// Section of a text with one row per component: all of it, or the section that one of several parts writes.
struct TableSection {
  std::uint64_t first = 0;          // components in stretches before it
  bool begins = true, ends = true;  // whether it contains the text before, and after, all rows
};

/// The values of components of a label map.
struct ValueColumn {
  bool is_there = false;
  ValueType type = ValueType::u8;
  std::span<const ValueBits> values = {};      // one per component
  bool are_labels = false;                     // the values are labels, in the column of labels
  std::span<const std::uint64_t> labels = {};  // labels for that column, if not empty

  /// Returns whether there is a column of values in addition to labels.
  bool has_own_column() const { return is_there && !are_labels; }
};

/// Writes a value as a number, or `infinite`, if not empty, for infinity.
char* put_value(char* out, ValueType type, ValueBits value, std::string_view infinite = "");
/// Returns the value of a component in the form of put_value().
std::string value_text(const ValueColumn& value, std::size_t component, std::string_view infinite = "");
/// Returns the label of a component, as JSON. `first`: components before these.
std::string label_text(const ValueColumn& value, std::size_t component, std::uint64_t first = 0);

/// MeasureColumn::image of a measure that this input does not have: the field is empty.
inline constexpr std::size_t kNotMeasured = SIZE_MAX;

/// Significant digits of a number that reads back as the same value.
inline constexpr int kAllDigits = 17;

/// Contents of a table of components. Bounding boxes and centroids have `axes` axes. Every row begins with
/// `before` and has `after` between the centroid and the columns of measures.
struct ComponentTable {
  const Components& components;
  int axes;
  std::optional<PhysicalScale> scale = std::nullopt;
  std::string_view before = "", after = "";
  const MeasureTable* measured = nullptr;
  std::vector<MeasureColumn> columns = {};
  std::uint64_t first = 0;  // components before these
  ValueColumn value = {};
  int digits = kAllDigits;  // significant digits of numbers with decimals
  int first_slice = 0;      // added to z coordinates
};

/// Writes the fewest digits that read back as the same value, with an exponent if that is shorter.
inline char* put_shortest(char* out, double number) {
  return std::to_chars(out, out + kDecimalRoom, number).ptr;
}

/// Rounds to `digits` significant digits; integers stay.
inline char* put_rounded(char* out, double number, int digits) {
  if (digits >= kAllDigits || number == std::trunc(number)) return put_shortest(out, number);
  return std::to_chars(out, out + kDecimalRoom, number, std::chars_format::general, digits).ptr;
}

/// Writes all digits; `number` has fewer than 127 bits.
inline char* put_whole(char* out, WholeNumber number) {
  constexpr std::uint64_t kEight = 100000000;
  if (number < 0) {
    *out++ = '-';
    number = -number;
  }
  if (number <= WholeNumber{UINT64_MAX}) return put_decimal(out, static_cast<std::uint64_t>(number));
  out = put_whole(out, number / kEight);
  put_eight(out, eight_digits(static_cast<std::uint64_t>(number % kEight)));
  return out + 8;
}

inline char* put_text(char* out, std::string_view text) { return std::copy_n(text.data(), text.size(), out); }

/// Returns an upper bound for the columns of measures of a row.
inline std::size_t bytes_of_measures(const ComponentTable& table) {
  std::size_t bytes = table.columns.size() * kDecimalRoom;
  for (const MeasureColumn& column : table.columns) bytes += column.name.size();
  return bytes;
}

template <const RowStyle& style>
char* put_measures(char* out, const ComponentTable& table, std::size_t i) {
  MeasureValues values;
  if (table.measured->any()) values = table.measured->values(table.components, i);
  std::size_t image = 0;
  for (const auto& [id, of_image, name] : table.columns) {
    if (of_image != kNotMeasured && of_image != image)
      table.measured->get_intensities(i, image = of_image, values);
    const bool is_missing = of_image == kNotMeasured || !std::isfinite(values[id]);
    if (style.names_measures && style.missing.empty() && is_missing) continue;
    out = put_text(out, ",");
    if constexpr (style.names_measures) out = put_text(put_text(put_text(out, "\""), name), "\":");
    if (of_image == kNotMeasured) {
      out = put_text(out, style.missing);
      continue;
    }
    if (const WholeNumber large = values.large(id); large != 0) {
      out = put_whole(out, large);
    } else {
      // No minus before a zero.
      out = std::isfinite(values[id]) ? put_rounded(out, values[id] + 0.0, table.digits)
                                      : put_text(out, style.missing);
    }
  }
  return out;
}

/// Writes the row of component i to `out` and returns its end.
template <const RowStyle& style>
char* put_row(char* out, const ComponentTable& table, std::size_t i) {
  const Components& components = table.components;
  const auto put_list = [&](auto number) {
    for (int axis = 0; axis < table.axes; ++axis) {
      if (axis > 0) out = put_text(out, ",");
      out = put_decimal(out, number(axis));
    }
  };
  const auto first = [&](int axis) { return axis == 2 ? table.first_slice : 0; };
  const auto corner = [&](const std::array<int, 3>& of_box) {
    return [&](int axis) {
      return static_cast<std::uint64_t>(of_box[static_cast<std::size_t>(axis)] + first(axis));
    };
  };
  const auto centroid = [&](int axis) { return components.centroid(i, axis) + first(axis); };
  out = put_text(out, style.before_label);
  out = table.value.are_labels        ? put_value(out, table.value.type, table.value.values[i])
        : !table.value.labels.empty() ? put_decimal(out, table.value.labels[i])
                                      : put_decimal(out, table.first + i + 1);
  out = put_text(out, style.before_area);
  out = put_decimal(out, components.area[i]);
  out = put_text(out, style.before_box);
  put_list(corner(components.box[i].min));
  out = put_text(out, ",");
  put_list(corner(components.box[i].max));
  out = put_text(out, style.before_centroid);
  if (table.digits == kAllDigits) {
    put_list(centroid);
  } else {
    for (int axis = 0; axis < table.axes; ++axis) {
      const double number = centroid(axis);
      if (axis > 0) out = put_text(out, ",");
      out = number == std::trunc(number) ? put_decimal(out, number) : put_rounded(out, number, table.digits);
    }
  }
  if (table.scale) {
    out = put_text(out, style.before_physical_area);
    out = put_rounded(out, table.scale->element * static_cast<double>(components.area[i]), table.digits);
    Vector3 place{};
    for (int axis = 0; axis < table.axes; ++axis)
      place[static_cast<std::size_t>(axis)] = components.centroid(i, axis);
    place = table.scale->orientation.at(place);
    out = put_text(out, style.before_physical_centroid);
    for (int axis = 0; axis < table.axes; ++axis) {
      if (axis > 0) out = put_text(out, ",");
      out = put_rounded(out, place[static_cast<std::size_t>(axis)], table.digits);
    }
  }
  out = put_text(out, style.after_centroids);
  out = put_text(out, table.after);
  if (table.value.has_own_column())
    out =
        put_value(put_text(out, style.before_value), table.value.type, table.value.values[i], style.missing);
  if (!table.columns.empty()) out = put_measures<style>(out, table, i);
  return put_text(out, style.end);
}

/// Sends the rows of all components to `sink` in order, in pieces that are made in parallel. Millions of
/// components need little memory and time.
template <const RowStyle& style>
void stream_rows(const ComponentTable& table, const TextSink& sink) {
  constexpr std::size_t kRowsAtOnce = 4096;
  // An upper bound for all numbers and words of a row.
  const std::size_t room =
      table.before.size() + table.after.size() + 17 * kDecimalRoom + bytes_of_measures(table);
  const std::size_t count = table.components.size();
  const auto make = [&](RowsText& text, std::int64_t piece) {
    text.clear();
    const std::size_t begin = static_cast<std::size_t>(piece) * kRowsAtOnce;
    for (std::size_t i = begin; i < std::min(count, begin + kRowsAtOnce); ++i) {
      char* out = text.begin_row(room);
      if (table.first + i > 0) out = put_text(out, style.between);
      text.end_row(put_row<style>(put_text(out, table.before), table, i));
    }
  };
  const auto take = [&](const RowsText& text, std::int64_t) { sink(text.view()); };
  for_each_strip<RowsText>(static_cast<std::int64_t>((count + kRowsAtOnce - 1) / kRowsAtOnce), make, take);
}

/// Returns `text` as a field of CSV: in quotes if it contains a character that would end it.
std::string csv_field(const std::string& text);

/// Returns a path of the same file that no spreadsheet interprets as a formula: "./=name".
std::string harmless_name(const std::string& path);

}  // namespace gpuccl::io
