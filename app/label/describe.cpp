#include "app/label/describe.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/common/sandbox.hpp"
#include "app/options/input_options.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/image/formats.hpp"
#include "io/parts/collectively.hpp"
#include "io/report/csv_tables.hpp"
#include "io/zarr/zarr_label_metadata.hpp"

namespace gpuccl::app {

using Json = nlohmann::json;

void PieceReport::set_engine(const EngineReport& engine) {
  algorithm = engine.algorithm;
  device_kind = app::device_name(engine.device_kind);
  device_name = engine.device_name;
  gpus = engine.gpus;
  start_up_ms = engine.start_up_ms;
  label_ms = engine.label_ms;
}

namespace {

/// Calls `field` with name and value of each field but the phases.
template <class Report, class Field>
void for_each_field(Report& report, Field field) {
  field("rule", report.foreground_rule);
  field("foreground", report.foreground);
  field("more", report.more_than_two_values);
  field("nan", report.any_nan);
  field("algorithm", report.algorithm);
  field("kind", report.device_kind);
  field("device", report.device_name);
  field("gpus", report.gpus);
  field("total_ms", report.total_ms);
  field("start_up_ms", report.start_up_ms);
  field("read_ms", report.read_ms);
  field("fill_ms", report.fill_ms);
  field("label_ms", report.label_ms);
  field("statistics_ms", report.statistics_ms);
}

}  // namespace

std::string PieceReport::text() const {
  Json json;
  for_each_field(*this, [&](const char* name, const auto& value) { json[name] = value; });
  Json& all = json["phases"] = Json::array();
  for (const PhaseTime& phase : phases) all.push_back({phase.phase, phase.milliseconds, phase.launches});
  return io::json_text(json);
}

PieceReport PieceReport::of_text(const std::string& text) {
  try {
    const Json json = io::parse_json(text);
    PieceReport piece;
    for_each_field(piece, [&](const char* name, auto& value) { json.at(name).get_to(value); });
    for (const Json& phase : json.at("phases"))
      piece.phases.push_back({.phase = phase.at(0), .milliseconds = phase.at(1), .launches = phase.at(2)});
    return piece;
  } catch (const Json::exception&) {
    throw Error(ErrorCode::data, "is damaged");
  }
}

void ImageReport::measured(PartLink& link, const GlobalPart& part) {
  for (const std::uint64_t mine : part.nans) nans.push_back(link.scan(mine).all);
  has_objects_in_pieces = part.measured.any_in_pieces();
}

void ImageReport::selected(PartLink& link, const LabelInput& input, const GlobalPart& part) {
  count = part.count;
  dropped = part.dropped;
  const ValueOptions& options = input.options().values;
  if (options.objects) pixels_of_boxes = link.scan(app::pixels_of_boxes(part.components)).all;
  if (!options.sums_values()) return;
  values = io::sum_up_values(input.column(part.values), part.components);
  if (link.parts() > 1) values = io::sum_up_values(*input.value_type(), io::gather_lists(link, values));
}

void Description::labeled(const LabelInput& input, const ImageReport& image) {
  const io::ImageInfo& info = input.info();
  const Connectivity connectivity = connectivity_ = input.connectivity();
  const PieceReport& first = image.pieces.front();
  std::uint64_t foreground = 0;
  std::set<std::string> devices;
  std::set<int> gpus;
  double fill_ms = 0;
  Findings findings;
  for (const PieceReport& piece : image.pieces) {
    foreground += piece.foreground;
    findings.more_than_two_values = findings.more_than_two_values || piece.more_than_two_values;
    findings.any_nan = findings.any_nan || piece.any_nan;
    if (!piece.device_name.empty()) devices.insert(piece.device_name);
    gpus.insert(piece.gpus.begin(), piece.gpus.end());
    const auto longest = [](double& time, double other) { time = std::max(time, other); };
    longest(report.total_ms, piece.total_ms);
    longest(report.start_up_ms, piece.start_up_ms);
    longest(report.read_ms, piece.read_ms);
    longest(fill_ms, piece.fill_ms);
    longest(report.label_ms, piece.label_ms);
    longest(report.statistics_ms, piece.statistics_ms);
  }
  report.input = info;
  report.input.foreground_rule = first.foreground_rule;
  report.input_bytes = io::bytes_of_regular_file(files_.input);
  if (!files_.seeds.empty()) report.seeds = {files_.seeds, io::bytes_of_regular_file(files_.seeds)};
  report.algorithm = first.algorithm;
  report.connectivity = static_cast<int>(connectivity);
  report.periodic = names_of(options_.periodic);
  report.volume = input.is_volume();
  report.device_kind = first.device_kind;
  report.sandbox = Sandbox::in_force();
  for (const std::string& name : devices)
    report.device_name += (report.device_name.empty() ? "" : ", ") + name;
  report.gpus.assign(gpus.begin(), gpus.end());
  report.phases = first.phases;
  report.order = options_.selection.order == LabelOrder::size    ? "size"
                 : options_.selection.order == LabelOrder::value ? "label"
                                                                 : "raster";
  if (image.holes) report.holes = {image.holes->count, image.holes->elements, fill_ms};

  findings.foreground = report.foreground =
      static_cast<double>(foreground) / static_cast<double>(info.elements());
  findings.largest = image.largest;
  findings.filled = image.holes ? image.holes->elements : 0;
  findings.by_values = options_.values.by_values;
  if (options_.values.by_values && !options_.values.objects) findings.any_nan = false;  // NaN is background
  findings.given_spacing = options_.spacing.has_value();
  findings.needs_unit = options_.measure.needs_spacing;
  findings.measured = options_.measure.wanted;
  findings.other_grid = input.measures().grid_difference();
  report.hints = hints(report.input, options_.input.foreground, connectivity, findings);
  for (const std::string& line : report.hints) warn(files_.input, line);
}

void Description::measured(const LabelMeasures& measures, const ImageReport& image) {
  report.intensities = measures.intensities(image.nans);
  std::map<std::string, std::uint64_t> of_file;
  for (const io::ReportedIntensity& one : report.intensities) of_file[one.image.path] += one.nans;
  for (const auto& [path, count] : of_file) warn(path, hint_of_nans(count));
  if (!image.has_objects_in_pieces) return;
  report.hints.emplace_back(
      "some objects have several connected pieces, which the column components counts; gpuccl label --values "
      "makes each piece an object");
  warn(files_.input, report.hints.back());
}

void Description::selected(ImageReport& image) {
  report.components = image.count;
  report.dropped = image.dropped;
  if (options_.values.sums_values()) report.values = std::move(image.values);
  if (!options_.values.objects) return;
  std::string line = image.count + image.dropped == 1
                         ? "holds one value, which is one object; gpuccl label splits a mask into components"
                         : hint_of_scattered(image.count, image.pixels_of_boxes, report.input.extent);
  if (line.empty()) return;
  warn(files_.input, line);
  report.hints.push_back(std::move(line));
}

void Description::image(const io::WriteOptions& write, io::LabelType asked) {
  const io::LabelFormat format = io::label_format(files_.image);
  warn(files_.image, hint_of_type(format, write.type, asked));
  warn(files_.image, io::lost_geometry(format, write.geometry, report.input.extent.depth));
  if (write.pyramid && io::zarr_levels(files_.image, report.input.extent, write).size() == 1)
    warn(files_.image, "--pyramid adds no smaller scale, because no axis has more than 256 pixels");
  report.label_type = io::short_name(write.type);
}

void Description::contacts() {
  warn(files_.input, hint_of_contacts(connectivity_, options_.values.by_values));
}

void Description::written(const LabelInput& input, const LabelOutputs& outputs) {
  report.files = input.files_read();
  const auto written = [&](Output output) {
    const io::AtomicFile* const file = outputs.file(output);
    return file != nullptr ? io::ReportedFile{file->path(), file->size(), file->checksum()}
                           : io::ReportedFile{};
  };
  report.output = written(Output::image);
  report.output.checksum.clear();  // the label image has a fingerprint instead
  if (files_.image == "-") report.output.path = files_.image;
  report.preview = written(Output::preview);
  report.stats = written(Output::stats);
  report.contacts = written(Output::contacts);
  report.outlines = written(Output::outlines);
}

io::WriteOptions write_options(const LabelOptions& options, io::LabelType type,
                               const io::Geometry& geometry) {
  io::WriteOptions write;
  write.type = type;
  write.compression = options.compression.value_or(io::Compression::deflate);
  write.big_tiff = options.big_tiff.value_or(io::BigTiff::automatic);
  write.geometry = geometry;
  write.chunk = options.chunks.value_or(write.chunk);
  write.level = options.compression_level;
  write.pyramid = options.pyramid;
  return write;
}

io::WriteOptions write_options(const LabelOptions& options, io::LabelFormat format, io::LabelType asked,
                               Label largest, const io::Geometry& geometry) {
  return write_options(options, io::resolve_label_type(asked, largest, format), geometry);
}

bool has_label_texts(const LabelPaths& files, const LabelOptions& options, std::uint64_t labels,
                     const MeasureTable& measured) {
  const bool are_unique = !options.values.keep_values || options.values.objects;
  return !files.image.empty() && io::traits_of(io::label_format(files.image)).is_store && are_unique &&
         io::are_described(labels, measured);
}

}  // namespace gpuccl::app
