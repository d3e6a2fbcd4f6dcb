#include "app/view/thumbnail.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "io/png/png_output.hpp"
#include "io/write/label_color.hpp"

namespace gpuccl::app {
namespace {

constexpr int kSide = 144;  // the longer one, at most

}  // namespace

std::string thumbnail(const io::MappedLabels& labels) {
  const Extent extent = labels.labels.extent();
  std::string png;
  if (extent.elements() == 0) return png;
  const int longer = std::max(extent.width, extent.height);
  const double scale = std::min(1.0, double(kSide) / longer);
  const auto scaled = [scale](int n) { return static_cast<int>(scale * n); };
  const int width = std::max(1, scaled(extent.width)), height = std::max(1, scaled(extent.height));
  std::vector<Label> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const std::int64_t first = std::int64_t{extent.depth / 2} * extent.height;
  std::int64_t ready = first;
  LabelRuns row;
  for (int y = 0; y < extent.height; ++y) {
    if (first + y >= ready) ready = labels.labels.prepare(first + y, 1);
    io::list_runs(labels, first + y, 1, row);
    Label* const line = pixels.data() + std::ptrdiff_t{std::min(scaled(y), height - 1)} * width;
    for (const LabelRun& run : row.runs)
      for (int x = scaled(run.begin), end = std::min(scaled(run.end - 1), width - 1); x <= end; ++x)
        if (line[x] == 0) line[x] = run.label;
  }
  std::vector<std::uint8_t> rgb;
  rgb.reserve(3 * pixels.size());
  for (const Label label : pixels) {
    const io::Rgb color = io::label_color(label);
    rgb.insert(rgb.end(), color.begin(), color.end());
  }
  const auto append = [&](const void* data, std::size_t bytes) {
    png.append(static_cast<const char*>(data), bytes);
  };
  io::PngOutput output(append, {width, height, 8, io::PngColor::rgb, 9, {}});
  output.write_rows(rgb.data(), 3 * static_cast<std::size_t>(width), static_cast<std::size_t>(height));
  output.finish();
  return png;
}

}  // namespace gpuccl::app
