#include "io/write/preview.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "io/png/png.hpp"

namespace gpuccl::io {
namespace {

constexpr std::uint8_t kBetweenTiles = 48, kSliceNumber = 230;  // gray
constexpr int kOpaque = 255, kFill = 120;  // opacity of labels over an image: outline, inside
constexpr std::size_t kMaxNumbers = 150;
constexpr int kNumberShare = 110;     // of the longer side of a sheet is the height of numbers of components
constexpr int kMaxNumberHeight = 22;  // pixels
constexpr int kRowsATask = 16, kRowsAtOnce = 128;  // of pixels

/// Rows of pixels of all tiles, numbered in the order of the rows of labels that they show.
struct SheetRows {
  Extent extent;
  ContactSheet sheet;

  int count() const { return sheet.shown * sheet.tile_height; }
  std::int64_t begin_of(int row) const {
    return std::int64_t{row / sheet.tile_height} * sheet.slice_step * extent.height +
           std::int64_t{row % sheet.tile_height} * sheet.factor;
  }
  std::int64_t end_of(int row) const {
    return std::min(begin_of(row) + sheet.factor,
                    (std::int64_t{row / sheet.tile_height} * sheet.slice_step + 1) * extent.height);
  }
};

/// Makes rows of pixels out of rows of labels.
class Reducer {
 public:
  /// `first_row`: which row of the whole the first one of the labels is.
  Reducer(const MappedLabels& labels, std::int64_t first_row, const ContactSheet& sheet)
      : labels_(labels), first_row_(first_row), sheet_(sheet) {}

  /// Begins a row of pixels. Then rows of labels are added, which are prepared.
  void start(int row, PreviewRow& out) const {
    out.row = row;
    out.labels.assign(static_cast<std::size_t>(sheet_.tile_width), 0);
    out.covered.assign(static_cast<std::size_t>(sheet_.tile_width), 0);
  }
  void add(std::int64_t begin, std::int64_t end, PreviewRow& out) {
    // The runs of one row at a time: those of wide rows that show as one would take much memory.
    for (std::int64_t row = begin; row < end; ++row) {
      list_runs(labels_, row - first_row_, 1, runs_);
      for (const LabelRun& run : runs_.runs) add(run, out);
    }
  }

 private:
  void add(const LabelRun& run, PreviewRow& out) const {
    for (int x = run.begin; x < run.end;) {
      const int pixel = x / sheet_.factor;
      const auto end =
          static_cast<int>(std::min<std::int64_t>(run.end, (std::int64_t{pixel} + 1) * sheet_.factor));
      const auto i = static_cast<std::size_t>(pixel);
      if (out.labels[i] == 0) out.labels[i] = run.label;
      const auto count = static_cast<std::uint32_t>(end - x);
      out.covered[i] += std::min(count, UINT32_MAX - out.covered[i]);
      x = end;
    }
  }

  const MappedLabels& labels_;
  std::int64_t first_row_;
  const ContactSheet& sheet_;
  LabelRuns runs_;
};

std::uint8_t mixed(int below, int above, int share, int full) {
  return static_cast<std::uint8_t>((below * (full - share) + above * share + full / 2) / full);
}

}  // namespace

std::vector<NumberedComponent> largest_components(
    const Components& components, Label first, const std::function<std::uint64_t(std::size_t i)>& number_of) {
  std::vector<NumberedComponent> largest;  // a heap, whose front is the smallest
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::uint64_t area = components.area[i];
    if (largest.size() == kMaxNumbers && area <= largest.front().area) continue;
    const std::uint64_t number = number_of(i);
    if (number == 0) continue;
    NumberedComponent one{first + static_cast<Label>(i) + 1, number, area, components.box[i], {}};
    for (int axis = 0; axis < 3; ++axis) {
      const auto k = static_cast<std::size_t>(axis);
      one.center[k] =
          std::clamp(static_cast<int>(components.centroid(i, axis) + 0.5), one.box.min[k], one.box.max[k]);
    }
    largest.push_back(one);
    std::push_heap(largest.begin(), largest.end());
    if (largest.size() <= kMaxNumbers) continue;
    std::pop_heap(largest.begin(), largest.end());
    largest.pop_back();
  }
  keep_largest(largest);
  return largest;
}

