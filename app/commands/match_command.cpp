#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/commands/match.hpp"
#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/common/sandbox.hpp"
#include "app/label/label_input.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/memory_plan.hpp"
#include "app/label/report_builder.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/detail/match_totals.hpp"
#include "gpuccl/surfaces.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/files/number_text.hpp"
#include "io/image/geometry.hpp"
#include "io/image/image_info.hpp"
#include "io/image/limits.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kColumns =
    "truth,prediction,truth_area,prediction_area,overlap,iou,dice,matched,truth_partners,"
    "prediction_partners";

constexpr std::string_view kSummaryColumns =
    "truth,prediction,truth_pixels,prediction_pixels,common_pixels,dice,volume_difference,"
    "relative_volume_difference,found,sensitivity,without_overlap,overlap_precision,splits,merges,"
    "true_positives,false_positives,false_negatives,precision,recall,f1,panoptic_quality";

/// Columns of the summary at each threshold.
constexpr std::string_view kScoreColumns = kSummaryColumns.substr(kSummaryColumns.find("true_positives"));

/// Returns a table from its first column that is not that of a pair or class.
std::string_view without_keys(std::string_view beginning) {
  for (const std::string_view column : {"input,", "frame,", "value,"})
    if (beginning.starts_with(column)) beginning.remove_prefix(column.size());
  return beginning;
}

bool is_pairs_csv(std::string_view beginning) { return without_keys(beginning).starts_with(kColumns); }
bool is_summary_csv(std::string_view beginning) {
  return without_keys(beginning).starts_with(kSummaryColumns);
}

bool is_match_report(std::string_view beginning) { return beginning.starts_with("{\"gpuccl_match\""); }

/// Returns the names of further columns: of `at_threshold` for each threshold but the first, of distances and
/// of regions.
std::string further_columns(const MatchOptions& options, std::string_view at_threshold) {
  std::string names;
  for (const double threshold : std::span(options.thresholds).subspan(1))
    for (const std::string& name : split(std::string(at_threshold), ','))
      names += "," + column_at(name, threshold);
  const auto add = [&](std::string_view name, double /*value*/) { names += fmt::format(",{}", name); };
  const bool has_dice = options.tolerance.has_value();
  if (options.distances) each_distance({}, has_dice, add);
  if (options.distances) names += ",unit";
  if (options.regions) each_region_score(0, {}, options.distances, has_dice, add);
  return names;
}

std::string cell(double score) { return std::isnan(score) ? "" : io::shortest(score); }

/// Returns the rows of one pair of images; 0 stands for no partner. `before`: first columns of each row.
/// `unit`: of distances.
std::string pairs_text(const std::string& before, const Objects& truth, const Objects& prediction,
                       const OverlapTable& table, const std::vector<ScoredPair>& pairs,
                       const MatchOptions& options, const std::string& unit) {
  std::string text;
  for (const ScoredPair& pair : pairs) {
    const auto of = [](const auto& values, const std::optional<std::uint32_t>& i) {
      return std::to_string(i ? values[*i] : 0);
    };
    text += fmt::format("{}{},{},{},{},{},{},{},{},{},{}", before, of(truth.ids, pair.truth),
                        of(prediction.ids, pair.prediction), of(table.truth_areas, pair.truth),
                        of(table.prediction_areas, pair.prediction), pair.pixels, io::shortest(pair.iou),
                        io::shortest(pair.dice), pair.is_match ? 1 : 0, pair.truth_partners,
                        pair.prediction_partners);
    for (const bool is_match : pair.matches_later) text += is_match ? ",1" : ",0";
    const auto add = [&](const char*, double score) { text += ',' + cell(score); };
    if (options.distances) {
      each_distance(pair.distances, options.tolerance.has_value(), add);
      text += ',' + unit;
    }
    if (options.regions)
      each_region_score(pair.region_dice, pair.of_region, options.distances, options.tolerance.has_value(),
                        add);
    text += '\n';
  }
  return text;
}

