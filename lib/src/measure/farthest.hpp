#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpuccl::measuring {

/// Maximum of squared(distance) over all pairs of points. `distance`: along each axis; `squared` must grow
/// with it. Nested bounding boxes of points are compared first, so few pairs of points remain.
template <class Squared>
class Farthest {
 public:
  using Place = std::array<int, 3>;
  using Distance = std::array<std::int64_t, 3>;
  using Value = decltype(std::declval<Squared>()(Distance()));

  /// Requires at least one point.
  Farthest(std::vector<Place> places, Squared squared) : places_(std::move(places)), squared_(squared) {
    build(0, places_.size());
    most_ = squared_(Distance{});
    search(0, 0);
  }

  Value squared() const { return most_; }

 private:
  static constexpr std::size_t kFew = 8;  // points that are not divided into smaller boxes

  struct Node {
    Place min, max;
    std::size_t begin, end;             // places
    std::size_t first = 0, second = 0;  // nodes of the two halves; 0: none

    bool is_leaf() const { return first == 0; }
  };

  std::size_t build(std::size_t begin, std::size_t end) {
    Node node{places_[begin], places_[begin], begin, end};
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        node.min[axis] = std::min(node.min[axis], places_[i][axis]);
        node.max[axis] = std::max(node.max[axis], places_[i][axis]);
      }
    const std::size_t number = nodes_.size();
    nodes_.push_back(node);
    if (end - begin <= kFew) return number;
    const auto length = [&](std::size_t axis) { return std::int64_t{node.max[axis]} - node.min[axis]; };
    std::size_t longest = length(0) >= length(1) ? 0 : 1;
    if (length(2) > length(longest)) longest = 2;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return places_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [&](const Place& a, const Place& b) { return a[longest] < b[longest]; });
    const std::size_t first = build(begin, middle), second = build(middle, end);
    nodes_[number].first = first;
    nodes_[number].second = second;
    return number;
  }

  /// Returns an upper bound for all pairs of a point of one node and a point of the other.
  Value bound(const Node& a, const Node& b) const {
    Distance distance;
    for (std::size_t axis = 0; axis < 3; ++axis)
      distance[axis] =
          std::max(std::int64_t{a.max[axis]} - b.min[axis], std::int64_t{b.max[axis]} - a.min[axis]);
    return squared_(distance);
  }

  void search(std::size_t a, std::size_t b) {
    const Node &one = nodes_[a], &other = nodes_[b];
    if (bound(one, other) <= most_) return;
    if (one.is_leaf() && other.is_leaf()) return compare(one, other);
    if (a == b) {
      search(one.first, one.second);
      search(one.first, one.first);
      return search(one.second, one.second);
    }
    // Divides the node with more places; searches the farther half first.
    const bool is_other =
        one.is_leaf() || (!other.is_leaf() && other.end - other.begin > one.end - one.begin);
    const Node &halved = is_other ? other : one, &whole = is_other ? one : other;
    const std::size_t kept = is_other ? a : b;
    const bool first_is_farther = bound(nodes_[halved.first], whole) >= bound(nodes_[halved.second], whole);
    search(first_is_farther ? halved.first : halved.second, kept);
    search(first_is_farther ? halved.second : halved.first, kept);
  }

  void compare(const Node& a, const Node& b) {
    for (std::size_t i = a.begin; i < a.end; ++i)
      for (std::size_t j = b.begin; j < b.end; ++j) {
        Distance distance;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::int64_t difference = std::int64_t{places_[i][axis]} - places_[j][axis];
          distance[axis] = difference < 0 ? -difference : difference;
        }
        most_ = std::max(most_, squared_(distance));
      }
  }

  std::vector<Place> places_;
  std::vector<Node> nodes_;
  Squared squared_;
  Value most_{};
};

}  // namespace gpuccl::measuring
