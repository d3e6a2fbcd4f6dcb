#include "gpuccl/surfaces.hpp"

#include <oneapi/tbb/task_arena.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "common/fastest_code.hpp"
#include "common/object_runs.hpp"
#include "common/regions.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

// Distances between surfaces by bits: an element of a surface is a bit of a 64-bit word.
//
// 1. Near search: words of one surface are compared with the other surface, moved by one offset after another
//    in ascending order of length. The first hit is the nearest element. If few elements of a word are left,
//    each is compared with the rows around it. Surfaces that are close to each other end here.
// 2. Tree: the others are searched for in a tree whose nodes have 64 children. Nodes are near to cubes in the
//    unit of the spacing, else a search would visit all nodes that are thick and near. The first bound is
//    the distance to the element that is the nearest to the place before.
//
// 3. Transform: where many elements are far, the distances of all elements of the box cost less.
//
// All find the minimum of the same sums of squares, so distances depend on neither threads nor the search.

/// A squared distance, and of how many elements it is.
struct Count {
  double square;
  std::uint64_t elements;
};

/// Squared distances with their counts, sorted.
class Counts {
 public:
  void add(double square, std::uint64_t elements = 1) {
    pending_.push_back({square, elements});
    if (pending_.size() >= std::max<std::size_t>(4096, counts_.size())) sort();
  }
  void add(const Counts& other) {
    for (const Count& one : other.counts_) add(one.square, one.elements);
  }
  const std::vector<Count>& sort() {
    const auto first = static_cast<std::ptrdiff_t>(counts_.size());
    counts_.insert(counts_.end(), pending_.begin(), pending_.end());
    pending_.clear();
    const auto is_less = [](const Count& a, const Count& b) { return a.square < b.square; };
    std::sort(counts_.begin() + first, counts_.end(), is_less);
    std::inplace_merge(counts_.begin(), counts_.begin() + first, counts_.end(), is_less);
    std::size_t size = 0;
    for (const Count& one : counts_)
      if (size > 0 && counts_[size - 1].square == one.square)
        counts_[size - 1].elements += one.elements;
      else
        counts_[size++] = one;
    counts_.resize(size);
    return counts_;
  }

 private:
  std::vector<Count> counts_, pending_;
};

double square_of(std::int64_t steps, double spacing) {
  const double length = spacing * static_cast<double>(steps);
  return length * length;
}

/// Offsets around an element that are shorter than a limit, by their squared lengths in ascending order.
struct Rings {
  struct Offset {
    int x, y, z;
    std::size_t ring;
  };
  struct Row {
    int y, z;
    double square;
  };
  static constexpr int kReach = 6;

  std::vector<double> squares;  // by ring
  std::vector<Offset> offsets;
  std::vector<Row> rows;
  std::array<double, kReach + 1> squares_along_x;
  double limit;
  std::array<std::array<std::array<std::uint16_t, kReach + 1>, kReach + 1>, kReach + 1> ring_at{};  // z, y, x

  Rings(const std::array<double, 3>& spacing, bool is_flat)
      : limit(square_of(kReach + 1, std::min({spacing[0], spacing[is_flat ? 0 : 1], spacing[2]}))) {
    const int reach_y = is_flat ? 0 : kReach;
    for (int x = 0; x <= kReach; ++x) squares_along_x[static_cast<std::size_t>(x)] = square_of(x, spacing[0]);
    std::vector<std::pair<double, Offset>> all;
    for (int z = -kReach; z <= kReach; ++z)
      for (int y = -reach_y; y <= reach_y; ++y) {
        const double of_row = square_of(z, spacing[2]) + square_of(y, spacing[1]);
        if (of_row < limit) rows.push_back({y, z, of_row});
        for (int x = -kReach; x <= kReach; ++x)
          if (const double square = of_row + square_of(x, spacing[0]); square < limit)
            all.push_back({square, {x, y, z, 0}});
      }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.square < b.square; });
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [square, offset] : all) {
      if (squares.empty() || square != squares.back()) squares.push_back(square);
      offset.ring = squares.size() - 1;
      offsets.push_back(offset);
      ring_of(offset.x, offset.y, offset.z) = static_cast<std::uint16_t>(offset.ring);
    }
  }

  std::uint16_t& ring_of(int x, int y, int z) {
    return ring_at[static_cast<std::size_t>(std::abs(z))][static_cast<std::size_t>(std::abs(y))]
                  [static_cast<std::size_t>(std::abs(x))];
  }
};

using Place = std::array<int, 3>;
using Spacing = std::array<double, 3>;

