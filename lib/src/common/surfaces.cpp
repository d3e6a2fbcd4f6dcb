#include "gpuccl/surfaces.hpp"

#include <oneapi/tbb/task_arena.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "common/object_runs.hpp"
#include "common/regions.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

constexpr std::uint8_t kTruth = 1, kPrediction = 2;  // bits of an element
constexpr double kFar = std::numeric_limits<double>::infinity();

/// The lower envelope of parabolas along a line: at each position, the least sum of an element's cost and the
/// squared distance to it.
class Envelope {
 public:
  Envelope(int length, double spacing)
      : spacing_(spacing), parabolas_(static_cast<std::size_t>(length)), half_inverses_(parabolas_.size()) {
    for (std::size_t i = 1; i < half_inverses_.size(); ++i) half_inverses_[i] = 0.5 / static_cast<double>(i);
  }

  /// `cost_of(i)`: of element i, 0 or more, or infinite.
  template <class CostOf>
  void build(int length, const CostOf& cost_of) {
    const double per_square = 1 / (spacing_ * spacing_);
    count_ = at_ = 0;
    for (int i = 0; i < length; ++i) {
      const double cost = cost_of(i);
      if (cost == kFar) continue;
      const double height = cost * per_square + static_cast<double>(i) * i;
      double start = -kFar;
      for (; count_ > 0; --count_) {
        const Parabola& last = parabolas_[count_ - 1];
        start = (height - last.height) * half_inverses_[static_cast<std::size_t>(i - last.element)];
        if (start > last.start) break;
        start = -kFar;
      }
      parabolas_[count_++] = {i, cost, height, start};
    }
  }

  bool is_empty() const { return count_ == 0; }

  /// Returns the value at a position. Requires ascending positions.
  double operator()(int position) {
    while (at_ + 1 < count_ && parabolas_[at_ + 1].start < position) ++at_;
    const double distance = spacing_ * (position - parabolas_[at_].element);
    return parabolas_[at_].cost + distance * distance;
  }

 private:
  struct Parabola {
    int element;
    double cost;
    double height;  // at 0, in squared elements
    double start;   // position from which it is the lowest, in elements
  };

  double spacing_;
  std::vector<Parabola> parabolas_;
  std::vector<double> half_inverses_;
  std::size_t count_ = 0, at_ = 0;
};

/// Calls work(i) for i below `count`, in all threads or in this one.
template <class Work>
void for_each(int count, bool in_parallel, const Work& work) {
  if (in_parallel)
    tbb::parallel_for(0, count, work);
  else
    for (int i = 0; i < count; ++i) work(i);
}

/// Steps along z from each element of a slice to the nearest surface of one object beyond the slice.
using StepsBeyond = std::vector<std::uint32_t>;

/// The bounding box of two objects, with a margin outside of them along each axis of the image, or some of
/// its slices with one more on each side.
class Grid {
 public:
  Grid(const Box& box, bool is_flat, bool in_parallel)
      : margin_(is_flat ? 0 : 1),
        origin_{box.min[0] - 1, box.min[1] - margin_, box.min[2] - 1},
        width_(box.max[0] - box.min[0] + 3),
        height_(box.max[1] - box.min[1] + 1 + 2 * margin_),
        depth_(box.max[2] - box.min[2] + 3),
        far_(depth_),
        in_parallel_(in_parallel) {}

  /// Returns slices [begin, end) without those of the margin, from 0.
  Grid slices(int begin, int end) const {
    Grid some = *this;
    some.origin_[2] += begin;
    some.depth_ = end - begin + 2;
    return some;
  }
  int inner_slices() const { return depth_ - 2; }
  bool is_parallel() const { return in_parallel_; }
  std::size_t surface_elements() const {
    return elements() - static_cast<std::size_t>(std::count(surfaces_.begin(), surfaces_.end(), 0));
  }
  std::size_t elements_of_slice() const { return row_at(0, 1); }

  std::size_t elements() const {
    return static_cast<std::size_t>(depth_) * static_cast<std::size_t>(height_) *
           static_cast<std::size_t>(width_);
  }
  /// Returns the bytes of a measurement: both masks or one mask and the distances along z.
  double bytes() const { return static_cast<double>(elements()) * (is_long() ? 5 : 3); }

