#include "app/bench/work_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuccl::bench {
namespace {

constexpr int kGap = 4;

using Color = std::array<std::uint8_t, 3>;

/// Viridis, which grows lighter all the way and survives colour blindness; `share` is 0 to 1.
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

/// Share of foreground in each block of the grid, as gray.
std::vector<Color> light_of(BitView image, Grid grid) {
  const auto rows = image.extent.rows();
  std::vector<Color> colors;
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
      colors.push_back({light, light, light});
    }
  return colors;
}

void paint(Picture& picture, int left, int top, Grid grid, const std::vector<Color>& colors) {
  for (int y = 0; y < grid.height; ++y)
    for (int x = 0; x < grid.width; ++x) {
      const Color& color = colors[static_cast<std::size_t>(y) * static_cast<std::size_t>(grid.width) +
                                  static_cast<std::size_t>(x)];
      const auto at = (static_cast<std::size_t>(top + y) * static_cast<std::size_t>(picture.width) +
                       static_cast<std::size_t>(left + x)) *
                      color.size();
      std::copy(color.begin(), color.end(), picture.rgb.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

}  // namespace

Picture work_picture(BitView image, const std::vector<WorkMap>& maps) {
  if (maps.empty()) return {};
  const Grid first(maps.front());
  Picture picture{first.width, first.height, {}};
  for (const WorkMap& map : maps) {
    picture.width += kGap + Grid(map).width;
    picture.height = std::max(picture.height, Grid(map).height);
  }
  const int row_height = picture.height + kGap;
  picture.height += row_height;
  picture.rgb.assign(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3,
                     255);

  int top = 0;
  for (const auto figure : {&BlockWork::longest, &BlockWork::atomics}) {
    paint(picture, 0, top, first, light_of(image, first));
    std::uint32_t most = 1;
    for (const WorkMap& map : maps)
      for (const BlockWork& block : map.blocks) most = std::max(most, block.*figure);
    int left = first.width + kGap;
    for (const WorkMap& map : maps) {
      std::vector<Color> colors;
      for (const BlockWork& block : map.blocks) colors.push_back(color_of(double(block.*figure) / most));
      paint(picture, left, top, Grid(map), colors);
      left += Grid(map).width + kGap;
    }
    top += row_height;
  }
  return picture;
}

}  // namespace gpuccl::bench
