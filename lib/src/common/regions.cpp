#include "common/regions.hpp"

#include <oneapi/tbb/task_arena.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "gpuccl/detail/uninitialized_vector.hpp"

namespace gpuccl {
namespace {

constexpr std::uint32_t kNoSite = UINT32_MAX;

/// The nearest element of an object in a column.
struct Site {
  int z = 0;
  std::uint32_t object = kNoSite;
};

/// An element of a line with the squared distance to its object across the line.
struct LineSite {
  double cost = 0;
  std::uint32_t object = kNoSite;
};

/// The nearest object of each element of a line: the lower envelope of parabolas, as for a distance
/// transform, but ordered by distance, then object. Both orders hold for sums of axes, so ties are exact.
class NearestInLine {
 public:
  NearestInLine(int length, double spacing)
      : spacing_(spacing), squares_(static_cast<std::size_t>(length)), entries_(squares_.size()) {
    for (std::size_t i = 0; i < squares_.size(); ++i)
      squares_[i] = (spacing * static_cast<double>(i)) * (spacing * static_cast<double>(i));
  }

  double square(int steps) const { return squares_[static_cast<std::size_t>(std::abs(steps))]; }

  template <class SiteAt>
  void build(int length, const SiteAt& site_at) {
    count_ = at_ = 0;
    for (int i = 0; i < length; ++i) {
      const LineSite site = site_at(i);
      if (site.object == kNoSite) continue;
      Entry entry{site, i, 0};
      while (count_ > 0) {
        entry.start = start_of(entry, entries_[count_ - 1], length);
        if (entry.start > entries_[count_ - 1].start) break;
        --count_;
        entry.start = 0;
      }
      if (entry.start < length) entries_[count_++] = entry;
    }
  }

  /// Returns the nearest object and its squared distance. Requires ascending positions after build().
  LineSite operator()(int position) {
    if (count_ == 0) return {};
    while (at_ + 1 < count_ && entries_[at_ + 1].start <= position) ++at_;
    return {at(entries_[at_], position), entries_[at_].site.object};
  }

 private:
  struct Entry {
    LineSite site;
    int element, start;  // start: first position at which it is the nearest
  };

  double at(const Entry& entry, int x) const { return entry.site.cost + square(x - entry.element); }
  bool is_nearer(const Entry& one, const Entry& other, int x) const {
    const double a = at(one, x), b = at(other, x);
    return a < b || (a == b && one.site.object < other.site.object);
  }
  /// Returns the first position at which `later` is nearer than `earlier`; `length` if there is none.
  int start_of(const Entry& later, const Entry& earlier, int length) const {
    const double steps = later.element - earlier.element;
    const double place = (later.site.cost - earlier.site.cost) / (2 * spacing_ * spacing_ * steps) +
                         0.5 * (static_cast<double>(later.element) + earlier.element);
    int start = static_cast<int>(std::clamp(place, 0.0, static_cast<double>(length)));
    while (start > 0 && is_nearer(later, earlier, start - 1)) --start;
    while (start < length && !is_nearer(later, earlier, start)) ++start;
    return start;
  }

  double spacing_;
  std::vector<double> squares_;
  std::vector<Entry> entries_;
  std::size_t count_ = 0, at_ = 0;
};

/// Elements [begin, end) of a row that belong to a piece.
struct PieceRun {
  int begin, end;
  std::uint32_t object;
};

/// Runs by row of a box.
struct RunsOfRows {
  std::vector<std::size_t> ends;
  std::vector<PieceRun> runs;

  RunsOfRows(const Pieces& pieces, const Box& box) {
    const auto height = static_cast<std::size_t>(box.max[1] - box.min[1] + 1);
    const auto depth = static_cast<std::size_t>(box.max[2] - box.min[2] + 1);
    ends.resize(height * depth + 1);
    const auto row_of = [&](const ObjectRun& run) {
      return static_cast<std::size_t>(run.z - box.min[2]) * height +
             static_cast<std::size_t>(run.y - box.min[1]);
    };
    for (const auto& piece : pieces)
      for (const ObjectRun& run : piece) ++ends[row_of(run) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    runs.resize(ends.back());
    for (std::uint32_t i = 0; i < pieces.size(); ++i)
      for (const ObjectRun& run : pieces[i])
        runs[ends[row_of(run)]++] = {run.begin - box.min[0], run.end - box.min[0], i};
  }
  /// The runs of a row, in no order.
  std::span<const PieceRun> row(std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends[row - 1];
    return std::span(runs).subspan(begin, ends[row] - begin);
  }
  static double bytes(const Pieces& pieces, double rows) {
    double runs = 0;
    for (const auto& piece : pieces) runs += static_cast<double>(piece.size());
    return rows * sizeof(std::size_t) + runs * sizeof(PieceRun);
  }
};

/// Divides the predicted elements of a box.
class Division {
 public:
  Division(const Pieces& truth, const Pieces& prediction, const Box& box,
           const std::array<double, 3>& spacing, std::int64_t max_bytes)
      : box_(box),
        width_(box.max[0] - box.min[0] + 1),
        height_(box.max[1] - box.min[1] + 1),
        depth_(box.max[2] - box.min[2] + 1),
        spacing_(spacing),
        along_z_(depth_, spacing[2]),
        max_bytes_(max_bytes),
        slab_(slices_of_slab(truth, prediction)),
        truth_(truth, box),
        prediction_(prediction, box),
        divided_(static_cast<std::size_t>(depth_)) {}

