#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/values.hpp"

// Objects of label images that exist already, for example those of a segmentation network: every value other
// than 0 is one object, whether its pixels are connected or not.
namespace gpuccl {

/// Labels each value as one component. Labels are 1..N in raster order of the first pixel of each value;
/// `values` holds the value of each label. The labels own the image, whose delta must be 0 (Error, usage).
/// `strips`: 0 lets the number of threads decide; the result is the same. Thread-safe.
LabeledValues label_by_value(ValueImage image, int strips = 0);

/// The values of the objects as identifiers. Error (data) for a value that is negative, not an integer, or so
/// large that its floating-point type skips integers there (above 2^24 in 32 bits, 2^53 in 64).
std::vector<std::uint64_t> object_ids(ValueType type, std::span<const ValueBits> values);

/// Two objects that share pixels: indices into the objects of the two images, from 0.
struct Overlap {
  std::uint32_t truth = 0, prediction = 0;
  std::uint64_t pixels = 0;

  friend bool operator==(const Overlap&, const Overlap&) = default;
};

/// All pairs of objects of two label images that overlap, and the areas of all objects in pixels.
struct OverlapTable {
  std::vector<std::uint64_t> truth_areas, prediction_areas;
  std::vector<Overlap> overlaps;  // ascending by truth, then by prediction

  /// Intersection over union of a pair.
  double iou(const Overlap& pair) const;
  /// Dice coefficient of a pair: twice the intersection over the sum of the areas.
  double dice(const Overlap& pair) const;
};

/// Counts the pixels that each pair of labels shares. Both label images have the same extent (Error, data),
/// and labels 1..N become indices 0..N-1. One pass over the runs of both; uses all threads. Thread-safe.
OverlapTable find_overlaps(const LabelSource& truth, const LabelSource& prediction);

/// Objects and pixels of two label images. Counts add up over images.
struct OverlapCounts {
  std::uint64_t truth = 0, prediction = 0;              // objects
  std::uint64_t truth_found = 0, prediction_found = 0;  // objects with any overlap
  std::uint64_t truth_pixels = 0, prediction_pixels = 0, common_pixels = 0;

  /// Dice coefficient of the foregrounds; 1 if both are empty.
  double dice() const;
  /// Fraction of the true objects that overlap a predicted one; 0 if there are none.
  double sensitivity() const;
  /// Fraction of the predicted objects that overlap a true one; 0 if there are none.
  double precision() const;

  void add(const OverlapCounts& other);
};

OverlapCounts count_overlaps(const OverlapTable& table);

/// A pair of objects that stand for each other.
struct Match {
  std::uint32_t truth = 0, prediction = 0;
  double iou = 0;
};

/// Assigns objects one to one and returns the pairs with an IoU of at least `threshold`, which is above 0
/// (Error, usage): as many as possible and, of the ways to do so, one with the largest sum of IoU over all
/// pairs that overlap, as StarDist's `matching` has it. Above a threshold of 0.5 there is one way. Ascending
/// by truth.
std::vector<Match> match_objects(const OverlapTable& table, double threshold);

/// A row of the table of pairs: two objects that overlap, or one object that overlaps none.
struct ObjectPair {
  std::optional<std::uint32_t> truth = {}, prediction = {};
  std::uint64_t pixels = 0;  // that they share
  double iou = 0, dice = 0;
  bool is_match = false;
};

/// Returns the rows of the table of pairs: all overlaps, then true and predicted objects without any.
/// `matches`: as match_objects() returns them.
std::vector<ObjectPair> list_pairs(const OverlapTable& table, std::span<const Match> matches);

/// Detection and panoptic metrics of one matching, as StarDist's `matching` defines them. A ratio without a
/// denominator is 0.
struct MatchScores {
  double threshold = 0;
  std::uint64_t true_positives = 0, false_positives = 0, false_negatives = 0;
  double sum_of_iou = 0;  // of the matches

  double precision() const;
  double recall() const;
  double f1() const;
  double accuracy() const;          // TP / (TP + FP + FN)
  double mean_matched_iou() const;  // segmentation quality (SQ)
  double mean_true_iou() const;     // over all true objects
  double panoptic_quality() const;  // SQ x RQ, where RQ is f1()

  /// Adds the counts of another image at the same threshold.
  void add(const MatchScores& other);
};

MatchScores score_matches(const OverlapTable& table, std::span<const Match> matches, double threshold);

/// Mean accuracy over thresholds; 0 without any.
double average_precision(std::span<const MatchScores> scores);

}  // namespace gpuccl
