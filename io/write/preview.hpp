#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"
#include "io/image/samples.hpp"
#include "io/write/contact_sheet.hpp"

namespace gpuccl::io {

using Rgb = std::array<std::uint8_t, 3>;

/// The color of a label in every picture: bright enough to be seen on the black of the background (0), and
/// unlike that of the labels next to it.
constexpr Rgb label_color(Label label) {
  if (label == 0) return {0, 0, 0};
  // A mix of all bits (the end of MurmurHash3), from which hue, saturation and value take theirs.
  std::uint32_t hash = label;
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  hash ^= hash >> 16;
  const std::uint32_t hue = (hash >> 16) * 6;  // sextant in the upper half, place in it in the lower
  const std::uint32_t value = 200 + (hash & 0xff) * 55 / 255;
  const std::uint32_t spread = value * (55 + (hash >> 8 & 0xff) * 40 / 255) / 100;
  const std::uint32_t place = hue & 0xffff;
  const auto high = static_cast<std::uint8_t>(value);
  const auto low = static_cast<std::uint8_t>(value - spread);
  const auto rising = static_cast<std::uint8_t>(value - spread + (spread * place >> 16));
  const auto falling = static_cast<std::uint8_t>(value - (spread * place >> 16));
  switch (hue >> 16) {
    case 0:
      return {high, rising, low};
    case 1:
      return {falling, high, low};
    case 2:
      return {low, high, rising};
    case 3:
      return {low, falling, high};
    case 4:
      return {rising, low, high};
    default:
      return {high, low, falling};
  }
}

/// A component whose number is written on a preview.
struct NumberedComponent {
  Label label = 0;           // in the label image
  std::uint64_t number = 0;  // what is written
  std::uint64_t area = 0;
  Box box;
  std::array<int, 3> center{};

  /// Larger components come first, then those with smaller labels.
  friend bool operator<(const NumberedComponent& a, const NumberedComponent& b) {
    return a.area != b.area ? a.area > b.area : a.label < b.label;
  }
};

/// Returns the components that may get a number: the largest. `number_of(i)`: of component i, whose label is
/// first + i + 1; 0 for none.
std::vector<NumberedComponent> largest_components(
    const Components& components, Label first, const std::function<std::uint64_t(std::size_t i)>& number_of);
/// Keeps the largest of several lists: as many as largest_components() returns.
void keep_largest(std::vector<NumberedComponent>& components);

/// A row of pixels of a preview.
struct PreviewRow {
  int row = 0;
  std::vector<Label> labels;           // of each pixel the first label in it
  std::vector<std::uint32_t> covered;  // elements in each pixel that have a label
};

/// Reduces `labels`, which are rows of the whole from `first_row` on, to rows of pixels of its preview, and
/// passes them to `take` in ascending order. Other parts may have rows of the first and the last, too.
void reduce_for_preview(const MappedLabels& labels, Extent whole, std::int64_t first_row,
                        const std::function<void(const PreviewRow& row)>& take);

/// Returns the memory of reduce_for_preview(), if no row has more than `runs` runs.
std::int64_t bytes_of_preview_rows(Extent extent, std::int64_t runs);

// Messages with rows of pixels between parts.
void append(std::vector<std::byte>& message, const PreviewRow& row);
void for_each_row(std::span<const std::byte> message, const std::function<void(const PreviewRow& row)>& take);

/// A picture in color: every label in its own stable color over the image in gray, with outlines, or on
/// black. A volume becomes a contact sheet of its slices, as plan_contact_sheet() lays it out, with their
/// numbers from 0 as in reports.
class Preview {
 public:
  /// `numbered`: components that may get a number.
  explicit Preview(Extent extent, const std::vector<NumberedComponent>& numbered = {});

  /// Draws the image below the labels, before the first row. `invert`: light as dark.
  void draw_image(const SampleSource& source, std::int64_t memory, bool invert);
  /// Adds rows in ascending order. Rows shared by several parts are added by each of them.
  void add(const PreviewRow& row);
  /// Writes the PNG. Call it after the last row.
  void write(AtomicFile& file);

 private:
  void finish(PreviewRow& row, const PreviewRow* below);
  void find_numbers(const PreviewRow& row);
  void write_numbers();
  std::uint8_t* pixels_at(int x, int y) {
    return pixels_.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(sheet_.width()) +
                                 static_cast<std::size_t>(x));
  }

  /// A number, on the row of pixels where it is looked for.
  struct Number {
    NumberedComponent component;
    int tile = 0, row = 0, x = 0;
    bool is_found = false;
  };

  Extent extent_;
  ContactSheet sheet_;
  bool has_image_ = false;
  std::vector<std::uint8_t> pixels_;
  PreviewRow above_, current_;
  std::vector<Number> numbers_;  // in the order of rows
};

}  // namespace gpuccl::io
