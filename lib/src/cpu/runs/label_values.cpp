// Equal values, or nearly equal ones. The nodes of the union-find are runs of single rows, as those of 4- and
// 6-connectivity are in binary images, and everything but where runs begin and which of them connect is the
// same. Rows cannot be bundled: elements of two rows that touch need not connect.
//
// Two runs of equal values connect if they touch and their values are equal: the elements need not be looked
// at. With a delta an element of the one must connect to an element of the other.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "common/chained_runs.hpp"
#include "common/run_contacts.hpp"
#include "cpu/phase_clock.hpp"
#include "cpu/runs/draw_rows.hpp"
#include "cpu/runs/forest.hpp"
#include "cpu/runs/join_equal_rows.hpp"
#include "cpu/runs/numbering.hpp"
#include "cpu/runs/statistics.hpp"
#include "cpu/runs/strips.hpp"
#include "cpu/runs/value_labels.hpp"
#include "cpu/runs/value_rows.hpp"
#include "gpuccl/detail/huge_pages.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl {
namespace cpu {

void ValueLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  const std::int64_t height = extent().height;
  std::visit(
      [&](auto* to) {
        for (std::int64_t row = first_row; row < first_row + rows; ++row, to += extent().width)
          draw_row(*this, static_cast<int>(row % height), static_cast<int>(row / height), to, map);
      },
      out);
}

void ValueLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                            const Label* map) const {
  list_rows(*this, first_row, rows, out, map);
}

namespace {

/// Whether two runs that touch connect, of rows in the order of their arguments.
struct EqualRuns {
  bool operator()(const ValueRun& here, const ValueRun& other) const { return here.value == other.value; }
};

/// Unites the runs of an image.
class Joiner {
 public:
  Joiner(const ValueImage& image, Connectivity connectivity, const std::vector<Index>& runs_before,
         Label* links)
      : image_(image), connectivity_(connectivity), runs_before_(runs_before), links_(links) {}

  /// Joins the runs of a strip with each other.
  void join_inside(Strip strip) const {
    if (image_.delta() == 0) {
      switch (reach(connectivity_)) {
        case 1:
          return join_equal_rows<1>(strip);
        case 2:
          return join_equal_rows<2>(strip);
        default:
          return join_equal_rows<3>(strip);
      }
    }
    const OwnForest forest(links_);
    for (std::int64_t row = strip.begin; row < strip.end; ++row) {
      for (Index run = first_run(row); run < first_run(row + 1); ++run) forest.make_set(run);
      join_with_rows_before(row, strip, forest);
    }
  }

  /// Joins the runs of a strip with those of the strips before, while other threads do the same elsewhere.
  void join_with_strips_before(Strip strip) const {
    const SharedForest forest(links_);
    const std::int64_t farthest =
        is_3d(connectivity_) && image_.extent().depth > 1 ? std::int64_t{image_.extent().height} + 1 : 1;
    for (std::int64_t row = strip.begin; row < std::min(strip.end, strip.begin + farthest); ++row)
      join_with_rows_before(row, {0, strip.begin}, forest);
  }

 private:
  template <int kReach>
  void join_equal_rows(Strip strip) const {
    EqualRowJoiner<kReach>(image_, is_3d(connectivity_), runs_before_, links_).join(strip);
  }

  Index first_run(std::int64_t row) const { return runs_before_[static_cast<std::size_t>(row)]; }

  /// With those of the rows that touch it, come before it and lie in `within`.
  template <class Forest>
  void join_with_rows_before(std::int64_t row, Strip within, const Forest& forest) const {
    if (image_.row(row).empty()) return;
    const int height = image_.extent().height, y = static_cast<int>(row % height);
    const bool in_volume = is_3d(connectivity_);
    for (int dz = in_volume ? -1 : 0; dz <= 0; ++dz)
      for (int dy = -1; dy <= (dz < 0 ? 1 : -1); ++dy) {
        const int axes = std::abs(dy) + std::abs(dz);
        const std::int64_t other = row + std::int64_t{dz} * height + dy;
        if (axes <= reach(connectivity_) && 0 <= y + dy && y + dy < height && within.begin <= other &&
            other < within.end)
          join_rows(row, other, axes < reach(connectivity_), forest);
      }
  }

