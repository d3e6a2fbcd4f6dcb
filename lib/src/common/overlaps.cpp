#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "common/pair_sums.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/detail/match_totals.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

/// Adds areas to those of all threads. The areas of the last labels are added when other labels need their
/// place, and by finish().
class AreaSums {
 public:
  explicit AreaSums(std::vector<std::uint64_t>& all) : all_(&all) {}

  void add(std::span<const LabelRun> row, std::int64_t /*begin*/) {
    for (const LabelRun& run : row) {
      Known& known = known_[run.label % known_.size()];
      if (known.label != run.label) add(std::exchange(known, {run.label, 0}));
      known.area += static_cast<std::uint64_t>(run.end - run.begin);
    }
  }
  void finish() {
    for (Known& known : known_) add(std::exchange(known, {}));
  }

 private:
  struct Known {
    Label label = 0;
    std::uint64_t area = 0;
  };

  void add(const Known& known) {
    if (known.area > 0)
      std::atomic_ref((*all_)[known.label - 1]).fetch_add(known.area, std::memory_order_relaxed);
  }

  std::vector<std::uint64_t>* all_;
  std::array<Known, 1024> known_{};
};

/// The area and the first element of an object.
struct ObjectSums {
  std::uint32_t id, none;  // a pair, for PairSums
  std::uint64_t area = 0;
  std::int64_t first = INT64_MAX;
};
std::uint64_t key_of(const ObjectSums& one) { return key_of_pair(one.id, one.none); }

/// Objects of one thread, by identifier.
class ObjectTable : public PairSums<ObjectSums> {
 public:
  /// `begin`: index of the first element of the row.
  void add(std::span<const LabelRun> row, std::int64_t begin) {
    for (const LabelRun& run : row) {
      ObjectSums& sums = of(run.label, 0);
      sums.area += static_cast<std::uint64_t>(run.end - run.begin);
      sums.first = std::min(sums.first, begin + run.begin);
    }
  }
};

/// Counts of one thread.
template <class Areas>
struct Counts {
  PairSums<Overlap> pairs;
  Areas truth_areas, prediction_areas;
  LabelRuns truth = {}, prediction = {};  // of the current rows
};
template <class Areas>
using CountsOfThreads = tbb::enumerable_thread_specific<Counts<Areas>>;

void add_overlaps(std::span<const LabelRun> a, std::span<const LabelRun> b, PairSums<Overlap>& pairs) {
  for (auto one = a.begin(), other = b.begin(); one != a.end() && other != b.end();) {
    const int begin = std::max(one->begin, other->begin), end = std::min(one->end, other->end);
    if (begin < end) pairs.of(one->label, other->label).pixels += static_cast<std::uint64_t>(end - begin);
    if (one->end < other->end)
      ++one;
    else
      ++other;
  }
}

/// Per object, the number of objects of the other image that overlap it.
struct PartnerCounts {
  std::vector<std::uint32_t> of_truth, of_prediction;

  explicit PartnerCounts(const OverlapTable& table)
      : of_truth(table.truth_areas.size()), of_prediction(table.prediction_areas.size()) {
    for (const Overlap& pair : table.overlaps) {
      ++of_truth[pair.truth];
      ++of_prediction[pair.prediction];
    }
  }
};

/// Returns whether each overlap is a match. `matches`: in the order of the overlaps.
std::vector<bool> find_matches(const OverlapTable& table, std::span<const Match> matches) {
  std::vector<bool> found;
  found.reserve(table.overlaps.size());
  auto next = matches.begin();
  for (const Overlap& one : table.overlaps) {
    found.push_back(next != matches.end() && next->truth == one.truth && next->prediction == one.prediction);
    if (found.back()) ++next;
  }
  return found;
}

template <class Numerator, class Denominator>
double ratio(Numerator numerator, Denominator denominator) {
  return denominator > 0 ? static_cast<double>(numerator) / static_cast<double>(denominator) : 0;
}