  /// Marks the surfaces of both objects.
  void draw(const Pieces& truth, const Pieces& prediction) {
    std::vector<std::uint8_t> mask(elements());
    for (const auto& [pieces, bit] : {std::pair(&truth, kTruth), std::pair(&prediction, kPrediction)})
      for (const std::span<const ObjectRun>& runs : *pieces)
        for (const ObjectRun& run : runs) {
          if (run.z < origin_[2] || run.z >= origin_[2] + depth_) continue;
          std::uint8_t* const row = mask.data() + row_at(run.y - origin_[1], run.z - origin_[2]) - origin_[0];
          for (int x = run.begin; x < run.end; ++x) row[x] = static_cast<std::uint8_t>(row[x] | bit);
        }
    surfaces_.assign(elements(), 0);
    const std::ptrdiff_t slice = static_cast<std::ptrdiff_t>(row_at(0, 1)), line = margin_ * width_;
    for_each(depth_ - 2, in_parallel_, [&](int i) {
      for (int y = margin_; y < height_ - margin_; ++y) {
        const std::size_t row = row_at(y, i + 1);
        const std::uint8_t* const here = mask.data() + row;
        std::uint8_t* const out = surfaces_.data() + row;
        for (int x = 1; x < width_ - 1; ++x)
          out[x] = static_cast<std::uint8_t>(here[x] & ~(here[x - 1] & here[x + 1] & here[x - line] &
                                                         here[x + line] & here[x - slice] & here[x + slice]));
      }
    });
  }

  /// Returns the distance of each surface element of `from` to the nearest of `to`, in raster order.
  /// `before`, `after`: from the margins to surfaces beyond the slices; empty if there are none.
  std::vector<double> distances(std::uint8_t from, std::uint8_t to, const std::array<double, 3>& spacing,
                                const StepsBeyond& before, const StepsBeyond& after) const {
    return is_long() ? distances<std::uint32_t>(from, to, spacing, before, after)
                     : distances<std::uint16_t>(from, to, spacing, before, after);
  }

  StepsBeyond no_steps() const { return StepsBeyond(elements_of_slice(), static_cast<std::uint32_t>(far_)); }
  /// Moves `steps` from one margin across the surfaces of `of` to the last slice inside the other one.
  void pass(StepsBeyond& steps, std::uint8_t of, bool upwards) const {
    for_each(height_, in_parallel_, [&](int y) {
      std::uint32_t* const row = steps.data() + row_at(y, 0);
      for (int i = 1; i < depth_ - 1; ++i) {
        const std::uint8_t* const surface = surfaces_.data() + row_at(y, upwards ? i : depth_ - 1 - i);
        for (int x = 0; x < width_; ++x)
          row[x] = (surface[x] & of) != 0 ? 0 : row[x] + (row[x] < static_cast<std::uint32_t>(far_));
      }
    });
  }

 private:
  struct Place {
    int x, y;
  };

  /// Squares of multiples of the spacing along one axis.
  using Squares = std::vector<double>;

  static Squares squares_of(int count, double spacing) {
    Squares squares(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < squares.size(); ++i)
      squares[i] = (spacing * static_cast<double>(i)) * (spacing * static_cast<double>(i));
    return squares;
  }

