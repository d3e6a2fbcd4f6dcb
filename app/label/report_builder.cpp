#include "app/label/report_builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/common/sandbox.hpp"
#include "app/options/input_options.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/detail/measures.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/image/formats.hpp"
#include "io/image/value_rows.hpp"
#include "io/parts/collectively.hpp"
#include "io/report/csv_tables.hpp"
#include "io/zarr/zarr_label_metadata.hpp"

namespace gpuccl::app {

using Json = nlohmann::json;

namespace {

// Number of pixels below which no hint is given, because anything is likely.
constexpr std::int64_t kMinElements = 4096;

constexpr double kMaxShareOfOne = 0.8;  // share of the elements that a component takes

/// Returns the number of slices that were labeled separately; 1 of a volume.
std::int64_t slices_of(const io::ImageInfo& input) {
  return input.geometry.has_areas ? input.extent.depth : 1;
}

/// Returns whether a component takes most of the image, or of its slice.
bool takes_most(const io::ImageInfo& input, const HintInputs& findings) {
  const std::int64_t elements = input.elements() / slices_of(input);
  return elements >= kMinElements &&
         static_cast<double>(findings.largest) > kMaxShareOfOne * static_cast<double>(elements);
}

/// Describes an unlikely foreground; empty if it is plausible.
std::string odd_foreground(const io::ImageInfo& input, const HintInputs& findings) {
  constexpr double kMax = 0.9;
  if (findings.foreground <= 0) return "nothing is foreground";
  if (findings.foreground > kMax) return "more than 90 % is foreground";
  if (takes_most(input, findings))
    return std::string("one component covers more than 80 % of ") +
           (slices_of(input) > 1 ? "a slice" : "the image");
  return "";
}

/// Returns whether the foreground is odd only because of a filled hole, such as that of a frame around a
/// page.
bool is_odd_by_filling(const io::ImageInfo& input, const HintInputs& findings) {
  return findings.filled > 0 && takes_most(input, findings) &&
         findings.foreground * static_cast<double>(slices_of(input)) <= kMaxShareOfOne;
}

/// Describes a threshold with all values on one side.
std::string beyond_all_values(bool above) {
  return above ? "every value is above the threshold; use a higher --threshold"
               : "no value is above the threshold; use a lower --threshold";
}

std::string foreground_hint(const io::ImageInfo& input, const io::ForegroundOptions& options,
                            const HintInputs& findings) {
  const std::string& rule = input.foreground_rule;
  if (findings.more_than_two_values && !options.has_rule())
    return "it has more than two values and no threshold, so every " +
           (rule == "nonzero"    ? "nonzero pixel"
            : rule == "luma > 0" ? "color with a luma above 0"
                                 : "pixel by the rule '" + rule + "'") +
           " is foreground; set --threshold T or --threshold otsu for a grayscale image, " +
           (findings.has_values_option ? "--values or " : "") + "--value V for a segmentation";
  const bool is_flat =
      !findings.any_nan && findings.filled == 0 && findings.foreground == (options.invert ? 1 : 0);
  if (is_flat && options.otsu)
    return std::string("all pixels have the same value, so ") + (options.invert ? "every pixel" : "nothing") +
           " is foreground";
  if (is_flat && !options.invert && !options.has_rule() && rule == "nonzero")
    return "all pixels are 0, so nothing is foreground";
  if (findings.has_one_value && findings.foreground >= 1 && !options.invert && !options.has_rule())
    return "all pixels have the same value, so every pixel is foreground; check the input";
  if (input.otsu_cuts_peak)
    return "the threshold of otsu divides the most frequent values, with no valley between two peaks, as "
           "in an image without objects; check the result, or set --threshold T";
  if (findings.foreground >= 1 && !options.has_rule() && !options.invert && rule == "nonzero" &&
      input.bits_per_sample > 1)
    return "no pixel is 0, so every pixel is foreground; use --value V for a segmentation whose "
           "background is not 0 (ilastik's is 1), or --threshold otsu to separate dark from light";
  const std::string odd = odd_foreground(input, findings);
  if (odd.empty()) return "";
  if (is_odd_by_filling(input, findings))
    return odd + ", including filled holes; use --fill-holes MAX to fill only holes of at most MAX pixels";
  const std::string otsu = input.bits_per_sample > 1 ? "--threshold otsu" : "";
  if (options.threshold && (findings.foreground <= 0 || findings.foreground >= 1))
    return beyond_all_values((findings.foreground > 0) != options.invert) +
           (otsu.empty() ? "" : " or " + otsu) + " to separate dark from light";
  std::string suggestion =
      options.invert ? "remove --invert to label light objects" : "use --invert to label dark objects";
  if (!otsu.empty() && !options.otsu) suggestion += ", " + otsu + " to separate dark from light";
  return odd + "; " + suggestion;
}

/// Returns the hint for --value. Integers of few bits have values that are known without looking.
std::string hint_of_value(const io::ImageInfo& input, const io::ForegroundOptions& options,
                          const HintInputs& findings) {
  if (findings.foreground == (options.invert ? 0 : 1) && input.elements() >= kMinElements)
    return "every pixel has a value of --value, so " +
           std::string(options.invert ? "nothing" : "everything") + " is foreground";
  if (findings.foreground != (options.invert ? 1 : 0)) return "";
  std::string none = options.values.size() == 1 && options.values.front().is_one()
                         ? "no pixel has the value of --value"
                         : "no pixel has one of the values of --value";
  constexpr int kMinBitsOfFloat = 16;
  const int bits = input.bits_per_sample, most = (1 << std::min(bits, kMinBitsOfFloat)) - 1;
  if (bits >= kMinBitsOfFloat || !input.value_rule.empty() || options.values.front().low.number() <= most)
    return none;
  return none + (bits == 1 ? "; the values of 1 bit are 0 and 1"
                           : fmt::format("; values of {} bits are at most {}", bits, most));
}

/// Returns whether slices are images of their own, or a TIFF is probably a scan: programs that write volumes
/// describe them, and scanners write pages with two values or a resolution.
bool is_scan_of_pages(const io::ImageInfo& input) {
  constexpr double kMinDpi = 100, kMaxDpi = 4800;  // below is what programs write for a screen
  const io::Resolution& resolution = input.geometry.resolution;
  const double dpi = resolution.unit == io::ResolutionUnit::inch ? resolution.x : 0;
  const bool scanned = input.bits_per_sample == 1 || (dpi >= kMinDpi && dpi <= kMaxDpi);
  if (input.is_image_stack) return true;
  return io::has_pages(input.format) && input.extent.depth > 1 && scanned && !input.is_described_stack &&
         input.geometry.spacing[2] <= 0;
}

/// Returns the hint for anisotropic voxels: shape measured in voxels differs from shape in physical
/// units.
std::string hint_of_measures(const io::Geometry& geometry, Connectivity connectivity,
                             const MeasureSet& measured) {
  constexpr double kSame = 1e-3;
  const std::size_t axes = is_3d(connectivity) ? 3 : 2;
  if (!geometry.is_known(static_cast<int>(axes))) return "";
  const auto [shortest, longest] =
      std::minmax_element(geometry.spacing.begin(), geometry.spacing.begin() + static_cast<int>(axes));
  if (*longest <= (1 + kSame) * *shortest) return "";
  constexpr std::pair<MeasureId, MeasureId> kBySpacing[] = {
      {MeasureId::axis_major_length, MeasureId::axis_major_length_physical},
      {MeasureId::sphericity, MeasureId::sphericity_physical},
      {MeasureId::roundness, MeasureId::roundness_physical},
      {MeasureId::feret_diameter_max, MeasureId::feret_diameter_max_physical}};
  const auto is_measured = [&](MeasureId id) { return measured[static_cast<std::size_t>(id)]; };
  if (std::none_of(std::begin(kBySpacing), std::end(kBySpacing),
                   [&](const auto& pair) { return is_measured(pair.first) && !is_measured(pair.second); }))
    return "";
  return "voxels are anisotropic, but shape is measured in voxels; --measure physical uses the spacing";
}

/// Returns the hint for a threshold of colors.
std::string hint_of_colors(const io::ImageInfo& input, const io::ForegroundOptions& options) {
  const bool has_threshold = options.threshold || options.otsu;
  const std::string& of = input.foreground_rule;
  if (!has_threshold || !(of.starts_with("luma") || of.starts_with("otsu: luma"))) return "";
  const std::string rule = "has colors, which are compared by their brightness (luma)";
  return input.photometric == "rgb"
             ? rule + "; use --channel 0, 1 or 2 to read red, green or blue (any, if the image is gray)"
             : rule;
}

/// Returns a line for each way in which the result is probably not what the user wants, with the option that
/// changes it. The wording is the same for every input, so that a batch prints it once.
std::vector<std::string> hints(const io::ImageInfo& input, const io::ForegroundOptions& options,
                               Connectivity connectivity, const HintInputs& findings) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  const bool by_value = !options.values.empty();
  if (by_value) add(hint_of_value(input, options, findings));
  if (findings.by_values && findings.foreground <= 0)
    add(findings.any_nan ? "every value is 0 or NaN" : "every value is 0");
  else if (findings.any_nan)
    add(io::kHintOfNan);
  if (findings.needs_unit && input.geometry.is_known(2) && input.geometry.unit == io::LengthUnit::unknown)
    add("the spacing has no unit, so the column unit is empty; add one, as in --spacing 0.2,0.2,1,um");
  if (findings.is_only_channel)
    add(std::string("has one channel, so --channel 0 changes nothing") +
        (io::has_pages(input.format) && input.extent.depth > 1
             ? "; its pages are slices of a volume: --page N selects one, --per-slice labels each separately"
             : "; remove it"));
  if (findings.has_one_threshold)
    add("--threshold otsu finds one threshold for all slices; with --page N it finds one for a slice");
  add(hint_of_spacing(input, connectivity));
  for (const std::string& line : findings.of_images) add(line);
  if (input.elements() < kMinElements) return lines;
  add(hint_of_measures(input.geometry, connectivity, findings.measured));
  add(hint_of_colors(input, options));
  if (!by_value && !findings.by_values) add(foreground_hint(input, options, findings));
  if (is_scan_of_pages(input) && is_3d(connectivity))
    add("its pages are read as slices of a volume, so components can span pages; use --per-slice to label "
        "each page separately");
  return lines;
}

/// Returns whether most of many objects extend over much of the image: their bounding boxes cover a third of
/// it on average.
bool looks_like_photograph(const io::ImageInfo& input, const RunFacts& image) {
  constexpr std::uint64_t kMinObjects = 32;
  constexpr double kShare = 1.0 / 3;
  return input.elements() >= kMinElements && image.count >= kMinObjects &&
         static_cast<double>(image.elements_in_boxes) >
             kShare * static_cast<double>(image.count) * static_cast<double>(input.elements());
}

/// Returns a line if few values take every pixel and 1 is all around, so it is probably the background; else
/// "".
std::string hint_of_no_background(const io::ImageInfo& input, double foreground, std::uint64_t values,
                                  bool one_is_around, bool are_objects) {
  constexpr std::uint64_t kMaxValues = 16;
  if (input.elements() < kMinElements || foreground < 1 || values < 2 || values > kMaxValues ||
      !one_is_around)
    return "";
  return "no pixel is 0, so the background is among the values, as in segmentations by ilastik, where it is "
         "1; leave it out with --keep '" +
         std::string(are_objects ? "label" : "value") + " != 1'";
}

/// Returns a line if single pixels are about as frequent as where each pixel is foreground by chance; else
/// "".
std::string hint_of_noise(const io::ImageInfo& input, double foreground, Connectivity connectivity,
                          std::uint64_t single) {
  constexpr double kMinShare = 0.01, kMinSingle = 32, kAsFrequent = 0.7;
  const double expected = static_cast<double>(input.elements()) * foreground *
                          std::pow(1 - foreground, static_cast<int>(connectivity));
  if (foreground < kMinShare || expected < kMinSingle || static_cast<double>(single) < kAsFrequent * expected)
    return "";
  return "single pixels are as frequent as if the threshold of otsu divided noise; check the result, set "
         "--threshold T, or drop small components with --min-size";
}

/// Returns a line if components of this connectivity cannot touch; else "".
std::string hint_of_contacts(Connectivity connectivity, bool by_values) {
  const Connectivity all = all_neighbors(connectivity);
  if (connectivity != all || by_values) return "";
  return "components by " + std::to_string(static_cast<int>(all)) +
         "-connectivity never touch, so --contacts lists none; use -c 4, 6 or 18";
}

/// Returns a line if an image without contacts is probably not a label image; else "".
std::string hint_of_contacts_of_objects(std::span<const ValueBits> values, bool any) {
  if (any || values.empty()) return "";
  return values.size() == 1 && values[0] == 1
             ? "contains only label 1; number the components with 'gpuccl label' first"
             : "no two labels touch; components with 8- or 26-connectivity never do";
}

/// Returns a line if some programs do not read the type of the labels; else "".
std::string hint_of_type(io::LabelFormat format, io::LabelType type, io::LabelType requested) {
  if (format != io::LabelFormat::tiff || type != io::LabelType::u32 || requested != io::LabelType::automatic)
    return "";
  return "more than 65535 labels need 32 bits, which older ITK reads wrongly and ImageJ as float; add "
         "--label-type u32 to silence this";
}

/// Returns a warning about `nans` samples that are NaN; "" if there are none.
std::string hint_of_nans(std::uint64_t nans) {
  if (nans == 0) return "";
  return nans == 1 ? "1 sample of a component is NaN and is ignored"
                   : fmt::format("{} samples of components are NaN and are ignored", nans);
}

}  // namespace