/// Counts the areas and overlaps of all rows.
template <class Areas>
void count_overlaps(const LabelRows& truth, const LabelRows& prediction, CountsOfThreads<Areas>& counts) {
  if (truth.extent() != prediction.extent())
    throw Error(ErrorCode::data, "label images of different sizes have no overlaps");
  constexpr std::int64_t kRowsAtOnce = 64;
  const std::int64_t rows = truth.extent().rows(), width = truth.extent().width;
  for (std::int64_t begin = 0; begin < rows;) {
    const std::int64_t end = std::min(truth.prepare(begin, 1), prediction.prepare(begin, 1));
    tbb::parallel_for(
        std::int64_t{0}, (end - begin + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::int64_t block) {
          Counts<Areas>& mine = counts.local();
          const std::int64_t first = begin + block * kRowsAtOnce, count = std::min(kRowsAtOnce, end - first);
          truth.list_runs(first, count, mine.truth, nullptr);
          prediction.list_runs(first, count, mine.prediction, nullptr);
          for (std::int64_t i = 0; i < count; ++i) {
            const auto row = static_cast<std::size_t>(i);
            const std::span<const LabelRun> a = mine.truth.row(row), b = mine.prediction.row(row);
            mine.truth_areas.add(a, (first + i) * width);
            mine.prediction_areas.add(b, (first + i) * width);
            add_overlaps(a, b, mine.pairs);
          }
        });
    begin = end;
  }
}

template <class Areas>
std::vector<Overlap> sorted_overlaps(const CountsOfThreads<Areas>& counts) {
  EntriesOfThreads<Overlap> tables;
  for (const Counts<Areas>& one : counts) tables.push_back(&one.pairs.entries());
  return sorted_sums(tables, [](Overlap& sum, const Overlap& more) { sum.pixels += more.pixels; });
}

/// The objects of one image, ascending by identifier.
class ObjectsById {
 public:
  /// Appends their identifiers and areas in raster order.
  ObjectsById(const CountsOfThreads<ObjectTable>& counts, ObjectTable Counts<ObjectTable>::*table,
              std::vector<std::uint64_t>& ids, std::vector<std::uint64_t>& areas) {
    EntriesOfThreads<ObjectSums> tables;
    for (const Counts<ObjectTable>& one : counts) tables.push_back(&(one.*table).entries());
    objects_ = sorted_sums(tables, [](ObjectSums& sum, const ObjectSums& more) {
      sum.area += more.area;
      sum.first = std::min(sum.first, more.first);
    });
    std::vector<std::uint32_t> order(objects_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
      return objects_[a].first < objects_[b].first;
    };
    is_in_order_ = std::is_sorted(order.begin(), order.end(), is_before);
    if (!is_in_order_) tbb::parallel_sort(order.begin(), order.end(), is_before);
    numbers_.resize(order.size());
    for (const std::uint32_t object : order) {
      numbers_[object] = static_cast<std::uint32_t>(ids.size());
      ids.push_back(objects_[object].id);
      areas.push_back(objects_[object].area);
    }
  }

  /// Returns whether numbers ascend with identifiers.
  bool is_in_order() const { return is_in_order_; }
  std::uint32_t number_of(std::uint32_t id) const {
    const auto at =
        std::lower_bound(objects_.begin(), objects_.end(), id,
                         [](const ObjectSums& one, std::uint32_t other) { return one.id < other; });
    return numbers_[static_cast<std::size_t>(at - objects_.begin())];
  }

 private:
  std::vector<ObjectSums> objects_;
  std::vector<std::uint32_t> numbers_;
  bool is_in_order_ = true;
};

}  // namespace

OverlapTable find_overlaps(const LabelRows& truth, const LabelRows& prediction, std::int64_t max_bytes) {
  constexpr std::int64_t kBytesOfPair = 64 + sizeof(Overlap);  // with its places in tables
  const auto objects = std::int64_t{truth.count()} + prediction.count();
  std::atomic<std::int64_t> left = max_bytes / kBytesOfPair - objects * 8 / kBytesOfPair;
  const auto take = [&left] {
    if (--left < 0)
      throw Error(ErrorCode::memory,
                  "has more objects that overlap than fit into the remaining memory; set a larger --memory");
  };
  if (left < 0) take();
  OverlapTable table;
  table.truth_areas.assign(truth.count(), 0);
  table.prediction_areas.assign(prediction.count(), 0);
  CountsOfThreads<AreaSums> counts([&] {
    return Counts<AreaSums>{PairSums<Overlap>(take), AreaSums(table.truth_areas),
                            AreaSums(table.prediction_areas)};
  });
  count_overlaps(truth, prediction, counts);
  for (Counts<AreaSums>& mine : counts) {
    mine.truth_areas.finish();
    mine.prediction_areas.finish();
  }
  table.overlaps = sorted_overlaps(counts);
  for (Overlap& pair : table.overlaps) pair = {pair.truth - 1, pair.prediction - 1, pair.pixels};
  return table;
}

