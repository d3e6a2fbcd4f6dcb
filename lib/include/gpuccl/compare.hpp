#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/values.hpp"

// Objects of existing label images, for example of a segmentation network: each value other than 0 is one
// object, whether its pixels are connected or not. Overlaps and matches of two images, and differences.
#pragma GCC visibility push(default)
namespace gpuccl {

/// Labels each value as one component. Labels are 1..N in raster order of the first pixel of each value;
/// `values` contains the value of each label. The labels own the image. Throws Error (usage) if its delta is
/// not 0. `strips`: 0 for a default from the number of threads; the result is the same. Thread-safe.
ValueLabeling label_by_value(ValueImage image, int strips = 0);

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

  /// Returns intersection over union of a pair.
  double iou(const Overlap& pair) const;
  /// Returns the Dice coefficient of a pair: twice the intersection over the sum of the areas.
  double dice(const Overlap& pair) const;
};

/// Counts the pixels that each pair of labels shares, in one pass over the runs of both images, using all
/// threads. Labels 1..N become indices 0..N-1. Calls LabelRows::prepare(). Throws Error: data if the extents
/// differ, memory if the table takes more than `max_bytes`.
OverlapTable find_overlaps(const LabelRows& truth, const LabelRows& prediction,
                           std::int64_t max_bytes = INT64_MAX);

/// Overlaps of objects whose labels are any identifiers.
struct IdentifiedOverlaps {
  OverlapTable table;  // indices: in raster order of the first elements
  std::vector<std::uint64_t> truth_ids, prediction_ids;
};
/// As find_overlaps(), without calling LabelRows::count().
IdentifiedOverlaps find_overlaps_of_ids(const LabelRows& truth, const LabelRows& prediction);

/// Objects and pixels of two label images. Counts add up over images.
struct OverlapCounts {
  std::uint64_t truth = 0, prediction = 0;              // objects
  std::uint64_t truth_found = 0, prediction_found = 0;  // objects with any overlap
  std::uint64_t splits = 0, merges = 0;  // true, predicted objects that overlap several of the other image
  std::uint64_t truth_pixels = 0, prediction_pixels = 0, common_pixels = 0;

  /// Returns the Dice coefficient of the foregrounds; 1 if both are empty.
  double dice() const;
  /// Returns how many more pixels are predicted than true, and this number over the true ones (NaN without
  /// any).
  std::int64_t volume_difference() const;
  double relative_volume_difference() const;
  /// Returns the fraction of the true objects that overlap a predicted one; 0 if there are none.
  double sensitivity() const;
  /// Returns the fraction of the predicted objects that overlap a true one; 0 if there are none.
  double overlap_precision() const;

  void add(const OverlapCounts& other);
};

OverlapCounts count_overlaps(const OverlapTable& table);

/// A true and a predicted object that are assigned to each other.
struct Match {
  std::uint32_t truth = 0, prediction = 0;
  double iou = 0;
};

/// Assigns objects one to one and returns the pairs with an IoU of at least `threshold`, ascending by truth.
/// Maximizes their number, then the sum of IoU over all overlapping pairs, as StarDist's `matching` does;
/// above a threshold of 0.5, the assignment is unique. Throws Error (usage) if `threshold` is not above 0.
std::vector<Match> match_objects(const OverlapTable& table, double threshold);

inline constexpr std::uint32_t kNoObject = 0xffffffff;  // index that represents no object

/// Links between the objects of two consecutive images, such as time points: indices from 0, or kNoObject.
struct ObjectLinks {
  /// Per object of the second image: the object that it continues.
  std::vector<std::uint32_t> before;
  /// Per object of the second image that continues none: the object to which more than half of its pixels
  /// belonged.
  std::vector<std::uint32_t> split_from;
  /// Per object of the first image without a continuation: the object to which more than half of its pixels
  /// belong.
  std::vector<std::uint32_t> merged_into;
};

/// Returns the links between two consecutive images. `matches`: from match_objects(). A matched object
/// continues. An object without a match is linked to the object that contains more than half of its pixels. A
/// mutual link is a continuation. Otherwise, a link of an object of the second image is a split if its target
/// has other links, and a link of an object of the first image is a merge if its target has other links.
/// Without other links it is a continuation.
ObjectLinks link_objects(const OverlapTable& table, std::span<const Match> matches);

/// A row of the table of pairs: two overlapping objects, or one object without overlaps.
struct ObjectPair {
  std::optional<std::uint32_t> truth = {}, prediction = {};
  std::uint64_t pixels = 0;  // that they share
  double iou = 0, dice = 0;
  bool is_match = false;
  std::uint32_t truth_partners = 0,
                prediction_partners = 0;  // objects that overlap the true, predicted object
};

/// Returns the rows of the table of pairs: all overlaps, then true and predicted objects without overlaps.
/// `matches`: from match_objects().
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

/// Returns the mean accuracy over thresholds; 0 if there are none.
double average_precision(std::span<const MatchScores> scores);

/// Differences between two label images of the same extent.
struct Comparison {
  bool same_extent = true;
  bool same_background = true;
  bool same_partition = true;           // equal up to renaming of labels
  bool same_numbers = true;             // equal
  std::uint64_t other_foreground = 0;   // elements that are background in one and labeled in the other
  std::uint64_t common_foreground = 0;  // elements that are labeled in both
  bool differs = false;                 // the first difference in raster order follows:
  int x = 0, y = 0, z = 0;
  std::uint64_t a = 0, b = 0;  // the two values at that element

  /// Returns the Dice coefficient of the foregrounds, 0 to 1; 1 if both are empty.
  double dice() const;
};

/// Compares two label images. The first difference is one of the partition if partitions differ,
/// otherwise one of labels. Values need not be 1..N. Reads rows in ascending order. Throws Error (memory)
/// if the tables of labels take more than `max_bytes`.
Comparison compare(const LabelRows& a, const LabelRows& b, std::int64_t max_bytes = INT64_MAX);

}  // namespace gpuccl
#pragma GCC visibility pop
