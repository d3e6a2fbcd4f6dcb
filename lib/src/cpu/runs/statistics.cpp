#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "common/components.hpp"
#include "common/union_find.hpp"
#include "cpu/runs/numbering.hpp"
#include "cpu/runs/run_sums.hpp"
#include "cpu/runs/value_labels.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

/// A strip's contributions to components that begin in earlier strips: a hash table with linear probing that
/// never grows, so its memory is bounded.
class SharedParts {
 public:
  static constexpr std::size_t kBytesEach = Components::kBytesEach + sizeof(Label) + 4 * sizeof(Index);
  static constexpr std::size_t kNoRoom = ~std::size_t{0};

  SharedParts() = default;
  /// Has room for `most` components.
  explicit SharedParts(std::size_t most) : most_(most) {}

  /// Entry i of components() is a contribution to component labels()[i].
  const std::vector<Label>& labels() const { return labels_; }
  Components& components() { return components_; }
  bool holds(Label label) const { return !slots_.empty() && slots_[slot_of(label)] != 0; }

  /// Returns the entry of component `label`, empty at first; kNoRoom if there is no room.
  std::size_t find_or_add(Label label) {
    if (slots_.empty()) {
      labels_.reserve(most_);
      components_.resize(most_);
      slots_.resize(std::bit_ceil(2 * std::max<std::size_t>(1, most_)));
    }
    Index& slot = slots_[slot_of(label)];
    if (slot == 0) {
      if (labels_.size() == most_) return kNoRoom;
      components_.set(labels_.size(), {});
      labels_.push_back(label);
      slot = static_cast<Index>(labels_.size());
    }
    return slot - 1;
  }

 private:
  /// Returns the slot of `label`, or the free slot for it.
  std::size_t slot_of(Label label) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = label * std::size_t{0x9e3779b97f4a7c15} >> (64 - std::bit_width(mask));
    while (slots_[slot] != 0 && labels_[slots_[slot] - 1] != label) slot = (slot + 1) & mask;
    return slot;
  }

  std::size_t most_ = 0;
  Components components_;
  std::vector<Label> labels_;
  std::vector<Index> slots_;  // index of an entry + 1, 0: free; at least half are free
};

namespace {

/// A strip's contributions to components of earlier strips, merged later.
struct Elsewhere {
  SharedParts shared;
  std::vector<std::pair<std::size_t, std::size_t>> carries;  // component and axis of sums that exceeded 2^64
  std::int64_t missed_from = -1;  // first bundle with a run of a component that did not fit into `shared`
};

/// Not thread-safe.
void add_to(Components& components, Label label, const Component& part) {
  const std::size_t i = std::size_t{label} - 1;
  Component whole = components[i];
  whole.add(part);
  components.set(i, whole);
}

/// Returns true if the coordinates of all elements may add up to 2^64 or more.
bool sums_may_pass_64_bits(Extent extent) {
  const auto most = static_cast<CoordinateSum>(std::max({extent.width, extent.height, extent.depth}));
  return static_cast<CoordinateSum>(extent.elements()) * most >> 64 != 0;
}

enum class Pass { all, missed };

/// Measures one strip. Components whose root lies in the strip are added to the final components directly.
/// Contributions to components of earlier strips are kept separately, because another task writes these
/// components.
template <class Labels>
class StripMeasurer {
 public:
  /// Components whose root lies in the strip have labels (labels_before, labels_until].
  StripMeasurer(const Labels& labels, Label labels_before, Label labels_until, Components& components)
      : labels_(labels),
        labels_before_(labels_before),
        labels_until_(labels_until),
        begun_(labels_before),
        components_(components) {}

  Elsewhere measure_rows(Strip strip) {
    elsewhere_.shared = SharedParts(most_shared(strip));
    measure_strip<Pass::all>(strip);
    begin_components(labels_until_);
    return std::move(elsewhere_);
  }

  /// Adds the contributions that did not fit into `elsewhere`. Not thread-safe.
  void measure_missed(Strip strip, Elsewhere elsewhere) {
    if (elsewhere.missed_from < 0) return;
    elsewhere_ = std::move(elsewhere);
    measure_strip<Pass::missed>({elsewhere_.missed_from, strip.end});
  }

 private:
  /// Returns the capacity that fits into the memory freed by the strip's union-find links, so that peak
  /// memory does not grow.
  std::size_t most_shared(Strip strip) const {
    constexpr std::size_t kInAnyCase = 1024;
    const Bundles& bundles = labels_.bundles();
    const auto runs = static_cast<std::size_t>(labels_.labels_of(bundles.at(strip.end)) -
                                               labels_.labels_of(bundles.at(strip.begin)));
    return std::min<std::size_t>(labels_before_,
                                 std::max(kInAnyCase, runs * sizeof(Label) / SharedParts::kBytesEach));
  }

  template <Pass pass>
  void measure_strip(Strip strip) {
    if (sums_may_pass_64_bits(labels_.extent())) return measure_strip<pass, true>(strip);
    measure_strip<pass, false>(strip);
  }

  template <Pass pass, bool carries>
  void measure_strip(Strip strip) {
    switch (labels_.bundles().row_set()) {
      case 0b1111:
        return measure_bundles<0b1111, pass, carries>(strip);
      case 0b0011:
        return measure_bundles<0b0011, pass, carries>(strip);
      default:
        return measure_bundles<0b0001, pass, carries>(strip);
    }
  }

  template <RowSet set, Pass pass, bool carries>
  void measure_bundles(Strip strip) {
    const Bundles& bundles = labels_.bundles();
    for (Bundles::BundlePosition at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
      const int y = at.y * bundles.height(), z = bundles.first_slice(at.layer);
      const Label* label = labels_.labels_of(at);
      labels_.template for_each_sums<set>(at, [&](std::size_t run, int begin, int end, const RunSums& sums) {
        add<set, pass, carries>(label[run], begin, end, y, z, sums);
      });
      if (misses_ && elsewhere_.missed_from < 0) elsewhere_.missed_from = at.bundle;
    }
  }