IdentifiedOverlaps find_overlaps_of_ids(const LabelRows& truth, const LabelRows& prediction) {
  CountsOfThreads<ObjectTable> counts;
  count_overlaps(truth, prediction, counts);
  IdentifiedOverlaps found;
  const ObjectsById first(counts, &Counts<ObjectTable>::truth_areas, found.truth_ids,
                          found.table.truth_areas),
      second(counts, &Counts<ObjectTable>::prediction_areas, found.prediction_ids,
             found.table.prediction_areas);
  std::vector<Overlap> pairs = sorted_overlaps(counts);
  tbb::parallel_for(std::size_t{0}, pairs.size(), [&](std::size_t i) {
    pairs[i].truth = first.number_of(pairs[i].truth);
    pairs[i].prediction = second.number_of(pairs[i].prediction);
  });
  if (!first.is_in_order() || !second.is_in_order())
    tbb::parallel_sort(pairs.begin(), pairs.end(),
                       [](const Overlap& a, const Overlap& b) { return key_of(a) < key_of(b); });
  found.table.overlaps = std::move(pairs);
  return found;
}

double OverlapTable::iou(const Overlap& pair) const {
  const std::uint64_t both = truth_areas[pair.truth] + prediction_areas[pair.prediction];
  return static_cast<double>(pair.pixels) / static_cast<double>(both - pair.pixels);
}

double OverlapTable::dice(const Overlap& pair) const {
  const std::uint64_t both = truth_areas[pair.truth] + prediction_areas[pair.prediction];
  return 2 * static_cast<double>(pair.pixels) / static_cast<double>(both);
}

ObjectLinks link_objects(const OverlapTable& table, std::span<const Match> matches) {
  const std::size_t first = table.truth_areas.size(), second = table.prediction_areas.size();
  ObjectLinks links{std::vector(second, kNoObject), std::vector(second, kNoObject),
                    std::vector(first, kNoObject)};
  std::vector<bool> is_matched(first);
  std::vector<std::uint32_t> successors(first), predecessors(second);
  const auto count = [&](const auto& pair) {
    ++successors[pair.truth];
    ++predecessors[pair.prediction];
  };
  for (const Match& match : matches) {
    links.before[match.prediction] = match.truth;
    is_matched[match.truth] = true;
    count(match);
  }
  for (const Overlap& pair : table.overlaps) {
    const bool is_split = links.before[pair.prediction] == kNoObject &&
                          2 * pair.pixels > table.prediction_areas[pair.prediction];
    const bool is_merge = !is_matched[pair.truth] && 2 * pair.pixels > table.truth_areas[pair.truth];
    if (is_split) links.split_from[pair.prediction] = pair.truth;
    if (is_merge) links.merged_into[pair.truth] = pair.prediction;
    if (is_split || is_merge) count(pair);
  }
  for (const Overlap& pair : table.overlaps) {
    std::uint32_t &from = links.split_from[pair.prediction], &into = links.merged_into[pair.truth];
    const bool is_split = from == pair.truth, is_merge = into == pair.prediction;
    const bool continues = (is_split && is_merge) || (is_split && successors[pair.truth] == 1) ||
                           (is_merge && predecessors[pair.prediction] == 1);
    if (!continues) continue;
    links.before[pair.prediction] = pair.truth;
    from = into = kNoObject;
  }
  return links;
}

OverlapCounts count_overlaps(const OverlapTable& table) {
  OverlapCounts counts;
  counts.truth = table.truth_areas.size();
  counts.prediction = table.prediction_areas.size();
  counts.truth_pixels = std::reduce(table.truth_areas.begin(), table.truth_areas.end());
  counts.prediction_pixels = std::reduce(table.prediction_areas.begin(), table.prediction_areas.end());
  for (const Overlap& pair : table.overlaps) counts.common_pixels += pair.pixels;
  const PartnerCounts partners(table);
  const auto count = [](const std::vector<std::uint32_t>& all, std::uint32_t least) {
    return static_cast<std::uint64_t>(
        std::count_if(all.begin(), all.end(), [&](std::uint32_t one) { return one >= least; }));
  };
  counts.truth_found = count(partners.of_truth, 1);
  counts.prediction_found = count(partners.of_prediction, 1);
  counts.splits = count(partners.of_truth, 2);
  counts.merges = count(partners.of_prediction, 2);
  return counts;
}

double OverlapCounts::dice() const {
  const std::uint64_t both = truth_pixels + prediction_pixels;
  return both == 0 ? 1 : 2 * static_cast<double>(common_pixels) / static_cast<double>(both);
}