  template <class Forest>
  void join_rows(std::int64_t here, std::int64_t other, bool diagonal, const Forest& forest) const {
    if (image_.delta() == 0) return join_rows(here, other, diagonal, forest, EqualRuns());
    with_type(image_.type(), [&](auto value) {
      join_rows(here, other, diagonal, forest,
                ChainedRuns<decltype(value)>(image_.delta(), image_.elements(here), image_.elements(other),
                                             diagonal));
    });
  }

  template <class Forest, class Connect>
  void join_rows(std::int64_t here, std::int64_t other, bool diagonal, const Forest& forest,
                 const Connect& connect) const {
    const std::span<const ValueRun> a = image_.row(here), b = image_.row(other);
    const Index first_a = first_run(here), first_b = first_run(other);
    for_each_contact_of_rows(a, b, diagonal, [&](const ValueRun& one, const ValueRun& before) {
      const Index i = first_a + static_cast<Index>(&one - a.data());
      const Index k = first_b + static_cast<Index>(&before - b.data());
      if (!forest.same_parent(i, k) && connect(one, before)) forest.unite(i, k);
    });
  }

  const ValueImage& image_;
  Connectivity connectivity_;
  const std::vector<Index>& runs_before_;
  Label* links_;
};

/// The value of each component, which is that of its root: the run with its first element. Roots are numbered
/// in their order.
Column<ValueBits> values_of(const ValueImage& image, const std::vector<Strip>& strips,
                            const std::vector<Index>& runs_before, const Label* links,
                            const Numbering& numbering) {
  Column<ValueBits> values(numbering.labels_before.back());
  for_each_strip(strips, [&](std::size_t index) {
    std::size_t next = numbering.labels_before[index];
    const std::size_t end = numbering.labels_before[index + 1];
    for (std::int64_t row = strips[index].begin; row < strips[index].end && next < end; ++row) {
      Index i = runs_before[static_cast<std::size_t>(row)];
      for (const ValueRun& run : image.row(row)) {
        if (next == end) break;
        values[next] = run.value;  // of what is not a root until that of the next root is written over it
        next += links[i] == i;
        ++i;
      }
    }
  });
  return values;
}

}  // namespace
}  // namespace cpu

LabeledValues label_values(ValueImage image, Connectivity connectivity, int strips_wanted) {
  using namespace cpu;
  Labeled result;
  if (image.extent().elements() == 0) {
    result.labels = std::make_unique<LabelImage>(image.extent(), 0);
    return {std::move(result), {}};
  }
  PhaseClock phase(result.phases);
  const Bundles rows = rows_without_bits(image.extent());
  const std::vector<Strip> strips = cut_into_strips(rows, strips_wanted);
  std::vector<Index> runs_before;
  std::unique_ptr<Label[]> links;
  Numbering numbering;
  Column<ValueBits> values;

  phase("Runs", [&] {
    runs_before = count_runs_before(image);
    links = make_large_for_overwrite<Label>(runs_before.back());
    const Joiner joiner(image, connectivity, runs_before, links.get());
    for_each_strip(strips, [&](std::size_t i) { joiner.join_inside(strips[i]); });
  });
  phase("Merge borders", [&] {
    const Joiner joiner(image, connectivity, runs_before, links.get());
    for_each_strip(strips, [&](std::size_t i) { joiner.join_with_strips_before(strips[i]); });
  });
  phase("Number", [&] {
    numbering = number_components(rows, strips, runs_before, links.get());
    values = values_of(image, strips, runs_before, links.get(), numbering);
  });
  links.reset();

  auto labels =
      std::make_unique<ValueLabels>(std::move(image), std::move(runs_before),
                                    std::move(numbering.label_of_run), numbering.labels_before.back());
  result.statistics_ms =
      milliseconds([&] { result.components = measure(*labels, strips, numbering.labels_before); });
  result.labels = std::move(labels);
  return {std::move(result), std::move(values)};
}

}  // namespace gpuccl
