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

  void add(const MatchTotals& other);
};

/// Returns the scores of a pair at all thresholds. `first`: receives the matches at the first threshold.
MatchTotals score_overlaps(const OverlapTable& table, std::span<const double> thresholds,
                           std::vector<Match>& first);

}  // namespace gpuccl
#pragma GCC visibility pop