/// The bounding box of two objects, with an empty margin along y and z. An image of one y has no margin
/// there.
struct Frame {
  int margin;  // along y; along z it is 1
  Place origin;
  int width, height, depth;
  int words;                  // of a row
  std::ptrdiff_t stride;      // from row to row, with an empty word before each row and after the last
  std::vector<Place> shifts;  // powers of 2: the size of nodes of each level of the tree, from elements up

  Frame(const Box& box, bool is_flat, const Spacing& spacing)
      : margin(is_flat ? 0 : 1),
        origin{box.min[0], box.min[1] - margin, box.min[2] - 1},
        width(box.max[0] - box.min[0] + 1),
        height(box.max[1] - box.min[1] + 1 + 2 * margin),
        depth(box.max[2] - box.min[2] + 3),
        words((width - 1) / 64 + 1),
        stride(words + 1),
        shifts(1) {
    for (Place next{}; nodes(0, next) > 1 || nodes(1, next) > 1 || nodes(2, next) > 1;) {
      for (int bit = 0; bit < 6; ++bit) {  // each doubles the shortest edge
        const auto edge = [&](std::size_t axis) {
          constexpr double kMax = std::numeric_limits<double>::max();
          return nodes(axis, next) > 1 ? std::min(std::ldexp(spacing[axis], next[axis]), kMax) : HUGE_VAL;
        };
        const std::size_t yz = edge(1) < edge(2) ? 1 : 2, axis = edge(0) <= edge(yz) ? 0 : yz;
        if (nodes(axis, next) > 1) ++next[axis];
      }
      shifts.push_back(next);
    }
  }

  double elements() const { return static_cast<double>(width) * height * depth; }
  std::ptrdiff_t row(int y, int z) const { return (std::ptrdiff_t{z} * height + y) * stride + 1; }
  std::size_t bits() const { return static_cast<std::size_t>(row(0, depth)); }
  /// Returns the nodes along an axis of the tree.
  int nodes(std::size_t axis, const Place& shift) const {
    return (((axis == 0 ? width : axis == 1 ? height : depth) - 1) >> shift[axis]) + 1;
  }
  double nodes_of_level(std::size_t level) const {
    double count = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) count *= nodes(axis, shifts[level]);
    return count;
  }
  /// Returns the bytes of a measurement: both surfaces, one more mask and a tree.
  double bytes() const {
    double all = 3 * (static_cast<double>(depth) * height * static_cast<double>(stride) + 1);
    for (std::size_t level = 1; level < shifts.size(); ++level) all += nodes_of_level(level);
    return all * sizeof(std::uint64_t);
  }
};

using Bits = std::vector<std::uint64_t>;

/// Calls work(i) for i below `count`, in all threads or in this one.
template <class Work>
void for_each(int count, bool in_parallel, const Work& work) {
  if (in_parallel)
    tbb::parallel_for(0, count, work);
  else
    for (int i = 0; i < count; ++i) work(i);
}

void draw(const Frame& frame, const Pieces& pieces, Bits& mask) {
  for (const std::span<const ObjectRun>& runs : pieces)
    for (const ObjectRun& run : runs) {
      std::uint64_t* const row = mask.data() + frame.row(run.y - frame.origin[1], run.z - frame.origin[2]);
      const int begin = run.begin - frame.origin[0], last = run.end - 1 - frame.origin[0];
      const std::uint64_t head = ~std::uint64_t{0} << (begin % 64),
                          tail = ~std::uint64_t{0} >> (63 - last % 64);
      if (begin / 64 == last / 64) {
        row[begin / 64] |= head & tail;
        continue;
      }
      row[begin / 64] |= head;
      std::fill(row + begin / 64 + 1, row + last / 64, ~std::uint64_t{0});
      row[last / 64] |= tail;
    }
}

/// Returns the elements of a mask with a face neighbor outside of it.
Bits surface_of(const Frame& frame, const Bits& mask, bool in_parallel) {
  Bits surface(mask.size());
  const std::ptrdiff_t slice = frame.row(0, 1) - frame.row(0, 0), line = frame.margin * frame.stride;
  for_each(frame.depth - 2, in_parallel, [&](int i) {
    for (int y = frame.margin; y < frame.height - frame.margin; ++y) {
      const std::uint64_t* const row = mask.data() + frame.row(y, i + 1);
      std::uint64_t* const out = surface.data() + frame.row(y, i + 1);
      for (int x = 0; x < frame.words; ++x) {
        const std::uint64_t* const here = row + x;
        out[x] = *here & ~((*here << 1 | here[-1] >> 63) & (*here >> 1 | here[1] << 63) & here[-line] &
                           here[line] & here[-slice] & here[slice]);
      }
    }
  });
  return surface;
}

/// Searches for the elements of one surface that are the nearest to those of the other, within the rings.
class NearSearch {
 public:
  NearSearch(const Frame& frame, const Rings& rings, const Bits& to)
      : frame_(frame), rings_(rings), to_(to) {}

