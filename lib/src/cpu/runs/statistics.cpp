#include "cpu/runs/statistics.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpu/runs/run_sums.hpp"

namespace gpuccl::cpu {
namespace {

/// What a strip adds to components, beside what it has added in their places.
struct Elsewhere {
  std::unordered_map<Label, Component> shared;               // parts of components of strips before
  std::vector<std::pair<std::size_t, std::size_t>> carries;  // component and axis whose sum passed 2^64
};

/// Measures one strip. A component whose root lies in the strip is added up in its place among all
/// components; those that come from strips before are kept apart, because another task adds to their place.
class StripMeasurer {
 public:
  /// Labels (labels_before, labels_until] are those of components whose root lies in the strip.
  StripMeasurer(const RunLabels& labels, Label labels_before, Label labels_until, Components& components)
      : labels_(labels),
        labels_before_(labels_before),
        labels_until_(labels_until),
        begun_(labels_before),
        components_(components) {}

  Elsewhere measure_rows(Strip strip) {
    switch (labels_.bundles().row_set()) {
      case 0b1111:
        measure_bundles<0b1111>(strip);
        break;
      case 0b0011:
        measure_bundles<0b0011>(strip);
        break;
      default:
        measure_bundles<0b0001>(strip);
    }
    begin_components(labels_until_);
    return std::move(elsewhere_);
  }

 private:
  template <RowSet set>
  void measure_bundles(Strip strip) {
    const Bundles& bundles = labels_.bundles();
    for (Bundles::Place at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
      const int y = at.y * bundles.height(), z = bundles.first_slice(at.layer);
      const Label* label = labels_.labels_of(at);
      for_each_run_sums<set>(bundles.rows(at), bundles.words(), [&](int begin, int end, const RunSums& sums) {
        add<set>(*label++, begin, end, y, z, sums);
      });
    }
  }

  template <RowSet set>
  [[gnu::always_inline]] void add(Label label, int begin, int end, int y, int z, const RunSums& sums) {
    constexpr bool kTwoY = (set & 0b0010u) != 0, kTwoZ = (set & 0b0100u) != 0;  // as RowSet says
    const std::uint64_t area = sums.area();
    const std::uint64_t in_next_y = kTwoY ? sums.of_row[1] + sums.of_row[3] : 0;
    const std::uint64_t in_next_z = kTwoZ ? sums.of_row[2] + sums.of_row[3] : 0;
    const int first_y = y + (kTwoY && in_next_y == area), last_y = y + (kTwoY && in_next_y != 0);
    const int first_z = z + (kTwoZ && in_next_z == area), last_z = z + (kTwoZ && in_next_z != 0);
    const std::uint64_t sum_y = area * static_cast<std::uint64_t>(y) + in_next_y;
    const std::uint64_t sum_z = area * static_cast<std::uint64_t>(z) + in_next_z;
    if (label <= labels_before_) {
      shared(label).add(
          {area, {{begin, first_y, first_z}, {end - 1, last_y, last_z}}, {sums.sum_x, sum_y, sum_z}});
      return;
    }
    if (label > begun_) begin_components(label + std::min(kAtOnce, labels_until_ - label));
    const std::size_t i = std::size_t{label} - 1;
    components_.area[i] += area;
    Box& box = components_.box[i];
    lower(box.min[0], begin);
    lower(box.min[1], first_y);
    lower(box.min[2], first_z);
    raise(box.max[0], end - 1);
    raise(box.max[1], last_y);
    raise(box.max[2], last_z);
    add(i, 0, sums.sum_x);
    add(i, 1, sum_y);
    add(i, 2, sum_z);
  }

  static void lower(int& least, int value) { least = std::min(least, value); }
  static void raise(int& most, int value) { most = std::max(most, value); }

  void add(std::size_t i, std::size_t axis, std::uint64_t more) {
    std::uint64_t& sum = components_.sum[i][axis];
    sum += more;
    if (sum < more) [[unlikely]]
      elsewhere_.carries.emplace_back(i, axis);
  }

  /// Clears the places of components up to `last`. Not all at once: they are added to soon after, while they
  /// are in the cache.
  [[gnu::noinline]] void begin_components(Label last) {
    static constexpr Component kNone;
    const std::size_t first = begun_, count = last - begun_;
    std::fill_n(components_.area.data() + first, count, kNone.area);
    std::fill_n(components_.box.data() + first, count, kNone.box);
    std::fill_n(components_.sum.data() + first, count, std::array<std::uint64_t, 3>{});
    begun_ = last;
  }

  Component& shared(Label label) {
    if (label != last_shared_) {
      last_shared_ = label;
      last_component_ = &elsewhere_.shared[label];
    }
    return *last_component_;
  }

  static constexpr Label kAtOnce = 128;

  const RunLabels& labels_;
  Label labels_before_, labels_until_;
  Label begun_;  // labels up to this one have been cleared
  Components& components_;
  Elsewhere elsewhere_;
  Label last_shared_ = 0;
  Component* last_component_ = nullptr;  // stays where it is when the map grows
};

}  // namespace

Components measure(const RunLabels& labels, const std::vector<Strip>& strips,
                   const std::vector<Label>& labels_before) {
  Components components;
  components.resize(labels.count());

  std::vector<Elsewhere> elsewhere(strips.size());
  tbb::parallel_for(std::size_t{0}, strips.size(), [&](std::size_t i) {
    elsewhere[i] =
        StripMeasurer(labels, labels_before[i], labels_before[i + 1], components).measure_rows(strips[i]);
  });
  for (const Elsewhere& of_strip : elsewhere) {
    for (const auto& [i, axis] : of_strip.carries) ++components.sum_high[i][axis];
    for (const auto& [label, part] : of_strip.shared) {
      const std::size_t i = std::size_t{label} - 1;
      Component whole = components[i];
      whole.add(part);
      components.set(i, whole);
    }
  }
  return components;
}

}  // namespace gpuccl::cpu
