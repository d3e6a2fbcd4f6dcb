#include "io/write/preview.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/png/png_output.hpp"
#include "io/write/digits.hpp"
#include "io/write/label_color.hpp"

namespace gpuccl::io {
namespace {

constexpr std::uint8_t kBetweenTiles = 48, kDigits = 255;  // gray
constexpr int kRowsATask = 16;                             // of pixels

/// Makes rows of pixels out of rows of labels.
class Reducer {
 public:
  /// `first_row`: which row of the whole the first one of the labels is.
  Reducer(const MappedLabels& labels, std::int64_t first_row, const ContactSheet& sheet)
      : labels_(labels),
        first_row_(first_row),
        sheet_(sheet),
        sums_(static_cast<std::size_t>(sheet.tile_width)) {}

  /// Begins another row of pixels. Then rows of labels are added, which are prepared.
  void start() { std::fill(sums_.begin(), sums_.end(), PreviewSum{}); }
  void add(std::int64_t begin, std::int64_t end) {
    // The runs of one row at a time: those of wide rows that show as one would take much memory.
    for (std::int64_t row = begin; row < end; ++row) {
      list_runs(labels_, row - first_row_, 1, runs_);
      for (const LabelRun& run : runs_.runs) add(run);
    }
  }
  const std::vector<PreviewSum>& sums() const { return sums_; }

 private:
  void add(const LabelRun& run) {
    const Rgb color = label_color(run.label);
    for (int x = run.begin; x < run.end;) {
      const int pixel = x / sheet_.factor;
      const auto end =
          static_cast<int>(std::min<std::int64_t>(run.end, (std::int64_t{pixel} + 1) * sheet_.factor));
      PreviewSum& sum = sums_[static_cast<std::size_t>(pixel)];
      const auto count = static_cast<std::uint64_t>(end - x);
      for (std::size_t c = 0; c < 3; ++c) sum.color[c] += count * color[c];
      sum.foreground += count;
      x = end;
    }
  }

  const MappedLabels& labels_;
  std::int64_t first_row_;
  const ContactSheet& sheet_;
  LabelRuns runs_;
  std::vector<PreviewSum> sums_;
};

/// The number of each slice above it.
void paint_captions(const ContactSheet& sheet, std::size_t row_bytes, std::uint8_t* pixels) {
  if (sheet.caption_height == 0) return;
  for (int tile = 0; tile < sheet.shown; ++tile) {
    paint_number(sheet.slice(tile), [&](int x, int y) {
      const auto row = static_cast<std::size_t>(sheet.top(tile) - 1 - kDigitHeight + y),
                 column = static_cast<std::size_t>(sheet.left(tile) + x);
      std::fill_n(pixels + row * row_bytes + column * 3, 3, kDigits);
    });
  }
}

}  // namespace

std::int64_t bytes_of_preview_rows(Extent extent, std::int64_t runs) {
  constexpr std::int64_t kWhileTheyGrow = 2 * sizeof(LabelRun);
  const ContactSheet sheet = plan_contact_sheet(extent);
  const std::int64_t tasks =
      std::min<std::int64_t>(oneapi::tbb::this_task_arena::max_concurrency(),
                             std::int64_t{sheet.shown} * sheet.tile_height * 2 / kRowsATask + 1);
  return tasks * kWhileTheyGrow * runs;
}

Preview::Preview(Extent extent)
    : extent_(extent),
      sheet_(plan_contact_sheet(extent)),
      row_bytes_(static_cast<std::size_t>(sheet_.width()) * 3),
      pixels_(row_bytes_ * static_cast<std::size_t>(sheet_.height()), kBetweenTiles) {
  paint_captions(sheet_, row_bytes_, pixels_.data());
}

// Rows of pixels of all tiles are numbered in the order of the rows of labels that they show.
int Preview::count() const { return sheet_.shown * sheet_.tile_height; }

std::int64_t Preview::begin_of(int row) const {
  return std::int64_t{row / sheet_.tile_height} * sheet_.slice_step * extent_.height +
         std::int64_t{row % sheet_.tile_height} * sheet_.factor;
}

std::int64_t Preview::end_of(int row) const {
  return std::min(begin_of(row) + sheet_.factor,
                  (std::int64_t{row / sheet_.tile_height} * sheet_.slice_step + 1) * extent_.height);
}

std::uint8_t* Preview::pixels_of(int row) {
  const int tile = row / sheet_.tile_height, y = row % sheet_.tile_height;
  return pixels_.data() + static_cast<std::size_t>(sheet_.top(tile) + y) * row_bytes_ +
         static_cast<std::size_t>(sheet_.left(tile)) * 3;
}

void Preview::draw(int row, const std::vector<PreviewSum>& sums) {
  std::uint8_t* pixels = pixels_of(row);
  const std::int64_t rows = end_of(row) - begin_of(row);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int64_t across =
        std::min<std::int64_t>(sheet_.factor, extent_.width - static_cast<std::int64_t>(i) * sheet_.factor);
    // Pixels with little foreground are darker, but not so dark that thin lines vanish.
    const auto half = static_cast<std::uint64_t>((rows * across + 1) / 2);
    for (const std::uint64_t channel : sums[i].color)
      *pixels++ = static_cast<std::uint8_t>(channel / std::max(sums[i].foreground, half));
  }
}