  /// Counts the elements of slice z of `from` by ring, and leaves others in `far`: those beyond the rings,
  /// and most of those that follow several of them. Returns the number of these.
  std::uint64_t find(const Bits& from, int z, Bits& far, std::vector<std::uint64_t>& counts) const {
    std::uint64_t left = 0, misses = 0;
    for (int y = 0; y < frame_.height; ++y)
      for (int i = 0; i < frame_.words; ++i) {
        std::uint64_t& word = far[static_cast<std::size_t>(frame_.row(y, z) + i)];
        word = from[static_cast<std::size_t>(frame_.row(y, z) + i)];
        if (word == 0) continue;
        if (misses < 8 || misses % 8 == 0) {
          compare_word({i, y, z}, word, counts);
          for (std::uint64_t open = word; open != 0; open &= open - 1) {
            const int bit = std::countr_zero(open);
            const std::size_t ring = ring_of({i * 64 + bit, y, z});
            if (ring == rings_.squares.size()) break;
            ++counts[ring];
            word ^= std::uint64_t{1} << bit;
          }
        }
        misses = word == 0 ? 0 : misses + 1;
        left += static_cast<std::uint64_t>(std::popcount(word));
      }
    return left;
  }

 private:
  /// Compares a word with offset after offset until few of its elements are left.
  void compare_word(const Place& at, std::uint64_t& open, std::vector<std::uint64_t>& counts) const {
    constexpr std::size_t kMost = 256;
    const bool is_inner = is_inside(at[1], at[2], Rings::kReach);
    for (std::size_t k = 0; k < std::min(kMost, rings_.offsets.size()); ++k) {
      const Rings::Offset& offset = rings_.offsets[k];
      if (!is_inner && !is_inside(at[1] + offset.y, at[2] + offset.z, 0)) continue;
      const std::uint64_t hits = open & bits_from(at[0] * 64 + offset.x, at[1] + offset.y, at[2] + offset.z);
      if (hits == 0) continue;
      counts[offset.ring] += static_cast<std::uint64_t>(std::popcount(hits));
      open ^= hits;
      const std::uint64_t but_one = open & (open - 1), but_two = but_one & (but_one - 1);
      if ((but_two & (but_two - 1)) == 0) break;
    }
  }

  /// Returns the ring of the nearest element, by rows around the place; one too large if all are beyond the
  /// rings.
  std::size_t ring_of(const Place& at) const {
    double best = rings_.limit;
    std::size_t ring = rings_.squares.size();
    const bool is_inner = is_inside(at[1], at[2], Rings::kReach);
    for (const Rings::Row& row : rings_.rows) {
      if (row.square >= best) break;
      if (!is_inner && !is_inside(at[1] + row.y, at[2] + row.z, 0)) continue;
      const std::uint64_t bits = bits_from(at[0] - 32, at[1] + row.y, at[2] + row.z);
      if (bits == 0) continue;
      const int steps = std::min(std::countr_zero(bits >> 32), std::countl_zero(bits << 31));
      if (steps > Rings::kReach) continue;
      const auto x = static_cast<std::size_t>(steps);
      if (row.square + rings_.squares_along_x[x] >= best) continue;
      best = row.square + rings_.squares_along_x[x];
      ring = rings_.ring_at[static_cast<std::size_t>(std::abs(row.z))]
                           [static_cast<std::size_t>(std::abs(row.y))][x];
    }
    return ring;
  }

  /// Returns whether rows up to `reach` away are in the frame.
  bool is_inside(int y, int z, int reach) const {
    return y >= reach && y < frame_.height - reach && z >= reach && z < frame_.depth - reach;
  }
  /// Returns 64 elements of a row from x; those outside of the box are 0. Requires some within it.
  std::uint64_t bits_from(int x, int y, int z) const {
    const std::uint64_t* const words = to_.data() + frame_.row(y, z) + (x >> 6);
    const int shift = x & 63;
    return words[0] >> shift | words[1] << 1 << (63 - shift);
  }

  const Frame& frame_;
  const Rings& rings_;
  const Bits& to_;
};

