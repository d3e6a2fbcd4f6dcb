#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "measure/arithmetic.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// Elements [begin, end) of a row of a component.
struct Run {
  int y, z, begin, end;

  bool is_before(const Run& other) const {
    return std::tie(z, y, begin) < std::tie(other.z, other.y, other.begin);
  }
};

/// Squared distances of elements of a component to the nearest element outside the component: exact, axis by
/// axis (Meijster, Roerdink and Hesselink 2000). `Number`: integers for elements of length 1, else double.
template <class Number>
class Distances {
 public:
  explicit Distances(const std::array<Number, 3>& size) : size_(size) {}

  /// Returns the largest squared distance in a component. `runs`: ascending.
  Number largest(const std::vector<Run>& runs, const Box& box, bool is_volume) {
    box_ = box;
    width_ = static_cast<std::size_t>(box.max[0] - box.min[0] + 1);
    height_ = static_cast<std::size_t>(box.max[1] - box.min[1] + 1);
    is_volume_ = is_volume;
    largest_ = 0;
    columns_.assign(width_, {});
    ends_.assign(is_volume ? width_ * height_ : 0, {});
    rows_.assign(height_ * static_cast<std::size_t>(box.max[2] - box.min[2] + 1) + 1, 0);
    starts_.assign(1, 0);
    for (const Run& run : runs) {
      ++rows_[row(run.y, run.z) + 1];
      starts_.push_back(starts_.back() + static_cast<std::size_t>(run.end - run.begin));
    }
    for (std::size_t i = 1; i < rows_.size(); ++i) rows_[i] += rows_[i - 1];
    kept_.resize(is_volume ? starts_.back() : 0);
    for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
      while (end < runs.size() && runs[end].z == runs[begin].z) ++end;
      add_slice(runs, begin, end);
    }
    if (is_volume) add_slices(runs);
    return largest_;
  }

 private:
  /// First and last element of consecutive elements of a component along a line.
  struct Part {
    int first = 0, last = -1;

    bool is_empty() const { return last < first; }
    /// Adds the element at `place`. If there is a gap before it, calls end() first, which empties the part.
    template <class End>
    void add(int place, const End& end) {
      if (!is_empty() && last != place - 1) end();
      if (is_empty()) first = place;
      last = place;
    }
  };

  /// Computes the distances within a slice from the distances within its rows.
  void add_slice(const std::vector<Run>& runs, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (int x = runs[i].begin; x < runs[i].end; ++x) {
        Part& part = columns_[column(x)];
        part.add(runs[i].y, [&] { end_part(runs, 1, {x, 0, runs[i].z}, part); });
      }
    for (int x = box_.min[0]; x <= box_.max[0]; ++x)
      if (Part& part = columns_[column(x)]; !part.is_empty()) end_part(runs, 1, {x, 0, runs[begin].z}, part);
  }

  /// Computes the distances across slices.
  void add_slices(const std::vector<Run>& runs) {
    for (const Run& run : runs)
      for (int x = run.begin; x < run.end; ++x) {
        Part& part = ends_[place(x, run.y)];
        part.add(run.z, [&] { end_part(runs, 2, {x, run.y, 0}, part); });
      }
    for (int y = box_.min[1]; y <= box_.max[1]; ++y)
      for (int x = box_.min[0]; x <= box_.max[0]; ++x)
        if (Part& part = ends_[place(x, y)]; !part.is_empty()) end_part(runs, 2, {x, y, 0}, part);
  }

  /// Adds an axis to the distances of a part of a line through `at`.
  void end_part(const std::vector<Run>& runs, std::size_t axis, std::array<int, 3> at, Part& part) {
    line_.clear();
    for (at[axis] = part.first; at[axis] <= part.last; ++at[axis]) {
      const std::size_t i = run_at(runs, at);
      const int before = at[0] - runs[i].begin;
      const Number along = static_cast<Number>(std::min(before + 1, runs[i].end - at[0])) * size_[0];
      line_.push_back(axis == 1 ? along * along : kept_[starts_[i] + static_cast<std::size_t>(before)]);
    }
    follow_line(size_[axis]);
    if (axis == 2 || !is_volume_) {
      largest_ = std::max(largest_, *std::max_element(line_.begin(), line_.end()));
    } else {
      for (at[1] = part.first; at[1] <= part.last; ++at[1]) {
        const std::size_t i = run_at(runs, at);
        kept_[starts_[i] + static_cast<std::size_t>(at[0] - runs[i].begin)] =
            line_[static_cast<std::size_t>(at[1] - part.first)];
      }
    }
    part = {};
  }

  /// Adds an axis to the squared distances of a line, whose ends are next to elements of distance 0: replaces
  /// them by the lower envelope of one parabola per element.
  void follow_line(Number size) {
    const auto count = static_cast<std::int64_t>(line_.size());
    const auto squared = [&](std::int64_t distance) {
      const Number along = static_cast<Number>(distance) * size;
      return along * along;
    };
    const auto height = [&](std::int64_t i) {
      return i < 0 || i == count ? Number{0} : line_[static_cast<std::size_t>(i)];
    };
    envelope_.assign(1, {-1, std::numeric_limits<std::int64_t>::min()});
    for (std::int64_t i = 0; i <= count; ++i) {
      // From its intersection with the last parabola on, the parabola at i is the lower one.
      const auto begin_of = [&](std::int64_t other) {
        const Number above = height(i) - height(other) + squared(i) - squared(other);
        const Number by = 2 * size * size * static_cast<Number>(i - other);
        if constexpr (std::is_integral_v<Number>)
          return floor_divide(above, by) + 1;
        else
          return static_cast<std::int64_t>(std::floor(above / by)) + 1;
      };
      std::int64_t begin = begin_of(envelope_.back().center);
      while (begin <= envelope_.back().begin) {
        envelope_.pop_back();
        begin = begin_of(envelope_.back().center);
      }
      if (begin <= count) envelope_.push_back({i, begin});
    }
    result_.resize(line_.size());
    std::size_t now = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      while (now + 1 < envelope_.size() && envelope_[now + 1].begin <= i) ++now;
      result_[static_cast<std::size_t>(i)] =
          height(envelope_[now].center) + squared(i - envelope_[now].center);
    }
    std::swap(line_, result_);
  }

  std::size_t column(int x) const { return static_cast<std::size_t>(x - box_.min[0]); }
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y - box_.min[1]) * width_ + column(x);
  }
  std::size_t row(int y, int z) const {
    return static_cast<std::size_t>(z - box_.min[2]) * height_ + static_cast<std::size_t>(y - box_.min[1]);
  }
  /// Returns the index of the run that contains an element of the component.
  std::size_t run_at(const std::vector<Run>& runs, const std::array<int, 3>& at) const {
    const auto row_of = runs.begin() + static_cast<std::ptrdiff_t>(rows_[row(at[1], at[2])]);
    const auto end = runs.begin() + static_cast<std::ptrdiff_t>(rows_[row(at[1], at[2]) + 1]);
    const auto is_left = [](int x, const Run& run) { return x < run.end; };
    return static_cast<std::size_t>(std::upper_bound(row_of, end, at[0], is_left) - runs.begin());
  }

  /// A parabola that is the lowest one from `begin` on.
  struct Parabola {
    std::int64_t center, begin;
  };

  std::array<Number, 3> size_;
  Box box_;
  std::size_t width_ = 0, height_ = 0;
  bool is_volume_ = false;
  Number largest_ = 0;
  std::vector<Number> line_, result_;
  std::vector<Part> columns_, ends_;
  std::vector<Parabola> envelope_;
  std::vector<Number> kept_;         // of a volume: distances within slices
  std::vector<std::size_t> starts_;  // by run: elements before it, so its index in kept_
  std::vector<std::size_t> rows_;    // by row of the box: its first run
};