/// Returns the scores of a row of the summary. An undefined score is an empty cell.
std::string summary_row(const MatchTotals& totals, double empty, const std::string& unit) {
  std::string row;
  const auto add_count = [&](auto count) { row += std::to_string(count) + ","; };
  const auto add = [&](double score) { row += cell(score) + ","; };
  const auto add_score = [&](double score) { add(totals.is_empty() ? empty : score); };
  const OverlapCounts& counts = totals.counts;
  for (const std::uint64_t count :
       {counts.truth, counts.prediction, counts.truth_pixels, counts.prediction_pixels, counts.common_pixels})
    add_count(count);
  add_score(counts.dice());
  add_count(counts.volume_difference());
  add(counts.relative_volume_difference());
  add_count(counts.truth_found);
  add_score(counts.sensitivity());
  add_count(counts.prediction - counts.prediction_found);
  add_score(counts.overlap_precision());
  add_count(counts.splits);
  add_count(counts.merges);
  for (const MatchScores& at : totals.scores) {
    for (const std::uint64_t count : {at.true_positives, at.false_positives, at.false_negatives})
      add_count(count);
    for (const double score : {at.precision(), at.recall(), at.f1(), at.panoptic_quality()}) add_score(score);
  }
  if (totals.distances) {
    each_distance(totals.distances->foreground.mean(), totals.distances->has_dice,
                  [&](const char*, double distance) { add(distance); });
    row += unit + ",";
  }
  if (const auto& regions = totals.regions)
    each_region_score(regions->dice(), regions->distances.mean(), regions->has_distances, regions->has_dice,
                      [&](const char*, double score) { add(score); });
  row.pop_back();
  return row;
}

/// Reports in JSON, for report_of().
struct InJson {
  using Object = Json;
  using List = std::vector<Json>;
  static void append(List& list, Json object) { list.push_back(std::move(object)); }
  static Json value(const List& list) { return Json(list); }
};

std::string in_words(double mean) { return std::isnan(mean) ? "none" : fmt::format("{:.4f}", mean); }

std::string summary_of(const DistanceTotals& distances, const std::string& unit) {
  std::string text;
  const auto add = [&](std::string_view objects, const DistanceSums& sums) {
    text += fmt::format("surfaces of {}{}:", objects, unit.empty() ? "" : " in " + unit);
    each_distance(sums.mean(), distances.has_dice, [&](std::string_view name, double mean) {
      text += fmt::format(" {} {}", name, in_words(mean));
    });
    text += '\n';
  };
  add(distances.of_classes ? "classes, on average" : "the foreground", distances.foreground);
  add("matched objects", distances.matches);
  return text;
}

std::string summary_of(const MatchTotals& totals, std::size_t images, double empty, const std::string& unit) {
  std::string text = images > 1 ? fmt::format("{} pairs of images\n", images) : "";
  if (totals.is_empty())
    return text + "truth 0 objects, prediction 0 objects: " +
           (std::isnan(empty) ? "no scores\n" : fmt::format("all scores {}\n", empty));
  text += fmt::format("truth {} objects, prediction {} objects, Dice coefficient of the foreground {:.4f}\n",
                      totals.counts.truth, totals.counts.prediction, totals.counts.dice());
  text += "threshold        TP        FP        FN precision  recall      F1  accuracy      SQ      PQ\n";
  for (const MatchScores& score : totals.scores)
    text += fmt::format("{:9g} {:9} {:9} {:9} {:9.4f} {:7.4f} {:7.4f} {:9.4f} {:7.4f} {:7.4f}\n",
                        score.threshold, score.true_positives, score.false_positives, score.false_negatives,
                        score.precision(), score.recall(), score.f1(), score.accuracy(),
                        score.mean_matched_iou(), score.panoptic_quality());
  if (totals.distances) text += summary_of(*totals.distances, unit);
  if (const auto& regions = totals.regions) {
    text += fmt::format("{} regions of true objects:", regions->count);
    each_region_score(regions->dice(), regions->distances.mean(), regions->has_distances, regions->has_dice,
                      [&](std::string_view name, double mean) {
                        text += fmt::format(" {} {}", name.substr(name.find('_') + 1), in_words(mean));
                      });
    text += '\n';
  }
  return text;
}

/// Prints a hint about a result that is probably not intended.
void give_hint(const ImagePair& pair, const OverlapCounts& counts, bool labeled) {
  if (counts.truth == 0 || counts.prediction == 0)
    print_warning(counts.truth == 0 ? pair.truth : pair.prediction, "contains no objects");
  else if (counts.common_pixels == 0)
    print_warning(pair.prediction,
                  "no object overlaps any of the true image; check that both show the same field");
  else if (!labeled && counts.truth == 1 && counts.prediction == 1)
    print_warning(pair.prediction,
                  "both images contain a single value, so one object; --label splits masks into their "
                  "components");
}

