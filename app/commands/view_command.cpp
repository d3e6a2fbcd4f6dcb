#include <fcntl.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/sandbox.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/labeled_image.hpp"
#include "app/label/report_builder.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "app/options/option_table.hpp"
#include "app/view/view_page.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/files/json_field.hpp"
#include "io/image/limits.hpp"
#include "io/report/csv_tables.hpp"

namespace gpuccl::app {
namespace {

struct ViewOptions {
  std::string labels, stats, report, output;
  io::Source image;
  bool round = false;
  std::optional<io::GivenSpacing> spacing;
  io::PlaneChoice planes = {.options = {.per_slice = false}};
  std::int64_t memory = 0;
  std::int64_t size = ViewPage::kUsualBytes;
  OutputOptions file;
};

/// Returns the extension of a file, if label images are written with it, otherwise .tif.
std::string extension_of_labels(const std::string& path) {
  const std::string extension = io::lower_extension(std::filesystem::path(path).filename());
  return io::label_format(path) && !extension.empty() ? extension : ".tif";
}

void read_stats(const std::string& path, ViewTable& table) {
  io::with_path(path, [&] {
    const io::Descriptor file = io::open_retrying(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (!file) throw Error(ErrorCode::no_input, io::system_reason(errno), errno);
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

/// Returns the fields of a report, and adds its components to `table` if that is not null.
nlohmann::ordered_json read_report(const std::string& path, std::int64_t memory, ViewTable* table) {
  constexpr std::uint64_t kBytesOfByte = 4;  // of text: itself, and the numbers of a table that grows
  const io::InputFile file(path, memory);
  if (file.size() > static_cast<std::uint64_t>(memory) / kBytesOfByte)
    throw Error(ErrorCode::memory,
                "needs up to " + io::bytes_in_words(static_cast<double>(file.size()) * kBytesOfByte) +
                    " of memory, the limit is " + io::bytes_in_words(static_cast<double>(memory)) +
                    "; increase --memory");
  std::string text(file.size(), '\0');
  text.resize(file.read_at(0, text.data(), text.size()));
  bool has_components = false;
  nlohmann::ordered_json report =
      io::read_json_members(text, {"gpuccl", "input", "options", "hints", "labeling", "intensity", "seeds"},
                            "components", [&](const std::vector<io::JsonField>& component) {
                              has_components = true;
                              if (table != nullptr) table->add_component(component);
                            });
  if (!report.is_object() || !report.contains("gpuccl"))
    throw Error(ErrorCode::data, "is not a report of 'gpuccl label'");
  if (table != nullptr && !has_components && !report.contains("components"))
    throw Error(ErrorCode::data, "has no list of components; set their table with --stats");
  return report;
}

/// Returns whether the options name what the report has read, not the folders of a batch.
bool names_images(const nlohmann::ordered_json& report, const std::string& options) {
  std::vector<std::string> images;
  const auto add = [&](const nlohmann::ordered_json& image) {
    const auto path = image.at("path").get<std::string>();
    if (images.empty() || images.back() != path) images.push_back(path);  // channels of one
  };
  const nlohmann::ordered_json& intensity = report.at("intensity");
  if (intensity.is_object()) add(intensity);
  if (intensity.is_array()) std::for_each(intensity.begin(), intensity.end(), add);
  const auto is_named = [&](const char* option, const std::string& path) {
    return options.find(option + shell_word(path)) != std::string::npos;
  };
  return (images.empty() || is_named("--intensity ", *joined(images))) &&
         (!report.contains("seeds") || is_named("--seeds ", report["seeds"].at("path").get<std::string>()));
}

/// Adds the fields of a report to the page.
void add_report(const std::string& path, std::int64_t memory, bool with_table, ViewPage& page) {
  io::with_path(path, [&] {
    try {
      const nlohmann::ordered_json report = read_report(path, memory, with_table ? &page.table : nullptr);
      page.input = report.at("input").at("path").get<std::string>();
      page.options = report.at("options").get<std::string>();
      page.made = true;
      page.in_batch = !names_images(report, page.options);
      for (const auto& hint : report.at("hints")) page.hints.push_back(hint.get<std::string>());
      const auto& labeling = report.at("labeling");
      page.about.emplace_back("Input", page.input);
      page.about.emplace_back("Options", page.options.empty() ? "none" : page.options);
      const auto rule = report.at("input").at("foreground_rule").get<std::string>();
      page.read_image.foreground.invert = rule.find(", inverted") != std::string::npos;
      page.about.emplace_back("Foreground", rule);
      page.about.emplace_back("Labeled by", labeling.at("algorithm").get<std::string>() + " on " +
                                                labeling.at("device").at("name").get<std::string>() + ", " +
                                                std::to_string(labeling.at("connectivity").get<int>()) +
                                                "-connectivity, gpuccl " +
                                                report.at("gpuccl").get<std::string>());
      const auto& geometry = report.at("input").at("geometry");  // null if it is not known
      if (geometry.is_object() && geometry.at("unit").is_string())
        page.table.set_unit(geometry["unit"].get<std::string>());
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorCode::data, "is not a report of 'gpuccl label'");
    }
  });
}

int run_view(const ViewOptions& options) {
  if (options.planes.any() && options.image.empty())
    throw Error(ErrorCode::usage, "--channel, --frame, --series and --page need --image IMAGE");
  if (io::Source(options.labels).is_folder)
    throw io::FileError(options.labels, ErrorCode::usage,
                        "is a folder, but a page shows one label image; run gpuccl view for each");
  enter_sandbox({options.labels, options.image, options.stats, options.report}, {options.output});
  InputClaims claims;
  claims.add(options.labels);
  claims.add(options.image);
  for (const std::string& text : {options.stats, options.report})
    if (!text.empty()) claims.add_file(text);
  claims.refuse_output(options.output, io::identify(options.output));
  io::AtomicFile file =
      io::with_path(options.output, [&] { return io::AtomicFile(options.output, options.file.file); });

  ViewPage page;
  page.title = std::filesystem::path(options.labels).filename().string();
  page.about.emplace_back("Labels", options.labels);
  if (!options.report.empty())
    add_report(options.report, io::memory_limit({.memory = options.memory}), options.stats.empty(), page);
  if (!options.stats.empty()) read_stats(options.stats, page.table);

  // Objects in ascending order of their labels, as those of gpuccl measure.
  LabelOptions of_objects = LabelOptions::for_objects();
  of_objects.planes.options.instead = kSaveLabels;
  of_objects.input.limits.memory = options.memory;
  of_objects.spacing = options.spacing;
  of_objects.values.round = options.round;
  of_objects.resolve();
  LabelPaths files;
  files.input = options.labels;
  files.view = options.output;
  files.shown = options.image;
  std::optional<LabeledImage> image;
  PartResult objects;
  io::with_path(options.labels, [&] {
    image.emplace(files, of_objects, [](const auto&... about) { print_warning(about...); });
    objects = image->label();
  });
  page.names = objects.values;
  page.components = objects.count;
  page.geometry = image->input().info().geometry;
  if (options.stats.empty() && options.report.empty()) {
    const Components& components = objects.components;
    page.table.set_least_area(area_of_largest(components, kMaxViewRows));
    io::stream_stats_csv([&](std::string_view text) { page.table.add_csv(text); },
                         image->input().extent().depth > 1, page.geometry, components);
    page.table.end_csv();
    page.table.name_labels(page.names);
  } else {
    page.table_file = options.stats.empty() ? options.report : options.stats;
    if (!page.table.has_areas(page.names, objects.components.area))
      print_warning(page.table_file, "has other areas than the labels of " + options.labels +
                                         "; it may be the table of another label image");
    page.geometry.first_slice = page.table.first_slice(page.names, objects.components.box);
    page.about.emplace_back("Table", page.table_file);
  }
  page.table.keep_largest(kMaxViewRows);
  if (!page.made) {
    page.input = options.labels;
    page.options = options.spacing ? "measure --spacing " + spacing_text(*options.spacing) : "measure";
  }
  page.output = "kept" + extension_of_labels(options.labels);
  page.image = options.image;
  if (!options.image.empty()) page.about.emplace_back("Image", options.image);
  page.read_image.planes = options.planes;
  page.read_image.spacing = options.spacing;
  page.read_image.warn = [&](const std::string& line) { print_warning(options.image, line); };
  page.most_bytes = static_cast<std::size_t>(options.size);
  io::with_path(options.output, [&] {
    write_view(file, {*objects.labels.labels, objects.labels.numbers, objects.count}, std::move(page));
  });
  io::with_path(options.output, [&] { file.commit(); });
  return kSuccess;
}

}  // namespace

void setup_view(const Command& command) {
  const auto options = std::make_shared<ViewOptions>();
  add_path(command, "LABELS", options->labels, "", "Label image in any format that gpuccl reads", wrong_path)
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
  add_round(command, options->round);
  add_spacing(command, options->spacing);
  add_memory(command, options->memory, "Memory limit; larger images are read in slabs");
  add_amount(command, "--size", options->size, "Size limit of the page [10 MB]");
  options->file.add_to(command);
  command.on_run([options] { return run_view(*options); });
}

}  // namespace gpuccl::app