/// The elements of a surface, in nodes of 64 elements, in nodes of 64 nodes, and so on.
class SurfaceTree {
 public:
  SurfaceTree(const Frame& frame, const Bits& surface, const Spacing& spacing, bool in_parallel)
      : spacing_(spacing) {
    for (std::size_t i = 0; i + 1 < frame.shifts.size(); ++i) levels_.emplace_back(frame, i);
    Level& leaves = levels_.front();
    const int count_x = 1 << leaves.bits[0], count_z = 1 << leaves.bits[2];
    for_each(frame.nodes(2, leaves.bits), in_parallel, [&](int node) {
      for (int z = count_z * node; z < std::min(frame.depth, count_z * (node + 1)); ++z)
        for (int y = 0; y < frame.height; ++y)
          for (int i = 0; i < frame.words; ++i)
            for (std::uint64_t open = surface[static_cast<std::size_t>(frame.row(y, z) + i)]; open != 0;) {
              const int first = std::countr_zero(open) / count_x * count_x;
              const std::uint64_t found = open & ~std::uint64_t{0} >> (64 - count_x) << first;
              leaves.add({i * 64 + first, y, z}, found >> first);
              open ^= found;
            }
    });
    for (std::size_t i = 1; i < levels_.size(); ++i) {
      const Level& below = levels_[i - 1];
      Place at{0, 0, 0};
      for (const std::uint64_t word : below.words) {
        if (word != 0) levels_[i].add(at, 1);
        if (++at[0] < below.width) continue;
        at[0] = 0;
        if (++at[1] < below.height) continue;
        at[1] = 0;
        ++at[2];
      }
    }
  }

  struct Nearest {
    double square = std::numeric_limits<double>::infinity();
    Place at{};
  };

  /// Returns the element nearest to a place. `guess`: any element, or none.
  Nearest nearest(const Place& place, Nearest guess) const {
    if (guess.square < std::numeric_limits<double>::infinity()) {
      guess.square = 0;
      for (std::size_t axis = 3; axis-- > 0;)
        guess.square += square_of(place[axis] - guess.at[axis], spacing_[axis]);
    }
    search(place, levels_.size() - 1, {0, 0, 0}, guess);
    return guess;
  }

 private:
  struct Level {
    int width, height;
    Place shift, bits;                   // of the size of children, and of their number along each axis
    Place places;                        // of the bits of each axis in the number of a child
    std::array<std::uint64_t, 3> first;  // children of index 0 along each axis
    Bits words;

    Level(const Frame& frame, std::size_t level)
        : width(frame.nodes(0, frame.shifts[level + 1])),
          height(frame.nodes(1, frame.shifts[level + 1])),
          shift(frame.shifts[level]),
          first{},
          words(static_cast<std::size_t>(frame.nodes_of_level(level + 1))) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        bits[axis] = frame.shifts[level + 1][axis] - shift[axis];
        places[axis] = axis == 0 ? 0 : places[axis - 1] + bits[axis - 1];
        for (int child = 0; child < 64; ++child)
          if (index_of(child, axis) == 0) first[axis] |= std::uint64_t{1} << child;
      }
    }

    int index_of(int child, std::size_t axis) const {
      return child >> places[axis] & ((1 << bits[axis]) - 1);
    }
    Place child_of(const Place& node, int child) const {
      Place at;
      for (std::size_t axis = 0; axis < 3; ++axis)
        at[axis] = (node[axis] << bits[axis]) + index_of(child, axis);
      return at;
    }
    /// Adds children in a row: `found` from `at`.
    void add(const Place& at, std::uint64_t found) {
      Place node;
      int child = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        node[axis] = at[axis] >> bits[axis];
        child += (at[axis] - (node[axis] << bits[axis])) << places[axis];
      }
      words[place_of(node)] |= found << child;
    }
    std::size_t place_of(const Place& node) const {
      const auto [x, y, z] = node;
      return (static_cast<std::size_t>(z) * static_cast<std::size_t>(height) + static_cast<std::size_t>(y)) *
                 static_cast<std::size_t>(width) +
             static_cast<std::size_t>(x);
    }
  };

  void search(const Place& place, std::size_t level, const Place& node, Nearest& best) const {
    const Level& nodes = levels_[level];
    std::uint64_t open = nodes.words[nodes.place_of(node)];
    std::array<std::array<double, 64>, 3> squares;  // by the index of a child along each axis
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (int i = 0; i < 1 << nodes.bits[axis]; ++i) {
        const int shift = nodes.shift[axis];
        const std::int64_t begin = ((std::int64_t{node[axis]} << nodes.bits[axis]) + i) << shift;
        const std::int64_t after = place[axis] - begin - ((std::int64_t{1} << shift) - 1);
        const std::int64_t gap = std::max({begin - place[axis], after, std::int64_t{0}});
        const double square = square_of(gap, spacing_[axis]);
        squares[axis][static_cast<std::size_t>(i)] = square;
        if (square >= best.square) open &= ~(nodes.first[axis] << (i << nodes.places[axis]));
      }
    struct Child {
      double square;
      int number;
    };
    std::array<Child, 64> children;
    std::size_t count = 0;
    for (; open != 0; open &= open - 1) {
      const int child = std::countr_zero(open);
      const auto along = [&](std::size_t axis) {
        return squares[axis][static_cast<std::size_t>(nodes.index_of(child, axis))];
      };
      const double square = along(2) + along(1) + along(0);
      if (square >= best.square) continue;
      if (level == 0)
        best = {square, nodes.child_of(node, child)};
      else
        children[count++] = {square, child};
    }
    std::sort(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(count),
              [](const Child& a, const Child& b) { return a.square < b.square; });
    for (std::size_t i = 0; i < count && children[i].square < best.square; ++i)
      search(place, level - 1, nodes.child_of(node, children[i].number), best);
  }

  Spacing spacing_;
  std::vector<Level> levels_;
};