std::int64_t OverlapCounts::volume_difference() const {
  return static_cast<std::int64_t>(prediction_pixels - truth_pixels);
}

double OverlapCounts::relative_volume_difference() const {
  return truth_pixels == 0 ? std::numeric_limits<double>::quiet_NaN()
                           : static_cast<double>(volume_difference()) / static_cast<double>(truth_pixels);
}

double OverlapCounts::sensitivity() const { return ratio(truth_found, truth); }

double OverlapCounts::overlap_precision() const { return ratio(prediction_found, prediction); }

void OverlapCounts::add(const OverlapCounts& other) {
  truth += other.truth;
  prediction += other.prediction;
  truth_found += other.truth_found;
  prediction_found += other.prediction_found;
  splits += other.splits;
  merges += other.merges;
  truth_pixels += other.truth_pixels;
  prediction_pixels += other.prediction_pixels;
  common_pixels += other.common_pixels;
}

double MatchScores::precision() const { return ratio(true_positives, true_positives + false_positives); }

double MatchScores::recall() const { return ratio(true_positives, true_positives + false_negatives); }

double MatchScores::f1() const {
  return ratio(2 * true_positives, 2 * true_positives + false_positives + false_negatives);
}

double MatchScores::accuracy() const {
  return ratio(true_positives, true_positives + false_positives + false_negatives);
}

double MatchScores::mean_matched_iou() const { return ratio(sum_of_iou, true_positives); }

double MatchScores::mean_true_iou() const { return ratio(sum_of_iou, true_positives + false_negatives); }

double MatchScores::panoptic_quality() const {
  return ratio(sum_of_iou, static_cast<double>(true_positives) +
                               static_cast<double>(false_positives + false_negatives) / 2);
}

void MatchScores::add(const MatchScores& other) {
  true_positives += other.true_positives;
  false_positives += other.false_positives;
  false_negatives += other.false_negatives;
  sum_of_iou += other.sum_of_iou;
}

MatchScores score_matches(const OverlapTable& table, std::span<const Match> matches, double threshold) {
  MatchScores scores;
  scores.threshold = threshold;
  scores.true_positives = matches.size();
  scores.false_positives = table.prediction_areas.size() - matches.size();
  scores.false_negatives = table.truth_areas.size() - matches.size();
  for (const Match& match : matches) scores.sum_of_iou += match.iou;
  return scores;
}

double average_precision(std::span<const MatchScores> scores) {
  double total = 0;
  for (const MatchScores& score : scores) total += score.accuracy();
  return ratio(total, scores.size());
}

std::vector<ObjectPair> list_pairs(const OverlapTable& table, std::span<const Match> matches) {
  std::vector<ObjectPair> pairs;
  const PartnerCounts partners(table);
  const std::vector<bool> is_match = find_matches(table, matches);
  pairs.reserve(is_match.size());
  for (std::size_t i = 0; i < is_match.size(); ++i) {
    const Overlap& one = table.overlaps[i];
    pairs.push_back({one.truth, one.prediction, one.pixels, table.iou(one), table.dice(one), is_match[i],
                     partners.of_truth[one.truth], partners.of_prediction[one.prediction]});
  }
  for (std::uint32_t i = 0; i < partners.of_truth.size(); ++i)
    if (partners.of_truth[i] == 0) pairs.push_back({.truth = i});
  for (std::uint32_t i = 0; i < partners.of_prediction.size(); ++i)
    if (partners.of_prediction[i] == 0) pairs.push_back({.prediction = i});
  return pairs;
}

// One-to-one matching of objects by IoU. The overlapping pairs form a sparse bipartite graph. It is matched
// by successive shortest augmenting paths with potentials, the Hungarian method on adjacency lists (Jonker
// and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
// Computing 38, 1987). Each true object also has a partner of its own that represents "no match".

