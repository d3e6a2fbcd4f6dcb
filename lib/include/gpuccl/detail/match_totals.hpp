#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/compare.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/surfaces.hpp"

#pragma GCC visibility push(default)
namespace gpuccl {

/// Removes objects of fewer than `min_size` elements from `labels`, and their entries from `columns`, which
/// have one per object or are empty. The others keep their order. `areas`: of the objects; may be one of
/// `columns`.
void remove_small(std::unique_ptr<LabelRows>& labels, std::uint64_t min_size,
                  std::span<const std::uint64_t> areas,
                  std::initializer_list<std::vector<std::uint64_t>*> columns);

/// Distances between surfaces, added up over pairs of images or classes.
struct DistanceTotals {
  bool has_dice = false;    // the surface Dice coefficient
  bool of_classes = false;  // of several classes: foreground adds up those of each
  DistanceSums foreground, matches;
};

/// Scores of the regions of true objects, added up. Two images of which only one has objects, or a class
/// without true ones, count as one region with a score of 0.
struct RegionTotals {
  bool has_distances = false, has_dice = false;  // has_dice: the surface Dice coefficient
  std::uint64_t count = 0;
  double sum_of_dice = 0;
  DistanceSums distances = {};

  double dice() const {
    return count > 0 ? sum_of_dice / static_cast<double>(count) : SurfaceDistances::kNone;
  }
};

/// Counts and scores, added up over pairs of images.
struct MatchTotals {
  OverlapCounts counts;
  std::vector<MatchScores> scores;               // one per threshold
  std::optional<DistanceTotals> distances = {};  // if they are measured
  std::optional<RegionTotals> regions = {};

