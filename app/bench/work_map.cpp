
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "app/bench/reports.hpp"

namespace gpuccl::bench {

namespace {

constexpr int kGap = 4;

using Color = std::array<std::uint8_t, 3>;

/// Viridis, which grows lighter all the way and remains readable with color blindness; `share` is 0 to 1.
Color color_of(double share) {
  static constexpr std::array<Color, 5> kStops = {
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double place = share * (kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  Color color;
  for (std::size_t i = 0; i < color.size(); ++i)
    color[i] = static_cast<std::uint8_t>(
        std::lround(std::lerp(kStops[below][i], kStops[below + 1][i], place - static_cast<double>(below))));
  return color;
}

/// A grid of thread blocks over an image.
struct Grid {
  int width, height;

  explicit Grid(const WorkMap& map)
      : width(static_cast<int>(map.blocks_a_row)),
        height(static_cast<int>(map.blocks.size() / map.blocks_a_row)) {}
};

/// Returns a picture with one pixel per thread block.
Picture picture_of(const WorkMap& map, WorkFigure figure, std::uint32_t most) {
  const Grid grid(map);
  Picture picture{grid.width, grid.height, {}};
  for (const BlockWork& block : map.blocks) {
    const Color color = color_of(double(block.*figure) / most);
    picture.rgb.insert(picture.rgb.end(), color.begin(), color.end());
  }
  return picture;
}

void paint(Picture& onto, int left, int top, const Picture& picture) {
  const auto row = static_cast<std::ptrdiff_t>(picture.width) * 3;
  for (int y = 0; y < picture.height; ++y)
    std::copy_n(picture.rgb.begin() + y * row, row,
                onto.rgb.begin() + (static_cast<std::ptrdiff_t>(top + y) * onto.width + left) * 3);
}

}  // namespace

std::uint32_t most_of(const std::vector<WorkMap>& maps, WorkFigure figure) {
  std::uint32_t most = 1;
  for (const WorkMap& map : maps)
    for (const BlockWork& block : map.blocks) most = std::max(most, block.*figure);
  return most;
}

Picture mapped_image(BitView image, const WorkMap& map) {
  const Grid grid(map);
  Picture picture{grid.width, grid.height, {}};
  const auto rows = image.extent.rows();
  for (int block_y = 0; block_y < grid.height; ++block_y)
    for (int block_x = 0; block_x < grid.width; ++block_x) {
      const auto from = [](std::int64_t size, int block, int blocks) { return size * block / blocks; };
      std::int64_t foreground = 0, elements = 0;
      for (std::int64_t y = from(rows, block_y, grid.height); y < from(rows, block_y + 1, grid.height); ++y)
        for (std::int64_t x = from(image.extent.width, block_x, grid.width);
             x < from(image.extent.width, block_x + 1, grid.width); ++x) {
          ++elements;
          foreground += image.words[y * image.row_pitch + x / 32] >> (x % 32) & 1u;
        }
      const auto light = static_cast<std::uint8_t>(elements > 0 ? 255 * foreground / elements : 0);
      picture.rgb.insert(picture.rgb.end(), 3, light);
    }
  return picture;
}

Picture work_picture(const Picture& image, const std::vector<WorkMap>& maps) {
  if (maps.empty()) return {};
  Picture picture{image.width, image.height, {}};
  for (const WorkMap& map : maps) {
    picture.width += kGap + Grid(map).width;
    picture.height = std::max(picture.height, Grid(map).height);
  }
  const int row_height = picture.height + kGap;
  picture.height += row_height;
  picture.rgb.assign(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3,
                     255);

  int top = 0;
  for (const WorkFigure figure : {&BlockWork::longest, &BlockWork::atomics}) {
    paint(picture, 0, top, image);
    const std::uint32_t most = most_of(maps, figure);
    int left = image.width + kGap;
    for (const WorkMap& map : maps) {
      paint(picture, left, top, picture_of(map, figure, most));
      left += Grid(map).width + kGap;
    }
    top += row_height;
  }
  return picture;
}

}  // namespace gpuccl::bench