namespace {

/// A pair that may be matched.
struct Edge {
  std::uint32_t prediction;
  double cost;
};

class Matcher {
 public:
  Matcher(const OverlapTable& table, double threshold)
      : table_(table),
        threshold_(threshold),
        begin_(table.truth_areas.size() + 1),
        partner_of_truth_(table.truth_areas.size(), kNoObject),
        partner_of_prediction_(table.prediction_areas.size(), kNoObject),
        price_(table.prediction_areas.size(), 0),
        distance_(table.prediction_areas.size(), kFar),
        reached_from_(table.prediction_areas.size(), kNoObject),
        is_settled_(table.prediction_areas.size(), 0) {
    const std::vector<bool> is_open = match_forced(table);
    // A match outweighs any sum of IoU, which is at most the smaller number of objects. Pairs below the
    // threshold are not matches but count in the sum, as in StarDist. Above 0.5 they change nothing.
    const auto most = static_cast<double>(std::min(table.truth_areas.size(), table.prediction_areas.size()));
    for (std::size_t i = 0; i < table.overlaps.size(); ++i) {
      if (!is_open[i]) continue;
      const Overlap& pair = table.overlaps[i];
      const double iou = table.iou(pair);
      edges_.push_back({pair.prediction, (iou < threshold ? kCostOfNoMatch : 1) - iou / (2 * most)});
      begin_[pair.truth + 1] = edges_.size();
    }
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] = std::max(begin_[i], begin_[i - 1]);
  }

  std::vector<Match> match() {
    for (std::uint32_t truth = 0; truth < partner_of_truth_.size(); ++truth)
      if (begin_[truth] < begin_[truth + 1]) augment(truth);
    std::vector<Match> matches;
    for (const Overlap& pair : table_.overlaps)
      if (partner_of_truth_[pair.truth] == pair.prediction)
        if (const double iou = table_.iou(pair); iou >= threshold_)
          matches.push_back({pair.truth, pair.prediction, iou});
    return matches;
  }

 private:
  /// Matches pairs of which neither object can have another match: every largest set of matches contains
  /// them. Returns which other pairs may change matches: those whose objects are connected, by overlaps with
  /// objects that are not matched yet, to a pair above the threshold. Most tables have none, so that the cost
  /// of assignment does not depend on how many objects overlap.
  std::vector<bool> match_forced(const OverlapTable& table) {
    const std::size_t first = partner_of_truth_.size();
    std::vector<std::uint32_t> of_truth(first), of_prediction(partner_of_prediction_.size());
    for (const Overlap& pair : table.overlaps) {
      if (table.iou(pair) < threshold_) continue;
      ++of_truth[pair.truth];
      ++of_prediction[pair.prediction];
    }
    for (const Overlap& pair : table.overlaps)
      if (table.iou(pair) >= threshold_ && of_truth[pair.truth] == 1 && of_prediction[pair.prediction] == 1) {
        partner_of_truth_[pair.truth] = pair.prediction;
        partner_of_prediction_[pair.prediction] = pair.truth;
      }

    std::vector<std::size_t> parent(first + of_prediction.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root_of = [&](std::size_t object) {
      while (parent[object] != object) object = parent[object] = parent[parent[object]];
      return object;
    };
    const auto may_change = [&](const Overlap& pair) {
      return partner_of_truth_[pair.truth] == kNoObject &&
             partner_of_prediction_[pair.prediction] == kNoObject &&
             (threshold_ <= 0.5 || table.iou(pair) >= threshold_);
    };
    for (const Overlap& pair : table.overlaps)
      if (may_change(pair)) parent[root_of(pair.truth)] = root_of(first + pair.prediction);
    std::vector<bool> has_match(parent.size());
    for (const Overlap& pair : table.overlaps)
      if (may_change(pair) && table.iou(pair) >= threshold_) has_match[root_of(pair.truth)] = true;
    std::vector<bool> is_open(table.overlaps.size());
    for (std::size_t i = 0; i < is_open.size(); ++i)
      is_open[i] = may_change(table.overlaps[i]) && has_match[root_of(table.overlaps[i].truth)];
    return is_open;
  }

  static constexpr double kFar = std::numeric_limits<double>::infinity();
  static constexpr double kCostOfNoMatch = 2;  // more than the cost of any edge

  using Candidate = std::pair<double, std::uint32_t>;  // distance, prediction

  /// Assigns a partner to `root`, or leaves one true object on the cheapest path without a partner:
  /// Dijkstra's algorithm with reduced costs. Predictions that were never reached have a price of 0.
  void augment(std::uint32_t root) {
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    std::vector<std::uint32_t> touched, settled;
    double shortest = kFar, free = kFar;  // distances: of the best path, of the nearest free prediction
    std::uint32_t last = kNoObject;       // free prediction at the end of the best path
    std::uint32_t dropped = root;         // otherwise the true object that remains without a partner
    const auto visit = [&](std::uint32_t truth, double here) {
      const double potential = potential_of(truth);
      if (const double without = here + kCostOfNoMatch - potential; without < shortest) {
        shortest = without;
        last = kNoObject;
        dropped = truth;
      }
      for (std::size_t i = begin_[truth]; i < begin_[truth + 1]; ++i) {
        const Edge& edge = edges_[i];
        const double distance = here + edge.cost - potential - price_[edge.prediction];
        if (distance > std::min(free, shortest) || is_settled_[edge.prediction]) continue;
        if (distance >= distance_[edge.prediction]) continue;
        if (partner_of_prediction_[edge.prediction] == kNoObject) free = distance;
        if (distance_[edge.prediction] == kFar) touched.push_back(edge.prediction);
        distance_[edge.prediction] = distance;
        reached_from_[edge.prediction] = truth;
        queue.emplace(distance, edge.prediction);
      }
    };
    visit(root, 0);
    while (!queue.empty() && queue.top().first < shortest) {
      const auto [distance, prediction] = queue.top();
      queue.pop();
      if (is_settled_[prediction] || distance > distance_[prediction]) continue;
      is_settled_[prediction] = 1;
      settled.push_back(prediction);
      if (partner_of_prediction_[prediction] == kNoObject) {
        shortest = distance;
        last = prediction;
        break;
      }
      visit(partner_of_prediction_[prediction], distance);
    }
    for (const std::uint32_t prediction : settled) price_[prediction] += distance_[prediction] - shortest;
    turn_path(root, last, dropped);
    for (const std::uint32_t prediction : touched) {
      distance_[prediction] = kFar;
      reached_from_[prediction] = kNoObject;
      is_settled_[prediction] = 0;
    }
  }

  /// Returns the potential, which gives the edge to the partner a reduced cost of 0. Without a partner, the
  /// best edge determines it.
  double potential_of(std::uint32_t truth) const {
    double least = kCostOfNoMatch;
    for (std::size_t i = begin_[truth]; i < begin_[truth + 1]; ++i) {
      const Edge& edge = edges_[i];
      if (partner_of_truth_[truth] == edge.prediction) return edge.cost - price_[edge.prediction];
      least = std::min(least, edge.cost - price_[edge.prediction]);
    }
    return least;
  }

  void turn_path(std::uint32_t root, std::uint32_t last, std::uint32_t dropped) {
    std::uint32_t prediction = last;
    if (last == kNoObject) {
      prediction = partner_of_truth_[dropped];
      partner_of_truth_[dropped] = kNoObject;
      if (dropped == root) return;
    }
    for (;;) {
      const std::uint32_t truth = reached_from_[prediction];
      partner_of_prediction_[prediction] = truth;
      std::swap(partner_of_truth_[truth], prediction);
      if (truth == root) return;
    }
  }

  const OverlapTable& table_;
  double threshold_;
  std::vector<std::size_t> begin_;  // first edge per true object
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> partner_of_truth_, partner_of_prediction_;
  std::vector<double> price_, distance_;
  std::vector<std::uint32_t> reached_from_;
  std::vector<char> is_settled_;
};

}  // namespace