bool has_min_size(const MatchOptions& options) {
  return options.min_size[0].is_given() || options.min_size[1].is_given();
}

class Matching {
 public:
  explicit Matching(const MatchOptions& options)
      : options_(options),
        empty_(parse_number<double>(options.empty).value_or(std::numeric_limits<double>::quiet_NaN())),
        found_(find_pairs(options.truth, options.prediction, options.prediction_name, options.objects)),
        csv_(options.csv, options.file, is_pairs_csv),
        summary_(options.summary, options.file, is_summary_csv),
        json_(options.json, options.file, is_match_report) {}

  int run() {
    const std::string keys = std::string(found_.is_batch ? "input," : "") +
                             (options_.objects.every_frame ? "frame," : "") +
                             (options_.objects.per_value ? "value," : "");
    csv_.write(keys + std::string(kColumns) + further_columns(options_, "matched") + "\n");
    for (const ImagePair& pair : found_.pairs) {
      std::string rows;
      found_.attempt(pair, [&] { io::with_path(pair.truth, [&] { match(pair, rows); }); });
      check_rows();
      csv_.write(rows);  // a failure ends the run, so that a table has all rows or is not there
    }
    write_summary(keys, std::string(kSummaryColumns) + further_columns(options_, kScoreColumns) +
                            (found_.is_batch ? ",error" : ""));
    if (json_) write_report();
    if (images_ == 0) {
      for (const std::string& table : {options_.csv, options_.summary})
        if (std::error_code unknown; std::filesystem::exists(table, unknown))
          print_warning(table, "unchanged, because no pair was matched");
      TextOutput::commit_together({&json_});
    } else {
      TextOutput::commit_together({&csv_, &summary_, &json_});
    }
    if (images_ > 0 && !options_.csv.is_stdout() && !options_.summary.is_stdout() &&
        !options_.json.is_stdout())
      print_summary();
    return exit_code(found_.codes);
  }

 private:
  static Json in_json(const std::string& unit) { return unit.empty() ? Json() : Json(unit); }

  /// Rows of the summary for a pair of images, without their first columns.
  struct Case {
    std::string name;
    std::optional<int> frame;
    std::map<std::uint64_t, std::string> rows;  // by class; 0 without classes
    std::string other;                          // of a class without objects; empty if it has no row
  };

  /// Returns the first cells of a row.
  std::string keys_of(const std::string& name, std::optional<int> frame) const {
    return (found_.is_batch ? io::csv_field(io::harmless_name(name)) + "," : "") +
           (frame                          ? std::to_string(*frame) + ","
            : options_.objects.every_frame ? ","
                                           : "");
  }

