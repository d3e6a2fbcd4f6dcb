#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "measure/arithmetic.hpp"
#include "measure/group.hpp"

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

/// Coordinates in half elements, or in elements.
struct Point {
  std::int64_t x, y;
};

/// Returns a positive number if c lies to the left of the line from a to b.
std::int64_t turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

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

/// Returns the largest distance between two corners of a hull. `width`, `height`: of half an element.
double diameter(const std::vector<Point>& hull, double width, double height) {
  const auto distance = [&](std::size_t a, std::size_t b) {
    const double x = width * static_cast<double>(hull[a].x - hull[b].x);
    const double y = height * static_cast<double>(hull[a].y - hull[b].y);
    return x * x + y * y;
  };
  // Rotating calipers: for each side, the corner farthest from it. Two corners with the largest distance are
  // found at a side next to one of them.
  const std::size_t corners = hull.size();
  double most = 0;
  for (std::size_t i = 0, far = 1; i < corners; ++i) {
    const std::size_t next = (i + 1) % corners;
    while (turn(hull[i], hull[next], hull[(far + 1) % corners]) > turn(hull[i], hull[next], hull[far])) {
      most = std::max(most, distance(i, far));
      far = (far + 1) % corners;
    }
    // Both ends of a parallel side are equally far.
    most = std::max({most, distance(i, far), distance(next, far), distance(i, (far + 1) % corners),
                     distance(next, (far + 1) % corners)});
  }
  return std::sqrt(most);
}

/// Returns the smallest distance between two parallel lines that enclose a hull. One of them lies along a
/// side (Freeman and Shapira 1975). `width`, `height`: of half an element.
double least_width(const std::vector<Point>& hull, double width, double height) {
  const std::size_t corners = hull.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0, far = 1; i < corners; ++i) {
    const Point &a = hull[i], &b = hull[(i + 1) % corners];
    while (turn(a, b, hull[(far + 1) % corners]) > turn(a, b, hull[far])) far = (far + 1) % corners;
    const double side =
        length_of(width * static_cast<double>(b.x - a.x), height * static_cast<double>(b.y - a.y));
    least = std::min(least, width * height * static_cast<double>(turn(a, b, hull[far])) / side);
  }
  return least;
}

/// The first element of a row, and the end of the last one.
struct Ends {
  int begin = 0, end = 0;
};

/// Returns the hull of the points half an element left of, right of, above and below the first and last
/// elements of rows. `first_y`: of the first row. At each height only the first and the last point matter.
/// Rows may be empty if an object has several pieces.
std::vector<Point> hull_of(std::span<const Ends> rows, int first_y) {
  std::vector<Point> points;
  points.reserve(4 * rows.size() + 2);
  const std::int64_t top = 2 * std::int64_t{first_y} - 1;
  for (std::size_t i = 0; i <= 2 * rows.size(); ++i) {
    // An even height lies between two rows, at the centers of whose elements it has points.
    const std::int64_t y = top + static_cast<std::int64_t>(i);
    const Ends *above = &rows[i == 0 ? 0 : (i - 1) / 2], *below = &rows[std::min(i / 2, rows.size() - 1)];
    if (above->end == 0) above = below;
    if (below->end == 0) below = above;
    if (above->end == 0) continue;
    const std::int64_t beside = i % 2 == 0 ? 0 : 1;
    points.push_back({2 * std::int64_t{std::min(above->begin, below->begin)} - beside, y});
    points.push_back({2 * (std::int64_t{std::max(above->end, below->end)} - 1) + beside, y});
  }
  return hull_of(points);
}

/// Returns the elements of the same rows whose centers are in the hull or on its edge.
std::vector<Ends> elements_in(const std::vector<Point>& hull, std::size_t rows, int first_y) {
  std::vector<Ends> ends(rows);
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Point &a = hull[i], &b = hull[(i + 1) % hull.size()];
    if (a.y == b.y) continue;
    // The hull lies to the left of its sides; y points down.
    const bool is_right = a.y < b.y;
    const Point &top = is_right ? a : b, &bottom = is_right ? b : a;
    for (std::int64_t y = ceiling_divide<std::int64_t>(top.y, 2); 2 * y <= bottom.y; ++y) {
      // In half elements, x is top.x + across / down. Elements have even coordinates.
      const std::int64_t down = bottom.y - top.y, across = (bottom.x - top.x) * (2 * y - top.y);
      Ends& row = ends[static_cast<std::size_t>(y - first_y)];
      if (is_right) {
        row.end = static_cast<int>(floor_divide(top.x * down + across, 2 * down) + 1);
      } else {
        row.begin = static_cast<int>(ceiling_divide(top.x * down + across, 2 * down));
      }
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
      if (is_convex_) set_convex(sums, static_cast<double>(convex_volume(corners)), values);
      if (!is_diameter_) return;
      values[feret_diameter_max] = diameter<std::uint64_t>(corners, {1, 1, 1});
      if (spacing_[0] > 0) values[feret_diameter_max_physical] = diameter<double>(corners, spacing_);
      return;
    }
    const int y = box.min[1];
    const std::vector<Ends> filled = elements_in(hull_of(ends, y), rows, y);
    const std::vector<Point> hull = hull_of(filled, y);
    const auto area = static_cast<double>(
        std::accumulate(filled.begin(), filled.end(), std::int64_t{0},
                        [](std::int64_t sum, const Ends& row) { return sum + row.end - row.begin; }));
    values[feret_diameter_max] = diameter(hull, 0.5, 0.5);
    values[feret_diameter_min] = least_width(hull, 0.5, 0.5);
    set_convex(sums, area, values);
    if (spacing_[0] > 0) {
      values[feret_diameter_max_physical] = diameter(hull, spacing_[0] / 2, spacing_[1] / 2);
      values[feret_diameter_min_physical] = least_width(hull, spacing_[0] / 2, spacing_[1] / 2);
    }
  }

 private:
  static void set_convex(const Sums& sums, double area, MeasureValues& values) {
    values[area_convex] = area;
    values[solidity] = static_cast<double>(sums.component.area) / area;
  }
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