std::vector<Match> match_objects(const OverlapTable& table, double threshold) {
  if (!(threshold > 0 && threshold <= 1))
    throw Error(ErrorCode::usage, "a threshold of IoU is above 0 and at most 1");
  return Matcher(table, threshold).match();
}

namespace {

/// The labels of remaining objects.
class KeptLabels final : public LabelRows {
 public:
  /// `map`: as in render(), ascending.
  KeptLabels(std::unique_ptr<const LabelRows> all, std::vector<Label> map, Label count)
      : all_(std::move(all)), map_(std::move(map)), count_(count) {}

  Extent extent() const override { return all_->extent(); }
  Label count() const override { return count_; }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override {
    return all_->prepare(first_row, rows);
  }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override {
    all_->render(first_row, rows, out, map ? followed_by(map).data() : map_.data());
  }
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override {
    all_->list_runs(first_row, rows, out, map ? followed_by(map).data() : map_.data());
  }

 private:
  std::vector<Label> followed_by(const Label* map) const {
    std::vector<Label> both = map_;
    for (Label& label : both) label = map[label];
    return both;
  }

  std::unique_ptr<const LabelRows> all_;
  std::vector<Label> map_;
  Label count_;
};

}  // namespace

void remove_small(std::unique_ptr<LabelRows>& labels, std::uint64_t min_size,
                  std::span<const std::uint64_t> areas,
                  std::initializer_list<std::vector<std::uint64_t>*> columns) {
  std::vector<std::size_t> kept;
  std::vector<Label> map(areas.size() + 1);
  for (std::size_t i = 0; i < areas.size(); ++i) {
    if (areas[i] < min_size) continue;
    kept.push_back(i);
    map[i + 1] = static_cast<Label>(kept.size());
  }
  if (kept.size() == areas.size()) return;
  labels = std::make_unique<KeptLabels>(std::move(labels), std::move(map), static_cast<Label>(kept.size()));
  for (std::vector<std::uint64_t>* const column : columns) {
    if (column->empty()) continue;
    for (std::size_t i = 0; i < kept.size(); ++i) (*column)[i] = (*column)[kept[i]];
    column->resize(kept.size());
  }
}

