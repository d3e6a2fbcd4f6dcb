#include "gpuccl/surfaces.hpp"

#include <oneapi/tbb/task_arena.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
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
#include "common/row_bits.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

// Distances between surfaces, whose elements are bits of 64-bit words. Elements that touch the other surface
// are found a word at a time. The nearest element to others is found in one of two ways, by the time that
// each is expected to take:
//
// 1. Slices: an exact distance transform along z, y and x, of which only the values of surface elements are
// computed.
//    Slice after slice, each column has its nearest elements before and after the slice. Rows around an
//    element are then compared until no distance can be smaller.
// 2. Tree: if few elements are in a large box, they are searched for in a tree whose nodes have 64 children.
// Nodes are
//    near to cubes in the unit of the spacing, else a search would visit all nodes that are thick and near.
//    The first bound is the distance to the element that is the nearest to the place before.
//
// Both find the minimum of the same sums of squares, so distances depend on neither threads nor the search.

/// A squared distance, and of how many elements it is.
struct Count {
  double square;
  std::uint64_t elements;
};

/// Squared distances with their counts, sorted.
class Counts {
 public:
  static constexpr std::int64_t kBytesOfCount = 6 * sizeof(Count);  // in lists that grow and are merged

  /// `left`: the bytes that remain, less those of the counts that share them.
  explicit Counts(std::atomic<std::int64_t>& left) : left_(&left) {}

  void add(double square, std::uint64_t elements = 1) {
    Count& known = last_[std::bit_cast<std::uint64_t>(square) * 0x9e3779b97f4a7c15 >> 55];
    if (known.square != square) {
      push(known);
      known = {square, 0};
    }
    known.elements += elements;
  }
  void add(Counts& other) {
    for (const Count& one : other.sort()) add(one.square, one.elements);
  }
  const std::vector<Count>& sort() {
    for (Count& known : last_) push(std::exchange(known, {}));
    sort_pending();
    return counts_;
  }

 private:
  void push(const Count& one) {
    if (one.elements == 0) return;
    pending_.push_back(one);
    if (pending_.size() >= std::max<std::size_t>(4096, counts_.size())) sort_pending();
  }
  void sort_pending() {
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
    const std::int64_t more = kBytesOfCount * (static_cast<std::int64_t>(size) -
                                               std::exchange(counted_, static_cast<std::int64_t>(size)));
    const std::int64_t left = left_->fetch_sub(more);
    check_bytes_of_surfaces(static_cast<double>(more), left);
  }

  std::atomic<std::int64_t>* left_;
  std::int64_t counted_ = 0;
  std::array<Count, 512> last_{};  // by a hash of the square
  std::vector<Count> counts_, pending_;
};

double square_of(std::int64_t steps, double spacing) {
  const double length = spacing * static_cast<double>(steps);
  return length * length;
}

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
      fill_span(row, run.begin - frame.origin[0], run.end - frame.origin[0]);
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

/// The way from a word to 64 bits that begin up to one element before or after it.
struct Offset {
  double square;
  std::ptrdiff_t words;
  int bits;
};

/// Returns the offsets to neighbors, nearest first, that are shorter than all offsets to other elements.
std::vector<Offset> near_offsets(const Frame& frame, const Spacing& spacing) {
  double limit = HUGE_VAL;
  for (const std::size_t axis : {0, 1, 2})
    if (axis != 1 || frame.margin > 0) limit = std::min(limit, square_of(2, spacing[axis]));
  std::vector<Offset> offsets;
  for (int z = -1; z <= 1; ++z)
    for (int y = -frame.margin; y <= frame.margin; ++y)
      for (int x = -1; x <= 1; ++x) {
        const double square = square_of(z, spacing[2]) + square_of(y, spacing[1]) + square_of(x, spacing[0]);
        if (square == 0 || square < limit)
          offsets.push_back({square, frame.row(y, z) - frame.row(0, 0) - (x < 0 ? 1 : 0), x & 63});
      }
  std::sort(offsets.begin(), offsets.end(),
            [](const Offset& a, const Offset& b) { return a.square < b.square; });
  return offsets;
}