  template <RowSet set, Pass pass, bool carries>
  [[gnu::always_inline]] void add(Label label, int begin, int end, int y, int z, const RunSums& sums) {
    constexpr bool kTwoY = (set & 0b0010u) != 0, kTwoZ = (set & 0b0100u) != 0;  // see RowSet
    const std::uint64_t area = sums.area;
    const int first_y = y + (kTwoY && sums.in_next_y == area), last_y = y + (kTwoY && sums.in_next_y != 0);
    const int first_z = z + (kTwoZ && sums.in_next_z == area), last_z = z + (kTwoZ && sums.in_next_z != 0);
    const std::uint64_t sum_y = area * static_cast<std::uint64_t>(y) + sums.in_next_y;
    const std::uint64_t sum_z = area * static_cast<std::uint64_t>(z) + sums.in_next_z;
    const Box box{{begin, first_y, first_z}, {end - 1, last_y, last_z}};
    if constexpr (pass == Pass::missed) {
      if (label <= labels_before_ && !elsewhere_.shared.holds(label))
        add_to(components_, label, {area, box, {sums.sum_x, sum_y, sum_z}});
      return;
    }
    const bool is_shared = label <= labels_before_;
    std::size_t i = std::size_t{label} - 1;
    if (is_shared) {
      i = entry_of_shared(label);
      if (i == SharedParts::kNoRoom) {
        misses_ = true;
        return;
      }
    } else if (label > begun_) {
      begin_components(label + std::min(kAtOnce, labels_until_ - label));
    }
    Components& components = is_shared ? elsewhere_.shared.components() : components_;
    components.area[i] += area;
    widen(components.box[i], box);
    const std::array<std::uint64_t, 3> more{sums.sum_x, sum_y, sum_z};
    for (std::size_t axis = 0; axis < more.size(); ++axis) {
      std::uint64_t& sum = components.sum[i][axis];
      sum += more[axis];
      if (carries && sum < more[axis]) [[unlikely]]
        add_carry(is_shared, i, axis);
    }
  }

  static void widen(Box& box, const Box& part) {
    static_assert(offsetof(Box, max) == sizeof box.min && sizeof box.min == 3 * sizeof(int));
    // The first four entries as one vector. The last is inverted, so its minimum is the maximum.
    using Four [[gnu::vector_size(4 * sizeof(int))]] = int;
    constexpr Four kInverted{0, 0, 0, -1};
    const Four more{part.min[0], part.min[1], part.min[2], ~part.max[0]};
    Four four;
    std::memcpy(&four, box.min.data(), sizeof four);
    four ^= kInverted;
    four = (four < more ? four : more) ^ kInverted;
    std::memcpy(box.min.data(), &four, sizeof four);
    box.max[1] = std::max(box.max[1], part.max[1]);
    box.max[2] = std::max(box.max[2], part.max[2]);
  }

  void add_carry(bool is_shared, std::size_t i, std::size_t axis) {
    if (is_shared) {
      ++elsewhere_.shared.components().sum_high[i][axis];
    } else {
      elsewhere_.carries.emplace_back(i, axis);  // separate, because other tasks have carries too
    }
  }

  /// Clears the entries of components up to `last`. Done shortly before they are added to, so they stay in
  /// the cache.
  [[gnu::noinline]] void begin_components(Label last) {
    static constexpr Component kNone;
    const std::size_t first = begun_, count = last - begun_;
    std::fill_n(components_.area.data() + first, count, kNone.area);
    std::fill_n(components_.box.data() + first, count, kNone.box);
    std::fill_n(components_.sum.data() + first, count, std::array<std::uint64_t, 3>{});
    begun_ = last;
  }

  std::size_t entry_of_shared(Label label) {
    if (label != last_shared_) {
      last_shared_ = label;
      last_entry_ = elsewhere_.shared.find_or_add(label);
    }
    return last_entry_;
  }

  static constexpr Label kAtOnce = 128;

  const Labels& labels_;
  Label labels_before_, labels_until_;
  Label begun_;  // labels up to this one have been cleared
  Components& components_;
  Elsewhere elsewhere_;
  Label last_shared_ = 0;
  std::size_t last_entry_ = 0;  // of the last run
  bool misses_ = false;
};

}  // namespace

template <class Labels>
Components measure(const Labels& labels, const std::vector<Strip>& strips,
                   const std::vector<Label>& labels_before) {
  Components components = large_components(labels.count());

  std::vector<Elsewhere> elsewhere(strips.size());
  for_each_strip(strips, [&](std::size_t i) {
    elsewhere[i] =
        StripMeasurer(labels, labels_before[i], labels_before[i + 1], components).measure_rows(strips[i]);
  });
  for (std::size_t i = 0; i < strips.size(); ++i) {
    for (const auto& [component, axis] : elsewhere[i].carries) ++components.sum_high[component][axis];
    SharedParts& shared = elsewhere[i].shared;
    for (std::size_t entry = 0; entry < shared.labels().size(); ++entry)
      add_to(components, shared.labels()[entry], shared.components()[entry]);
    StripMeasurer(labels, labels_before[i], labels_before[i + 1], components)
        .measure_missed(strips[i], std::move(elsewhere[i]));
  }
  return components;
}

template Components measure(const RunLabels&, const std::vector<Strip>&, const std::vector<Label>&);
template Components measure(const ValueLabels&, const std::vector<Strip>&, const std::vector<Label>&);

}  // namespace gpuccl::cpu
