#include <array>
#include <bit>

#include "common/fastest_code.hpp"
#include "measure/group.hpp"
#include "measure/neighbors.hpp"
#include "measure/shape_formulas.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// Length of a line through the centers of the boundary elements, from the number of other boundary elements
/// next to each. One of the four neighbors of a boundary element is background.
class Perimeter final : public Group {
 public:
  explicit Perimeter(const MeasureContext& labeling) : connectivity_(connectivity_around(labeling)) {}

  std::size_t words() const override { return 3; }
  int SumsLayout::*place() const override { return &SumsLayout::perimeter; }
  bool looks_around() const override { return true; }
  bool looks_at_edges() const override { return true; }

  void add(const LabeledRow& row) override {
    if (connectivity_ == Connectivity::c4) return add_edges<1>(row);
    by_fastest_counting([&] { add_edges<2>(row); });
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    values[perimeter] = perimeter_of(sums.sums);
  }

 private:
  template <int reach>
  void add_edges(const LabeledRow& row) const {
    const RowBits &above = row.edges[0], &here = row.edges[1], &below = row.edges[2];
    for (const Segment& segment : row.segments) {
      std::array<std::uint64_t, 3> counts{};
      const auto count = [](Word ones) { return static_cast<std::uint64_t>(std::popcount(ones)); };
      segment.for_each_word([&](int word, Word mask) {
        const Word at_edge = here[word] & mask;
        if constexpr (reach == 1)
          if (at_edge == 0) return;
        const EdgeKinds<Word> kinds =
            edge_kinds<reach>(row, above, here, below, word, at_edge, segment.label);
        counts[0] += count(kinds.straight);
        counts[1] += count(kinds.diagonal);
        counts[2] += count(kinds.bent);
      });
      for (std::size_t i = 0; i < counts.size(); ++i) segment.sums[offset + i] += counts[i];
    }
  }

  Connectivity connectivity_;
};

}  // namespace

std::unique_ptr<Group> make_perimeter(const MeasureContext& labeling) {
  if (labeling.is_volume() || !wants(labeling, {perimeter})) return nullptr;
  return std::make_unique<Perimeter>(labeling);
}

}  // namespace gpuccl::measuring
