#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/commands/text_output.hpp"
#include "app/common/exit_code.hpp"
#include "app/common/messages.hpp"
#include "app/common/version.hpp"
#include "app/label/batch/find_inputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/label_sandbox.hpp"
#include "app/options/algorithm_options.hpp"
#include "app/options/number_lists.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/values.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/number_text.hpp"
#include "io/read/reader.hpp"
#include "io/report/csv_field.hpp"

namespace gpuccl::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kColumns =
    "truth,prediction,truth_area,prediction_area,overlap,iou,dice,matched\n";

bool is_pairs_csv(std::string_view beginning) {
  return beginning.starts_with(kColumns.substr(0, kColumns.size() - 1)) ||
         beginning.starts_with("input,truth,prediction,");
}

bool is_match_report(std::string_view beginning) { return beginning.starts_with("{\"gpuccl_match\""); }

struct MatchOptions {
  std::string truth, prediction;
  std::vector<double> thresholds{0.5};
  AlgorithmOptions components;  // connectivity alone
  bool label = false;
  std::string csv, json;
  OutputOptions file;
};

/// Two label images that are matched; `name` is what they have in common in two folders.
struct Pair {
  std::string name, truth, prediction;
};

/// The objects of one label image.
struct Objects {
  Extent extent;
  std::unique_ptr<LabelSource> labels;
  std::vector<std::uint64_t> ids;  // of label i + 1
};

/// Counts that add up over images.
struct Totals {
  OverlapCounts counts;
  std::vector<MatchScores> scores;  // one for each threshold

  void add(const Totals& other) {
    counts.add(other.counts);
    for (std::size_t i = 0; i < other.scores.size(); ++i)
      if (i < scores.size())
        scores[i].add(other.scores[i]);
      else
        scores.push_back(other.scores[i]);
  }
};

Objects components_of(const std::string& path, const io::ReadOptions& read, const AlgorithmOptions& options) {
  io::ImageInfo info;
  // The labels look at the bits, so that they are rendered as an image of their own.
  const BitVolume bits = io::read_image(path, read, &info);
  EngineOptions on_cpu;
  on_cpu.device = DeviceChoice::cpu;
  Engine engine(on_cpu, {});
  const Labeled labeled =
      engine.label(bits.view(), options.connectivity_for(info.extent, info.format != "png"));
  Objects objects{info.extent, std::make_unique<LabelImage>(render_all(*labeled.labels)), {}};
  for (std::uint64_t id = 1; id <= objects.labels->count(); ++id) objects.ids.push_back(id);
  return objects;
}

Objects values_of(const std::string& path, io::ReadOptions read) {
  read.palette = io::PaletteUse::index;
  const std::unique_ptr<io::Reader> reader = io::open_reader(path, read);
  const Extent extent = reader->info().extent;
  const ValueType type = reader->value_type();
  ValueImage image = reader->read_values(0, extent.depth, 0);
  if (image.any_nan()) read.warn("some values are NaN and count as background");
  LabeledValues labeled = label_by_value(std::move(image));
  return {extent, std::move(labeled.labeled.labels), object_ids(type, labeled.values)};
}

Objects read_objects(const std::string& path, const MatchOptions& options) {
  return io::concerning(path, [&] {
    io::ReadOptions read;
    read.warn = [&](const std::string& line) { print_warning(path, line); };
    return options.label ? components_of(path, read, options.components) : values_of(path, read);
  });
}

/// The rows of one pair of images, as text.
std::string pairs_text(const std::string& input, const Objects& truth, const Objects& prediction,
                       const OverlapTable& table, const std::vector<Match>& matches) {
  std::string text;
  const std::string before = input.empty() ? "" : io::csv_field(input) + ",";
  for (const ObjectPair& pair : list_pairs(table, matches)) {
    const auto of = [](const auto& values, const std::optional<std::uint32_t>& i) {
      return i ? std::to_string(values[*i]) : std::string();
    };
    text += before + of(truth.ids, pair.truth) + "," + of(prediction.ids, pair.prediction) + "," +
            of(table.truth_areas, pair.truth) + "," + of(table.prediction_areas, pair.prediction) + "," +
            std::to_string(pair.pixels) + "," + io::shortest(pair.iou) + "," + io::shortest(pair.dice) +
            (pair.is_match ? ",1\n" : ",0\n");
  }
  return text;
}