/// Counts the elements of `from` with an element of `to` at an offset. `open`: gets the others.
/// Returns their number.
double take_near(const Frame& frame, const std::vector<Offset>& offsets, const Bits& from, const Bits& to,
                 bool in_parallel, Counts& counts, Bits& open) {
  std::array<std::atomic<std::uint64_t>, 28> all{};  // of each offset, then of none
  for_each(frame.depth - 2, in_parallel, [&](int z) {
    by_fastest_code([&] {
      std::array<std::uint64_t, 28> found{};
      const auto end = static_cast<std::size_t>(frame.row(0, z + 2));
      for (auto k = static_cast<std::size_t>(frame.row(0, z + 1)); k < end; ++k) {
        std::uint64_t word = from[k];
        for (std::size_t i = 0; word != 0 && i < offsets.size(); ++i) {
          const std::uint64_t* const at = to.data() + k + offsets[i].words;
          const std::uint64_t near = word & (at[0] >> offsets[i].bits | at[1] << 1 << (63 - offsets[i].bits));
          found[i] += static_cast<std::uint64_t>(std::popcount(near));
          word ^= near;
        }
        found.back() += static_cast<std::uint64_t>(std::popcount(word));
        open[k] = word;
      }
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += found[i];
    });
  });
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (all[i] > 0) counts.add(offsets[i].square, all[i]);
  return static_cast<double>(all.back());
}

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

  /// Calls add(square) for each element of slices [begin, end) of `from`.
  template <class Add>
  void find(const Frame& frame, const Bits& from, int begin, int end, const Add& add) const {
    Nearest found;
    for (int z = begin; z < end; ++z)
      for (int y = 0; y < frame.height; ++y)
        for (int word = 0; word < frame.words; ++word)
          for (std::uint64_t open = from[static_cast<std::size_t>(frame.row(y, z) + word)]; open != 0;
               open &= open - 1) {
            found = nearest({word * 64 + std::countr_zero(open), y, z}, found);
            add(found.square);
          }
  }

 private:
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

/// The elements of a surface by columns along z, as bits, in its box.
struct SurfaceColumns {
  /// `box`: of the surface, in the frame.
  SurfaceColumns(const Frame& frame, const Bits& surface, const Box& box, bool in_parallel)
      : first(box.min),
        width(box.max[0] - first[0] + 1),
        height(box.max[1] - first[1] + 1),
        words((frame.depth - 1) / 64 + 1),
        bits(columns_of(box) * static_cast<std::size_t>(words)) {
    for_each(height, in_parallel, [&](int y) {
      for (int z = box.min[2]; z <= box.max[2]; ++z)
        each_in_row(frame, surface, y, z,
                    [&](int x) { column(x, y)[z / 64] |= std::uint64_t{1} << (z % 64); });
    });
  }

  static std::size_t columns_of(const Box& box) {
    return static_cast<std::size_t>(box.max[0] - box.min[0] + 1) *
           static_cast<std::size_t>(box.max[1] - box.min[1] + 1);
  }
  std::uint64_t* column(int x, int y) { return bits.data() + (std::ptrdiff_t{y} * width + x) * words; }
  const std::uint64_t* column(int x, int y) const {
    return bits.data() + (std::ptrdiff_t{y} * width + x) * words;
  }

  /// Calls work(x) for each element of a row of the surface, from the first column.
  template <class Work>
  void each_in_row(const Frame& frame, const Bits& surface, int y, int z, const Work& work) const {
    const std::uint64_t* const row = surface.data() + frame.row(y + first[1], z);
    for (int word = first[0] / 64; word <= (first[0] + width - 1) / 64; ++word)
      for (std::uint64_t open = row[word]; open != 0; open &= open - 1)
        work(word * 64 + std::countr_zero(open) - first[0]);
  }

  /// Returns the first element of a column from z, or -1.
  int next(int x, int y, int z) const {
    const std::uint64_t* const column = this->column(x, y);
    std::uint64_t open = z / 64 < words ? column[z / 64] & ~std::uint64_t{0} << (z % 64) : 0;
    for (int word = z / 64; word < words; open = ++word < words ? column[word] : 0)
      if (open != 0) return word * 64 + std::countr_zero(open);
    return -1;
  }
  /// Returns the last element of a column before z, or -1.
  int last(int x, int y, int z) const {
    const std::uint64_t* const column = this->column(x, y);
    std::uint64_t open = column[z / 64] & ~(~std::uint64_t{0} << (z % 64));
    for (int word = z / 64; word >= 0; open = --word >= 0 ? column[word] : 0)
      if (open != 0) return word * 64 + 63 - std::countl_zero(open);
    return -1;
  }