/// The squared distances of all elements of a box from a surface, along z, then y, then x, summed as in the
/// tree. A search along an axis goes both ways from an element until no sum can be smaller, four rows'
/// elements at a time. Time: O(elements * largest distance).
class Transform {
 public:
  Transform(const Frame& frame, const Bits& surface, const Spacing& spacing, bool in_parallel)
      : frame_(frame),
        stride_(stride_of(frame)),
        squares_(static_cast<std::size_t>(stride_ * frame.height) * static_cast<std::size_t>(frame.depth)) {
    const int steps[] = {frame.width, frame.height, frame.depth};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < steps[axis]; ++i) along_[axis].push_back(square_of(i, spacing[axis]));
      along_[axis].push_back(HUGE_VAL);
    }
    for_each(frame.height, in_parallel, [&](int y) { search_along_z(surface, y); });
    for_each(frame.depth, in_parallel, [&](int z) { by_fastest_code([&] { search_along_y(z); }); });
  }

  static double bytes(const Frame& frame) {
    const int threads = oneapi::tbb::this_task_arena::max_concurrency();
    return static_cast<double>(stride_of(frame)) * frame.height * (frame.depth + threads) * sizeof(double);
  }
  /// Returns whether it takes less time than the tree for so many elements: 2 us each, against 0.15 ns for
  /// each comparison.
  static bool is_faster(const Frame& frame, double far) {
    return frame.elements() * (frame.width + frame.height) < far * 13000;
  }

  /// Returns the squares of a row, in `room`.
  const double* row(int y, int z, std::vector<double>& room) const {
    // With elements at an infinite distance before and after the row.
    const double* const given = squares_.data() + place_of(y, z);
    room.assign(static_cast<std::size_t>(4 * stride_), HUGE_VAL);
    double *const found = room.data(), *const from = found + 2 * stride_;
    std::copy(given, given + frame_.width, from);
    std::copy(given, given + stride_, found);  // 0 after the row
    by_fastest_code([&] {
      for (int i = 1; i < frame_.width; ++i)
        if (add_nearer(from - i, from + i, along_[0][static_cast<std::size_t>(i)], frame_.width, found) <=
            along_[0][static_cast<std::size_t>(i) + 1])
          break;
    });
    return found;
  }

 private:
  static constexpr std::ptrdiff_t kLanes = 4;
  using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

  static std::ptrdiff_t stride_of(const Frame& frame) { return (frame.width + kLanes - 1) / kLanes * kLanes; }
  std::ptrdiff_t place_of(int y, int z) const { return (std::ptrdiff_t{z} * frame_.height + y) * stride_; }

  /// Sets each of `found` to one of two others plus `more` if that is smaller. Returns the largest one of the
  /// first `width`, or more.
  static double add_nearer(const double* one, const double* other, double more, int width, double* found) {
    Lanes most{};
    for (std::ptrdiff_t x = 0; x < width; x += kLanes) {
      Lanes a, b, best;
      std::memcpy(&a, one + x, sizeof a);
      std::memcpy(&b, other + x, sizeof b);
      std::memcpy(&best, found + x, sizeof best);
      a = (a < b ? a : b) + more;
      best = a < best ? a : best;
      std::memcpy(found + x, &best, sizeof best);
      most = best > most ? best : most;
    }
    return std::max({most[0], most[1], most[2], most[3]});
  }

  void search_along_z(const Bits& surface, int y) {
    std::vector<int> steps(static_cast<std::size_t>(frame_.width), frame_.depth);
    const auto search = [&](int z, bool is_first) {
      const std::uint64_t* const bits = surface.data() + frame_.row(y, z);
      double* const squares = squares_.data() + place_of(y, z);
      for (int x = 0; x < frame_.width; ++x) {
        int& of_x = steps[static_cast<std::size_t>(x)];
        of_x = bits[x / 64] >> (x % 64) & 1 ? 0 : std::min(of_x + 1, frame_.depth);
        const double square = along_[2][static_cast<std::size_t>(of_x)];
        squares[x] = is_first ? square : std::min(squares[x], square);
      }
      if (is_first) std::fill(squares + frame_.width, squares + stride_, 0.0);
    };
    for (int z = 0; z < frame_.depth; ++z) search(z, true);
    std::fill(steps.begin(), steps.end(), frame_.depth);
    for (int z = frame_.depth; z-- > 0;) search(z, false);
  }

  void search_along_y(int z) {
    double* const slice = squares_.data() + place_of(0, z);
    const UninitializedVector<double> from(slice, slice + stride_ * frame_.height);
    for (int y = 0; y < frame_.height; ++y)
      for (int i = 1; i <= std::max(y, frame_.height - 1 - y); ++i) {
        const double *const before = from.data() + stride_ * (y >= i ? y - i : y + i),
                            *const after = from.data() + stride_ * (y + i < frame_.height ? y + i : y - i);
        if (add_nearer(before, after, along_[1][static_cast<std::size_t>(i)], frame_.width,
                       slice + stride_ * y) <= along_[1][static_cast<std::size_t>(i) + 1])
          break;
      }
  }

  const Frame& frame_;
  std::ptrdiff_t stride_;
  UninitializedVector<double> squares_;
  std::array<std::vector<double>, 3> along_;  // by steps
};