Json json_of(const Totals& totals) {
  const OverlapCounts& counts = totals.counts;
  Json matching = Json::array();
  for (const MatchScores& score : totals.scores)
    matching.push_back({{"threshold", score.threshold},
                        {"true_positives", score.true_positives},
                        {"false_positives", score.false_positives},
                        {"false_negatives", score.false_negatives},
                        {"precision", score.precision()},
                        {"recall", score.recall()},
                        {"f1", score.f1()},
                        {"accuracy", score.accuracy()},
                        {"mean_matched_iou", score.mean_matched_iou()},
                        {"mean_true_iou", score.mean_true_iou()},
                        {"panoptic_quality", score.panoptic_quality()}});
  return {{"objects", {{"truth", counts.truth}, {"prediction", counts.prediction}}},
          {"foreground",
           {{"truth", counts.truth_pixels},
            {"prediction", counts.prediction_pixels},
            {"common", counts.common_pixels},
            {"dice", counts.dice()}}},
          {"detection",
           {{"found", counts.truth_found},
            {"sensitivity", counts.sensitivity()},
            {"without_overlap", counts.prediction - counts.prediction_found},
            {"precision", counts.precision()}}},
          {"matching", std::move(matching)},
          {"average_precision", average_precision(totals.scores)}};
}

std::string summary_of(const Totals& totals, std::size_t images) {
  std::array<char, 160> line{};
  std::string text;
  const auto add = [&](const char* format, auto... values) {
    std::snprintf(line.data(), line.size(), format, values...);
    text += line.data();
  };
  if (images > 1) add("%zu pairs of images\n", images);
  add("truth %llu objects, prediction %llu objects, Dice coefficient of the foreground %.4f\n",
      static_cast<unsigned long long>(totals.counts.truth),
      static_cast<unsigned long long>(totals.counts.prediction), totals.counts.dice());
  add("%9s %9s %9s %9s %9s %7s %7s %9s %7s %7s\n", "threshold", "TP", "FP", "FN", "precision", "recall", "F1",
      "accuracy", "SQ", "PQ");
  for (const MatchScores& score : totals.scores)
    add("%9g %9llu %9llu %9llu %9.4f %7.4f %7.4f %9.4f %7.4f %7.4f\n", score.threshold,
        static_cast<unsigned long long>(score.true_positives),
        static_cast<unsigned long long>(score.false_positives),
        static_cast<unsigned long long>(score.false_negatives), score.precision(), score.recall(), score.f1(),
        score.accuracy(), score.mean_matched_iou(), score.panoptic_quality());
  return text;
}

/// A result that is probably not what was meant.
void give_hint(const Pair& pair, const OverlapCounts& counts, bool labeled) {
  const std::string path = display_name(pair.prediction);
  if (counts.truth == 0 || counts.prediction == 0)
    print_warning(counts.truth == 0 ? pair.truth : pair.prediction, "contains no objects");
  else if (counts.common_pixels == 0)
    print_warning(path + ": no object overlaps any of " + display_name(pair.truth) +
                  "; check that both show the same field");
  else if (!labeled && counts.truth == 1 && counts.prediction == 1)
    print_warning(path +
                  ": both images contain a single value, so one object; --label splits masks into "
                  "their components");
}

class Matching {
 public:
  explicit Matching(const MatchOptions& options) : options_(options) {}

  int run() {
    if (options_.label) options_.components.check();
    const std::vector<Pair> pairs = find_pairs();
    if (!options_.csv.empty()) csv_.emplace(options_.csv, options_.file, is_pairs_csv);
    if (!options_.json.empty()) json_.emplace(options_.json, options_.file, is_match_report);
    if (csv_) csv_->write((is_batch_ ? "input," : "") + std::string(kColumns));
    for (const Pair& pair : pairs) {
      if (!is_batch_) {
        match(pair);
        continue;
      }
      try {
        match(pair);
      } catch (const Error& error) {
        codes_.insert(report_failure(error));
      }
    }
    if (images_ == 0) return exit();
    if (csv_) csv_->commit();
    if (json_) {
      Json report{{"gpuccl_match", 1}, {"version", version_line()}};
      report["truth"] = options_.truth;
      report["prediction"] = options_.prediction;
      report["labeled"] = options_.label;
      report["total"] = json_of(total_);
      if (is_batch_) report["images"] = std::move(rows_);
      json_->write(report.dump(1, ' ', false, Json::error_handler_t::replace).erase(1, 2) + "\n");
      json_->commit();
    }
    if (options_.csv != "-" && options_.json != "-") print_result(summary_of(total_, images_));
    return exit();
  }

 private:
  int exit() const { return codes_.empty() ? kSuccess : codes_.size() == 1 ? *codes_.begin() : kMixed; }