void keep_largest(std::vector<NumberedComponent>& components) {
  std::sort(components.begin(), components.end());
  if (components.size() > kMaxNumbers) components.resize(kMaxNumbers);
}

std::int64_t bytes_of_preview_rows(Extent extent, std::int64_t runs) {
  constexpr std::int64_t kWhileTheyGrow = 2 * sizeof(LabelRun);
  const ContactSheet sheet = plan_contact_sheet(extent);
  const std::int64_t tasks =
      std::min<std::int64_t>(oneapi::tbb::this_task_arena::max_concurrency(),
                             std::int64_t{sheet.shown} * sheet.tile_height * 2 / kRowsATask + 1);
  return tasks * kWhileTheyGrow * runs;
}

void reduce_for_preview(const MappedLabels& labels, Extent whole, std::int64_t first_row,
                        const std::function<void(const PreviewRow& row)>& take) {
  namespace tbb = oneapi::tbb;
  const SheetRows rows{whole, plan_contact_sheet(whole)};
  const std::int64_t end_row = first_row + labels.labels.extent().rows();
  const auto prepare = [&](std::int64_t row) {
    return first_row + labels.labels.prepare(row - first_row, 1);
  };
  std::vector<PreviewRow> at_once(kRowsAtOnce);
  const auto reduce_rows = [&](int begin, int end) {
    tbb::parallel_for(tbb::blocked_range<int>(begin, end, kRowsATask),
                      [&](const tbb::blocked_range<int>& range) {
                        Reducer reducer(labels, first_row, rows.sheet);
                        for (int row = range.begin(); row < range.end(); ++row) {
                          PreviewRow& out = at_once[static_cast<std::size_t>(row - begin)];
                          reducer.start(row, out);
                          reducer.add(rows.begin_of(row), rows.end_of(row), out);
                        }
                      });
    for (int row = begin; row < end; ++row) take(at_once[static_cast<std::size_t>(row - begin)]);
  };
  // Rows are not asked for together that show as one: labels that come part by part would keep them.
  const auto reduce_as_they_come = [&](int row) {
    Reducer reducer(labels, first_row, rows.sheet);
    PreviewRow& out = at_once.front();
    reducer.start(row, out);
    const std::int64_t end = std::min(rows.end_of(row), end_row);
    for (std::int64_t at = std::max(rows.begin_of(row), first_row), ready = at; at < end; at = ready) {
      ready = std::min(prepare(at), end);
      reducer.add(at, ready, out);
    }
    take(out);
  };
  int begin = 0;
  while (begin < rows.count() && rows.end_of(begin) <= first_row) ++begin;
  for (int end = begin; begin < rows.count() && rows.begin_of(begin) < end_row; begin = end) {
    if (rows.begin_of(begin) >= first_row) {
      const std::int64_t ready = std::min(prepare(rows.begin_of(begin)), end_row);
      while (end < rows.count() && end < begin + kRowsAtOnce && rows.end_of(end) <= ready) ++end;
    }
    if (end > begin)
      reduce_rows(begin, end);
    else
      reduce_as_they_come(end++);
  }
}

void append(std::vector<std::byte>& message, const PreviewRow& row) {
  const auto put = [&](const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    message.insert(message.end(), from, from + bytes);
  };
  const auto width = static_cast<std::uint32_t>(row.labels.size());
  put(&row.row, sizeof row.row);
  put(&width, sizeof width);
  put(row.labels.data(), width * sizeof(Label));
  put(row.covered.data(), width * sizeof(std::uint32_t));
}

void for_each_row(std::span<const std::byte> message,
                  const std::function<void(const PreviewRow& row)>& take) {
  const auto get = [&](void* data, std::size_t bytes) {
    std::memcpy(data, message.data(), bytes);
    message = message.subspan(bytes);
  };
  PreviewRow row;
  while (!message.empty()) {
    std::uint32_t width = 0;
    get(&row.row, sizeof row.row);
    get(&width, sizeof width);
    row.labels.resize(width);
    row.covered.resize(width);
    get(row.labels.data(), width * sizeof(Label));
    get(row.covered.data(), width * sizeof(std::uint32_t));
    take(row);
  }
}