/// Returns the 95th percentile of distances with linear interpolation, as NumPy does by default.
double percentile_95(const std::vector<Count>& counts, std::uint64_t elements) {
  const double place = 0.95 * static_cast<double>(elements - 1);
  const auto below = static_cast<std::uint64_t>(place);
  std::uint64_t seen = 0;
  auto one = counts.begin();
  while (seen + one->elements <= below) seen += one++->elements;
  const double low = std::sqrt(one->square);
  const bool is_last = seen + one->elements == below + 1;
  const double high = is_last && one + 1 != counts.end() ? std::sqrt(one[1].square) : low;
  return low + (place - static_cast<double>(below)) * (high - low);
}

void add_where_defined(double value, double& sum) { sum += std::isnan(value) ? 0 : value; }

}  // namespace

class Surfaces::State {
 public:
  State(const LabelRows& truth, const LabelRows& prediction, const SurfaceOptions& options)
      : options_(in_axes_of_runs(options, truth.extent())),
        is_flat_(truth.extent().depth == 1),
        rings_(options_.spacing, is_flat_),
        truth_(truth, options.max_bytes),
        prediction_(prediction, options.max_bytes - truth_.bytes()) {
    options_.max_bytes -= truth_.bytes() + prediction_.bytes();
  }

  bool has_tolerance() const { return options_.tolerance.has_value(); }
  Pieces true_pieces(std::span<const std::uint32_t> objects) const { return pieces_of(truth_, objects); }
  Pieces predicted_pieces(std::span<const std::uint32_t> objects) const {
    return pieces_of(prediction_, objects);
  }
  Pieces all_of_truth() const { return {std::span(truth_.runs)}; }
  Pieces all_of_prediction() const { return {std::span(prediction_.runs)}; }

  SurfaceDistances measure(const Pieces& truth, const Pieces& prediction) const {
    return measure(truth, prediction, options_.max_bytes, true);
  }

  std::vector<SurfaceDistances> measure(std::span<const Match> matches) const {
    std::vector<SurfaceDistances> found(matches.size());
    measure_pairs(found.size(), options_.max_bytes, [&](std::size_t i) {
      return PairOfPieces{true_pieces({&matches[i].truth, 1}), predicted_pieces({&matches[i].prediction, 1}),
                          &found[i]};
    });
    return found;
  }

  std::vector<Region> regions(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> prediction,
                              bool with_distances) const {
    const Pieces of_truth = true_pieces(truth);
    const RunsOfObjects divided =
        divide_by_nearest(of_truth, predicted_pieces(prediction), options_.spacing, options_.max_bytes);
    std::vector<Region> found(truth.size());
    for (std::uint32_t i = 0; i < found.size(); ++i)
      for (const ObjectRun& run : divided.of(i))
        found[i].prediction_pixels += static_cast<std::uint64_t>(run.end - run.begin);
    if (with_distances)
      measure_pairs(found.size(), options_.max_bytes - divided.bytes(), [&](std::size_t i) {
        return PairOfPieces{{of_truth[i]}, {divided.of(static_cast<std::uint32_t>(i))}, &found[i].distances};
      });
    return found;
  }

 private:
  /// Distances of a surface from some slices.
  struct OfBlock {
    std::vector<std::uint64_t> rings;  // elements by ring
    std::uint64_t far = 0;             // elements that the near search leaves
    Counts counts;                     // of these
  };
  struct PairOfPieces {
    Pieces truth, prediction;
    SurfaceDistances* result;
  };

