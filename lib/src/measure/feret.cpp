#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "measure/arithmetic.hpp"
#include "measure/group.hpp"
#include "measure/hull.hpp"

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

namespace {

using enum MeasureId;

using Point = HullPoint<std::int64_t>;

/// Returns the corners of the convex hull of points, of which each height has two: the left and the right
/// one, from the first height down.
std::vector<Point> hull_of(const std::vector<Point>& points) {
  std::vector<Point> hull;
  std::size_t first = 0;  // of the current side
  const auto go_to = [&](const Point& point) {
    while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0) hull.pop_back();
    hull.push_back(point);
  };
  go_to(points.front());
  for (std::size_t i = 1; i < points.size(); i += 2) go_to(points[i]);
  hull.pop_back();  // belongs to the other side
  first = hull.size();
  go_to(points.back());
  for (std::size_t i = points.size(); i > 0; i -= 2) go_to(points[i - 2]);
  hull.pop_back();
  return hull;
}

/// Returns the extents of a hull. `width`, `height`: of half an element.
HullExtents extents_of(const std::vector<Point>& hull, double width, double height) {
  HullExtents extents{width, height};
  const HullCorners corners{static_cast<int>(hull.size()),
                            [&](int i) { return hull[static_cast<std::size_t>(i)]; }};
  for (int i = 0, far = 1; i < corners.count; ++i) far = corners.measure_side(i, far, extents);
  return extents;
}

/// The first element of a row, and the end of the last one.
struct Ends {
  int begin = 0, end = 0;
};

/// Rows of an outline.
struct EndsOfRows {
  std::span<const Ends> rows;

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
  int begin(std::int64_t i) const { return end(i) == 0 ? kNoBegin : rows[static_cast<std::size_t>(i)].begin; }
  int end(std::int64_t i) const { return rows[static_cast<std::size_t>(i)].end; }
};

/// Returns the hull of the outline of rows.
std::vector<Point> hull_of(std::span<const Ends> rows) {
  const Outline<std::int64_t, EndsOfRows> outline{{rows}};
  std::vector<Point> points;
  points.reserve(4 * rows.size() + 2);
  for (std::int64_t height = 0; height < outline.heights(); ++height)
    if (outline.has_left(height)) {
      points.push_back(outline.left(height));
      points.push_back(outline.right(height));
    }
  return hull_of(points);
}

/// Returns the elements of the same rows whose centers are in the hull or on its edge.
std::vector<Ends> elements_in(const std::vector<Point>& hull, std::size_t rows) {
  std::vector<Ends> ends(rows);
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const HullSide side(hull[i], hull[(i + 1) % hull.size()]);
    if (side.top.y == side.bottom.y) continue;
    for (std::int64_t height = side.top.y / 2 * 2 + 1; height <= side.bottom.y; height += 2) {
      Ends& row = ends[static_cast<std::size_t>(height / 2)];
      (side.is_right ? row.end : row.begin) = side.row_end(height);
    }
  }
  return ends;
}

/// Returns the corners of the hull of each slice, which include the two corners of the whole hull with the
/// largest distance. `rows`: of the bounding box, slice by slice.
std::vector<std::array<int, 3>> corners_of_slices(std::span<const Ends> rows, const Box& box) {
  std::vector<std::array<int, 3>> corners;
  const auto height = static_cast<std::size_t>(box.max[1] - box.min[1] + 1);
  std::vector<Point> points;
  for (std::size_t first = 0; first < rows.size(); first += height) {
    const int z = box.min[2] + static_cast<int>(first / height);
    points.clear();
    for (std::size_t row = 0; row < height; ++row) {
      const Ends& ends = rows[first + row];
      if (ends.end == 0) continue;
      const std::int64_t y = box.min[1] + static_cast<std::int64_t>(row);
      points.push_back({ends.begin, y});
      points.push_back({ends.end - 1, y});
    }
    if (points.empty()) continue;
    for (const Point& corner : hull_of(points))
      corners.push_back({static_cast<int>(corner.x), static_cast<int>(corner.y), z});
  }
  return corners;
}

/// Returns the largest distance between two points half an element from the elements of a volume along one
/// axis. `size`: of an element. For two elements, the farthest points lie on opposite sides along one axis,
/// so the distance along this axis is one element longer.
template <class Number>
double diameter(const std::vector<std::array<int, 3>>& corners, const std::array<Number, 3>& size) {
  const auto squared = [&](const std::array<std::int64_t, 3>& distance) {
    Number sum{}, most{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Number along = static_cast<Number>(distance[axis]) * size[axis];
      sum += along * along;
      most = std::max(most, 2 * along * size[axis] + size[axis] * size[axis]);
    }
    return sum + most;
  };
  return std::sqrt(static_cast<double>(Farthest(corners, squared).squared()));
}

/// In 2D: the largest distance between two points on the edge of the convex hull image, half an element from
/// the centers of its elements, its smallest width, and its size. In volumes: the largest distance of points
/// at the elements themselves, and the size of the hull. Only the ends of each row of a component matter.
class Feret final : public Group {
 public:
  explicit Feret(const MeasureContext& labeling)
      : boxes_(labeling.components.box),
        is_volume_(labeling.is_volume()),
        is_convex_(wants(labeling, {area_convex, solidity})),
        is_diameter_(wants(labeling, {feret_diameter_max, feret_diameter_max_physical})),
        spacing_(labeling.request.spacing),
        rows_before_(boxes_.size() + 1) {
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      rows_before_[i + 1] = rows_before_[i] + static_cast<std::size_t>(rows_of(boxes_[i]));
    ends_.resize(rows_before_.back());
  }

