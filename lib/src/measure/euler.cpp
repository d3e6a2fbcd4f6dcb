#include "common/fastest_code.hpp"
#include "common/shape.hpp"
#include "measure/euler_number.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

class Euler final : public Group {
 public:
  explicit Euler(const MeasureContext& labeling) : connectivity_(labeling.request.connectivity) {}

  std::size_t words() const override { return 1; }
  int SumsLayout::*place() const override { return &SumsLayout::euler; }
  bool looks_around() const override { return true; }

  void add(const LabeledRow& row) override {
    cpu::with_connectivity(connectivity_, [&]<Connectivity one>() { add_words<one>(row); });
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const auto number = static_cast<double>(static_cast<std::int64_t>(sums.sums[0]));
    values[euler_number] = number;
    if (!is_3d(connectivity_)) values[holes] = 1 - number;
  }

 private:
  template <Connectivity connectivity>
  void add_words(const LabeledRow& row) const {
    const EulerRows<RowBits> rows{row.bits(),      row.bits(-1, 0), row.bits(-1, -1),
                                  row.bits(0, -1), row.bits(1, -1), row.bits(1, 0)};
    by_fastest_counting([&] {
      for (const Segment& segment : row.segments) {
        int number = 0;
        segment.for_each_word(
            [&](int word, Word mask) { number += euler_number_of<connectivity>(rows, word, mask); });
        segment.sums[offset] += static_cast<std::uint64_t>(std::int64_t{number});
      }
    });
  }

  Connectivity connectivity_;
};

}  // namespace

std::unique_ptr<Group> make_euler(const MeasureContext& labeling) {
  if (!wants(labeling, {euler_number, holes, tunnels})) return nullptr;
  return std::make_unique<Euler>(labeling);
}

}  // namespace gpuccl::measuring