  /// Measures `count` pairs. A small pair is measured by one thread, so that threads share the pairs. Large
  /// ones follow one by one, and so do all if the memory is too small for one in each thread.
  template <class PairAt>
  void measure_pairs(std::size_t count, std::int64_t max_bytes, const PairAt& pair_at) const {
    constexpr double kSmall = 1 << 18;
    const double of_thread = static_cast<double>(max_bytes) / oneapi::tbb::this_task_arena::max_concurrency();
    const auto measure_if = [&](std::size_t i, bool is_small) {
      const PairOfPieces pair = pair_at(i);
      const Frame frame(box_of(pair.truth, pair.prediction), is_flat_, options_.spacing);
      const double bytes = frame.bytes() + kBytesOfFar * frame.elements();
      if ((frame.elements() <= kSmall && bytes <= of_thread) == is_small)
        *pair.result = measure(pair.truth, pair.prediction, max_bytes, !is_small);
    };
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { measure_if(i, true); });
    for (std::size_t i = 0; i < count; ++i) measure_if(i, false);
  }

  static SurfaceOptions in_axes_of_runs(SurfaceOptions options, const Extent& extent) {
    if (swaps_axes(extent)) std::swap(options.spacing[1], options.spacing[2]);
    return options;
  }

  static Pieces pieces_of(const RunsOfObjects& runs, std::span<const std::uint32_t> objects) {
    Pieces pieces;
    for (const std::uint32_t object : objects) pieces.push_back(runs.of(object));
    return pieces;
  }

  SurfaceDistances measure(const Pieces& truth, const Pieces& prediction, std::int64_t max_bytes,
                           bool in_parallel) const {
    const auto is_empty = [](const Pieces& pieces) {
      return std::all_of(pieces.begin(), pieces.end(), [](const auto& runs) { return runs.empty(); });
    };
    SurfaceDistances result;
    if (is_empty(truth) || is_empty(prediction)) {
      if (options_.tolerance && is_empty(truth) != is_empty(prediction)) result.surface_dice = 0;
      return result;
    }
    result.hausdorff = result.hausdorff_95 = 0;
    // Spacings of single precision, and products of decimal ones, are off by less.
    constexpr double kMargin = 1e-6;
    const double tolerance = options_.tolerance.value_or(0) * (1 + kMargin);
    double sum = 0;
    std::uint64_t count = 0, near = 0;
    for (Counts& found : distances_of(truth, prediction, max_bytes, in_parallel)) {
      std::uint64_t elements = 0;
      for (const auto& [square, of_square] : found.sort()) {
        const double distance = std::sqrt(square);
        elements += of_square;
        sum += distance * static_cast<double>(of_square);
        near += distance <= tolerance ? of_square : 0;
      }
      count += elements;
      result.hausdorff = std::max(result.hausdorff, std::sqrt(found.sort().back().square));
      result.hausdorff_95 = std::max(result.hausdorff_95, percentile_95(found.sort(), elements));
    }
    result.assd = sum / static_cast<double>(count);
    if (options_.tolerance) result.surface_dice = static_cast<double>(near) / static_cast<double>(count);
    return result;
  }

  /// Returns the distances from both surfaces to the other.
  std::array<Counts, 2> distances_of(const Pieces& truth, const Pieces& prediction, std::int64_t max_bytes,
                                     bool in_parallel) const {
    const Frame frame(box_of(truth, prediction), is_flat_, options_.spacing);
    check_bytes_of_surfaces(frame.bytes(), max_bytes);
    Bits mask(frame.bits());  // then, elements whose nearest ones are far
    std::array<Bits, 2> surfaces;
    for (std::size_t i = 0; i < 2; ++i) {
      std::fill(mask.begin(), mask.end(), 0);
      draw(frame, i == 0 ? truth : prediction, mask);
      surfaces[i] = surface_of(frame, mask, in_parallel);
    }
    std::array<Counts, 2> found;
    for (std::size_t i = 0; i < 2; ++i) {
      const NearSearch near(frame, rings_, surfaces[1 - i]);
      std::vector<OfBlock> blocks(static_cast<std::size_t>(in_parallel ? std::min(frame.depth, 64) : 1));
      const auto for_each_block = [&](const auto& work) {
        const auto count = static_cast<int>(blocks.size());
        for_each(count, in_parallel, [&](int k) {
          const auto edge = [&](std::int64_t at) { return static_cast<int>(at * frame.depth / count); };
          work(blocks[static_cast<std::size_t>(k)], edge(k), edge(k + 1));
        });
      };
      for_each_block([&](OfBlock& block, int begin, int end) {
        block.rings.resize(rings_.squares.size());
        for (int z = begin; z < end; ++z) block.far += near.find(surfaces[i], z, mask, block.rings);
      });
      double far = 0;
      for (const OfBlock& block : blocks) {
        far += static_cast<double>(block.far);
        for (std::size_t ring = 0; ring < block.rings.size(); ++ring)
          if (block.rings[ring] > 0) found[i].add(rings_.squares[ring], block.rings[ring]);
      }
      if (far == 0) continue;
      const double needed = frame.bytes() + kBytesOfFar * far;
      check_bytes_of_surfaces(needed, max_bytes);
      std::optional<SurfaceTree> tree;
      std::optional<Transform> transform;
      if (Transform::is_faster(frame, far) &&
          needed + Transform::bytes(frame) <= static_cast<double>(max_bytes))
        transform.emplace(frame, surfaces[1 - i], options_.spacing, in_parallel);
      else
        tree.emplace(frame, surfaces[1 - i], options_.spacing, in_parallel);
      for_each_block([&](OfBlock& block, int begin, int end) {
        SurfaceTree::Nearest nearest;
        std::vector<double> room;
        for (int z = begin; z < end && block.far > 0; ++z)
          for (int y = 0; y < frame.height; ++y) {
            const std::uint64_t* const row = mask.data() + frame.row(y, z);
            const double* squares = nullptr;
            for (int word = 0; word < frame.words; ++word)
              for (std::uint64_t open = row[word]; open != 0; open &= open - 1) {
                const int x = word * 64 + std::countr_zero(open);
                if (tree) {
                  nearest = tree->nearest({x, y, z}, nearest);
                } else {
                  if (squares == nullptr) squares = transform->row(y, z, room);
                  nearest.square = squares[x];
                }
                block.counts.add(nearest.square);
              }
          }
        block.counts.sort();
      });
      for (const OfBlock& block : blocks) found[i].add(block.counts);
    }
    return found;
  }

  /// Bytes for each element that rings do not find: its count, in lists that grow.
  static constexpr double kBytesOfFar = 6 * sizeof(Count);

  SurfaceOptions options_;
  bool is_flat_;  // 2D
  Rings rings_;
  RunsOfObjects truth_, prediction_;
};

