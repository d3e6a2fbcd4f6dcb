#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/label/hints.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/label_sandbox.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "app/view/view_page.hpp"
#include "gpuccl/labels.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/read/label_reader.hpp"
#include "io/report/stats_csv.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

struct ViewOptions {
  std::string labels, image, stats, report, output;
  std::optional<io::GivenSpacing> spacing;
  io::PlaneChoice planes;
  std::int64_t size = ViewPage::kUsualBytes;
  OutputOptions file;
};

/// Returns the extension of a file, if label images are written with it, otherwise .tif.
std::string extension_of_labels(const std::string& path) {
  const std::string extension = io::lower_extension(std::filesystem::path(path).filename());
  try {
    io::label_format(path);
  } catch (const Error&) {
    return ".tif";
  }
  return extension.empty() ? ".tif" : extension;
}

/// Numbers the labels 1..N in their order, and gives what these stand for.
std::vector<std::uint64_t> number_labels(LabelImage& labels, const std::vector<std::uint64_t>& long_labels) {
  std::unordered_map<Label, Label> numbers;
  const std::int64_t count = labels.extent().elements();
  Label* const all = labels.data();
  for (std::int64_t i = 0; i < count; ++i)
    if (all[i] != 0 && (i == 0 || all[i] != all[i - 1])) numbers.emplace(all[i], 0);
  std::vector<Label> known;
  known.reserve(numbers.size());
  for (const auto& [label, number] : numbers) known.push_back(label);
  std::sort(known.begin(), known.end());
  for (std::size_t i = 0; i < known.size(); ++i) numbers[known[i]] = static_cast<Label>(i + 1);
  Label last = 0, number = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (all[i] != last) {
      last = all[i];
      number = last == 0 ? 0 : numbers[last];
    }
    all[i] = number;
  }
  labels.set_count(static_cast<Label>(known.size()));
  std::vector<std::uint64_t> names(known.begin(), known.end());
  if (!long_labels.empty())
    for (std::uint64_t& name : names) name = long_labels[name - 1];
  return names;
}

/// Returns area, bounding box and centroid of components.
Components components_of(const LabelImage& labels) {
  std::vector<Component> parts(labels.count());
  const Extent extent = labels.extent();
  LabelRuns row;
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y) {
      labels.list_runs(std::int64_t{z} * extent.height + y, 1, row, nullptr);
      for (const LabelRun& run : row.runs) {
        const auto length = static_cast<std::uint64_t>(run.end - run.begin);
        const auto first = static_cast<std::uint64_t>(run.begin),
                   last = static_cast<std::uint64_t>(run.end) - 1;
        parts[run.label - 1].add({length,
                                  {{run.begin, y, z}, {run.end - 1, y, z}},
                                  {CoordinateSum{first + last} * length / 2, CoordinateSum(y) * length,
                                   CoordinateSum(z) * length}});
      }
    }
  Components components;
  for (const Component& part : parts) components.push_back(part);
  return components;
}

