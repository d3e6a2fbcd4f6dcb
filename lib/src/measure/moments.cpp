#include <algorithm>
#include <limits>

#include "common/fastest_code.hpp"
#include "measure/group.hpp"
#include "measure/row_bits.hpp"
#include "measure/row_window.hpp"
#include "measure/shape_formulas.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

__extension__ typedef unsigned __int128 Wide;

enum Product : std::size_t { xx, xy, yy, xz, yz, zz };
constexpr std::size_t kInImages = 3, kInVolumes = 6;
constexpr std::size_t kWordBytes = 8;

template <class Sum>
Sum read(const std::uint64_t* words, std::size_t i) {
  if constexpr (sizeof(Sum) == sizeof(Wide)) {
    return Sum{words[2 * i]} | Sum{words[2 * i + 1]} << 64;
  } else {
    return words[i];
  }
}

template <class Sum>
void add_to(std::uint64_t* words, std::size_t i, Sum more) {
  if constexpr (sizeof(Sum) == sizeof(Wide)) {
    const Sum sum = read<Sum>(words, i) + more;
    words[2 * i] = static_cast<std::uint64_t>(sum);
    words[2 * i + 1] = static_cast<std::uint64_t>(sum >> 64);
  } else {
    words[i] += more;
  }
}

/// Sums of products of two coordinates, word by word. `Sum` is wide enough for coordinates relative to the
/// corner of a component's bounding box. Before that, sums are added modulo its range.
template <class Sum>
class Moments final : public Group {
 public:
  explicit Moments(const MeasureContext& labeling)
      : is_volume_(labeling.is_volume()),
        is_narrow_(labeling.extent.width <= kNarrow),
        formulas_{is_volume_,
                  {labeling.request.spacing[0], labeling.request.spacing[1], labeling.request.spacing[2]}} {}

  std::size_t words() const override {
    return (is_volume_ ? kInVolumes : kInImages) * (sizeof(Sum) / kWordBytes);
  }
  int SumsLayout::*place() const override { return &SumsLayout::moments; }

  void add(const LabeledRow& row) override {
    if (!is_narrow_) return add_row<Sum, positions_of>(row);
    by_fastest_counting([&] { add_row<std::uint64_t, positions_by_counting>(row); },
                        [&] { add_row<std::uint64_t, positions_of>(row); });
  }

  void merge(std::uint64_t* into, const std::uint64_t* part) const override {
    for (std::size_t i = 0; i < (is_volume_ ? kInVolumes : kInImages); ++i)
      add_to<Sum>(into, i, read<Sum>(part, i));
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const Component& component = sums.component;
    const auto product = [&](int i) { return read<Sum>(sums.sums, static_cast<std::size_t>(i)); };
    formulas_.derive(component.area, component.box.min.data(), component.sum.data(), product, values);
  }

 private:
  /// `RowSum` is wide enough for the sums of a row.
  template <class RowSum, Positions positions_of_word(Word)>
  void add_row(const LabeledRow& row) const {
    const Sum y = static_cast<Sum>(row.y), z = static_cast<Sum>(row.z);
    for (const Segment& segment : row.segments) {
      RowSum n = 0, x = 0, square = 0;
      segment.for_each_word([&](int word, Word mask) {
        const Positions positions = positions_of_word(row.bits()[word] & mask);
        const RowSum first = static_cast<RowSum>(word) * kWordBits;
        n += positions.count;
        x += first * positions.count + positions.sum;
        square += first * (first * positions.count + 2 * positions.sum) + positions.squares;
      });
      std::uint64_t* const sums = segment.sums + offset;
      add_to<Sum>(sums, xx, square);
      add_to<Sum>(sums, xy, x * y);
      add_to<Sum>(sums, yy, n * y * y);
      if (!is_volume_) continue;
      add_to<Sum>(sums, xz, x * z);
      add_to<Sum>(sums, yz, n * y * z);
      add_to<Sum>(sums, zz, n * z * z);
    }
  }

  static constexpr int kNarrow = 1 << 21;  // 64 bits hold the sum of the squares of this many positions

  bool is_volume_, is_narrow_;
  MomentFormulas formulas_;
};

/// Returns true if the sums of every component stay below 2^64.
bool fit_one_word(const Components& components) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    Wide most = components.area[i];
    std::uint64_t side = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      side = std::max<std::uint64_t>(
          side, static_cast<std::uint64_t>(components.box[i].max[axis] - components.box[i].min[axis]));
    most *= side;
    most *= side;
    if (most > std::numeric_limits<std::uint64_t>::max()) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Group> make_moments(const MeasureContext& labeling) {
  if (!wants(labeling, {{moments_central_2_0, flatness}, {axis_major_length_physical, flatness_physical}}))
    return nullptr;
  if (fit_one_word(labeling.in_parts ? one_of_all(labeling.extent) : labeling.components))
    return std::make_unique<Moments<std::uint64_t>>(labeling);
  return std::make_unique<Moments<Wide>>(labeling);
}

}  // namespace gpuccl::measuring