Surfaces::Surfaces(const LabelRows& truth, const LabelRows& prediction, const SurfaceOptions& options) {
  if (truth.extent() != prediction.extent())
    throw Error(ErrorCode::data, "distances need label images of the same size");
  for (const double length : options.spacing)
    if (!(length > 0) || std::isinf(length)) throw Error(ErrorCode::usage, "a spacing is a number above 0");
  if (options.tolerance && !(*options.tolerance >= 0))
    throw Error(ErrorCode::usage, "a tolerance is a number of 0 or more");
  state_ = std::make_unique<State>(truth, prediction, options);
}

Surfaces::~Surfaces() = default;

bool Surfaces::has_tolerance() const { return state_->has_tolerance(); }

SurfaceDistances Surfaces::of_all() const {
  return state_->measure(state_->all_of_truth(), state_->all_of_prediction());
}

SurfaceDistances Surfaces::of(std::span<const std::uint32_t> truth,
                              std::span<const std::uint32_t> prediction) const {
  return state_->measure(state_->true_pieces(truth), state_->predicted_pieces(prediction));
}

std::vector<SurfaceDistances> Surfaces::of_matches(std::span<const Match> matches) const {
  return state_->measure(matches);
}

std::vector<Region> Surfaces::of_regions(std::span<const std::uint32_t> truth,
                                         std::span<const std::uint32_t> prediction,
                                         bool with_distances) const {
  return state_->regions(truth, prediction, with_distances);
}

void DistanceSums::add(const SurfaceDistances& one, double empty) {
  const double dice = std::isnan(one.surface_dice) ? empty : one.surface_dice;
  pairs += !std::isnan(one.hausdorff);
  dice_pairs += !std::isnan(dice);
  add_where_defined(one.hausdorff, sum.hausdorff);
  add_where_defined(one.hausdorff_95, sum.hausdorff_95);
  add_where_defined(one.assd, sum.assd);
  add_where_defined(dice, sum.surface_dice);
}

void DistanceSums::add(const DistanceSums& other) {
  pairs += other.pairs;
  dice_pairs += other.dice_pairs;
  sum.hausdorff += other.sum.hausdorff;
  sum.hausdorff_95 += other.sum.hausdorff_95;
  sum.assd += other.sum.assd;
  sum.surface_dice += other.sum.surface_dice;
}

SurfaceDistances DistanceSums::mean() const {
  const auto of = [](double total, std::uint64_t count) {
    return count > 0 ? total / static_cast<double>(count) : SurfaceDistances::kNone;
  };
  return {of(sum.hausdorff, pairs), of(sum.hausdorff_95, pairs), of(sum.assd, pairs),
          of(sum.surface_dice, dice_pairs)};
}

}  // namespace gpuccl