  bool looks_at_rows() const override { return true; }
  std::size_t bytes_each() const override { return sizeof(std::size_t); }
  std::int64_t extra_bytes() const override { return static_cast<std::int64_t>(ends_.size() * sizeof(Ends)); }

  /// Throws Error (memory) if the rows of these components take more than `max_bytes`.
  static void check_bytes(const Components& components, std::int64_t max_bytes) {
    std::int64_t rows = 0;
    for (const Box& box : components.box) rows += rows_of(box);
    const std::int64_t bytes = rows * std::int64_t{sizeof(Ends)};
    if (bytes > max_bytes) throw not_enough_memory("convex hulls and Feret diameters need", bytes);
  }

  void add(const LabeledRow& row) override {
    for (const Segment& segment : row.segments) {
      const std::size_t i = segment.label - 1;
      segment.for_each_word([&](int word, Word mask) {
        const Word elements = row.bits()[word] & mask;
        if (elements == 0) return;  // as in rows outside the box
        Ends& ends = ends_[place_of(i, row.y, row.z)];
        const int first = word * kWordBits;
        if (ends.end == 0) ends.begin = first + std::countr_zero(elements);
        ends.end = first + static_cast<int>(std::bit_width(elements));
      });
    }
  }

  bool keeps_state() const override { return true; }
  void save(std::size_t index, std::vector<std::uint64_t>& saved) const override {
    for (std::size_t row = rows_before_[index]; row < rows_before_[index + 1]; ++row)
      saved.push_back(std::bit_cast<std::uint64_t>(ends_[row]));
  }
  bool add_saved(std::size_t index, std::span<const std::uint64_t> saved) override {
    if (saved.size() != rows_before_[index + 1] - rows_before_[index]) return false;
    for (std::size_t row = 0; row < saved.size(); ++row)
      if (const auto ends = std::bit_cast<Ends>(saved[row]); ends.end != 0) {
        if (ends.begin < 0 || ends.end <= ends.begin) return false;
        Ends& all = ends_[rows_before_[index] + row];
        all = all.end == 0 ? ends : Ends{std::min(all.begin, ends.begin), std::max(all.end, ends.end)};
      }
    return true;
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const std::size_t first = rows_before_[sums.index], rows = rows_before_[sums.index + 1] - first;
    const Box& box = sums.component.box;
    const auto ends = std::span(ends_).subspan(first, rows);
    if (is_volume_) {
      const std::vector<std::array<int, 3>> corners = corners_of_slices(ends, box);
      if (is_convex_) {
        const auto volume = static_cast<double>(convex_volume(corners));
        values[area_convex] = volume;
        values[solidity] = static_cast<double>(sums.component.area) / volume;
      }
      if (!is_diameter_) return;
      values[feret_diameter_max] = diameter<std::uint64_t>(corners, {1, 1, 1});
      if (spacing_[0] > 0) values[feret_diameter_max_physical] = diameter<double>(corners, spacing_);
      return;
    }
    if (box.min[2] != box.max[2]) {
      const HullExtents none = no_extents();
      return put_hull(sums.component.area, kNoValue, none, &none, values);
    }
    const std::vector<Ends> filled = elements_in(hull_of(ends), rows);
    const std::vector<Point> hull = hull_of(filled);
    const auto area = static_cast<double>(
        std::accumulate(filled.begin(), filled.end(), std::int64_t{0},
                        [](std::int64_t sum, const Ends& row) { return sum + row.end - row.begin; }));
    const bool is_physical = spacing_[0] > 0;
    const HullExtents physical =
        is_physical ? extents_of(hull, spacing_[0] / 2, spacing_[1] / 2) : HullExtents{};
    put_hull(sums.component.area, area, extents_of(hull, 0.5, 0.5), is_physical ? &physical : nullptr,
             values);
  }

 private:
  static std::int64_t rows_of(const Box& box) {
    return (std::int64_t{box.max[1]} - box.min[1] + 1) * (std::int64_t{box.max[2]} - box.min[2] + 1);
  }
  /// Returns the position of the ends of a row of a component's bounding box.
  std::size_t place_of(std::size_t i, int y, int z) const {
    const Box& box = boxes_[i];
    const std::int64_t slice = std::int64_t{box.max[1]} - box.min[1] + 1;
    return rows_before_[i] + static_cast<std::size_t>((z - box.min[2]) * slice + (y - box.min[1]));
  }

  const UninitializedVector<Box>& boxes_;  // during measurement
  bool is_volume_, is_convex_, is_diameter_;
  std::array<double, 3> spacing_;
  std::vector<std::size_t> rows_before_;  // sums over the bounding boxes
  std::vector<Ends> ends_;
};

}  // namespace

std::unique_ptr<Group> make_feret(const MeasureContext& labeling) {
  if (!wants(labeling, {feret_diameter_max, feret_diameter_max_physical, feret_diameter_min,
                        feret_diameter_min_physical, area_convex, solidity}))
    return nullptr;
  Feret::check_bytes(labeling.components, labeling.request.max_bytes);
  return std::make_unique<Feret>(labeling);
}

}  // namespace gpuccl::measuring