void Preview::add(const MappedLabels& labels, std::int64_t first_row) {
  namespace tbb = oneapi::tbb;
  const std::int64_t end_row = first_row + labels.labels.extent().rows();
  const auto prepare = [&](std::int64_t row) {
    return first_row + labels.labels.prepare(row - first_row, 1);
  };
  const auto reduce_rows = [&](const tbb::blocked_range<int>& rows) {
    Reducer reducer(labels, first_row, sheet_);
    for (int row = rows.begin(); row < rows.end(); ++row) {
      reducer.start();
      reducer.add(begin_of(row), end_of(row));
      draw(row, reducer.sums());
    }
  };
  // Rows are not asked for together that show as one: labels that come part by part would keep them.
  const auto reduce_as_they_come = [&](int row) {
    Reducer reducer(labels, first_row, sheet_);
    reducer.start();
    const std::int64_t end = std::min(end_of(row), end_row);
    for (std::int64_t at = std::max(begin_of(row), first_row), ready = at; at < end; at = ready) {
      ready = std::min(prepare(at), end);
      reducer.add(at, ready);
    }
    if (begin_of(row) < first_row || end_of(row) > end_row)
      parts_of_rows_.push_back({row, reducer.sums()});
    else
      draw(row, reducer.sums());
  };
  int begin = 0;
  while (begin < count() && end_of(begin) <= first_row) ++begin;
  begin_ = begin;
  for (int end = begin; begin < count() && begin_of(begin) < end_row; begin = end) {
    if (begin_of(begin) >= first_row) {
      const std::int64_t ready = std::min(prepare(begin_of(begin)), end_row);
      while (end < count() && end_of(end) <= ready) ++end;
    }
    if (end > begin)
      tbb::parallel_for(tbb::blocked_range<int>(begin, end, kRowsATask), reduce_rows);
    else
      reduce_as_they_come(end++);
  }
  end_ = begin;
}

std::vector<std::byte> Preview::message() {
  std::vector<std::byte> message;
  const auto put = [&](const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    message.insert(message.end(), from, from + bytes);
  };
  const int head[] = {begin_, end_, static_cast<int>(parts_of_rows_.size())};
  put(head, sizeof head);
  for (int row = begin_; row < end_; ++row) put(pixels_of(row), tile_bytes());
  for (const PartOfRow& part : parts_of_rows_) {
    put(&part.row, sizeof part.row);
    put(part.sums.data(), part.sums.size() * sizeof(PreviewSum));
  }
  return message;
}

void Preview::add(std::span<const std::byte> message) {
  const auto take = [&](void* data, std::size_t bytes) {
    std::memcpy(data, message.data(), bytes);
    message = message.subspan(bytes);
  };
  int head[3];
  take(head, sizeof head);
  const auto [begin, end, parts] = head;
  for (int row = begin; row < end; ++row) take(pixels_of(row), tile_bytes());
  for (int i = 0; i < parts; ++i) {
    PartOfRow part{0, std::vector<PreviewSum>(static_cast<std::size_t>(sheet_.tile_width))};
    take(&part.row, sizeof part.row);
    take(part.sums.data(), part.sums.size() * sizeof(PreviewSum));
    parts_of_rows_.push_back(std::move(part));
  }
}

void Preview::write(AtomicFile& file) {
  // Rows shared by several parts are adjacent, because parts are in the order of rows.
  for (std::size_t i = 0; i < parts_of_rows_.size();) {
    PartOfRow& row = parts_of_rows_[i];
    for (++i; i < parts_of_rows_.size() && parts_of_rows_[i].row == row.row; ++i)
      for (std::size_t x = 0; x < row.sums.size(); ++x) row.sums[x].add(parts_of_rows_[i].sums[x]);
    draw(row.row, row.sums);
  }
  PngOutput png(file, {.width = sheet_.width(),
                       .height = sheet_.height(),
                       .bits = 8,
                       .color = PngColor::rgb,
                       .resolution = {}});
  png.write_rows(pixels_.data(), row_bytes_, static_cast<std::size_t>(sheet_.height()));
  png.finish();
}

void write_preview(AtomicFile& file, const MappedLabels& labels) {
  Preview preview(labels.labels.extent());
  preview.add(labels, 0);
  preview.write(file);
}

}  // namespace gpuccl::io