Preview::Preview(Extent extent, const std::vector<NumberedComponent>& numbered)
    : extent_(extent),
      sheet_(plan_contact_sheet(extent)),
      pixels_(static_cast<std::size_t>(sheet_.width()) * static_cast<std::size_t>(sheet_.height()) * 3,
              kBetweenTiles) {
  above_.row = current_.row = -1;
  // A component has its number on the shown slice that is nearest to its center.
  for (const NumberedComponent& one : numbered) {
    const int first = (one.box.min[2] + sheet_.slice_step - 1) / sheet_.slice_step,
              last = one.box.max[2] / sheet_.slice_step;
    if (first > last) continue;
    const int tile = std::clamp((one.center[2] + sheet_.slice_step / 2) / sheet_.slice_step, first, last);
    const int y = one.center[1] / sheet_.factor, x = one.center[0] / sheet_.factor;
    numbers_.push_back({one, tile, tile * sheet_.tile_height + y, x});
  }
  std::sort(numbers_.begin(), numbers_.end(), [](const Number& a, const Number& b) { return a.row < b.row; });
  if (sheet_.caption_height == 0) return;
  const Digits digits(sheet_.text_height);
  for (int tile = 0; tile < sheet_.shown; ++tile) {
    const std::string text = std::to_string(sheet_.slice(tile));
    const int indent = std::min(sheet_.text_height / 3, sheet_.tile_width - digits.width(text)),
              left = sheet_.left(tile) + indent,
              top = sheet_.top(tile) - sheet_.text_height - sheet_.text_height / 4;
    digits.draw(text, [&](int x, int y, int ink, int) {
      if (ink > 0 && left + x >= 0 && top + y >= 0)
        std::fill_n(pixels_at(left + x, top + y), 3, mixed(kBetweenTiles, kSliceNumber, ink, Digits::kFull));
    });
  }
}

void Preview::draw_image(const SampleSource& source, std::int64_t memory, bool invert) {
  draw_gray(source, memory, sheet_, invert, pixels_.data());
  has_image_ = true;
}

void Preview::add(const PreviewRow& row) {
  if (row.row == current_.row) {
    for (std::size_t i = 0; i < row.labels.size(); ++i) {
      if (current_.labels[i] == 0) current_.labels[i] = row.labels[i];
      current_.covered[i] += std::min(row.covered[i], UINT32_MAX - current_.covered[i]);
    }
    return;
  }
  if (current_.row >= 0) {
    finish(current_, &row);
    std::swap(above_, current_);
  }
  current_ = row;
}

/// Draws a row: inside of labels the image shows through.
void Preview::finish(PreviewRow& row, const PreviewRow* below) {
  const SheetRows rows{extent_, sheet_};
  const int tile = row.row / sheet_.tile_height, y = row.row % sheet_.tile_height;
  const bool has_above = y > 0 && above_.row == row.row - 1,
             has_below = below != nullptr && y + 1 < sheet_.tile_height && below->row == row.row + 1;
  std::uint8_t* pixel = pixels_at(sheet_.left(tile), sheet_.top(tile) + y);
  if (!has_image_) std::fill_n(pixel, 3 * sheet_.tile_width, std::uint8_t{0});
  const std::int64_t height = rows.end_of(row.row) - rows.begin_of(row.row);
  Label label = 0;
  Rgb color{};
  const std::size_t width = row.labels.size();
  for (std::size_t i = 0; i < width; ++i, pixel += 3) {
    if (row.labels[i] == 0) continue;
    if (row.labels[i] != label) color = label_color(label = row.labels[i]);
    const auto differs = [&](const PreviewRow& other, std::size_t at) { return other.labels[at] != label; };
    const bool is_edge = (i > 0 && differs(row, i - 1)) || (i + 1 < width && differs(row, i + 1)) ||
                         (has_above && differs(above_, i)) || (has_below && differs(*below, i));
    const std::int64_t across =
        std::min<std::int64_t>(sheet_.factor, extent_.width - static_cast<std::int64_t>(i) * sheet_.factor);
    // Pixels with few labeled elements show more of what is below, but not so much that thin lines vanish.
    const std::int64_t half = (height * across + 1) / 2, opacity = has_image_ && !is_edge ? kFill : kOpaque;
    const auto share = static_cast<int>(opacity * std::min<std::int64_t>(row.covered[i], half) / half);
    for (std::size_t c = 0; c < 3; ++c) pixel[c] = mixed(pixel[c], color[c], share, kOpaque);
  }
  find_numbers(row);
}