  const Place first;
  const int width, height, words;
  Bits bits;
};

/// Finds the squared distances of the elements of slices from a surface, summed as in the tree. A `Number`
/// holds all sums exactly, or is double.
template <class Number>
class SliceSearch {
 public:
  /// Slices are searched in ascending order from `begin`.
  SliceSearch(const Frame& frame, const Bits& surface, const SurfaceColumns& columns, const Spacing& spacing,
              int begin)
      : frame_(frame),
        surface_(surface),
        columns_(columns),
        spacing_(spacing),
        steps_of_unit_(1.000001 / spacing[0]),
        stride_(stride_of(columns.width)),
        before_(static_cast<std::size_t>(stride_ * columns.height), -kInfinite),
        after_(before_.size(), kInfinite),
        squares_(before_.size()),
        loaded_(static_cast<std::size_t>(columns.height), -1),
        nearest_(static_cast<std::size_t>(stride_ + kLanes)),
        hints_(static_cast<std::size_t>(frame.words)) {
    for (int i = 0; i <= frame.height; ++i) along_y_.push_back(static_cast<Number>(square_of(i, spacing[1])));
    for (int i = -middle(); i <= middle(); ++i)
      along_x_.push_back(static_cast<Number>(square_of(i, spacing[0])));
    for (int y = 0; y < columns.height; ++y)
      for (int x = 0; x < columns.width; ++x) {
        if (const int last = columns.last(x, y, begin); last >= 0)
          before_[place_of(x, y)] = static_cast<Number>(last);
        if (const int next = columns.next(x, y, begin); next >= 0)
          after_[place_of(x, y)] = static_cast<Number>(next);
      }
  }

  /// Returns the bytes of a search and of the columns.
  static double bytes(const Frame& frame, const Box& box) {
    const double columns =
        static_cast<double>(stride_of(box.max[0] - box.min[0] + 1)) * (box.max[1] - box.min[1] + 1);
    return columns *
           (3 * sizeof(Number) * oneapi::tbb::this_task_arena::max_concurrency() + frame.depth / 8. + 8);
  }

