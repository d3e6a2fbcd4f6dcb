#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

// Objects of label images: contacts, outlines, overlaps and matches.
#pragma GCC visibility push(default)
namespace gpuccl {

/// Two components that touch, a < b, with counts of neighboring element pairs.
struct Contact {
  Label a = 0, b = 0;
  std::array<std::uint64_t, 3> faces{};  // pairs that share a face, by axis x, y, z
  std::uint64_t edges = 0;               // pairs that share only an edge (neighbors along two axes)
  std::uint64_t corners = 0;             // pairs that share only a corner (along three axes)

  friend bool operator==(const Contact&, const Contact&) = default;
};

/// Returns the connectivity that counts all contacts of components: 26 or 8.
inline Connectivity all_neighbors(Connectivity connectivity) {
  return is_3d(connectivity) ? Connectivity::c26 : Connectivity::c8;
}

/// Returns an upper bound of the bytes that find_contacts() needs, without the contacts, if no row has more
/// than `most_runs_in_row` runs.
std::int64_t bytes_to_find_contacts(const Extent& extent, Connectivity connectivity,
                                    std::int64_t most_runs_in_row, const PeriodicAxes& periodic = {});

/// Finds the contacts of `labels`, sorted by a, then b (region adjacency graph). The connectivity defines
/// neighbors; a 2D one keeps slices separate. With `map` (as in LabelRows::render()), contacts are between
/// mapped labels, and 0 has no contacts. Along a periodic axis of two elements, both sides count. Reads rows
/// in ascending order. Time: O(runs + contacts). Throws as check_periodic(), and Error (memory) if the
/// contacts take more than `max_bytes`.
std::vector<Contact> find_contacts(const LabelRows& labels, Connectivity connectivity,
                                   const Label* map = nullptr, const PeriodicAxes& periodic = {},
                                   std::int64_t max_bytes = INT64_MAX);

/// Finds contacts within rows [first_row, first_row + rows), and between these and the previous row (with 3D
/// connectivity the previous slice), which `labels` must contain. `max_bytes`: as in find_contacts().
std::vector<Contact> find_contacts_of_rows(const LabelRows& labels, Connectivity connectivity,
                                           std::int64_t first_row, std::int64_t rows,
                                           std::int64_t max_bytes = INT64_MAX);

/// Adds up the contacts of several ranges of rows.
class ContactSums {
 public:
  explicit ContactSums(std::int64_t max_bytes = INT64_MAX);
  ~ContactSums();
  ContactSums(ContactSums&&) noexcept;
  ContactSums& operator=(ContactSums&&) noexcept;

  /// Throws Error (memory) if all contacts take more than `max_bytes`.
  void add(std::span<const Contact> contacts);
  /// Returns the sums, sorted like find_contacts().
  std::vector<Contact> sorted() const;

 private:
  class Table;
  std::unique_ptr<Table> table_;
};

// Outlines of objects in 2D: polygons along the edges of pixels, and runs along columns.

/// Pixels [begin, end) of row y that belong to one object.
struct RowRun {
  int y = 0, begin = 0, end = 0;
};

/// Corner of a pixel: pixel (x, y) has corners (x, y) to (x + 1, y + 1).
struct Corner {
  int x = 0, y = 0;

  friend bool operator==(const Corner&, const Corner&) = default;
};

/// A closed line. The first corner is not repeated at the end, and no three consecutive corners are
/// collinear.
using Ring = std::vector<Corner>;

/// A 4-connected piece of an object. By the shoelace formula, the outer ring has a positive area and holes
/// have a negative one. Rings are simple: no ring visits a corner twice. Two rings touch at single corners at
/// most, so polygons are valid Simple Features (OGC).
struct Polygon {
  Ring outer;
  std::vector<Ring> holes;
};

/// Returns the polygons of an object, in raster order of their first pixels. Their areas, without holes, add
/// up to its number of pixels. `runs`: maximal, in raster order. Thread-safe. Time: O(n log n) for n runs.
std::vector<Polygon> outline(std::span<const RowRun> runs);

/// Returns the run lengths of an object in column-major order, as in COCO's RLE: alternately pixels outside
/// and inside, beginning outside, without a last count of pixels outside. `height`: of the image. `runs`: as
/// in outline().
std::vector<std::int64_t> column_run_lengths(std::span<const RowRun> runs, int height);

// Objects of existing label images, for example of a segmentation network: each value other than 0 is one
// object, whether its pixels are connected or not.

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
