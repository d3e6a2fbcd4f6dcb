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

}  // namespace

ImageBelow image_below(const LabelPaths& files, const LabelOptions& options) {
  const bool is_measured = !files.intensities.empty();
  const std::string& image = is_measured ? files.intensities.front() : files.input;
  if (image == "-" || is_special(image) || (options.values.objects && !is_measured)) return {};
  ImageBelow below{image, {}};
  below.read.limits = options.input.limits;
  if (!is_measured) below.read.palette = options.input.palette;
  below.read.planes = is_measured ? options.measure.intensity_planes : options.planes;
  if (is_measured && !options.measure.intensity_channels.empty())
    below.read.planes.channel = options.measure.intensity_channels.front();
  else if (is_measured && options.measure.all_channels)
    below.read.planes.channel = 0;
  below.read.pages_apart = !is_measured && options.algorithm.per_slice;
  return below;
}

void write_label_view(io::AtomicFile& file, const PartTexts& texts, const io::MappedLabels& labels) {
  const LabelPaths& files = texts.files;
  const io::Report& report = texts.report;
  const NumberedPart& part = texts.part;
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
  if (files.in_folders) {
    namespace fs = std::filesystem;
    page.index = (fs::path(texts.options.files.view) / "index.html")
                     .lexically_relative(fs::path(files.view).parent_path())
                     .string();
  }
  page.about.emplace_back("Input", display_name(files.input));
  ImageBelow below = image_below(files, texts.options);
  if (!files.intensities.empty() && !below.path.empty()) page.about.emplace_back("Image", below.path);
  page.image = std::move(below.path);
  page.read_image = std::move(below.read);
  page.about.emplace_back("Options", page.options.empty() ? "none" : page.options);
  page.about.emplace_back("Foreground", report.input.foreground_rule);
  page.about.emplace_back("Labeled by", report.algorithm + " on " + report.device_name + ", " +
                                            std::to_string(report.connectivity) + "-connectivity");
  page.table.set_least_area(area_of_largest(part.components, kMostViewRows));
  io::with_path(file.path(), [&] {
    io::ValueColumn value = report.value;
    value.labels = {};  // planes have the numbers of components
    io::stream_stats_csv([&](std::string_view text) { page.table.add_csv(text); }, report.volume,
                         page.geometry, part.components, part.measured, {}, value);
    page.table.end_csv();
    page.table.keep_largest(kMostViewRows);
    write_view(file, labels, std::move(page));
  });
}

}  // namespace gpuccl::app
