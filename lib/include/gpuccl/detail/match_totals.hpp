#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gpuccl/objects.hpp"

#pragma GCC visibility push(default)
namespace gpuccl {

/// The objects of one class in both images, as indices into all objects, and their overlaps.
struct ClassOverlaps {
  std::vector<std::uint32_t> truth, prediction;
  OverlapTable table;
};

/// Divides the overlaps of two images by class, because objects of different classes do not match.
/// `truth_classes`, `prediction_classes`: one per object.
std::map<std::uint64_t, ClassOverlaps> overlaps_by_class(const OverlapTable& table,
                                                         std::span<const std::uint64_t> truth_classes,
                                                         std::span<const std::uint64_t> prediction_classes);

/// Counts and scores, added up over pairs of images.
struct MatchTotals {
  OverlapCounts counts;
  std::vector<MatchScores> scores;  // one per threshold

  bool is_empty() const { return counts.truth + counts.prediction == 0; }
  void add(const MatchTotals& other);
};

/// Returns the scores of a pair at all thresholds. `first`: receives the matches at the first threshold.
MatchTotals score_overlaps(const OverlapTable& table, std::span<const double> thresholds,
                           std::vector<Match>& first);

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
  detection["found"] = counts.truth_found;
  detection["sensitivity"] = score_of(counts.sensitivity());
  detection["without_overlap"] = counts.prediction - counts.prediction_found;
  detection["precision"] = score_of(counts.precision());
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
  return total;
}

using ClassTotals = std::map<std::uint64_t, MatchTotals>;  // by the value of the class

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