  /// Returns whether all sums are exact as `float`.
  static bool is_exact(const Frame& frame, const Spacing& spacing) {
    for (const double scale : {1., 2., 4., 8.}) {
      const int steps[] = {frame.width, frame.height, frame.depth};
      double sum = 0;
      bool is_whole = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sum += square_of(steps[axis] + kLanes, scale * spacing[axis]);
        is_whole = is_whole && scale * spacing[axis] == std::floor(scale * spacing[axis]);
      }
      if (is_whole) return sum < (1 << 24);
    }
    return false;
  }

  /// Calls add(square) for each element of the next slice, z, of `from`.
  template <class Add>
  void find(const Bits& from, int z, const Add& add) {
    z_ = z;
    for (int y = 0; y < columns_.height; ++y)
      columns_.each_in_row(frame_, surface_, y, z, [&](int x) {
        before_[place_of(x, y)] = static_cast<Number>(z);
        const int next = columns_.next(x, y, z + 1);
        after_[place_of(x, y)] = next >= 0 ? static_cast<Number>(next) : kInfinite;
      });
    for (int y = 0; y < frame_.height; ++y) {
      const std::uint64_t* const row = from.data() + frame_.row(y, z);
      group_.clear();
      for (int word = 0; word < frame_.words; ++word)
        for (std::uint64_t open = row[word]; open != 0; open &= open - 1) {
          const int x = word * 64 + std::countr_zero(open);
          if (!group_.empty() && x - group_.back().x > gap_) find_group(y, add);
          if (group_.empty()) start_group(x, y);
          group_.push_back({x, kInfinite});
        }
      if (!group_.empty()) find_group(y, add);
    }
  }

 private:
  static constexpr std::ptrdiff_t kLanes = 8;
  static constexpr Number kInfinite = std::numeric_limits<Number>::infinity();
  using Lanes [[gnu::vector_size(kLanes * sizeof(Number))]] = Number;

  struct Element {
    int x;
    Number square;
  };
  struct Hint {
    Place at{};
    double distance = HUGE_VAL;
  };

  static std::ptrdiff_t stride_of(int width) { return (width + kLanes - 1) / kLanes * kLanes; }
  std::size_t place_of(int x, int y) const { return static_cast<std::size_t>(y * stride_ + x); }
  int middle() const { return frame_.width + static_cast<int>(kLanes); }

  /// Returns a number of steps along x that no smaller distance exceeds.
  int steps_of(double distance) const {
    const double steps = distance * steps_of_unit_;
    return steps < frame_.width ? static_cast<int>(steps) + 1 : frame_.width;
  }
  int reach_of(Number square) const { return steps_of(static_cast<double>(std::sqrt(square))); }

  void start_group(int x, int y) {
    const Hint& hint = hints_[static_cast<std::size_t>(x / 64)];
    const Place at{x, y, z_};
    bound_ = hint.distance;
    for (std::size_t axis = 0; axis < 3; ++axis)
      bound_ += spacing_[axis] * std::abs(at[axis] - hint.at[axis]);
    guess_ = steps_of(hint.distance * 1.25) + 4;
    gap_ = 16 + steps_of(bound_);
  }

  /// Returns the squares along z of a row.
  const Number* row(int y) {
    const std::size_t begin = place_of(0, y);
    if (std::exchange(loaded_[static_cast<std::size_t>(y)], z_) == z_) return squares_.data() + begin;
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(stride_); i += kLanes) {
      Lanes a, b;
      std::memcpy(&a, before_.data() + i, sizeof a);
      std::memcpy(&b, after_.data() + i, sizeof b);
      a = static_cast<Number>(z_) - a;
      b = b - static_cast<Number>(z_);
      a = (a < b ? a : b) * static_cast<Number>(spacing_[2]);
      a *= a;
      std::memcpy(squares_.data() + i, &a, sizeof a);
    }
    return squares_.data() + begin;
  }

  template <class Add>
  void find_group(int y, const Add& add) {
    by_fastest_code([&] { find_group(y); });
    for (const Element& one : group_) add(static_cast<double>(one.square));
    const Element& last = group_.back();
    hints_[static_cast<std::size_t>(group_.front().x / 64)] =
        hints_[static_cast<std::size_t>(last.x / 64)] = {{last.x, y, z_},
                                                         std::sqrt(static_cast<double>(last.square))};
    group_.clear();
  }

  /// Finds the squares of a group. The nearest elements are looked for no further along x than those of the
  /// last group, and then as far as needed.
  void find_group(int y) {
    constexpr double kMargin = 1e-6;
    const double bound = (bound_ + spacing_[0] * (group_.back().x - group_.front().x)) * (1 + kMargin);
    const auto most = static_cast<Number>(bound * bound);
    const int all = reach_of(most);
    for (int reach = std::min(all, guess_);;) {
      const int needed = std::min(all, reach_of(find_group(y - columns_.first[1], most, reach)));
      if (needed <= reach) return;
      reach = needed;
    }
  }

  /// Finds the squares of a group that are less than `most` within `reach` along x. Returns the largest one.
  Number find_group(int y, Number most, int reach) {
    const int first = group_.front().x - columns_.first[0], last = group_.back().x - columns_.first[0];
    Number largest = kInfinite;
    bool is_new = false;
    const auto begin = [&] { return std::min(std::max(0, first - reach) / kLanes * kLanes, stride_); };
    const auto end = [&] { return static_cast<std::ptrdiff_t>(std::min(columns_.width, last + reach + 1)); };
    std::fill(nearest_.begin() + begin(), nearest_.begin() + std::max(begin(), end()) + kLanes, kInfinite);
    const auto look_along_x = [&] {
      largest = 0;
      for (Element& one : group_) {
        const int x = one.x - columns_.first[0];
        one.square = std::min(
            one.square, nearest_along_x(x, std::max(0, x - reach), std::min(columns_.width, x + reach + 1)));
        largest = std::max(largest, one.square);
      }
      most = std::min(most, largest);
      reach = std::min(reach, reach_of(most));
      is_new = false;
    };
    for (int i = 0, next = 0; i < frame_.height && along_y_[static_cast<std::size_t>(i)] < most; ++i) {
      const int above = y - i, below = y + i;
      const bool has_above = above >= 0 && above < columns_.height,
                 has_below = below >= 0 && below < columns_.height;
      if (has_above || has_below) {
        const Number* const one = row(has_above ? above : below);
        add_row(one, has_below ? row(below) : one, along_y_[static_cast<std::size_t>(i)], begin(), end());
        is_new = true;
      }
      if (i < next) continue;
      next = i + 2 + i / 2;
      if (is_new) look_along_x();
    }
    if (is_new) look_along_x();
    return largest;
  }

  void add_row(const Number* one, const Number* other, Number more, std::ptrdiff_t begin,
               std::ptrdiff_t end) {
    for (std::ptrdiff_t x = begin; x < end; x += kLanes) {
      Lanes a, b, best;
      std::memcpy(&a, one + x, sizeof a);
      std::memcpy(&b, other + x, sizeof b);
      std::memcpy(&best, nearest_.data() + x, sizeof best);
      a = (a < b ? a : b) + more;
      best = a < best ? a : best;
      std::memcpy(nearest_.data() + x, &best, sizeof best);
    }
  }

  Number nearest_along_x(int x, std::ptrdiff_t begin, std::ptrdiff_t end) const {
    const Number* const along = along_x_.data() + middle() - x;
    Lanes a, b, best = Lanes{} + kInfinite;
    for (std::ptrdiff_t i = begin; i < end; i += kLanes) {
      std::memcpy(&a, nearest_.data() + i, sizeof a);
      std::memcpy(&b, along + i, sizeof b);
      a += b;
      best = a < best ? a : best;
    }
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
      for (std::size_t lane = 0; lane < half; ++lane)
        best[lane] = best[lane + half] < best[lane] ? best[lane + half] : best[lane];
    return best[0];
  }

  const Frame& frame_;
  const Bits& surface_;
  const SurfaceColumns& columns_;
  const Spacing spacing_;
  const double steps_of_unit_;  // along x, rounded up
  const std::ptrdiff_t stride_;
  int z_ = 0;
  std::vector<Number> along_y_, along_x_;  // squares by steps
  std::vector<Number> before_, after_;     // places along z of the elements of each column around the slice
  std::vector<Number> squares_;            // along z, of the slice
  std::vector<int> loaded_;                // slice of each row
  std::vector<Number> nearest_;            // along z and y, of a row
  std::vector<Element> group_;             // elements of a row that are searched for together
  double bound_ = 0;                       // of the distance of its first one
  int guess_ = 0;                          // how far its nearest elements may be along x
  int gap_ = 0;                            // steps along x that separate groups
  std::vector<Hint> hints_;                // the last element found in each column of words
};