/// Moves numbers of components to the nearest of their runs in the row of their center.
void Preview::find_numbers(const PreviewRow& row) {
  const auto [begin, end] = std::equal_range(numbers_.begin(), numbers_.end(), Number{{}, 0, row.row, 0},
                                             [](const Number& a, const Number& b) { return a.row < b.row; });
  const auto width = static_cast<int>(row.labels.size());
  for (auto number = begin; number != end; ++number) {
    const Label label = number->component.label;
    const auto is_at = [&](int x) { return row.labels[static_cast<std::size_t>(x)] == label; };
    int nearest = -1;
    for (int x = 0; x < width; ++x)
      if (is_at(x) && (nearest < 0 || std::abs(x - number->x) < std::abs(nearest - number->x))) nearest = x;
    if (nearest < 0) continue;
    int left = nearest, right = nearest + 1;
    while (left > 0 && is_at(left - 1)) --left;
    while (right < width && is_at(right)) ++right;
    number->is_found = true;
    // Long runs may be of a part of the component that is wide: the center is better.
    if (nearest != number->x || right - left < sheet_.tile_width / 4) number->x = (left + right) / 2;
  }
}

/// Writes the numbers of the largest components, as long as they do not cover others.
void Preview::write_numbers() {
  if (numbers_.empty()) return;
  const Digits digits(std::min(std::max(sheet_.width(), sheet_.height()) / kNumberShare, kMaxNumberHeight));
  std::sort(numbers_.begin(), numbers_.end(),
            [](const Number& a, const Number& b) { return a.component < b.component; });
  std::vector<std::array<int, 4>> taken;
  for (const Number& number : numbers_) {
    const std::string text = std::to_string(number.component.number);
    const Box& box = number.component.box;
    const int width = digits.width(text), height = digits.height();
    if (!number.is_found || width > sheet_.tile_width || height > sheet_.tile_height) continue;
    // A number that hides its component helps nobody.
    const int across = (box.max[0] - box.min[0]) / sheet_.factor + 1,
              along = (box.max[1] - box.min[1]) / sheet_.factor + 1;
    if (std::int64_t{width} * height > std::int64_t{across} * along ||
        (2 * across < 3 * width && 2 * along < 3 * height))
      continue;
    const int y = number.row % sheet_.tile_height,
              left =
                  sheet_.left(number.tile) + std::clamp(number.x - width / 2, 0, sheet_.tile_width - width),
              top = sheet_.top(number.tile) + std::clamp(y - height / 2, 0, sheet_.tile_height - height);
    const int apart = height / 2 + Digits::kMargin;
    const bool covers = std::any_of(taken.begin(), taken.end(), [&](const std::array<int, 4>& other) {
      return left < other[2] + apart && other[0] < left + width + apart && top < other[3] + apart &&
             other[1] < top + height + apart;
    });
    if (covers) continue;
    taken.push_back({left, top, left + width, top + height});
    digits.draw(text, [&](int x, int y_in, int ink, int halo) {
      const int px = left + x, py = top + y_in;
      if (px < 0 || py < 0 || px >= sheet_.width() || py >= sheet_.height()) return;
      std::uint8_t* const pixel = pixels_at(px, py);
      for (int c = 0; c < 3; ++c)
        pixel[c] = mixed(mixed(pixel[c], 0, halo, Digits::kFull), 255, ink, Digits::kFull);
    });
  }
}

void Preview::write(AtomicFile& file) {
  if (current_.row >= 0) finish(current_, nullptr);
  write_numbers();
  PngOutput png(file, {.width = sheet_.width(),
                       .height = sheet_.height(),
                       .bits = 8,
                       .color = PngColor::rgb,
                       .resolution = {},
                       .is_flat = !has_image_});
  png.write_rows(pixels_.data(), 3 * static_cast<std::size_t>(sheet_.width()),
                 static_cast<std::size_t>(sheet_.height()));
  png.finish();
}

}  // namespace gpuccl::io