void MatchTotals::add(const MatchTotals& other) {
  counts.add(other.counts);
  for (std::size_t i = 0; i < other.scores.size(); ++i)
    if (i < scores.size())
      scores[i].add(other.scores[i]);
    else
      scores.push_back(other.scores[i]);
  if (other.distances) {
    if (!distances) distances.emplace();
    distances->has_dice = other.distances->has_dice;
    distances->of_classes = other.distances->of_classes;
    distances->foreground.add(other.distances->foreground);
    distances->matches.add(other.distances->matches);
  }
  if (!other.regions) return;
  if (!regions) regions.emplace(RegionTotals{other.regions->has_distances, other.regions->has_dice});
  regions->count += other.regions->count;
  regions->sum_of_dice += other.regions->sum_of_dice;
  regions->distances.add(other.regions->distances);
}

namespace {

/// The objects of one class, as indices into all objects, and their overlaps.
struct ClassOverlaps {
  std::vector<std::uint32_t> truth, prediction;
  OverlapTable table;
};

std::map<std::uint64_t, ClassOverlaps> overlaps_by_class(const OverlapTable& table,
                                                         const ScoreOptions& options) {
  std::map<std::uint64_t, ClassOverlaps> classes;
  const auto divide = [&](std::span<const std::uint64_t> class_of, const std::vector<std::uint64_t>& areas,
                          std::vector<std::uint32_t> ClassOverlaps::*members,
                          std::vector<std::uint64_t> OverlapTable::*areas_of_class) {
    std::vector<std::uint32_t> place(areas.size());
    for (std::uint32_t i = 0; i < areas.size(); ++i) {
      ClassOverlaps& one = classes[class_of[i]];
      place[i] = static_cast<std::uint32_t>((one.*members).size());
      (one.*members).push_back(i);
      (one.table.*areas_of_class).push_back(areas[i]);
    }
    return place;
  };
  const auto in_truth =
      divide(options.truth_classes, table.truth_areas, &ClassOverlaps::truth, &OverlapTable::truth_areas);
  const auto in_prediction = divide(options.prediction_classes, table.prediction_areas,
                                    &ClassOverlaps::prediction, &OverlapTable::prediction_areas);
  for (const Overlap& pair : table.overlaps) {
    const std::uint64_t value = options.truth_classes[pair.truth];
    if (value == options.prediction_classes[pair.prediction])
      classes[value].table.overlaps.push_back(
          {in_truth[pair.truth], in_prediction[pair.prediction], pair.pixels});
  }
  return classes;
}

/// A region with its Dice coefficient.
struct ScoredRegion : Region {
  double dice = 0;
};

/// Scores the regions of the true objects of `table`. `truth`, `prediction`: the objects, as indices into
/// all.
std::vector<ScoredRegion> score_regions(const OverlapTable& table, std::span<const std::uint32_t> truth,
                                        std::span<const std::uint32_t> prediction,
                                        const ScoreOptions& options, RegionTotals& totals) {
  totals.has_distances = options.has_distances;
  totals.has_dice = options.has_distances && options.surfaces->has_tolerance();
  std::vector<ScoredRegion> scored;
  if (truth.empty()) {
    const double dice = prediction.empty() ? options.empty : 0;
    totals.count = !std::isnan(dice);
    totals.sum_of_dice = std::isnan(dice) ? 0 : dice;
    if (totals.has_dice) totals.distances.add({.surface_dice = dice}, options.empty);
    return scored;
  }
  for (const Region& region : options.surfaces->of_regions(truth, prediction, options.has_distances))
    scored.push_back({region});
  for (const Overlap& pair : table.overlaps) scored[pair.truth].dice += static_cast<double>(pair.pixels);
  for (std::size_t i = 0; i < scored.size(); ++i) {
    scored[i].dice *= 2 / static_cast<double>(table.truth_areas[i] + scored[i].prediction_pixels);
    totals.sum_of_dice += scored[i].dice;
    totals.distances.add(scored[i].distances, options.empty);
  }
  totals.count = scored.size();
  return scored;
}

/// Returns the scores of one class, or without a class of all objects.
MatchTotals score_class(const OverlapTable& table, const ClassOverlaps* one, std::uint64_t value,
                        const ScoreOptions& options) {
  MatchTotals totals{count_overlaps(table), {}};
  std::vector<Match> first;
  std::vector<std::vector<bool>> later;  // whether each overlap is a match, at further thresholds
  for (const double threshold : options.thresholds) {
    std::vector<Match> matches = match_objects(table, threshold);
    totals.scores.push_back(score_matches(table, matches, threshold));
    if (totals.scores.size() == 1)
      first = std::move(matches);
    else if (options.on_pairs)
      later.push_back(find_matches(table, matches));
  }
  const std::vector<ObjectPair> rows =
      options.on_pairs ? list_pairs(table, first) : std::vector<ObjectPair>{};
  std::vector<SurfaceDistances> distances;
  std::vector<ScoredRegion> regions;
  if (options.has_regions) {
    const auto numbers = [](std::size_t count) {
      std::vector<std::uint32_t> all(count);
      std::iota(all.begin(), all.end(), 0u);
      return all;
    };
    regions = score_regions(table, one ? one->truth : numbers(table.truth_areas.size()),
                            one ? one->prediction : numbers(table.prediction_areas.size()), options,
                            totals.regions.emplace());
  }
  if (options.has_distances) {
    if (one)
      for (Match& match : first)
        match = {one->truth[match.truth], one->prediction[match.prediction], match.iou};
    // One object in each image: its distances are those of the foreground.
    const bool is_whole =
        first.size() == 1 && table.truth_areas.size() == 1 && table.prediction_areas.size() == 1;
    distances = options.surfaces->of_matches(first);
    totals.distances.emplace();
    totals.distances->has_dice = options.surfaces->has_tolerance();
    totals.distances->foreground.add(is_whole ? distances.front()
                                     : one    ? options.surfaces->of(one->truth, one->prediction)
                                              : options.surfaces->of_all(),
                                     options.empty);
    for (const SurfaceDistances& match : distances) totals.distances->matches.add(match, options.empty);
  }
  if (!options.on_pairs) return totals;
  constexpr std::size_t kAtOnce = 1024;  // pairs that are handed on while they are in the cache
  std::vector<ScoredPair> pairs;
  pairs.reserve(std::min(rows.size(), kAtOnce));
  auto next = distances.begin();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ObjectPair& row = rows[i];
    ScoredPair& pair = pairs.emplace_back();
    static_cast<ObjectPair&>(pair) = row;
    if (pair.truth && !regions.empty()) {
      pair.region_dice = regions[*pair.truth].dice;
      pair.of_region = regions[*pair.truth].distances;
    }
    if (one && pair.truth) pair.truth = one->truth[*pair.truth];
    if (one && pair.prediction) pair.prediction = one->prediction[*pair.prediction];
    if (pair.is_match && next != distances.end()) pair.distances = *next++;
    // Rows of overlaps come first.
    for (const std::vector<bool>& matches : later)
      pair.matches_later.push_back(i < matches.size() && matches[i]);
    if (pairs.size() < kAtOnce && i + 1 < rows.size()) continue;
    options.on_pairs(value, pairs);
    pairs.clear();
  }
  return totals;
}

}  // namespace

std::string column_at(std::string_view name, double threshold) {
  std::array<char, 32> text{};
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), threshold).ptr;
  return std::string(name) + "_" + std::string(static_cast<const char*>(text.data()), end);
}

MatchTotals score_images(const OverlapTable& table, const ScoreOptions& options, ClassTotals& classes) {
  if (!options.has_classes) return score_class(table, nullptr, 0, options);
  for (const auto& [value, one] : overlaps_by_class(table, options))
    classes[value] = score_class(one.table, &one, value, options);
  MatchTotals sums;
  if (classes.empty()) sums = score_class(table, nullptr, 0, options);  // no objects
  for (const auto& [value, totals] : classes) sums.add(totals);
  if (sums.distances) sums.distances->of_classes = true;
  return sums;
}

MatchTotals score_nothing(const ScoreOptions& options) {
  ScoreOptions alone = options;
  alone.on_pairs = {};
  const ClassOverlaps none;
  return score_class(none.table, &none, 0, alone);
}

}  // namespace gpuccl