  bool is_empty() const { return counts.truth + counts.prediction == 0; }
  void add(const MatchTotals& other);
};

using ClassTotals = std::map<std::uint64_t, MatchTotals>;  // by the value of the class

/// A row of the table of pairs, with the distances of a match, and the scores in the region of the true
/// object.
struct ScoredPair : ObjectPair {
  std::vector<bool> matches_later = {};  // whether it is a match at each further threshold
  SurfaceDistances distances;
  double region_dice = SurfaceDistances::kNone;
  SurfaceDistances of_region;
};

struct ScoreOptions {
  std::span<const double> thresholds;
  const Surfaces* surfaces = nullptr;  // of both images, for distances and regions
  bool has_distances = false, has_regions = false;
  double empty = SurfaceDistances::kNone;  // surface Dice coefficient of two images without objects
  /// With classes, objects of different classes do not match: the class of each object.
  bool has_classes = false;
  std::span<const std::uint64_t> truth_classes = {}, prediction_classes = {};
  /// Receives the pairs at the first threshold of each class (0 without classes), some at a time; indices
  /// are those of the whole table.
  std::function<void(std::uint64_t value, const std::vector<ScoredPair>& pairs)> on_pairs = {};
};

/// Returns the scores of two images at all thresholds; with classes, the sums over `classes`, which receives
/// the scores of each.
MatchTotals score_images(const OverlapTable& table, const ScoreOptions& options, ClassTotals& classes);

/// Returns the scores of a class without objects in either image.
MatchTotals score_nothing(const ScoreOptions& options);

/// Returns the name of a column of a further threshold, such as matched_0.75.
std::string column_at(std::string_view name, double threshold);

/// Calls set(name, value) for each distance.
template <class Set>
void each_distance(const SurfaceDistances& distances, bool has_dice, const Set& set) {
  set("hausdorff", distances.hausdorff);
  set("hausdorff_95", distances.hausdorff_95);
  set("assd", distances.assd);
  if (has_dice) set("surface_dice", distances.surface_dice);
}

/// Calls set(name, value) for each score of regions.
template <class Set>
void each_region_score(double dice, const SurfaceDistances& distances, bool has_distances, bool has_dice,
                       const Set& set) {
  set("region_dice", dice);
  if (has_distances)
    each_distance(distances, has_dice, [&](const char* name, double value) {
      set((std::string("region_") + name).c_str(), value);
    });
}

/// Returns the scores under the names of reports. `Form` has the types Object (of names and values) and List,
/// append(list, object), and value(list), the list as a value. `empty`: all scores of images without objects,
/// NaN because no number is right.
template <class Form>
typename Form::Object report_of(const MatchTotals& totals, double empty) {
  const OverlapCounts& counts = totals.counts;
  const auto score_of = [&](double value) { return totals.is_empty() ? empty : value; };
  typename Form::Object objects, foreground, detection, total;
  typename Form::List matching;
  objects["truth"] = counts.truth;
  objects["prediction"] = counts.prediction;
  foreground["truth"] = counts.truth_pixels;
  foreground["prediction"] = counts.prediction_pixels;
  foreground["common"] = counts.common_pixels;
  foreground["dice"] = score_of(counts.dice());
  foreground["volume_difference"] = counts.volume_difference();
  foreground["relative_volume_difference"] = counts.relative_volume_difference();
  detection["found"] = counts.truth_found;
  detection["sensitivity"] = score_of(counts.sensitivity());
  detection["without_overlap"] = counts.prediction - counts.prediction_found;
  detection["overlap_precision"] = score_of(counts.overlap_precision());
  detection["splits"] = counts.splits;
  detection["merges"] = counts.merges;
  for (const MatchScores& score : totals.scores) {
    typename Form::Object one;
    one["threshold"] = score.threshold;
    one["true_positives"] = score.true_positives;
    one["false_positives"] = score.false_positives;
    one["false_negatives"] = score.false_negatives;
    one["precision"] = score_of(score.precision());
    one["recall"] = score_of(score.recall());
    one["f1"] = score_of(score.f1());
    one["accuracy"] = score_of(score.accuracy());
    one["mean_matched_iou"] = score_of(score.mean_matched_iou());
    one["mean_true_iou"] = score_of(score.mean_true_iou());
    one["panoptic_quality"] = score_of(score.panoptic_quality());
    Form::append(matching, one);
  }
  total["objects"] = objects;
  total["foreground"] = foreground;
  total["detection"] = detection;
  total["matching"] = Form::value(matching);
  total["average_precision"] = score_of(average_precision(totals.scores));
  const auto means_of = [](const DistanceSums& sums, bool has_dice) {
    typename Form::Object means;
    means["pairs"] = sums.pairs;
    each_distance(sums.mean(), has_dice, [&](const char* name, double mean) { means[name] = mean; });
    return means;
  };
  if (totals.distances) {
    typename Form::Object distances;
    distances[totals.distances->of_classes ? "class_mean" : "foreground"] =
        means_of(totals.distances->foreground, totals.distances->has_dice);
    distances["matches"] = means_of(totals.distances->matches, totals.distances->has_dice);
    total["distances"] = distances;
  }
  if (totals.regions) {
    const RegionTotals& sums = *totals.regions;
    typename Form::Object regions;
    regions["count"] = sums.count;
    regions["dice"] = sums.dice();
    if (sums.has_distances) regions.update(means_of(sums.distances, sums.has_dice));
    total["regions"] = regions;
  }
  return total;
}

/// Adds the scores of each class to a report, and their means over classes at the first threshold.
template <class Form>
void add_classes(typename Form::Object& report, const ClassTotals& classes, double empty) {
  typename Form::List rows;
  double dice = 0, f1 = 0, quality = 0;
  for (const auto& [value, totals] : classes) {
    typename Form::Object row;
    row["value"] = value;
    row.update(report_of<Form>(totals, empty));
    Form::append(rows, row);
    dice += totals.counts.dice();
    f1 += totals.scores.front().f1();
    quality += totals.scores.front().panoptic_quality();
  }
  const auto mean_of = [&](double sum) {
    return classes.empty() ? empty : sum / static_cast<double>(classes.size());
  };
  typename Form::Object mean;
  mean["dice"] = mean_of(dice);
  mean["f1"] = mean_of(f1);
  mean["panoptic_quality"] = mean_of(quality);
  report["classes"] = Form::value(rows);
  report["class_mean"] = mean;
}

}  // namespace gpuccl
#pragma GCC visibility pop