  bool is_long() const { return far_ > UINT16_MAX; }
  std::size_t row_at(int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(height_) + static_cast<std::size_t>(y)) *
           static_cast<std::size_t>(width_);
  }

  template <class Steps>
  std::vector<double> distances(std::uint8_t from, std::uint8_t to, const std::array<double, 3>& spacing,
                                const StepsBeyond& before, const StepsBeyond& after) const {
    const UninitializedVector<Steps> steps = steps_along_z<Steps>(to, before, after);
    std::array<Squares, 3> squares{squares_of(width_, spacing[0]), squares_of(height_, spacing[1]),
                                   squares_of(far_, spacing[2])};
    squares[2].push_back(kFar);  // of far_ steps
    std::vector<std::vector<double>> slices(static_cast<std::size_t>(depth_));
    for_each(depth_, in_parallel_, [&](int z) {
      std::vector<Place> places;
      for (int y = 0; y < height_; ++y) {
        const std::uint8_t* const surface = surfaces_.data() + row_at(y, z);
        for (int x = 0; x < width_; ++x)
          if ((surface[x] & from) != 0) places.push_back({x, y});
      }
      if (!places.empty())
        slices[static_cast<std::size_t>(z)] =
            distances_in_slice(steps.data() + row_at(0, z), places, squares, spacing);
    });
    std::vector<double> found;
    for (const std::vector<double>& slice : slices) found.insert(found.end(), slice.begin(), slice.end());
    return found;
  }

  /// Returns the steps of each element to the nearest surface element of `to` along z; far_ if there is none.
  template <class Steps>
  UninitializedVector<Steps> steps_along_z(std::uint8_t to, const StepsBeyond& beyond_first,
                                           const StepsBeyond& beyond_last) const {
    const auto most = static_cast<Steps>(far_);
    UninitializedVector<Steps> steps(elements());
    for_each(height_, in_parallel_, [&](int y) {
      for (int z = 0; z < depth_; ++z) {
        const std::size_t row = row_at(y, z);
        const std::uint8_t* const surface = surfaces_.data() + row;
        Steps* const out = steps.data() + row;
        const Steps* const before = z > 0 ? steps.data() + row_at(y, z - 1) : nullptr;
        for (int x = 0; x < width_; ++x) {
          const Steps last = before ? before[x] : most;
          out[x] = static_cast<Steps>((surface[x] & to) != 0 ? 0 : last + (last < most));
        }
        const StepsBeyond& beyond = z == 0 ? beyond_first : beyond_last;
        if ((z == 0 || z == depth_ - 1) && !beyond.empty())
          for (int x = 0; x < width_; ++x)
            out[x] = std::min(out[x], static_cast<Steps>(beyond[row_at(y, 0) + static_cast<std::size_t>(x)]));
      }
      for (int z = depth_ - 2; z >= 0; --z) {
        Steps* const out = steps.data() + row_at(y, z);
        const Steps* const after = steps.data() + row_at(y, z + 1);
        for (int x = 0; x < width_; ++x)
          out[x] = std::min(out[x], static_cast<Steps>(after[x] + (after[x] < most)));
      }
    });
    return steps;
  }

  /// Returns the distances of places in one slice. `steps`: of the slice. Searches around each place while
  /// that costs less than transforming the slice, which is when surfaces are near each other.
  template <class Steps>
  std::vector<double> distances_in_slice(const Steps* steps, const std::vector<Place>& places,
                                         const std::array<Squares, 3>& squares,
                                         const std::array<double, 3>& spacing) const {
    std::vector<double> found;
    found.reserve(places.size());
    auto budget = static_cast<std::int64_t>(row_at(0, 1));
    for (const Place& place : places) {
      double bound = kFar;  // the distance of the place before, plus the way from it
      if (!found.empty()) {
        const Place& before = (&place)[-1];
        bound = (found.back() + std::sqrt(squares[0][static_cast<std::size_t>(std::abs(place.x - before.x))] +
                                          squares[1][static_cast<std::size_t>(place.y - before.y)])) *
                (1 + 1e-9);
      }
      const double square = search(steps, place, squares, bound * bound, budget);
      if (budget < 0) break;
      found.push_back(std::sqrt(square));
    }
    if (found.size() < places.size())
      transform(steps, std::span(places).subspan(found.size()), squares[2], spacing, found);
    return found;
  }

  /// Returns the squared distance of a place, which is less than `bound`, unless the budget of elements to
  /// look at is spent.
  template <class Steps>
  double search(const Steps* steps, const Place& place, const std::array<Squares, 3>& squares, double bound,
                std::int64_t& budget) const {
    double best = bound;
    const int rows = std::max(place.y + 1, height_ - place.y),
              columns = std::max(place.x + 1, width_ - place.x);
    for (int dy = 0; dy < rows && squares[1][static_cast<std::size_t>(dy)] < best && budget >= 0; ++dy) {
      const double of_y = squares[1][static_cast<std::size_t>(dy)];
      for (int side = dy == 0 ? 1 : -1; side <= 1; side += 2) {
        const int y = place.y + side * dy;
        if (y < 0 || y >= height_) continue;
        const Steps* const row = steps + row_at(y, 0);
        int dx = 0;
        for (; dx < columns; ++dx) {
          const double of_x = squares[0][static_cast<std::size_t>(dx)];
          if (of_y + of_x >= best) break;
          if (place.x - dx >= 0) best = std::min(best, squares[2][row[place.x - dx]] + of_y + of_x);
          if (place.x + dx < width_) best = std::min(best, squares[2][row[place.x + dx]] + of_y + of_x);
        }
        budget -= dx + 1;
      }
    }
    return best;
  }

  /// Appends the distances of places, in raster order, by transforming the slice: columns, then rows.
  template <class Steps>
  void transform(const Steps* steps, std::span<const Place> places, const Squares& of_z,
                 const std::array<double, 3>& spacing, std::vector<double>& found) const {
    std::vector<double> in_columns(row_at(0, 1), kFar);  // squared distances within y and z
    Envelope column(height_, spacing[1]), row(width_, spacing[0]);
    for (int x = 0; x < width_; ++x) {
      column.build(height_, [&](int y) { return of_z[steps[row_at(y, 0) + static_cast<std::size_t>(x)]]; });
      if (column.is_empty()) continue;
      for (int y = 0; y < height_; ++y) in_columns[row_at(y, 0) + static_cast<std::size_t>(x)] = column(y);
    }
    int last_y = -1;
    for (const Place& place : places) {
      if (place.y != last_y) {
        const double* const costs = in_columns.data() + row_at(place.y, 0);
        row.build(width_, [&](int x) { return costs[x]; });
      }
      last_y = place.y;
      found.push_back(std::sqrt(row(place.x)));
    }
  }

  int margin_;  // along y; along x and z it is 1
  std::array<int, 3> origin_;
  int width_, height_, depth_;
  int far_;  // steps along z to no surface
  bool in_parallel_;
  std::vector<std::uint8_t> surfaces_;  // bits of the objects
};