  RunsOfObjects divide(std::size_t objects) {
    const int slabs = (depth_ + slab_ - 1) / slab_;
    // Nearest sites in the slices after each slab, from the last slab to the first.
    std::vector<std::vector<Site>> after(static_cast<std::size_t>(slabs));
    std::vector<Site> state(slice());
    for (int slab = slabs - 1; slab > 0; --slab) {
      after[static_cast<std::size_t>(slab)] = state;
      for_each_row([&](int y) {
        for (int z = end_of(slab) - 1; z >= slab * slab_; --z) draw(y, z, state.data() + in_slice(y));
      });
    }
    after[0] = std::move(state);
    std::vector<Site> before(slice());
    UninitializedVector<Site> nearest(slice() * static_cast<std::size_t>(std::min(slab_, depth_)));
    std::size_t runs = 0;
    for (int slab = 0; slab < slabs; ++slab) {
      const int begin = slab * slab_;
      std::vector<Site>& next = after[static_cast<std::size_t>(slab)];
      for_each_row(
          [&](int y) { find_along_z(y, begin, end_of(slab), next.data(), before.data(), nearest.data()); });
      next = {};
      tbb::parallel_for(begin, end_of(slab), [&](int z) {
        divide_slice(z, nearest.data() + slice() * static_cast<std::size_t>(z - begin));
      });
      for (int z = begin; z < end_of(slab); ++z) runs += divided_[static_cast<std::size_t>(z)].size();
      check_bytes_of_surfaces(bytes_ + static_cast<double>(runs) * (sizeof(Divided) + sizeof(ObjectRun)),
                              max_bytes_);
    }
    return by_object(objects);
  }

 private:
  struct Divided {
    std::uint32_t object;
    ObjectRun run;
  };

  std::size_t slice() const { return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_); }
  std::size_t in_slice(int y) const { return static_cast<std::size_t>(width_) * static_cast<std::size_t>(y); }
  std::size_t row_of(int y, int z) const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(height_) + static_cast<std::size_t>(y);
  }
  int end_of(int slab) const { return std::min(depth_, (slab + 1) * slab_); }

  template <class Work>
  void for_each_row(const Work& work) const {
    tbb::parallel_for(0, height_, work);
  }

  /// Returns how many slices are in memory at a time: all, or so many that these and one state for each slab
  /// fit. Sets the bytes.
  int slices_of_slab(const Pieces& truth, const Pieces& prediction) {
    const int threads = oneapi::tbb::this_task_arena::max_concurrency();
    const double elements = static_cast<double>(slice());
    const double rows = static_cast<double>(height_) * depth_;
    const double fixed = RunsOfRows::bytes(truth, rows) + RunsOfRows::bytes(prediction, rows) +
                         elements * (sizeof(Site) + threads * static_cast<double>(sizeof(LineSite))) +
                         static_cast<double>(depth_) * sizeof(std::vector<Divided>);
    const auto bytes_of = [&](int slices) {
      const double slabs = std::ceil(static_cast<double>(depth_) / slices);
      return fixed + elements * sizeof(Site) * (slices + slabs);
    };
    int slices = depth_;
    if (bytes_of(slices) > static_cast<double>(max_bytes_))
      slices = std::min(depth_, static_cast<int>(std::ceil(std::sqrt(depth_))));
    bytes_ = bytes_of(slices);
    check_bytes_of_surfaces(bytes_, max_bytes_);
    return slices;
  }

  /// Makes the elements of a row in one slice the nearest of their columns.
  void draw(int y, int z, Site* row) const {
    for (const PieceRun& run : truth_.row(row_of(y, z)))
      std::fill(row + run.begin, row + run.end, Site{z, run.object});
  }

  /// Finds the nearest sites along z in slices [begin, end) of the rows at `y`. `after`, `before`: of the
  /// slices that follow, and of those before; both are advanced.
  void find_along_z(int y, int begin, int end, Site* after, Site* before, Site* nearest) const {
    const std::size_t row = in_slice(y);
    for (int z = end - 1; z >= begin; --z) {
      draw(y, z, after + row);
      std::copy_n(after + row, width_, nearest + slice() * static_cast<std::size_t>(z - begin) + row);
    }
    for (int z = begin; z < end; ++z) {
      draw(y, z, before + row);
      Site* const out = nearest + slice() * static_cast<std::size_t>(z - begin) + row;
      for (int x = 0; x < width_; ++x) {
        const Site& last = before[row + static_cast<std::size_t>(x)];
        if (last.object == kNoSite) continue;
        const int steps = z - last.z, other = out[x].z - z;
        if (out[x].object == kNoSite || steps < other || (steps == other && last.object < out[x].object))
          out[x] = last;
      }
    }
  }