void read_stats(const std::string& path, ViewTable& table) {
  io::with_path(path, [&] {
    const io::Descriptor file = io::open_again(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (!file) throw Error(Failure::no_input, io::system_reason(errno), errno);
    std::vector<char> piece(std::size_t{1} << 16);
    for (std::size_t at = 0;;) {
      const std::size_t read = io::read_all_at(file.get(), piece.data(), piece.size(), at);
      if (read == 0) break;
      table.add_csv({piece.data(), read});
      at += read;
    }
    table.end_csv();
  });
}

nlohmann::ordered_json read_report(const std::string& path) {
  return io::with_path(path, [&] {
    std::ifstream file(path);
    if (!file) throw Error(Failure::no_input, io::system_reason(errno), errno);
    nlohmann::ordered_json report =
        io::parse_ordered_json({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    if (!report.is_object() || !report.contains("gpuccl") || !report.contains("components"))
      throw Error(Failure::data, "is not a report of 'gpuccl label'");
    return report;
  });
}

/// Adds the fields of a report to the page.
void take_report(const std::string& path, const nlohmann::ordered_json& report, bool with_table,
                 ViewPage& page) {
  io::with_path(path, [&] {
    try {
      if (with_table) page.table.add_report(report);
      page.input = report.at("input").at("path").get<std::string>();
      page.options = report.at("options").get<std::string>();
      page.made = true;
      for (const auto& hint : report.at("hints")) page.hints.push_back(hint.get<std::string>());
      const auto& labeling = report.at("labeling");
      page.about.emplace_back("Input", page.input);
      page.about.emplace_back("Options", page.options.empty() ? "none" : page.options);
      page.about.emplace_back("Foreground", report.at("input").at("foreground_rule").get<std::string>());
      page.about.emplace_back("Labeled by", labeling.at("algorithm").get<std::string>() + " on " +
                                                labeling.at("device").at("name").get<std::string>() + ", " +
                                                std::to_string(labeling.at("connectivity").get<int>()) +
                                                "-connectivity, gpuccl " +
                                                report.at("gpuccl").get<std::string>());
    } catch (const nlohmann::json::exception&) {
      throw Error(Failure::data, "is not a report of 'gpuccl label'");
    }
  });
}

int run_view(const ViewOptions& options) {
  enter_sandbox({options.labels, options.image, options.stats, options.report}, {options.output});
  InputClaims claims;
  claims.add(options.labels, false);
  if (!options.image.empty()) claims.add_intensity(options.image);
  for (const std::string& text : {options.stats, options.report})
    if (!text.empty()) claims.add_file(text);
  claims.refuse_output(options.output, io::identify(options.output));
  io::AtomicFile file =
      io::with_path(options.output, [&] { return io::AtomicFile(options.output, options.file.file); });

  ViewPage page;
  page.title = std::filesystem::path(options.labels).filename().string();
  page.about.emplace_back("Labels", options.labels);
  if (!options.report.empty())
    take_report(options.report, read_report(options.report), options.stats.empty(), page);
  if (!options.stats.empty()) read_stats(options.stats, page.table);

  std::vector<std::uint64_t> long_labels;
  io::ImageInfo info;
  LabelImage labels = io::with_path(options.labels, [&] {
    return io::read_labels(options.labels, &long_labels, {}, &info,
                           [&](const std::string& line) { print_warning(options.labels, line); });
  });
  const std::vector<std::uint64_t> names = number_labels(labels, long_labels);
  page.names = names;
  page.components = names.size();
  page.geometry = info.geometry;
  if (options.spacing) io::set_spacing(page.geometry, *options.spacing);
  if (options.stats.empty() && options.report.empty()) {
    const Components components = components_of(labels);
    const std::string hint = hint_of_scattered(components.size(), pixels_of_boxes(components), info.extent);
    if (!hint.empty()) {
      print_warning(options.labels, hint);
      page.hints.push_back(hint);
    }
    io::stream_stats_csv([&](std::string_view text) { page.table.add_csv(text); }, info.extent.depth > 1,
                         page.geometry, components);
    page.table.end_csv();
    page.table.name_labels(names);
  } else {
    page.table_file = options.stats.empty() ? options.report : options.stats;
    page.about.emplace_back("Table", page.table_file);
  }
  page.table.keep_largest(kMostViewRows);
  if (!page.made) {
    page.input = options.labels;
    page.options = options.spacing ? "measure --spacing " + spacing_text(*options.spacing) : "measure";
  }
  const std::vector<Label> as_they_are;
  page.output = "kept" + extension_of_labels(options.labels);
  page.image = options.image;
  if (!options.image.empty()) page.about.emplace_back("Image", options.image);
  page.read_image.planes = options.planes;
  page.read_image.warn = [&](const std::string& line) { print_warning(options.image, line); };
  page.most_bytes = static_cast<std::size_t>(options.size);
  io::with_path(options.output, [&] {
    write_view(file, {labels, as_they_are, labels.count()}, std::move(page));
  });
  io::with_path(options.output, [&] { file.commit(); });
  return kSuccess;
}

}  // namespace

void setup_view(const Command& command) {
  const auto options = std::make_shared<ViewOptions>();
  add_path_or_stream(command, "LABELS", options->labels, "", "Label image in any format that gpuccl reads")
      .required();
  add_text_path(command, "-o,--output", options->output, "html",
                "HTML page to write, one file for any browser")
      .required();
  add_path(command, "--image", options->image, "IMAGE", "Image that was labeled, shown below the labels");
  add_path(command, "--stats", options->stats, "CSV", "Table of the components, as 'gpuccl label' writes it");
  add_path(command, "--report", options->report, "JSON",
           "Report of the labeling: options, hints, and the components if --stats is not given");
  add_planes(command, "--", options->planes,
             {"Channel of --image, from 0", "Time point of --image, from 0",
              "Index of the image in a TIFF with several, from 0",
              "Pages of a TIFF for --image, from 0, as N or N..M"});
  add_spacing(command, options->spacing);
  add_amount(command, "--size", options->size, "Size limit of the page [10 MB]");
  options->file.add_to(command);
  command.on_run([options] { return run_view(*options); });
}

}  // namespace gpuccl::app