/// Returns the 95th percentile with linear interpolation, as NumPy does by default. Reorders the values.
double percentile_95(std::vector<double>& values) {
  const double place = 0.95 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[static_cast<std::size_t>(below)];
  if (below + 1 == std::ssize(values)) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + (place - static_cast<double>(below)) * (high - low);
}

void add_where_defined(double value, double& sum) { sum += std::isnan(value) ? 0 : value; }

}  // namespace

class Surfaces::State {
 public:
  State(const LabelRows& truth, const LabelRows& prediction, const SurfaceOptions& options)
      : options_(options),
        is_flat_(truth.extent().depth == 1),
        truth_(truth, options.max_bytes),
        prediction_(prediction, options.max_bytes - truth_.bytes()) {
    if (swaps_axes(truth.extent())) std::swap(options_.spacing[1], options_.spacing[2]);
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
    return measure(truth, prediction, Grid(box_of(truth, prediction), is_flat_, true), options_.max_bytes);
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
  struct PairOfPieces {
    Pieces truth, prediction;
    SurfaceDistances* result;
  };

  /// Measures `count` pairs. A small pair is measured by one thread, so that threads share the pairs. Large
  /// ones follow one by one.
  template <class PairAt>
  void measure_pairs(std::size_t count, std::int64_t max_bytes, const PairAt& pair_at) const {
    constexpr std::size_t kSmall = std::size_t{1} << 18;
    const auto measure_if = [&](std::size_t i, bool is_small) {
      const PairOfPieces pair = pair_at(i);
      Grid grid(box_of(pair.truth, pair.prediction), is_flat_, !is_small);
      if ((grid.elements() <= kSmall) == is_small)
        *pair.result = measure(pair.truth, pair.prediction, std::move(grid), max_bytes);
    };
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { measure_if(i, true); });
    for (std::size_t i = 0; i < count; ++i) measure_if(i, false);
  }

