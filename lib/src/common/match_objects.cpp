// One-to-one matching of objects by IoU. The pairs that overlap form a sparse bipartite graph, which is
// matched by successive shortest augmenting paths with potentials (the Hungarian method on adjacency lists:
// Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
// problems", Computing 38, 1987). Every true object also has a partner of its own that stands for "no match".

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "gpuccl/objects.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

/// A pair that may be matched.
struct Edge {
  std::uint32_t prediction;
  double iou;
  double cost;
};

class Matcher {
 public:
  Matcher(const OverlapTable& table, double threshold)
      : threshold_(threshold),
        begin_(table.truth_areas.size() + 1),
        partner_of_truth_(table.truth_areas.size(), kNone),
        partner_of_prediction_(table.prediction_areas.size(), kNone),
        price_(table.prediction_areas.size(), 0),
        distance_(table.prediction_areas.size(), kFar),
        reached_from_(table.prediction_areas.size(), kNone),
        is_settled_(table.prediction_areas.size(), 0) {
    // One match more outweighs any sum of IoU, which is at most the smaller number of objects. Pairs below
    // the threshold are not matches, but count in the sum, as they do in StarDist. Above 0.5 they change
    // nothing.
    const auto most = static_cast<double>(std::min(table.truth_areas.size(), table.prediction_areas.size()));
    for (const Overlap& pair : table.overlaps) {
      const double iou = table.iou(pair);
      if (iou < threshold && threshold > 0.5) continue;
      edges_.push_back({pair.prediction, iou, (iou < threshold ? kCostOfNoMatch : 1) - iou / (2 * most)});
      begin_[pair.truth + 1] = edges_.size();
    }
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] = std::max(begin_[i], begin_[i - 1]);
  }

  std::vector<Match> match() {
    for (std::uint32_t truth = 0; truth < partner_of_truth_.size(); ++truth)
      if (begin_[truth] < begin_[truth + 1]) augment(truth);
    std::vector<Match> matches;
    for (std::uint32_t truth = 0; truth < partner_of_truth_.size(); ++truth)
      for (std::size_t i = begin_[truth]; i < begin_[truth + 1]; ++i)
        if (edges_[i].prediction == partner_of_truth_[truth] && edges_[i].iou >= threshold_)
          matches.push_back({truth, edges_[i].prediction, edges_[i].iou});
    return matches;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  static constexpr double kCostOfNoMatch = 2;  // more than that of any edge

  using Candidate = std::pair<double, std::uint32_t>;  // distance, prediction

  /// Gives `truth` a partner, or leaves one true object on the cheapest path without: Dijkstra's algorithm
  /// over reduced costs. Predictions that were never reached have a price of 0.
  void augment(std::uint32_t root) {
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    std::vector<std::uint32_t> touched, settled;
    double shortest = kFar;
    std::uint32_t last = kNone;    // the free prediction at the end of the best path, if it ends at one
    std::uint32_t dropped = root;  // else the true object that stays without a partner
    const auto visit = [&](std::uint32_t truth, double here) {
      const double potential = potential_of(truth);
      if (const double without = here + kCostOfNoMatch - potential; without < shortest) {
        shortest = without;
        last = kNone;
        dropped = truth;
      }
      for (std::size_t i = begin_[truth]; i < begin_[truth + 1]; ++i) {
        const Edge& edge = edges_[i];
        const double distance = here + edge.cost - potential - price_[edge.prediction];
        if (is_settled_[edge.prediction] || distance >= distance_[edge.prediction]) continue;
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
      if (partner_of_prediction_[prediction] == kNone) {
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
      reached_from_[prediction] = kNone;
      is_settled_[prediction] = 0;
    }
  }

  /// Reduced cost 0 on the edge to the partner defines it; one without a partner takes its best edge.
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
    if (last == kNone) {
      prediction = partner_of_truth_[dropped];
      partner_of_truth_[dropped] = kNone;
      if (dropped == root) return;
    }
    for (;;) {
      const std::uint32_t truth = reached_from_[prediction];
      partner_of_prediction_[prediction] = truth;
      std::swap(partner_of_truth_[truth], prediction);
      if (truth == root) return;
    }
  }

  double threshold_;
  std::vector<std::size_t> begin_;  // of each true object's edges
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> partner_of_truth_, partner_of_prediction_;
  std::vector<double> price_, distance_;
  std::vector<std::uint32_t> reached_from_;
  std::vector<char> is_settled_;
};

}  // namespace

std::vector<Match> match_objects(const OverlapTable& table, double threshold) {
  if (!(threshold > 0 && threshold <= 1))
    throw Error(Failure::usage, "a threshold of IoU is above 0 and at most 1");
  return Matcher(table, threshold).match();
}

}  // namespace gpuccl