/// Returns whether the search in slices takes less time than the tree for so many elements: 1 ns
/// for each element of the columns and 4 ns for each 1000 of a slice, against 2 us.
bool slices_are_faster(const Frame& frame, const Box& box, double elements) {
  return static_cast<double>(SurfaceColumns::columns_of(box)) * (frame.depth + elements / 256) <
         2000 * elements;
}

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
        truth_(truth, options.max_bytes),
        prediction_(prediction, options.max_bytes - truth_.bytes()) {
    options_.max_bytes -= truth_.bytes() + prediction_.bytes();
  }

  bool has_tolerance() const { return options_.tolerance.has_value(); }

  SurfaceDistances measure_all() const {
    return measure({std::span(truth_.runs)}, {std::span(prediction_.runs)}, options_.max_bytes, true);
  }

  SurfaceDistances measure(std::span<const std::uint32_t> truth,
                           std::span<const std::uint32_t> prediction) const {
    return measure(pieces_of(truth_, truth), pieces_of(prediction_, prediction), options_.max_bytes, true);
  }

  std::vector<SurfaceDistances> measure(std::span<const Match> matches) const {
    std::vector<SurfaceDistances> found(matches.size());
    measure_pairs(found.size(), options_.max_bytes, [&](std::size_t i) {
      return PairOfPieces{{truth_.of(matches[i].truth)}, {prediction_.of(matches[i].prediction)}, &found[i]};
    });
    return found;
  }

  std::vector<Region> regions(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> prediction,
                              bool with_distances) const {
    const Pieces of_truth = pieces_of(truth_, truth);
    const RunsOfObjects divided =
        divide_by_nearest(of_truth, pieces_of(prediction_, prediction), options_.spacing, options_.max_bytes);
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
      const double bytes = frame.bytes() + Counts::kBytesOfCount * frame.elements();
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
    std::atomic<std::int64_t> left = max_bytes;
    for (Counts& found : distances_of(truth, prediction, left, in_parallel)) {
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
  std::array<Counts, 2> distances_of(const Pieces& truth, const Pieces& prediction,
                                     std::atomic<std::int64_t>& left, bool in_parallel) const {
    const Frame frame(box_of(truth, prediction), is_flat_, options_.spacing);
    check_bytes_of_surfaces(frame.bytes(), left);
    left -= static_cast<std::int64_t>(frame.bytes());
    Bits mask(frame.bits());
    std::array<Bits, 2> surfaces;
    for (std::size_t i = 0; i < 2; ++i) {
      std::fill(mask.begin(), mask.end(), 0);
      draw(frame, i == 0 ? truth : prediction, mask);
      surfaces[i] = surface_of(frame, mask, in_parallel);
    }
    std::array<Counts, 2> found{Counts(left), Counts(left)};
    const std::vector<Offset> offsets = near_offsets(frame, options_.spacing);
    for (std::size_t i = 0; i < 2; ++i) {
      const double elements =
          take_near(frame, offsets, surfaces[i], surfaces[1 - i], in_parallel, found[i], mask);
      if (elements == 0) continue;
      Box box = box_of(i == 0 ? prediction : truth, {});
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.min[axis] -= frame.origin[axis];
        box.max[axis] -= frame.origin[axis];
      }
      std::optional<SurfaceTree> tree;
      std::optional<SurfaceColumns> columns;
      const double of_slices = SliceSearch<double>::bytes(frame, box);
      if (slices_are_faster(frame, box, elements) && of_slices < static_cast<double>(left) / 2) {
        left -= static_cast<std::int64_t>(of_slices);
        columns.emplace(frame, surfaces[1 - i], box, in_parallel);
      } else {
        tree.emplace(frame, surfaces[1 - i], options_.spacing, in_parallel);
      }
      const int blocks =
          in_parallel ? std::min(frame.depth, 2 * oneapi::tbb::this_task_arena::max_concurrency()) : 1;
      std::vector<Counts> counts(static_cast<std::size_t>(blocks), Counts(left));
      for_each(blocks, in_parallel, [&](int k) {
        const auto edge = [&](std::int64_t at) { return static_cast<int>(at * frame.depth / blocks); };
        const auto add = [&](double square) { counts[static_cast<std::size_t>(k)].add(square); };
        const auto search = [&](auto slices) {
          for (int z = edge(k); z < edge(k + 1); ++z) slices.find(mask, z, add);
        };
        if (tree)
          tree->find(frame, mask, edge(k), edge(k + 1), add);
        else if (SliceSearch<float>::is_exact(frame, options_.spacing))
          search(SliceSearch<float>(frame, surfaces[1 - i], *columns, options_.spacing, edge(k)));
        else
          search(SliceSearch<double>(frame, surfaces[1 - i], *columns, options_.spacing, edge(k)));
      });
      for (Counts& one : counts) found[i].add(one);
      if (columns) left += static_cast<std::int64_t>(of_slices);
    }
    return found;
  }

  SurfaceOptions options_;
  bool is_flat_;  // 2D
  RunsOfObjects truth_, prediction_;
};

Surfaces::Surfaces(const LabelRows& truth, const LabelRows& prediction, const SurfaceOptions& options) {
  if (truth.extent() != prediction.extent())
    throw Error(ErrorCode::data, "distances need label images of the same size");
  for (const double length : options.spacing)
    if (!(length >= 1e-140 && length <= 1e140))  // squares of others are not numbers of full precision
      throw Error(ErrorCode::usage, "distances need a spacing from 1e-140 to 1e140; choose another unit");
  if (options.tolerance && !(*options.tolerance >= 0))
    throw Error(ErrorCode::usage, "a tolerance is a number of 0 or more");
  state_ = std::make_unique<State>(truth, prediction, options);
}

Surfaces::~Surfaces() = default;

bool Surfaces::has_tolerance() const { return state_->has_tolerance(); }

SurfaceDistances Surfaces::of_all() const { return state_->measure_all(); }

SurfaceDistances Surfaces::of(std::span<const std::uint32_t> truth,
                              std::span<const std::uint32_t> prediction) const {
  return state_->measure(truth, prediction);
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