  /// Writes a row for each case and class, also for a class that a case lacks and for a case that failed.
  void write_summary(const std::string& keys, const std::string& columns) {
    if (!summary_) return;
    for (const auto& [name, frame, error] : found_.failed) {
      const auto cells = static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ','));
      const std::string reason = display_name(error.path()) + ": " + error.what();
      cases_.push_back({name, frame, {}, std::string(cells, ',') + io::csv_field(reason) + "\n"});
    }
    std::stable_sort(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) {
      return std::tie(a.name, a.frame) < std::tie(b.name, b.frame);
    });
    std::map<std::uint64_t, std::string> values;  // first cells of rows
    for (const Case& one : cases_)
      for (const auto& [value, row] : one.rows) values[value];
    for (const std::uint64_t value : options_.classes) values[value];
    for (auto& [value, cell] : values)
      if (options_.objects.per_value) cell = std::to_string(value) + ",";
    if (values.empty()) values[0] = options_.objects.per_value ? "," : "";
    summary_.write(keys + columns + "\n");
    for (const Case& one : cases_) {  // not as one text, because every case may have the classes of all
      const std::string before = keys_of(one.name, one.frame);
      for (const auto& [value, cell] : values) {
        const auto found = one.rows.find(value);
        const std::string& row = found == one.rows.end() ? one.other : found->second;
        if (!row.empty()) summary_.write(before + cell + row);
      }
    }
  }

  /// Adds the classes of --classes that an image lacks, scored as two images without objects. Those of other
  /// images are left out, because a report would grow with the square of the number of images.
  void add_absent_classes(Json& report) const {
    if (options_.classes.empty() || options_.empty == "skip" || !nothing_) return;
    std::map<std::uint64_t, Json> all;
    for (const std::uint64_t value : options_.classes) all[value];
    for (Json& one : report["classes"]) {
      Json& place = all[one["value"].get<std::uint64_t>()];
      place = std::move(one);
    }
    report["classes"] = Json::array();
    for (auto& [value, one] : all) {
      if (one.is_null()) (one = {{"value", value}}).update(report_of<InJson>(*nothing_, empty_));
      report["classes"].push_back(std::move(one));
    }
  }

  /// Adds a row of the report, as text, which takes less memory.
  void add_row(Json row) {
    add_absent_classes(row);
    const std::string text = io::json_text(row, 1);
    std::string& kept = rows_.emplace_back();
    for (const char one : text) (kept += one) += one == '\n' ? "  " : "";
    bytes_of_rows_ += kBytesOfEntry + static_cast<double>(kept.capacity());
  }

  /// Error (memory) if the rows of the report and the summary alone exceed --memory.
  void check_rows() const {
    const std::int64_t memory = io::memory_limit({.memory = options_.objects.memory});
    if (bytes_of_rows_ > static_cast<double>(memory))
      throw io::FileError(options_.truth, ErrorCode::memory,
                          "rows of the summary and the report need more memory than --memory " +
                              io::bytes_in_words(static_cast<double>(memory)) +
                              "; set a larger --memory, or match fewer images at once");
  }

  bool has_rows() const { return found_.is_batch || options_.objects.every_frame; }

  void write_report() {
    Json report{{"gpuccl_match", 1}, {"version", version_line()}};
    report["truth"] = options_.truth;
    report["prediction"] = options_.prediction;
    report["labeled"] = options_.objects.label;
    if (has_min_size(options_)) {
      const auto size_of = [](const MinSize& size) {
        return size.physical ? Json(size.physical->text) : Json(size.pixels);
      };
      report["min_size"] = {{"truth", size_of(options_.min_size[0])},
                            {"prediction", size_of(options_.min_size[1])}};
    }
    if (options_.distances) report["unit"] = units_.size() == 1 ? in_json(unit_) : Json();
    if (options_.tolerance)
      report["tolerance"] =
          options_.tolerance_text.empty() ? Json(*options_.tolerance) : Json(options_.tolerance_text);
    // The rows take most of the memory, so they are written one by one.
    constexpr std::string_view kRows = "\"\\u0000\"";
    if (has_rows()) report["images"] = rows_.empty() ? Json::array() : Json::array({std::string(1, '\0')});
    if (found_.is_batch) {
      report["failed"] = Json::array();
      for (const auto& [name, frame, error] : found_.failed) {
        Json& row = report["failed"].emplace_back(Json{{"input", name}, {"error", error_object(error)}});
        if (frame) row["frame"] = *frame;
      }
    }
    const double of_empty = images_ > 0 ? empty_ : std::numeric_limits<double>::quiet_NaN();
    report["total"] = report_of<InJson>(total_, of_empty);
    if (options_.objects.per_value) add_classes<InJson>(report, classes_, of_empty);
    add_absent_classes(report);
    const std::string text = io::json_text(report, 1).erase(1, 2) + "\n";
    const std::size_t place = rows_.empty() ? 0 : text.find(kRows);
    json_.write(std::string_view(text).substr(0, place));
    for (std::size_t i = 0; i < rows_.size(); ++i)
      json_.write((i > 0 ? ",\n  " : "") + std::exchange(rows_[i], {}));
    json_.write(std::string_view(text).substr(rows_.empty() ? 0 : place + kRows.size()));
  }

  void print_summary() const {
    const std::string unit = units_.size() > 1 ? "mixed units" : unit_ == "pixel" ? "pixels" : unit_;
    std::string text = summary_of(total_, images_, empty_, unit);
    for (const auto& [value, totals] : classes_)
      text += fmt::format("\nclass {}: {}", value, summary_of(totals, 1, empty_, unit));
    print_result(text);
  }

  /// Returns the size of an image and its spacing, or that of the options.
  io::ImageInfo info_of(const Objects& image) const {
    io::ImageInfo info;
    info.extent = image.extent;
    info.geometry = image.geometry;
    if (options_.spacing) io::set_spacing(info.geometry, *options_.spacing);
    return info;
  }

  /// Returns the surfaces of a pair if distances or regions are asked for. Lengths are in the unit of the
  /// true image, or in pixels.
  std::unique_ptr<const Surfaces> surfaces_of(const ImagePair& pair, const Objects& truth,
                                              const Objects& prediction, std::int64_t max_bytes) {
    if (!options_.distances && !options_.regions) return nullptr;
    io::ImageInfo info = info_of(truth);
    const auto& least = options_.min_size;
    if (least[0].physical || least[1].physical) io::assume_unit(info.geometry);
    check_spacing(options_.spacing, info, Connectivity::c26);
    if (const std::string hint = hint_of_spacing(info, Connectivity::c26); !hint.empty())
      print_warning(pair.truth, hint);
    SurfaceOptions surfaces{.tolerance = options_.tolerance, .max_bytes = max_bytes};
    const bool is_known = info.geometry.is_known(truth.extent.depth > 1 ? 3 : 2);
    if (const io::LengthUnit unit = options_.tolerance_unit; unit != io::LengthUnit::unknown) {
      io::assume_unit(info.geometry);
      if (!is_known || info.geometry.unit == io::LengthUnit::unknown)
        throw io::FileError(pair.truth, ErrorCode::usage,
                            "has no unit of length, which --tolerance " + options_.tolerance_text +
                                " needs; set it with --spacing X,Y,Z,UNIT");
      *surfaces.tolerance *= io::unit_ratio(unit, info.geometry.unit);
    }
    if (is_known) surfaces.spacing = info.geometry.spacing;
    if (truth.extent.depth == 1) surfaces.spacing[2] = 1;
    auto made = std::make_unique<const Surfaces>(*truth.labels, *prediction.labels, surfaces);
    unit_ = is_known ? io::name_of(info.geometry.unit) : "pixel";
    if (options_.distances && units_.insert(unit_).second && units_.size() > 1)
      print_warning(pair.truth,
                    "has another unit of length than images before; means of distances mix units");
    return made;
  }

  /// Returns an upper bound of the bytes of tables and scores of one pair. Error (memory) if it is above
  /// `left`.
  std::int64_t bytes_to_score(const Objects& truth, const Objects& prediction, const OverlapTable& table,
                              std::int64_t left) const {
    constexpr double kBytesOfObject = 96, kBytesOfRegion = 128, kBytesOfPair = 128, kBytesOfRow = 512,
                     kBytesOfClass = 8192;
    const double objects = static_cast<double>(truth.ids.size() + prediction.ids.size());
    const double pairs = static_cast<double>(table.overlaps.size());
    std::vector<std::uint64_t> classes = truth.classes;
    classes.insert(classes.end(), prediction.classes.begin(), prediction.classes.end());
    std::sort(classes.begin(), classes.end());
    const auto count = std::unique(classes.begin(), classes.end()) - classes.begin();
    const double bytes = objects * kBytesOfObject + (options_.regions ? objects * kBytesOfRegion : 0) +
                         pairs * kBytesOfPair + (csv_ ? (objects + pairs) * kBytesOfRow : 0) +
                         static_cast<double>(count) * kBytesOfClass;
    if (bytes > static_cast<double>(left))
      throw Error(
          ErrorCode::memory,
          fmt::format("needs {} of memory to score {} objects and {} pairs, but {} remain; set a larger "
                      "--memory, or --min-size",
                      io::bytes_in_words(bytes), objects, pairs,
                      io::bytes_in_words(static_cast<double>(left))));
    return static_cast<std::int64_t>(bytes);
  }

  /// Matches one pair, and adds its rows of the tables.
  void match(const ImagePair& pair, std::string& rows) {
    if (io::are_one_stream(pair.truth, pair.prediction))
      throw io::FileError(pair.prediction, ErrorCode::usage, "is a stream and can be read only once");
    if (pair.frame.value_or(0) == 0) kept_ = pair.frame ? std::make_shared<io::KeptInputs>() : nullptr;
    const auto read = [&](const std::string& path, bool second) {
      const MinSize& least = options_.min_size[second];
      const bool is_still = path == pair.still;
      Objects objects = read_objects(path, options_.objects.of(second), is_still ? std::nullopt : pair.frame,
                                     is_still ? nullptr : kept_);
      if (const auto& values = objects.without_background; !values.empty() && options_.classes.empty())
        print_warning(
            path,
            "no pixel is 0, so the background is an object" +
                (values[0] == 1 ? ", as in segmentations by ilastik, where it is 1; score the other class "
                                  "with --per-value --classes " +
                                      std::to_string(values[1])
                                : fmt::format("; leave it out with --per-value --classes {0}, or {1} if "
                                              "the background is {0}",
                                              values[0], values[1])));
      std::uint64_t min_size = least.pixels;
      if (least.physical)
        min_size = io::with_path(path, [&] {
          io::ImageInfo info = info_of(objects);
          if (io::assume_unit(info.geometry)) print_warning(path, io::kUnitIsAssumed);
          return elements_from(*least.physical, info, objects.connectivity);
        });
      std::vector<std::uint64_t> areas = objects.areas;  // 0 of objects that are not scored
      for (std::size_t i = 0; i < objects.classes.size() && !options_.classes.empty(); ++i)
        if (!options_.classes.contains(objects.classes[i])) areas[i] = 0;
      if (!options_.classes.empty()) min_size = std::max<std::uint64_t>(min_size, 1);
      remove_small(objects.labels, min_size, areas, {&objects.ids, &objects.areas, &objects.classes});
      objects.components = {};
      return objects;
    };
    const std::int64_t memory = io::memory_limit({.memory = options_.objects.memory});
    const Objects truth = read(pair.truth, false);
    const Objects prediction = read(pair.prediction, true);
    if (truth.extent != prediction.extent)
      throw io::FileError(pair.prediction, ErrorCode::data,
                          "is " + io::to_string(prediction.extent) + ", but " + display_name(pair.truth) +
                              " is " + io::to_string(truth.extent) + "; both need the same size");
    if (pair.frame.value_or(0) == 0)
      warn_of_grids(pair.truth, truth.geometry, pair.prediction, prediction.geometry, truth.extent,
                    "objects");
    std::int64_t left = MemoryBudget::left_after(
        static_cast<double>(truth.bytes) + static_cast<double>(prediction.bytes) + bytes_of_rows_, memory);
    const OverlapTable table = find_overlaps(*truth.labels, *prediction.labels, left);
    left -= bytes_to_score(truth, prediction, table, left);
    const std::string before = keys_of(pair.name, pair.frame);
    const std::unique_ptr<const Surfaces> surfaces = surfaces_of(pair, truth, prediction, left);
    ScoreOptions scoring{.thresholds = options_.thresholds, .surfaces = surfaces.get(), .empty = empty_};
    scoring.has_distances = options_.distances;
    scoring.has_regions = options_.regions;
    scoring.has_classes = options_.objects.per_value;
    scoring.truth_classes = truth.classes;
    scoring.prediction_classes = prediction.classes;
    if (csv_)
      scoring.on_pairs = [&](std::uint64_t value, const std::vector<ScoredPair>& pairs) {
        rows += pairs_text(scoring.has_classes ? before + std::to_string(value) + "," : before, truth,
                           prediction, table, pairs, options_, unit_);
      };
    ClassTotals classes;
    const MatchTotals totals = score_images(table, scoring, classes);
    for (const auto& [value, one] : classes) classes_[value].add(one);
    const bool is_left_out = totals.is_empty() && options_.empty == "skip";
    nothing_ = score_nothing(scoring);
    if (summary_) {
      const auto row_of = [&](const MatchTotals& of) {
        return summary_row(of, empty_, unit_) + (found_.is_batch ? ",\n" : "\n");
      };
      Case& one = cases_.emplace_back(Case{pair.name, pair.frame, {}, {}});
      if (options_.empty != "skip") one.other = row_of(*nothing_);
      bytes_of_rows_ += static_cast<double>(one.other.size());
      if (!scoring.has_classes && !is_left_out) one.rows[0] = row_of(totals);
      for (const auto& [value, of] : classes) one.rows[value] = row_of(of);
      for (const auto& [value, row] : one.rows)
        bytes_of_rows_ += kBytesOfEntry + static_cast<double>(row.size());
    }
    give_hint(pair, totals.counts, options_.objects.label || options_.objects.per_value);
    if (has_rows() && !is_left_out) {
      Json row = Json::object();
      if (found_.is_batch) row["input"] = pair.name;
      if (pair.frame) row["frame"] = *pair.frame;
      row.update({{"truth", pair.truth}, {"prediction", pair.prediction}});
      if (options_.distances) row["unit"] = in_json(unit_);
      row.update(report_of<InJson>(totals, empty_));
      if (options_.objects.per_value) add_classes<InJson>(row, classes, empty_);
      if (json_) add_row(std::move(row));
    }
    total_.add(totals);
    ++images_;
  }

  const MatchOptions& options_;
  const double empty_;  // scores of images without objects
  FoundPairs found_;
  std::shared_ptr<io::KeptInputs> kept_;  // of the time points of a pair
  TextOutput csv_, summary_, json_;
  std::size_t images_ = 0;
  std::string unit_;  // of distances of the last pair, "" if unknown
  std::set<std::string> units_;
  MatchTotals total_;
  ClassTotals classes_;
  std::optional<MatchTotals> nothing_;  // of two images without objects
  static constexpr double kBytesOfEntry = 128;
  double bytes_of_rows_ = 0;       // of the report and the summary
  std::vector<std::string> rows_;  // of the report, in JSON
  std::vector<Case> cases_;        // of the summary
};