std::string hint_of_foreground(const io::ImageInfo& input, const io::ForegroundOptions& options,
                               const HintInputs& findings) {
  if (!options.values.empty()) return hint_of_value(input, options, findings);
  return input.elements() < kMinElements ? "" : foreground_hint(input, options, findings);
}

std::string hint_of_spacing(const io::ImageInfo& input, Connectivity connectivity) {
  const io::Geometry& geometry = input.geometry;
  const bool is_volume = is_3d(connectivity) && input.extent.depth > 1;
  const int axes = is_volume ? 3 : 2;
  if (geometry.is_known(axes) && io::is_sheared(geometry, axes))
    return "its axes are not perpendicular, as with gantry tilt; areas and volumes of components allow for "
           "that, but lengths, surfaces and distances do not; resample it for these";
  if (!is_volume || !geometry.is_known(2) || geometry.is_known(3)) return "";
  const std::string unit(geometry.unit == io::LengthUnit::unknown ? "units of length"
                                                                  : io::name_of(geometry.unit));
  return "the z spacing is unknown, so nothing is measured in " + unit + "; set it with --spacing X,Y,Z";
}

void PartFacts::set_engine(const EngineReport& engine) {
  algorithm = engine.algorithm;
  device_kind = app::device_name(engine.device_kind);
  device_name = engine.device_name;
  gpus = engine.gpus;
  start_up_ms += engine.start_up_ms;
  label_ms = engine.label_ms;
}