/// Radius of the largest ball around the center of an element of a component that contains no center of an
/// element outside the component. Elements outside the image count. Keeps the runs of all components.
class Radius final : public Group {
 public:
  explicit Radius(const MeasureContext& labeling)
      : boxes_(labeling.components.box),
        is_volume_(labeling.is_volume()),
        is_in_pixels_(wants(labeling, {inscribed_radius})),
        is_physical_(labeling.request.spacing[0] > 0 && wants(labeling, {inscribed_radius_physical})),
        spacing_(labeling.request.spacing),
        max_bytes_(labeling.request.max_bytes),
        added_(boxes_.size()),
        known_(std::make_unique<std::atomic<double>[]>(2 * boxes_.size())) {
    for (std::size_t i = 0; i < 2 * boxes_.size(); ++i) known_[i] = -1;
  }

  bool looks_at_rows() const override { return true; }
  std::size_t bytes_each() const override {
    return sizeof(std::vector<Run>) + 2 * sizeof(double) + sizeof(std::size_t);
  }
  std::int64_t extra_bytes() const override { return bytes_; }

  void add(const LabeledRow& row) override {
    std::vector<RunOfLabel>& mine = runs_.local();
    const std::size_t before = mine.capacity();
    for (const Segment& segment : row.segments) add(row, segment, mine);
    // All runs are copied at the end, sorted.
    claim(2 * (mine.capacity() - before) * sizeof(RunOfLabel));
  }

