#include "app/label/label_view.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/messages.hpp"
#include "app/view/view_page.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/report/stats_csv.hpp"

namespace gpuccl::app {
namespace {

/// The number of elements that so many of the largest components have at least.
double area_of_largest(const Components& components, std::size_t count) {
  if (components.size() <= count) return 0;
  std::vector<std::uint64_t> areas(components.area.begin(), components.area.end());
  const auto least = areas.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(areas.begin(), least, areas.end(), std::greater<>());
  return static_cast<double>(*least);
}

void show_image(const LabelPaths& files, const LabelOptions& options, ViewPage& page) {
  const bool is_measured = !files.intensities.empty();
  const std::string& image = is_measured ? files.intensities.front() : files.input;
  if (image == "-" || is_special(image)) return;
  page.image = image;
  page.read_image.limits = options.input.limits;
  page.read_image.planes = is_measured ? options.measure.intensity_planes : options.planes;
  if (is_measured && !options.measure.intensity_channels.empty())
    page.read_image.planes.channel = options.measure.intensity_channels.front();
  else if (is_measured && options.measure.all_channels)
    page.read_image.planes.channel = 0;
  page.read_image.pages_apart = !is_measured && options.algorithm.per_slice;
  if (is_measured) page.about.emplace_back("Image", image);
}

}  // namespace

void write_label_view(io::AtomicFile& file, const LabelPaths& files, const LabelOptions& options,
                      const io::Report& report, const io::MappedLabels& labels, const Components& components,
                      const Measured& measured) {
  ViewPage page;
  page.title = std::filesystem::path(display_name(files.input)).filename().string();
  page.components = labels.count;
  page.geometry = report.input.geometry;
  page.hints = report.hints;
  page.input = files.input;
  page.options = report.options;
  const std::string stem = io::without_extension(files.image);  // the label image itself is not replaced
  page.output = files.image.empty() ? "kept.tif" : stem + "-kept" + files.image.substr(stem.size());
  page.made = true;
  page.about.emplace_back("Input", display_name(files.input));
  show_image(files, options, page);
  page.about.emplace_back("Options", page.options.empty() ? "none" : page.options);
  page.about.emplace_back("Labeled by", report.algorithm + " on " + report.device_name + ", " +
                                            std::to_string(report.connectivity) + "-connectivity");
  page.table.set_least_area(area_of_largest(components, kMostViewRows));
  io::concerning(file.path(), [&] {
    io::stream_stats_csv([&](std::string_view text) { page.table.add_csv(text); }, report.volume,
                         page.geometry, components, measured, {}, report.value);
    page.table.end_csv();
    page.table.keep_largest(kMostViewRows);
    write_view(file, labels, std::move(page));
  });
}

}  // namespace gpuccl::app
