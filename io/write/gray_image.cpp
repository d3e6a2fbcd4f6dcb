#include "io/write/gray_image.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>

#include "io/image/each_slice.hpp"

namespace gpuccl::io {
namespace {

constexpr int kMost = 64;  // samples of a row that are averaged, and pixels at a time
constexpr std::uint8_t kBorder = 128;
// Levels of white: labels are brighter. In light images, such as pages, they would hardly be seen on the
// paper.
constexpr int kWhite = 225, kWhiteOfLight = 64;

/// Calls `take(z, rows)` for the rows of every `step`-th slice, from several threads.
template <class Take>
void visit_slices(const SampleSource& source, std::int64_t memory, std::int64_t step, Take take) {
  const auto visit_group = [&](int begin, int end) {
    const std::int64_t first = (begin + step - 1) / step * step;
    if (first >= end && !source.in_order()) return;
    source.decode_group(begin, end, [&](int z, const SampleRows& rows) {
      if (z % step == 0) take(z, rows);
    });
  };
  for_each_group(source, 0, source.info().extent.depth, source.buffer_bytes(), memory, visit_group);
}

double mean(const double* values, int count) {
  double sum = 0;
  int finite = 0;
  for (int i = 0; i < count; ++i)
    if (std::isfinite(values[i])) {
      sum += values[i];
      ++finite;
    }
  return finite == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / finite;
}

/// Calls `take(x, mean)` for each `factor` samples of a row.
template <class Take>
void reduce_row(const SampleFormat& format, const std::byte* row, int width, int factor, Take take) {
  std::array<double, std::size_t{kMost} * kMost> values;
  const int count = static_cast<int>((std::int64_t{width} + factor - 1) / factor);
  const int at_once = factor <= kMost ? kMost : 1;
  for (int begin = 0; begin < count; begin += at_once) {
    const int end = std::min(begin + at_once, count);
    const std::int64_t first = std::int64_t{begin} * factor;
    const auto samples =
        static_cast<int>(std::min<std::int64_t>(width - first, std::int64_t{at_once} * factor));
    const int used = std::min(samples, kMost * at_once), skipped = (samples - used) / 2;
    to_values(format, false, row, first + skipped, used, values.data());
    for (int x = begin; x < end; ++x) {
      const int at = at_once == 1 ? 0 : (x - begin) * factor;
      take(x, mean(values.data() + at, at_once == 1 ? used : std::min(factor, used - at)));
    }
  }
}

/// Returns values of pixels all over the image, about a million at most.
std::vector<float> some_values(const SampleSource& source, std::int64_t memory, const ContactSheet& sheet) {
  constexpr int kSlices = 8, kSide = 1024;
  const std::int64_t step = std::int64_t{sheet.slice_step} * ((sheet.shown + kSlices - 1) / kSlices);
  const std::int64_t slices = (source.info().extent.depth + step - 1) / step;
  const int side = static_cast<int>(kSide / std::sqrt(static_cast<double>(slices)));
  std::vector<float> all;
  std::mutex lock;
  visit_slices(source, memory, step, [&](int z, const SampleRows& rows) {
    const Extent page = source.slice_extent(z);
    const int across = (page.width + side - 1) / side, along = (page.height + side - 1) / side;
    std::vector<float> values;
    for (int i = (along - rows.y % along) % along; i < rows.count; i += along)
      reduce_row(rows.format, rows.data + static_cast<std::size_t>(i) * rows.pitch, page.width, across,
                 [&](int, double value) { values.push_back(static_cast<float>(value)); });
    const std::lock_guard locked(lock);
    all.insert(all.end(), values.begin(), values.end());
  });
  return all;
}

}  // namespace

GrayRange gray_range(const std::vector<float>& all) {
  constexpr std::size_t kMostValues = std::size_t{1} << 21;
  std::vector<float> values;
  for (std::size_t i = 0, step = 1 + all.size() / kMostValues; i < all.size(); i += step)
    if (!std::isnan(all[i])) values.push_back(all[i]);
  if (values.empty()) return {};
  const auto at = [&](double share) {
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return static_cast<double>(*place);
  };
  GrayRange range;
  for (const double share : {0.001, 0.0}) {
    range = {at(share), at(1 - share)};
    if (range.black < range.white) return range;
  }
  return {range.black, range.black + 1};
}

void draw_gray(const SampleSource& source, std::int64_t memory, const ContactSheet& sheet,
               std::uint8_t* pixels) {
  const std::vector<float> some = some_values(source, memory, sheet);
  const GrayRange range = gray_range(some);
  const auto light = std::count_if(some.begin(), some.end(),
                                   [&](float value) { return value > (range.black + range.white) / 2; });
  const double white = 2 * light > std::ssize(some) ? kWhiteOfLight : kWhite;
  const double scale = white / (range.white - range.black);
  const auto gray = [&](double value) {
    return static_cast<std::uint8_t>(
        std::isnan(value) ? 0 : std::lround(std::clamp((value - range.black) * scale, 0.0, white)));
  };
  const int factor = sheet.factor;
  const auto pixel = [&](int tile, int x, int y) {
    return pixels +
           3 * (static_cast<std::ptrdiff_t>(sheet.top(tile) + y) * sheet.width() + sheet.left(tile) + x);
  };
  // The two rows of a block may come at the same time: each has a byte of its own in the pixel.
  visit_slices(source, memory, sheet.slice_step, [&](int z, const SampleRows& rows) {
    const int tile = z / sheet.slice_step;
    const Extent page = source.slice_extent(z);
    for (int i = 0; i < rows.count; ++i) {
      const int y = rows.y + i, block = y / factor;
      const std::int64_t first = std::int64_t{block} * factor,
                         count = std::min<std::int64_t>(factor, page.height - first);
      const bool is_upper = y == first + count / 4, is_lower = y == first + 3 * count / 4;
      if (!is_upper && !is_lower) continue;
      std::uint8_t* const line = pixel(tile, 0, block);
      reduce_row(rows.format, rows.data + static_cast<std::size_t>(i) * rows.pitch, page.width, factor,
                 [&](int x, double value) {
                   const std::uint8_t level = gray(value);
                   if (is_upper) line[3 * std::ptrdiff_t{x}] = level;
                   if (is_lower) line[3 * std::ptrdiff_t{x} + 1] = level;
                 });
    }
  });
  for (int tile = 0; tile < sheet.shown; ++tile) {
    const Extent page = source.slice_extent(sheet.slice(tile));
    const int width = (page.width - 1) / factor + 1, height = (page.height - 1) / factor + 1;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::uint8_t* const at = pixel(tile, x, y);
        std::fill_n(at, 3, static_cast<std::uint8_t>((at[0] + at[1] + 1) / 2));
      }
    if (width < sheet.tile_width)
      for (int y = 0; y < std::min(height + 1, sheet.tile_height); ++y)
        std::fill_n(pixel(tile, width, y), 3, kBorder);
    if (height < sheet.tile_height)
      std::fill_n(pixel(tile, 0, height), 3 * std::min(width + 1, sheet.tile_width), kBorder);
  }
}

}  // namespace gpuccl::io