  bool keeps_state() const override { return true; }
  void save(std::size_t index, std::vector<std::uint64_t>& saved) const override {
    for (const Run& run : runs_of(index)) {
      saved.push_back(static_cast<std::uint64_t>(run.z) << 32 | static_cast<std::uint32_t>(run.y));
      saved.push_back(static_cast<std::uint64_t>(run.begin) << 32 | static_cast<std::uint32_t>(run.end));
    }
  }
  bool add_saved(std::size_t index, std::span<const std::uint64_t> saved) override {
    if (saved.size() % 2 != 0) return false;
    const Box& box = boxes_[index];
    for (std::size_t i = 0; i < saved.size(); i += 2) {
      const auto high = [&](std::size_t k) { return static_cast<int>(saved[i + k] >> 32); };
      const auto low = [&](std::size_t k) { return static_cast<int>(saved[i + k] & 0xffffffff); };
      const Run run{low(0), high(0), high(1), low(1)};
      if (run.z < box.min[2] || run.z > box.max[2] || run.y < box.min[1] || run.y > box.max[1] ||
          run.begin < box.min[0] || run.end <= run.begin || run.end > box.max[0] + 1)
        return false;
      added_[index].push_back(run);
    }
    claim(saved.size() / 2 * sizeof(Run));
    return true;
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const auto once = [&](std::size_t which, auto find) {
      std::atomic<double>& known = known_[2 * sums.index + which];
      if (known < 0) known = std::sqrt(static_cast<double>(find()));
      return known.load();
    };
    const Box& box = sums.component.box;
    const std::uint64_t elements = is_volume_ ? sums.component.area : 0;
    check_bytes(bytes_ + static_cast<std::int64_t>(elements * sizeof(double)));
    if (is_in_pixels_)
      values[inscribed_radius] = once(0, [&] {
        return Distances<std::int64_t>({1, 1, 1}).largest(runs_of(sums.index), box, is_volume_);
      });
    if (is_physical_)
      values[inscribed_radius_physical] =
          once(1, [&] { return Distances<double>(spacing_).largest(runs_of(sums.index), box, is_volume_); });
  }

 private:
  struct RunOfLabel {
    Label label;
    Run run;
  };

  /// Adds the runs of a segment, which may contain background.
  static void add(const LabeledRow& row, const Segment& segment, std::vector<RunOfLabel>& mine) {
    segment.for_each_word([&](int word, Word mask) {
      for (Word elements = row.bits()[word] & mask; elements != 0;
           elements &= elements + (elements & -elements)) {  // removes the lowest run
        const int first = std::countr_zero(elements), length = std::countr_one(elements >> first);
        const int begin = word * kWordBits + first;
        const bool continues = !mine.empty() && mine.back().label == segment.label &&
                               mine.back().run.y == row.y && mine.back().run.z == row.z &&
                               mine.back().run.end == begin;
        if (continues)
          mine.back().run.end = begin + length;
        else
          mine.push_back({segment.label, {row.y, row.z, begin, begin + length}});
      }
    });
  }

  void claim(std::size_t bytes) { check_bytes(bytes_ += static_cast<std::int64_t>(bytes)); }
  void check_bytes(std::int64_t bytes) const {
    if (bytes > max_bytes_) throw not_enough_memory("inscribed radii need", bytes);
  }

  /// Returns the runs of a component in order. Thread-safe.
  std::vector<Run> runs_of(std::size_t index) const {
    std::call_once(is_sorted_, [&] { sort(); });
    std::vector<Run> runs(sorted_.begin() + static_cast<std::ptrdiff_t>(begins_[index]),
                          sorted_.begin() + static_cast<std::ptrdiff_t>(begins_[index + 1]));
    runs.insert(runs.end(), added_[index].begin(), added_[index].end());
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.is_before(b); });
    std::size_t kept = 0;  // blocks divide runs, and damaged files of parts have some that overlap
    for (const Run& run : runs)
      if (Run* const last = kept == 0 ? nullptr : &runs[kept - 1];
          last != nullptr && last->z == run.z && last->y == run.y && run.begin <= last->end)
        last->end = std::max(last->end, run.end);
      else
        runs[kept++] = run;
    runs.resize(kept);
    return runs;
  }

  /// Groups the runs by component.
  void sort() const {
    begins_.assign(added_.size() + 2, 0);
    for (const std::vector<RunOfLabel>& some : runs_)
      for (const RunOfLabel& one : some) ++begins_[one.label + std::size_t{1}];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    sorted_.resize(begins_.back());
    for (const std::vector<RunOfLabel>& some : runs_)
      for (const RunOfLabel& one : some) sorted_[begins_[one.label]++] = one.run;
    runs_.clear();
  }

  const UninitializedVector<Box>& boxes_;  // during measurement
  bool is_volume_, is_in_pixels_, is_physical_;
  std::array<double, 3> spacing_;
  std::int64_t max_bytes_;
  std::atomic<std::int64_t> bytes_ = 0;
  mutable tbb::enumerable_thread_specific<std::vector<RunOfLabel>> runs_;  // until they are sorted
  mutable std::once_flag is_sorted_;
  mutable std::vector<Run> sorted_;
  mutable std::vector<std::size_t> begins_;  // by component: its first run
  std::vector<std::vector<Run>> added_;      // by component: runs from other parts
  std::unique_ptr<std::atomic<double>[]> known_;
};

}  // namespace

std::unique_ptr<Group> make_radius(const MeasureContext& labeling) {
  if (!wants(labeling, {inscribed_radius, inscribed_radius_physical})) return nullptr;
  return std::make_unique<Radius>(labeling);
}

}  // namespace gpuccl::measuring