std::string parse_thresholds(const std::string& given, std::vector<double>& thresholds) {
  thresholds.clear();
  for (const std::string& word : split(given, ',')) {
    const std::optional<double> threshold = parse_number<double>(word);
    if (!threshold || !(*threshold > 0 && *threshold <= 1))
      return "'" + given + "' is not a list of numbers above 0 and up to 1";
    if (std::find(thresholds.begin(), thresholds.end(), *threshold) != thresholds.end())
      return "'" + given + "' lists a threshold twice";
    thresholds.push_back(*threshold);
  }
  return "";
}

/// Parses "8" for both images, and "truth=8,prediction=10mm3" for either.
std::string parse_min_size(const std::string& given, std::array<MinSize, 2>& sizes) {
  sizes = {};
  const std::vector<std::string> words = split(given, ',');
  for (const std::string& word : words) {
    const std::size_t place = word.find('=') + 1;
    const std::string_view name = std::string_view(word).substr(0, place);
    const bool is_both = name.empty() && words.size() == 1;
    MinSize size;
    if (!parse_limit(word.substr(place), size.pixels, size.physical).empty() ||
        !(is_both || (name == "truth=" && !sizes[0].is_given()) ||
          (name == "prediction=" && !sizes[1].is_given())))
      return "'" + given +
             "' is not N, truth=N, prediction=N or truth=N,prediction=N; N is a number of pixels or a size "
             "such as 10mm3";
    if (is_both || name == "truth=") sizes[0] = size;
    if (is_both || name == "prediction=") sizes[1] = size;
  }
  return "";
}