  /// Divides the predicted elements of a slice. `nearest`: along z.
  void divide_slice(int z, const Site* nearest) {
    const auto is_open = [&](int y) {  // whether any element is outside of all objects
      for (const PieceRun& run : prediction_.row(row_of(y, z)))
        for (int x = run.begin; x < run.end; ++x) {
          const Site& site = nearest[in_slice(y) + static_cast<std::size_t>(x)];
          if (site.object == kNoSite || site.z != z) return true;
        }
      return false;
    };
    std::vector<char> open(static_cast<std::size_t>(height_));
    bool any = false;
    for (int y = 0; y < height_; ++y) any |= (open[static_cast<std::size_t>(y)] = is_open(y)) != 0;
    std::vector<LineSite> in_columns(any ? slice() : 0);
    if (any) {
      NearestInLine column(height_, spacing_[1]);
      for (int x = 0; x < width_; ++x) {
        column.build(height_, [&](int y) {
          const Site& site = nearest[in_slice(y) + static_cast<std::size_t>(x)];
          return site.object == kNoSite ? LineSite{} : LineSite{along_z_.square(site.z - z), site.object};
        });
        for (int y = 0; y < height_; ++y)
          if (open[static_cast<std::size_t>(y)])
            in_columns[in_slice(y) + static_cast<std::size_t>(x)] = column(y);
      }
    }
    NearestInLine line(any ? width_ : 0, spacing_[0]);
    for (int y = 0; y < height_; ++y) {
      const std::span<const PieceRun> given = prediction_.row(row_of(y, z));
      std::vector<PieceRun> runs(given.begin(), given.end());
      std::sort(runs.begin(), runs.end(),
                [](const PieceRun& a, const PieceRun& b) { return a.begin < b.begin; });
      const bool is_line = open[static_cast<std::size_t>(y)];
      if (is_line)
        line.build(width_, [&](int x) { return in_columns[in_slice(y) + static_cast<std::size_t>(x)]; });
      for (const PieceRun& run : runs)
        for (int x = run.begin; x < run.end; ++x)
          add(is_line ? line(x).object : nearest[in_slice(y) + static_cast<std::size_t>(x)].object, x, y, z);
    }
  }

  void add(std::uint32_t object, int x, int y, int z) {
    std::vector<Divided>& runs = divided_[static_cast<std::size_t>(z)];
    x += box_.min[0];
    y += box_.min[1];
    if (!runs.empty() && runs.back().object == object && runs.back().run.y == y && runs.back().run.end == x)
      ++runs.back().run.end;
    else
      runs.push_back({object, {y, z + box_.min[2], x, x + 1}});
  }

  RunsOfObjects by_object(std::size_t objects) {
    RunsOfObjects result;
    result.begins.resize(objects + 2);
    for (const auto& slice : divided_)
      for (const Divided& one : slice) ++result.begins[one.object + 2];
    std::partial_sum(result.begins.begin(), result.begins.end(), result.begins.begin());
    result.runs.resize(result.begins.back());
    for (auto& slice : divided_) {
      for (const Divided& one : slice) result.runs[result.begins[one.object + 1]++] = one.run;
      slice = {};
    }
    return result;
  }

  Box box_;
  int width_, height_, depth_;
  std::array<double, 3> spacing_;
  NearestInLine along_z_;
  std::int64_t max_bytes_;
  double bytes_ = 0;
  int slab_;  // slices at a time
  RunsOfRows truth_, prediction_;
  std::vector<std::vector<Divided>> divided_;  // by slice
};

/// Returns the spacing in a unit in which decimal fractions, also those of 32-bit files, are integers: then
/// squares are exact, and so are ties. Other spacings stay as they are.
std::array<double, 3> in_integers(const std::array<double, 3>& spacing) {
  for (double scale = 1; scale <= 1e4; scale *= 10) {
    std::array<double, 3> whole;
    const auto round = [&](double given) { return std::round(given * scale); };
    std::transform(spacing.begin(), spacing.end(), whole.begin(), round);
    const auto is_same = [&](double given, double rounded) {
      const bool is_float = static_cast<double>(static_cast<float>(given)) == given;
      return rounded > 0 && std::abs(given * scale - rounded) <= (is_float ? 1e-7 : 1e-14) * rounded;
    };
    if (std::equal(spacing.begin(), spacing.end(), whole.begin(), is_same)) return whole;
  }
  return spacing;
}

}  // namespace

RunsOfObjects divide_by_nearest(const Pieces& truth, const Pieces& prediction,
                                const std::array<double, 3>& spacing, std::int64_t max_bytes) {
  return Division(truth, prediction, box_of(truth, prediction), in_integers(spacing), max_bytes)
      .divide(truth.size());
}

}  // namespace gpuccl