  /// One pair of files, or those of two folders that have one name. A file without a partner is a failure of
  /// its own.
  std::vector<Pair> find_pairs() {
    const bool folders[] = {std::filesystem::is_directory(options_.truth),
                            std::filesystem::is_directory(options_.prediction)};
    if (!folders[0] || !folders[1] || is_zarr(options_.truth))
      return {{"", options_.truth, options_.prediction}};
    is_batch_ = true;
    std::map<std::string, Pair> pairs;
    for (const BatchInput& input : find_inputs({options_.truth}, {}).inputs)
      pairs[input.name] = {input.name, input.path, ""};
    for (const BatchInput& input : find_inputs({options_.prediction}, {}).inputs) {
      Pair& pair = pairs[input.name];
      pair.name = input.name;
      pair.prediction = input.path;
    }
    std::vector<Pair> complete;
    for (auto& [name, pair] : pairs) {
      const bool no_truth = pair.truth.empty();
      if (!no_truth && !pair.prediction.empty()) {
        complete.push_back(std::move(pair));
        continue;
      }
      codes_.insert(report_failure(io::FileError(
          no_truth ? pair.prediction : pair.truth, Failure::no_input,
          "has no partner called '" + name + "' in " + (no_truth ? options_.truth : options_.prediction))));
    }
    return complete;
  }

  static bool is_zarr(const std::string& folder) {
    for (const char* file : {".zarray", ".zgroup", "zarr.json"})
      if (std::filesystem::exists(std::filesystem::path(folder) / file)) return true;
    return false;
  }

  void match(const Pair& pair) {
    if (io::are_one_stream(pair.truth, pair.prediction))
      throw io::FileError(pair.prediction, Failure::usage, "is a stream and can be read only once");
    const Objects truth = read_objects(pair.truth, options_);
    const Objects prediction = read_objects(pair.prediction, options_);
    if (truth.extent != prediction.extent)
      throw io::FileError(pair.prediction, Failure::data,
                          "is " + io::to_string(prediction.extent) + ", but " + display_name(pair.truth) +
                              " is " + io::to_string(truth.extent) + "; both need the same size");
    const OverlapTable table = find_overlaps(*truth.labels, *prediction.labels);
    Totals totals{count_overlaps(table), {}};
    std::vector<Match> first;
    for (const double threshold : options_.thresholds) {
      std::vector<Match> matches = match_objects(table, threshold);
      totals.scores.push_back(score_matches(table, matches, threshold));
      if (totals.scores.size() == 1) first = std::move(matches);
    }
    give_hint(pair, totals.counts, options_.label);
    if (csv_) csv_->write(pairs_text(pair.name, truth, prediction, table, first));
    if (is_batch_) {
      Json row{{"input", pair.name}, {"truth", pair.truth}, {"prediction", pair.prediction}};
      row.update(json_of(totals));
      rows_.push_back(std::move(row));
    }
    total_.add(totals);
    ++images_;
  }

  const MatchOptions& options_;
  std::optional<TextOutput> csv_, json_;
  bool is_batch_ = false;
  std::size_t images_ = 0;
  Totals total_;
  Json rows_ = Json::array();
  std::set<int> codes_;  // of what failed
};

std::string parse_thresholds(const std::string& given, std::vector<double>& thresholds) {
  thresholds.clear();
  for (std::size_t begin = 0; begin <= given.size();) {
    const std::size_t end = std::min(given.find(',', begin), given.size());
    const std::optional<double> threshold = parse_number<double>(given.substr(begin, end - begin));
    if (!threshold || !(*threshold > 0 && *threshold <= 1))
      return "'" + given + "' is not a list of numbers above 0 and up to 1";
    thresholds.push_back(*threshold);
    begin = end + 1;
  }
  return "";
}

}  // namespace

void setup_match(const Command& command) {
  const auto options = std::make_shared<MatchOptions>();
  add_path_or_stream(command, "TRUTH", options->truth, "", "Label image with the true objects, or a folder")
      .required();
  add_path_or_stream(command, "PREDICTION", options->prediction, "", "Label image to score, or a folder")
      .required();
  command.add_value(
      "--threshold", "IOU,...", "Minimum intersection over union of a match, or a list [0.5]",
      [options](const std::string& given) { return parse_thresholds(given, options->thresholds); });
  add_switch(command, "--label", options->label, "Label the inputs first: they are masks, not labels");
  add_connectivity(command, options->components.connectivity);
  add_text_path(command, "--csv", options->csv, "csv", "Table of overlapping pairs [- for standard output]");
  add_text_path(command, "--json", options->json, "json", "Report of all scores [- for standard output]");
  options->file.add_to(command);
  command.on_run([options] {
    if (options->components.connectivity && !options->label)
      throw Error(Failure::usage, "--connectivity is for masks; add --label");
    if (options->csv == "-" && options->json == "-")
      throw Error(Failure::usage, "--csv and --json cannot both be standard output");
    enter_sandbox({options->truth, options->prediction}, {options->csv, options->json});
    LabelPaths paths;
    paths.input = options->truth;
    paths.intensities = {options->prediction};
    paths.stats = options->csv;
    paths.json = options->json;
    refuse_overlap(paths, false);
    return Matching(*options).run();
  });
}

}  // namespace gpuccl::app