std::string parse_classes(const std::string& given, std::set<std::uint64_t>& classes) {
  classes.clear();
  for (const std::string& word : split(given, ','))
    if (const auto value = parse_number<std::uint64_t>(word); value.value_or(0) > 0)
      classes.insert(*value);
    else
      return "'" + given + "' is not a list of integers above 0, such as 1,2,3";
  return "";
}

void check(const MatchOptions& options) {
  options.objects.check();
  if (!options.classes.empty() && !options.objects.per_value)
    throw Error(ErrorCode::usage, "--classes is for --per-value; add it");
  if (options.csv.is_stdout() + options.summary.is_stdout() + options.json.is_stdout() > 1)
    throw Error(ErrorCode::usage, "only one of --csv, --summary and --json can be standard output");
  if (!options.distances && options.tolerance)
    throw Error(ErrorCode::usage, "--tolerance is for distances; add --distances");
  const bool has_sizes = options.min_size[0].physical || options.min_size[1].physical;
  if (!options.distances && !options.regions && !has_sizes && options.spacing)
    throw Error(ErrorCode::usage, "--spacing is for distances and regions; add --distances or --regions");
}

int run_match(const MatchOptions& options) {
  check(options);
  if (options.truth.empty() || options.prediction.empty())
    throw Error(ErrorCode::usage, "TRUTH and PREDICTION are needed, or --track SERIES");
  if (!options.folder.empty()) throw Error(ErrorCode::usage, "-o is for --track");
  enter_sandbox({options.truth, options.prediction}, {options.csv, options.summary, options.json});
  LabelPaths paths;
  paths.input = options.truth;
  paths.intensities = {options.prediction};
  paths.stats = options.csv;
  paths.stats_option = "--csv";
  paths.summary = options.summary;
  paths.json = options.json;
  refuse_overlap(paths);
  if (options.objects.memory > 0) keep_no_freed_memory();
  return Matching(options).run();
}