namespace {

/// Calls `field` with name and value of each field but the values and phases.
template <class Report, class Field>
void for_each_field(Report& report, Field field) {
  field("rule", report.foreground_rule);
  field("foreground", report.foreground);
  field("nan", report.any_nan);
  field("otsu_cuts_peak", report.otsu_cuts_peak);
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

std::string PartFacts::text() const {
  Json json;
  for_each_field(*this, [&](const char* name, const auto& value) { json[name] = value; });
  Json& values = json["values"] = Json::array();  // as bits: JSON has no infinity
  for (const double value : first_values) values.push_back(std::bit_cast<std::uint64_t>(value));
  Json& all = json["phases"] = Json::array();
  for (const PhaseTime& phase : phases) all.push_back({phase.phase, phase.milliseconds, phase.launches});
  return io::json_text(json);
}

PartFacts PartFacts::of_text(const std::string& text) {
  try {
    const Json json = io::parse_json(text);
    PartFacts piece;
    for_each_field(piece, [&](const char* name, auto& value) { json.at(name).get_to(value); });
    for (const Json& value : json.at("values"))
      piece.first_values.push_back(std::bit_cast<double>(value.get<std::uint64_t>()));
    for (const Json& phase : json.at("phases"))
      piece.phases.push_back({.phase = phase.at(0), .milliseconds = phase.at(1), .launches = phase.at(2)});
    return piece;
  } catch (const Json::exception&) {
    throw Error(ErrorCode::data, "is damaged");
  }
}

void RunFacts::measured(PartLink& link, const PartResult& part) {
  for (const std::uint64_t mine : part.nans) nans.push_back(link.scan(mine).all);
  has_objects_in_pieces = any_in_pieces(part.measured);
}

/// Returns whether components of value 1 touch all borders along x and y. Collective.
static bool are_all_around(PartLink& link, const LabelInput& input, const PartResult& part) {
  const Extent extent = input.extent();
  const int last[] = {extent.width - 1, extent.height - 1};
  std::array<std::uint64_t, 4> touching{};
  for (std::size_t i = 0; i < std::min(part.values.size(), part.components.size()); ++i) {
    if (part.values[i] != 1) continue;
    const Box& box = part.components.box[i];
    for (std::size_t axis = 0; axis < std::size(last); ++axis) {
      touching[2 * axis] += box.min[axis] == 0 ? 1 : 0;
      touching[2 * axis + 1] += box.max[axis] == last[axis] ? 1 : 0;
    }
  }
  return std::all_of(touching.begin(), touching.end(),
                     [&](std::uint64_t count) { return link.scan(count).all > 0; });
}

void RunFacts::selected(PartLink& link, const LabelInput& input, const PartResult& part) {
  count = part.count;
  dropped = part.dropped;
  std::uint64_t in_boxes = 0;
  for (const Box& box : part.components.box) {
    std::uint64_t elements = 1;
    for (std::size_t axis = 0; axis < box.min.size(); ++axis)
      elements *= static_cast<std::uint64_t>(box.max[axis] - box.min[axis]) + 1;
    in_boxes += elements;
  }
  elements_in_boxes = link.scan(in_boxes).all;
  const auto& areas = part.components.area;
  single = link.scan(static_cast<std::uint64_t>(std::count(areas.begin(), areas.end(), 1))).all;
  one_is_around = are_all_around(link, input, part) ? 1 : 0;
  const ValueOptions& options = input.options().values;
  if (!options.sums_values()) return;
  values = io::sum_up_values(input.column(part.values), part.components);
  values = io::sum_up_values(*input.value_type(), io::gather_lists(link, values));
}

void ReportBuilder::labeled(const LabelInput& input, const RunFacts& image) {
  const io::ImageInfo& info = input.info();
  const Connectivity connectivity = connectivity_ = input.connectivity();
  const PartFacts& first = image.pieces.front();
  std::uint64_t foreground = 0;
  std::set<std::string> devices;
  std::set<int> gpus;
  double fill_ms = 0;
  std::set<double> values;
  HintInputs findings;
  for (const PartFacts& piece : image.pieces) {
    foreground += piece.foreground;
    values.insert(piece.first_values.begin(), piece.first_values.end());
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
  findings.more_than_two_values = values.size() > 2;
  findings.has_one_value = values.size() == 1;
  report.input = info;
  report.input.foreground_rule = first.foreground_rule;
  report.input.otsu_cuts_peak = first.otsu_cuts_peak;
  report.input_bytes = io::bytes_of_regular_file(files_.input);
  if (!files_.json.empty()) report.input_state = input.state_of(files_.input);
  if (!files_.seeds.empty())
    report.seeds = {files_.seeds, io::bytes_of_regular_file(files_.seeds), input.state_of(files_.seeds)};
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
  if (options_.fill_holes) report.holes = {image.holes.count, image.holes.elements, fill_ms};

  findings.foreground = report.foreground =
      static_cast<double>(foreground) / static_cast<double>(info.elements());
  findings.largest = image.largest;
  findings.filled = image.holes.elements;
  findings.by_values = options_.values.by_values;
  const bool has_table = !files_.stats.empty() || !options_.files.stats.empty();
  findings.needs_unit = options_.measure.needs_spacing || (options_.spacing && has_table);
  findings.measured = options_.measure.wanted;
  findings.of_images = input.measures().hints();
  findings.is_only_channel = input.is_only_channel();
  findings.has_one_threshold =
      options_.input.foreground.otsu && options_.algorithm.per_slice && info.extent.depth > 1;
  report.hints = hints(report.input, options_.input.foreground, connectivity, findings);
  for (const std::string& line : report.hints) warn(files_.input, line);
}

void ReportBuilder::measured(const LabelInput& input, const RunFacts& image) {
  report.intensities = input.measures().intensities(image.nans);
  if (!files_.json.empty())
    for (io::ReportedIntensity& one : report.intensities) one.state = input.state_of(one.image.path);
  std::map<std::string, std::uint64_t> of_file;
  for (const io::ReportedIntensity& one : report.intensities) of_file[one.image.path] += one.nans;
  for (const auto& [path, count] : of_file) warn(path, hint_of_nans(count));
  if (!image.has_objects_in_pieces) return;
  report.hints.emplace_back(
      "some objects have several connected pieces, which the column components counts; gpuccl label --values "
      "makes each piece an object");
  warn(files_.input, report.hints.back());
}

void ReportBuilder::selected(RunFacts& image) {
  report.components = image.count;
  report.dropped = image.dropped;
  if (options_.values.sums_values()) report.values = std::move(image.values);
  if (options_.values.objects && !files_.contacts.empty()) return;  // contacts() has the hints
  const std::uint64_t values = options_.values.objects ? image.count + image.dropped
                               : report.values         ? report.values->size()
                                                       : 0;
  const auto hint = [&](const std::string& line) {
    if (line.empty()) return;
    report.hints.push_back(line);
    warn(files_.input, line);
  };
  const bool is_one = image.count + image.dropped == 1;
  if (options_.values.by_values && options_.selection.keep.steps.empty())
    hint(hint_of_no_background(report.input, report.foreground, values, image.one_is_around != 0,
                               options_.values.objects));
  if (options_.values.by_values && is_one && report.foreground >= 1 &&
      report.input.elements() >= kMinElements)
    return hint("all pixels have the same value, so the image is one component; check the input");
  if (options_.input.foreground.otsu && !report.input.otsu_cuts_peak && image.dropped == 0)
    hint(hint_of_noise(report.input, report.foreground, connectivity_, image.single));
  if (!options_.values.objects) return;
  if (is_one)
    hint("holds one value, which is one object; gpuccl label splits a mask into components");
  else if (looks_like_photograph(report.input, image))
    hint(
        "its values lie all over the image, as in a photograph, but each value is measured as one object; "
        "for a grayscale image use gpuccl label --threshold otsu");
}

void ReportBuilder::image(const io::WriteOptions& write, io::LabelType requested) {
  warn(files_.image, hint_of_type(*files_.image.format, write.type, requested));
  warn(files_.image, io::lost_geometry(*files_.image.format, write.geometry, report.input.extent.depth));
  if (write.pyramid && io::zarr_levels(files_.image, report.input.extent, write).size() == 1)
    warn(files_.image, "--pyramid adds no smaller scale, because no axis has more than 256 pixels");
  report.label_type = io::short_name(write.type);
}

void ReportBuilder::contacts(std::span<const ValueBits> values, bool any) {
  warn(files_.input, options_.values.objects ? hint_of_contacts_of_objects(values, any)
                                             : hint_of_contacts(connectivity_, options_.values.by_values));
}

void ReportBuilder::written(const LabelOutputs& outputs) {
  const auto written = [&](Output output) {
    const io::SharedFile* const file = outputs.file(output);
    return file != nullptr && file->made() ? io::ReportedFile{file->path(), file->made()->size()}
                                           : io::ReportedFile{};
  };
  report.output = written(Output::image);
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
  write.zarr_format = options.zarr_format;
  write.shards = options.shards;
  return write;
}

io::WriteOptions write_options(const LabelOptions& options, io::LabelFormat format, io::LabelType requested,
                               Label largest, const io::Geometry& geometry) {
  return write_options(options, io::resolve_label_type(requested, largest, format), geometry);
}

}  // namespace gpuccl::app
