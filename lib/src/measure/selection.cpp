#include "gpuccl/selection.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "common/components.hpp"

namespace gpuccl {
namespace {

bool compare(long double value, Condition::Relation relation, long double number) {
  using enum Condition::Relation;
  switch (relation) {
    case less:
      return value < number;
    case at_most:
      return value <= number;
    case greater:
      return value > number;
    case at_least:
      return value >= number;
    case equal:
      return value == number;
    case unequal:
      return value != number;
  }
  return false;
}

/// Returns a value without rounding: 64-bit integers are no doubles.
long double exact(ValueType type, ValueBits bits) {
  if (is_floating(type)) return to_double(type, bits);
  return is_signed(type) ? static_cast<long double>(static_cast<std::int64_t>(bits))
                         : static_cast<long double>(bits);
}

bool touches_border(const Box& box, Extent extent, bool volume, const PeriodicAxes& periodic) {
  const int size[3] = {extent.width, extent.height, extent.depth};
  for (std::size_t axis = 0; axis < (volume ? 3 : 2); ++axis)
    if (!periodic[axis] && (box.min[axis] == 0 || box.max[axis] == size[axis] - 1)) return true;
  return false;
}

/// Returns whether the condition holds for each component; empty if it holds for all.
std::vector<char> those_with(const Condition& condition, const Components& components,
                             const MeasureTable& measured, const ComponentValues& values) {
  std::vector<char> holds;
  if (condition.steps.empty()) return holds;
  holds.resize(components.size());
  const bool by_value = condition.compares_value();
  constexpr long double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::size_t images = condition.images();
  tbb::parallel_for(std::size_t{0}, holds.size(), [&](std::size_t i) {
    const long double value = by_value ? exact(values.type, values.bits[i]) : kNone;
    const MeasureValues of_first = measured.values(components, i);
    if (images == 1) {
      holds[i] = condition.holds(of_first, value);
      return;
    }
    std::vector<MeasureValues> of_images(images, of_first);
    for (std::size_t image = 1; image < images; ++image) measured.get_intensities(i, image, of_images[image]);
    holds[i] = condition.holds(of_images, value);
  });
  return holds;
}

/// Returns the indices of the components that pass the filters on single components, in raster order.
std::vector<Label> passing(const Components& components, Extent extent, bool volume,
                           const SelectionOptions& options, const MeasureTable& measured,
                           const ComponentValues& values) {
  const std::vector<char> holds = those_with(options.keep, components, measured, values);
  std::vector<Label> kept;
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (components.area[i] < options.min_size || components.area[i] > options.max_size) continue;
    if (!holds.empty() && holds[i] == 0) continue;
    if (options.clear_border && touches_border(components.box[i], extent, volume, options.periodic)) continue;
    kept.push_back(static_cast<Label>(i));
  }
  return kept;
}

bool is_less(ValueType type, ValueBits a, ValueBits b) {
  if (is_floating(type)) return std::bit_cast<double>(a) < std::bit_cast<double>(b);
  return is_signed(type) ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

/// Returns the kept entries of `all` and frees its memory.
template <class T>
UninitializedVector<T> pick(UninitializedVector<T>& all, const std::vector<Label>& kept) {
  UninitializedVector<T> picked;
  picked.reserve(kept.size());
  for (const Label i : kept) picked.push_back(all[i]);
  UninitializedVector<T>().swap(all);
  return picked;
}

}  // namespace

bool Condition::holds(std::span<const MeasureValues> measures, long double value) const {
  static_assert(kDeepest <= 64);
  std::uint64_t results = steps.empty() ? 1 : 0;  // a stack; the last result is bit 0
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::comparison || step.kind == Step::Kind::comparison_of_value) {
      const long double compared =
          step.kind == Step::Kind::comparison ? measures[step.image][step.measure] : value;
      results = results << 1 | std::uint64_t{compare(compared, step.relation, step.number)};
    } else {
      const std::uint64_t last = results & 1;
      results >>= 1;
      if (step.kind == Step::Kind::both) results &= ~std::uint64_t{1} | last;
      if (step.kind == Step::Kind::either) results |= last;
    }
  }
  return (results & 1) != 0;
}

std::size_t Condition::images() const {
  std::size_t images = 1;
  for (const Step& step : steps) images = std::max(images, step.image + 1);
  return images;
}

MeasureSet Condition::measures() const {
  MeasureSet compared;
  for (const Step& step : steps)
    if (step.kind == Step::Kind::comparison) compared.set(static_cast<std::size_t>(step.measure));
  return compared;
}

bool Condition::compares_value() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& step) { return step.kind == Step::Kind::comparison_of_value; });
}

void remap(const std::vector<Label>& map, std::size_t components, UninitializedVector<ValueBits>& values) {
  if (map.empty() || values.empty()) return;
  UninitializedVector<ValueBits> followed(components);
  for (std::size_t old = 1; old < map.size(); ++old)
    if (map[old] != 0) followed[map[old] - 1] = values[old - 1];
  values = std::move(followed);
}

Selection select(Components components, Extent extent, bool per_slice, const SelectionOptions& options,
                 const MeasureTable& measured, const ComponentValues& values) {
  Selection selection;
  const bool all_pass = options.min_size <= 1 && options.max_size == ~std::uint64_t{0} &&
                        !options.clear_border && options.keep.steps.empty() &&
                        (options.largest == 0 || options.largest >= components.size());
  if (all_pass && options.order == LabelOrder::raster) {
    selection.components = std::move(components);
    return selection;
  }

  const bool volume = !per_slice;
  std::vector<Label> kept = passing(components, extent, volume, options, measured, values);
  const auto larger = [&](Label a, Label b) { return components.area[a] > components.area[b]; };
  const bool some_too_many = options.largest != 0 && options.largest < kept.size();
  if (some_too_many || options.order == LabelOrder::size) std::stable_sort(kept.begin(), kept.end(), larger);
  if (some_too_many)
    keep_first(kept, options.largest, values.per_value ? values.bits : std::span<const ValueBits>());
  if (options.order != LabelOrder::size) std::sort(kept.begin(), kept.end());
  if (options.order == LabelOrder::value)
    std::stable_sort(kept.begin(), kept.end(),
                     [&](Label a, Label b) { return is_less(values.type, values.bits[a], values.bits[b]); });

  selection.dropped = components.size() - kept.size();
  const bool unchanged = selection.dropped == 0 && std::is_sorted(kept.begin(), kept.end());
  if (unchanged) {
    selection.components = std::move(components);
    return selection;
  }
  selection.map.assign(components.size() + 1, 0);
  for (std::size_t i = 0; i < kept.size(); ++i)
    selection.map[std::size_t{kept[i]} + 1] = static_cast<Label>(i + 1);
  // One array after the other, so at most one exists twice.
  selection.components.area = pick(components.area, kept);
  selection.components.box = pick(components.box, kept);
  selection.components.sum = pick(components.sum, kept);
  for (const auto& [i, high] : components.sum_high)
    if (const Label label = selection.map[i + 1]; label != 0) selection.components.sum_high[label - 1] = high;
  return selection;
}

}  // namespace gpuccl
