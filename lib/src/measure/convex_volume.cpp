#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "measure/arithmetic.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

__extension__ typedef __int128 Wide;

/// A point, in half voxels.
using Corner = std::array<std::int64_t, 3>;

/// Returns the points half a voxel from the center of each voxel along the axes, relative to `origin`.
std::vector<Corner> corners_of(const std::vector<std::array<int, 3>>& voxels,
                               const std::array<int, 3>& origin) {
  std::vector<Corner> corners;
  corners.reserve(6 * voxels.size());
  for (const std::array<int, 3>& voxel : voxels)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {-1, 1}) {
        Corner corner;
        for (std::size_t i = 0; i < 3; ++i) corner[i] = 2 * (std::int64_t{voxel[i]} - origin[i]);
        corner[axis] += side;
        corners.push_back(corner);
      }
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  return corners;
}

/// Convex hull of points that do not lie in one plane, as triangles (Barber, Dobkin and Huhdanpaa 1996). A
/// point is above a triangle if it lies strictly outside its plane, which integers decide exactly. `Number`
/// must hold the product of three coordinates.
template <class Number>
class Hull {
 public:
  struct Face {
    std::array<std::size_t, 3> corners;  // counterclockwise from outside
    std::array<std::size_t, 3> next;     // face across the side from corner i to the next one
    std::array<Number, 3> normal;        // outwards
    Number distance;                     // of the plane from the origin, times the length of the normal
    std::vector<std::size_t> above;      // points that are in no other list
    bool is_there = true;
  };

  explicit Hull(const std::vector<Corner>& points) : points_(points), begins_at_(points.size()) {
    begin();
    for (std::size_t face = 0; face < faces_.size(); ++face)
      if (faces_[face].is_there && !faces_[face].above.empty()) add_farthest(face);
  }

  const std::vector<Face>& faces() const { return faces_; }

 private:
  struct Side {
    std::size_t from, to, outer;  // `outer`: the face behind the side, which stays
  };

  Number height(const Face& face, std::size_t point) const {
    const Corner& at = points_[point];
    return face.normal[0] * Number{at[0]} + face.normal[1] * Number{at[1]} + face.normal[2] * Number{at[2]} -
           face.distance;
  }

  std::size_t add_face(std::size_t a, std::size_t b, std::size_t c) {
    Face face{{a, b, c}, {}, {}, 0, {}};
    std::array<Number, 3> u, v;
    for (std::size_t i = 0; i < 3; ++i) {
      u[i] = points_[b][i] - points_[a][i];
      v[i] = points_[c][i] - points_[a][i];
    }
    face.normal = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    face.distance = height(face, a);
    faces_.push_back(std::move(face));
    return faces_.size() - 1;
  }

  /// Begins with a tetrahedron: the first point, which is a corner, and points that are not collinear or
  /// coplanar with it.
  void begin() {
    const auto find = [&](auto is_good) {
      std::size_t point = 1;
      while (!is_good(point)) ++point;
      return point;
    };
    const std::size_t a = 0, b = 1;
    const std::size_t c = find([&](std::size_t point) {
      const std::size_t face = add_face(a, b, point);
      const bool is_triangle = faces_[face].normal != std::array<Number, 3>{};
      faces_.clear();
      return is_triangle;
    });
    add_face(a, b, c);
    const std::size_t d = find([&](std::size_t point) { return height(faces_[0], point) != 0; });
    const bool is_outside = height(faces_[0], d) > 0;
    faces_.clear();
    const std::array<std::size_t, 3> base = is_outside ? std::array{a, c, b} : std::array{a, b, c};
    add_face(base[0], base[1], base[2]);
    for (std::size_t i = 0; i < 3; ++i) add_face(base[(i + 1) % 3], base[i], d);
    for (std::size_t i = 0; i < 3; ++i) {
      faces_[0].next[i] = 1 + i;
      faces_[1 + i].next = {0, 1 + (i + 2) % 3, 1 + (i + 1) % 3};
    }
    std::vector<std::size_t> all;
    for (std::size_t point = 1; point < points_.size(); ++point) all.push_back(point);
    distribute(all, 0);
  }

  /// Assigns each point to a face, from `first` on, that it is above. Drops points inside the hull.
  void distribute(const std::vector<std::size_t>& points, std::size_t first) {
    for (const std::size_t point : points)
      for (std::size_t face = first; face < faces_.size(); ++face)
        if (height(faces_[face], point) > 0) {
          faces_[face].above.push_back(point);
          break;
        }
  }

  /// Adds the farthest point above `face`: replaces the faces below this point with a cone of new faces.
  void add_farthest(std::size_t face) {
    const std::vector<std::size_t>& above = faces_[face].above;
    const std::size_t top = *std::max_element(above.begin(), above.end(), [&](std::size_t a, std::size_t b) {
      return height(faces_[face], a) < height(faces_[face], b);
    });
    std::vector<Side> horizon;
    std::vector<std::size_t> points;
    remove_seen(face, top, horizon, points);
    const std::size_t first = faces_.size();
    for (const Side& side : horizon) begins_at_[side.from] = add_face(side.from, side.to, top);
    for (std::size_t i = 0; i < horizon.size(); ++i) {
      const Side& side = horizon[i];
      const std::size_t here = first + i, behind = begins_at_[side.to];
      faces_[here].next[0] = side.outer;
      faces_[here].next[1] = behind;
      faces_[behind].next[2] = here;
      Face& outer = faces_[side.outer];
      for (std::size_t k = 0; k < 3; ++k)
        if (outer.corners[k] == side.to && outer.corners[(k + 1) % 3] == side.from) outer.next[k] = here;
    }
    distribute(points, first);
  }