  static Pieces pieces_of(const RunsOfObjects& runs, std::span<const std::uint32_t> objects) {
    Pieces pieces;
    for (const std::uint32_t object : objects) pieces.push_back(runs.of(object));
    return pieces;
  }

  SurfaceDistances measure(const Pieces& truth, const Pieces& prediction, Grid grid,
                           std::int64_t max_bytes) const {
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
    std::size_t count = 0, near = 0;
    for (std::vector<double>& found : distances_of(truth, prediction, std::move(grid), max_bytes)) {
      count += found.size();
      for (const double distance : found) {
        sum += distance;
        near += distance <= tolerance;
      }
      result.hausdorff = std::max(result.hausdorff, *std::max_element(found.begin(), found.end()));
      result.hausdorff_95 = std::max(result.hausdorff_95, percentile_95(found));
    }
    result.assd = sum / static_cast<double>(count);
    if (options_.tolerance) result.surface_dice = static_cast<double>(near) / static_cast<double>(count);
    return result;
  }

  /// Returns the distances from both surfaces to the other, all slices at once or, if memory is too small for
  /// that, some slices at a time, given the steps to surfaces beyond them.
  std::array<std::vector<double>, 2> distances_of(const Pieces& truth, const Pieces& prediction, Grid whole,
                                                  std::int64_t max_bytes) const {
    constexpr std::array<std::uint8_t, 2> kFrom{kTruth, kPrediction}, kTo{kPrediction, kTruth};
    const int depth = whole.inner_slices();
    const double of_slice = static_cast<double>(whole.elements_of_slice());
    const int threads = whole.is_parallel() ? oneapi::tbb::this_task_arena::max_concurrency() : 1;
    const auto bytes_of = [&](int slices) {
      const double slabs = std::ceil(static_cast<double>(depth) / slices);
      return whole.slices(0, slices).bytes() + of_slice * threads * sizeof(double) +
             (slabs > 1 ? (slabs + 2) * 2 * of_slice * sizeof(std::uint32_t) : 0);
    };
    int slices = depth;
    if (bytes_of(slices) > static_cast<double>(max_bytes))
      slices = std::min(depth, 2 * static_cast<int>(std::ceil(std::sqrt(depth))));
    const double bytes = bytes_of(slices);
    check_bytes_of_surfaces(bytes, max_bytes);
    const int slabs = (depth + slices - 1) / slices;
    const auto slab_at = [&](int slab) {
      Grid grid =
          slabs == 1 ? std::move(whole) : whole.slices(slab * slices, std::min(depth, (slab + 1) * slices));
      grid.draw(truth, prediction);
      return grid;
    };
    std::vector<std::array<StepsBeyond, 2>> after(static_cast<std::size_t>(slabs));
    std::array<StepsBeyond, 2> before;
    if (slabs > 1) {
      before.fill(whole.no_steps());
      std::array<StepsBeyond, 2> steps = before;
      for (int slab = slabs - 1; slab >= 0; --slab) {
        after[static_cast<std::size_t>(slab)] = steps;
        if (slab == 0) break;
        const Grid grid = slab_at(slab);
        for (std::size_t i = 0; i < kTo.size(); ++i) grid.pass(steps[i], kTo[i], false);
      }
    }
    std::array<std::vector<double>, 2> found;
    for (int slab = 0; slab < slabs; ++slab) {
      const Grid grid = slab_at(slab);
      // Lists of slices, of the slab, and of all, which is copied when it grows.
      constexpr double kCopies = 3 * sizeof(double);
      const double of_distances =
          kCopies * static_cast<double>(grid.surface_elements() + found[0].size() + found[1].size());
      check_bytes_of_surfaces(bytes + of_distances, max_bytes);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::vector<double> more = grid.distances(kFrom[i], kTo[i], options_.spacing, before[i],
                                                        after[static_cast<std::size_t>(slab)][i]);
        found[i].insert(found[i].end(), more.begin(), more.end());
        if (slabs > 1) grid.pass(before[i], kTo[i], true);
      }
      after[static_cast<std::size_t>(slab)] = {};
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
