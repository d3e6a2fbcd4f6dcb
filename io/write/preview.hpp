#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"
#include "io/write/contact_sheet.hpp"

namespace gpuccl::io {

/// Colour preview: every label its own stable colour on black. A volume becomes a contact sheet of its
/// slices, as plan_contact_sheet lays it out, with their numbers from 0 as in reports.
void write_preview(AtomicFile& file, const MappedLabels& labels);

/// Bytes that this takes for runs of rows, of which no row has more than `runs`.
std::int64_t bytes_of_preview_rows(Extent extent, std::int64_t runs);

/// Sum of the pixels that one pixel of the preview averages.
struct PreviewSum {
  std::array<std::uint64_t, 3> color{};
  std::uint64_t foreground = 0;

  void add(const PreviewSum& other) {
    for (std::size_t i = 0; i < color.size(); ++i) color[i] += other.color[i];
    foreground += other.foreground;
  }
};

/// A preview that several parts make together, each of its own rows.
class Preview {
 public:
  explicit Preview(Extent extent);

  /// Draws what the rows of `labels` show, which are those of the whole from `first_row` on. Once, all other
  /// rows come as messages.
  void add(const MappedLabels& labels, std::int64_t first_row);
  /// Returns the drawing for the part that writes the preview, which adds the messages in the order of parts.
  std::vector<std::byte> message();
  void add(std::span<const std::byte> message);
  void write(AtomicFile& file);

 private:
  /// A row of pixels that shows rows of other parts, too.
  struct PartOfRow {
    int row = 0;
    std::vector<PreviewSum> sums;
  };

  int count() const;
  std::int64_t begin_of(int row) const;
  std::int64_t end_of(int row) const;
  std::uint8_t* pixels_of(int row);
  std::size_t tile_bytes() const { return static_cast<std::size_t>(sheet_.tile_width) * 3; }
  void draw(int row, const std::vector<PreviewSum>& sums);

  Extent extent_;
  ContactSheet sheet_;
  std::size_t row_bytes_;
  std::vector<std::uint8_t> pixels_;
  int begin_ = 0, end_ = 0;  // rows of pixels that were drawn
  std::vector<PartOfRow> parts_of_rows_;
};

}  // namespace gpuccl::io