  /// Removes the faces that `top` is above, which are connected, and lists the sides around them.
  void remove_seen(std::size_t face, std::size_t top, std::vector<Side>& horizon,
                   std::vector<std::size_t>& points) {
    std::vector<std::size_t> stack = {face};
    faces_[face].is_there = false;
    while (!stack.empty()) {
      Face& seen = faces_[stack.back()];
      stack.pop_back();
      points.insert(points.end(), seen.above.begin(), seen.above.end());
      seen.above = {};
      for (std::size_t i = 0; i < 3; ++i) {
        Face& other = faces_[seen.next[i]];
        if (!other.is_there) continue;
        if (height(other, top) > 0) {
          other.is_there = false;
          stack.push_back(seen.next[i]);
        } else {
          horizon.push_back({seen.corners[i], seen.corners[(i + 1) % 3], seen.next[i]});
        }
      }
    }
  }

  const std::vector<Corner>& points_;
  std::vector<Face> faces_;
  std::vector<std::size_t> begins_at_;  // by point: the new face whose side begins there
};

/// Rows of voxels of a hull, each from its first to its last voxel.
template <class Number>
class Rows {
 public:
  Rows(std::int64_t height, std::int64_t depth)
      : height_(height), rows_(static_cast<std::size_t>(height * depth)) {}

  /// Bounds the rows that pass through a face to the voxels on its inner side. Faces that share a row bound
  /// it equally.
  void bound(const typename Hull<Number>::Face& face, const std::vector<Corner>& points) {
    if (face.normal[0] == 0) return;
    std::int64_t z0 = INT64_MAX, z1 = INT64_MIN;
    for (const std::size_t corner : face.corners) {
      z0 = std::min(z0, points[corner][2]);
      z1 = std::max(z1, points[corner][2]);
    }
    for (std::int64_t z = ceiling_divide<std::int64_t>(z0, 2); 2 * z <= z1; ++z) {
      std::int64_t y0 = INT64_MAX, y1 = INT64_MIN;  // voxels
      for (std::size_t i = 0; i < 3; ++i)
        cut(points[face.corners[i]], points[face.corners[(i + 1) % 3]], 2 * z, y0, y1);
      for (std::int64_t y = y0; y <= y1; ++y) bound(face, y, z);
    }
  }

  std::uint64_t count() const {
    std::uint64_t count = 0;
    for (const auto& [first, last] : rows_)
      count += static_cast<std::uint64_t>(std::max<std::int64_t>(0, last - first + 1));
    return count;
  }

 private:
  /// Extends the rows of a slice that pass through a triangle by one of its sides.
  static void cut(const Corner& a, const Corner& b, std::int64_t z, std::int64_t& y0, std::int64_t& y1) {
    if (std::min(a[2], b[2]) > z || std::max(a[2], b[2]) < z) return;
    const auto add = [&](Number y, Number by) {
      y0 = std::min(y0, static_cast<std::int64_t>(ceiling_divide<Number>(y, 2 * by)));
      y1 = std::max(y1, static_cast<std::int64_t>(floor_divide<Number>(y, 2 * by)));
    };
    if (a[2] == b[2]) {
      add(a[1], 1);
      add(b[1], 1);
    } else {
      const Corner &low = a[2] < b[2] ? a : b, &high = a[2] < b[2] ? b : a;
      const Number by = high[2] - low[2];
      add(Number{low[1]} * by + Number{high[1] - low[1]} * Number{z - low[2]}, by);
    }
  }

  void bound(const typename Hull<Number>::Face& face, std::int64_t y, std::int64_t z) {
    auto& [first, last] = rows_[static_cast<std::size_t>(z * height_ + y)];
    const Number left = face.distance - 2 * (face.normal[1] * Number{y} + face.normal[2] * Number{z});
    const Number by = 2 * face.normal[0];
    if (by > 0)
      last = static_cast<std::int64_t>(floor_divide<Number>(left, by));
    else
      first = static_cast<std::int64_t>(ceiling_divide<Number>(left, by));
  }

  struct Ends {
    std::int64_t first = 0, last = -1;
  };
  std::int64_t height_;
  std::vector<Ends> rows_;
};

template <class Number>
std::uint64_t count_in_hull(const std::vector<Corner>& points, std::int64_t height, std::int64_t depth) {
  Rows<Number> rows(height, depth);
  const Hull<Number> hull(points);
  for (const auto& face : hull.faces())
    if (face.is_there) rows.bound(face, points);
  return rows.count();
}

}  // namespace

std::uint64_t convex_volume(const std::vector<std::array<int, 3>>& voxels) {
  std::array<int, 3> least = voxels.front(), most = least;
  for (const std::array<int, 3>& voxel : voxels)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      least[axis] = std::min(least[axis], voxel[axis]);
      most[axis] = std::max(most[axis], voxel[axis]);
    }
  std::int64_t longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    longest = std::max(longest, std::int64_t{most[axis]} - least[axis] + 1);
  const std::vector<Corner> points = corners_of(voxels, least);
  const std::int64_t height = std::int64_t{most[1]} - least[1] + 1,
                     depth = std::int64_t{most[2]} - least[2] + 1;
  constexpr std::int64_t kLongestInWords = 1 << 18;  // sums of six products of three half lengths fit
  return longest < kLongestInWords ? count_in_hull<std::int64_t>(points, height, depth)
                                   : count_in_hull<Wide>(points, height, depth);
}

}  // namespace gpuccl::measuring