int run_track(const MatchOptions& options) {
  check(options);
  if (!options.truth.empty())
    throw Error(ErrorCode::usage, "--track has one input, its series; remove " + options.truth.path);
  if (options.thresholds.size() > 1) throw Error(ErrorCode::usage, "--track has one --threshold");
  if (options.objects.per_value || !options.prediction_name.empty() || !options.empty.empty() ||
      has_min_size(options) || options.distances || options.objects.recursive ||
      options.objects.prediction_channel || options.regions || !options.summary.empty())
    throw Error(
        ErrorCode::usage,
        "--per-value, --prediction-name, --empty, --min-size, --distances, --regions, --summary, --recursive "
        "and a channel for each image are for two images, not for --track");
  if (options.objects.every_frame || options.objects.planes.frame)
    throw Error(ErrorCode::usage, "--track reads all time points; remove --frame");
  return track_frames(options);
}

}  // namespace

void setup_match(const Command& command) {
  const auto options = std::make_shared<MatchOptions>();
  add_path(command, "TRUTH", options->truth, "", "Label image with the true objects, or a folder",
           wrong_path);
  add_path(command, "PREDICTION", options->prediction, "", "Label image to score, or a folder", wrong_path);
  command.add_value(
      "--threshold", "IOU,...", "Minimum intersection over union of a match, or a list [0.5]",
      [options](const std::string& given) { return parse_thresholds(given, options->thresholds); });
  options->objects.add_to(command);
  options->objects.add_folders_to(command);
  add_choice<std::string>(command, "--empty", options->empty, {{"0", "0"}, {"1", "1"}, {"skip", "skip"}},
                          "Scores of two images without objects, or leave them out of the report [null]");
  command.add_value("--classes", "N,...", "With --per-value: classes to score [those of all images]",
                    [options](const std::string& given) { return parse_classes(given, options->classes); });
  command.add_value("--min-size", "N|NAME=N,...",
                    "Leave out objects of fewer pixels, of both images or of truth=N, prediction=N",
                    [options](const std::string& given) { return parse_min_size(given, options->min_size); });
  add_switch(command, "--distances", options->distances,
             "Measure distances between surfaces: Hausdorff, 95th percentile and ASSD");
  command.add_value(
      "--tolerance", "LENGTH", "Add the surface Dice coefficient (NSD) at this tolerance",
      [options](const std::string& given) {
        const std::size_t digits = given.find_last_of("0123456789.") + 1;  // 0 of none
        const std::string unit = given.substr(std::min(given.find_first_not_of(' ', digits), given.size()));
        options->tolerance = parse_number<double>(given.substr(0, digits));
        options->tolerance_unit = io::length_unit(unit);
        options->tolerance_text = unit.empty() ? "" : given;
        const bool is_unit = unit.empty() || options->tolerance_unit != io::LengthUnit::unknown;
        return is_unit && options->tolerance >= 0.0 && std::isfinite(*options->tolerance)
                   ? std::string()
                   : "'" + given +
                         "' is not a number of 0 or more, such as 2 in the unit of the spacing, or 500nm";
      });
  add_switch(command, "--regions", options->regions,
             "Score the region of each true object: the pixels nearest to it (CC-Metrics)");
  add_spacing(command, options->spacing);
  command.add_value("--prediction-name", "PATTERN",
                    "Names of predictions in a folder: *_0000, where * is the true name; *_gt=*_pred",
                    [options](const std::string& given) {
                      options->prediction_name = given;
                      return NamePattern::problem_with(given);
                    });
  add_path(command, "--track", options->series, "SERIES",
           "Link objects through time: a file with time points, or a folder of images", wrong_path);
  add_path(command, "-o,--output", options->folder, "FOLDER",
           "With --track: folder for label images with the numbers of tracks", wrong_folder);
  add_text_path(command, "--csv", options->csv, "csv",
                "Table of overlapping pairs, or of tracked objects [- for standard output]");
  add_text_path(command, "--summary", options->summary, "csv",
                "Table of scores, a row per pair of images and class [- for standard output]");
  add_text_path(command, "--json", options->json, "json", "Report of all scores [- for standard output]");
  options->file.add_to(command);
  command.on_run([options] {
    if (options->distances || options->regions) options->objects.share = 1;  // the rest is for surfaces
    const RepeatedWarnings repeated;
    return run_reporting(options->json.is_stdout(),
                         [&] { return options->series.empty() ? run_match(*options) : run_track(*options); });
  });
}

}  // namespace gpuccl::app
