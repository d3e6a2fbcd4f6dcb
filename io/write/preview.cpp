#include "io/write/preview.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "io/png/png_output.hpp"
#include "io/write/contact_sheet.hpp"
#include "io/write/digits.hpp"
#include "io/write/label_color.hpp"

namespace gpuccl::io {
namespace {

constexpr std::uint8_t kBetweenTiles = 48, kDigits = 255;  // gray
constexpr int kRowsATask = 16;                             // of pixels

/// What the elements of one pixel add up to.
struct Sum {
  std::array<std::uint64_t, 3> color{};
  std::uint64_t foreground = 0;
};

/// Makes rows of pixels out of rows of labels.
class Reducer {
 public:
  Reducer(const MappedLabels& labels, const ContactSheet& sheet)
      : labels_(labels), sheet_(sheet), sums_(static_cast<std::size_t>(sheet.tile_width)) {}

  /// A row of pixels that shows rows [begin, end) of all rows, all of them prepared.
  void reduce(std::int64_t begin, std::int64_t end, std::uint8_t* pixels) {
    start();
    add(begin, end);
    finish(end - begin, pixels);
  }

  // The same bit by bit: `rows` is how many were added.
  void start() { std::fill(sums_.begin(), sums_.end(), Sum{}); }
  void add(std::int64_t begin, std::int64_t end) {
    // The runs of one row at a time: those of wide rows that show as one would take much memory.
    for (std::int64_t row = begin; row < end; ++row) {
      list_runs(labels_, row, 1, runs_);
      for (const LabelRun& run : runs_.runs) add(run);
    }
  }
  void finish(std::int64_t rows, std::uint8_t* pixels) const {
    const std::int64_t width = labels_.labels.extent().width;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const std::int64_t across =
          std::min<std::int64_t>(sheet_.factor, width - static_cast<std::int64_t>(i) * sheet_.factor);
      // Pixels with little foreground are darker, but not so dark that thin lines vanish.
      const auto half = static_cast<std::uint64_t>((rows * across + 1) / 2);
      for (const std::uint64_t channel : sums_[i].color)
        *pixels++ = static_cast<std::uint8_t>(channel / std::max(sums_[i].foreground, half));
    }
  }

 private:
  void add(const LabelRun& run) {
    const Rgb color = label_color(run.label);
    for (int x = run.begin; x < run.end;) {
      const int pixel = x / sheet_.factor;
      const auto end =
          static_cast<int>(std::min<std::int64_t>(run.end, (std::int64_t{pixel} + 1) * sheet_.factor));
      Sum& sum = sums_[static_cast<std::size_t>(pixel)];
      const auto count = static_cast<std::uint64_t>(end - x);
      for (std::size_t c = 0; c < 3; ++c) sum.color[c] += count * color[c];
      sum.foreground += count;
      x = end;
    }
  }

  const MappedLabels& labels_;
  const ContactSheet& sheet_;
  LabelRuns runs_;
  std::vector<Sum> sums_;
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

void write_preview(AtomicFile& file, const MappedLabels& labels) {
  const ContactSheet sheet = plan_contact_sheet(labels.labels.extent());
  const std::size_t row_bytes = static_cast<std::size_t>(sheet.width()) * 3;
  std::vector<std::uint8_t> pixels(row_bytes * static_cast<std::size_t>(sheet.height()), kBetweenTiles);

  paint_captions(sheet, row_bytes, pixels.data());

  // Rows of tiles are numbered in the order of the rows of labels that they show.
  const std::int64_t height = labels.labels.extent().height;
  const auto begin_of = [&](int i) {
    return std::int64_t{i / sheet.tile_height} * sheet.slice_step * height +
           std::int64_t{i % sheet.tile_height} * sheet.factor;
  };
  const auto end_of = [&](int i) {
    return std::min(begin_of(i) + sheet.factor,
                    (std::int64_t{i / sheet.tile_height} * sheet.slice_step + 1) * height);
  };
  namespace tbb = oneapi::tbb;
  const auto pixels_of = [&](int i) {
    const int tile = i / sheet.tile_height, y = i % sheet.tile_height;
    const auto top = static_cast<std::size_t>(sheet.top(tile) + y),
               left = static_cast<std::size_t>(sheet.left(tile));
    return pixels.data() + top * row_bytes + left * 3;
  };
  const auto reduce_rows = [&](const tbb::blocked_range<int>& tile_rows) {
    Reducer reducer(labels, sheet);
    for (int i = tile_rows.begin(); i < tile_rows.end(); ++i)
      reducer.reduce(begin_of(i), end_of(i), pixels_of(i));
  };
  // Rows are not asked for together that show as one: labels that come part by part would keep them.
  const auto reduce_as_they_come = [&](int i) {
    Reducer reducer(labels, sheet);
    reducer.start();
    for (std::int64_t row = begin_of(i), ready = row; row < end_of(i); row = ready) {
      ready = std::min(labels.labels.prepare(row, 1), end_of(i));
      reducer.add(row, ready);
    }
    reducer.finish(end_of(i) - begin_of(i), pixels_of(i));
  };
  const int count = sheet.shown * sheet.tile_height;
  for (int begin = 0, end = 0; begin < count; begin = end) {
    const std::int64_t ready = labels.labels.prepare(begin_of(begin), 1);
    while (end < count && end_of(end) <= ready) ++end;
    if (end > begin)
      tbb::parallel_for(tbb::blocked_range<int>(begin, end, kRowsATask), reduce_rows);
    else
      reduce_as_they_come(end++);
  }

  PngOutput png(file, {.width = sheet.width(),
                       .height = sheet.height(),
                       .bits = 8,
                       .color = PngColor::rgb,
                       .resolution = {}});
  png.write_rows(pixels.data(), row_bytes, static_cast<std::size_t>(sheet.height()));
  png.finish();
}

}  // namespace gpuccl::io
