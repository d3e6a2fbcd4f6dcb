// Rows of labels as vectors draw them, and as they are drawn where the processor has no such vectors.

#include "cpu/algorithms.hpp"
#include "cpu/runs/row_writer.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

/// `runs` as elements, and `behind` that were not written.
template <class T>
std::vector<T> drawn_rows(const LabelRuns& runs, int width, std::size_t behind) {
  std::vector<T> rows;
  std::size_t at = 0;
  for (const std::size_t end : runs.ends) {
    std::vector<T> row(static_cast<std::size_t>(width));
    for (; at < end; ++at)
      std::fill(row.begin() + runs.runs[at].begin, row.begin() + runs.runs[at].end,
                static_cast<T>(runs.runs[at].label));
    rows.insert(rows.end(), row.begin(), row.end());
  }
  rows.insert(rows.end(), behind, T{99});
  return rows;
}

template <class T>
void expect_rendered(const LabelRows& labels, std::int64_t first, std::int64_t rows, const Label* map) {
  constexpr std::size_t kBehind = 64;
  LabelRuns runs;
  labels.list_runs(first, rows, runs, map);
  std::vector<T> out(static_cast<std::size_t>(rows * labels.extent().width) + kBehind, T{99});
  labels.render(first, rows, out.data(), map);
  REQUIRE(out == drawn_rows<T>(runs, labels.extent().width, kBehind));
}

}  // namespace

TEST_CASE("rendered rows are the listed runs at every width, in each type, filtered or not") {
  for (int width = 1; width <= 200; width += width < 140 ? 1 : 13)
    for (const Connectivity connectivity : {Connectivity::c8, Connectivity::c6, Connectivity::c26}) {
      const Extent extent{width, 5, connectivity == Connectivity::c8 ? 1 : 3};
      for (const auto& [density, granularity] : {std::pair{0.5, 1}, {0.9, 1}, {0.6, 40}, {1.0, 1}}) {
        INFO(to_string(extent) << ", density " << density << ", granularity " << granularity);
        const BitVolume image = random_image(extent, density, granularity, static_cast<std::uint32_t>(width));
        const Labeling labeled = cpu::make_runs_in_strips(connectivity, 0)->label(image.view());
        const Label count = labeled.labels->count();
        std::vector<Label> map(std::size_t{count} + 1);
        for (Label label = 1; label <= count; ++label) map[label] = label % 3 == 0 ? 0 : count + 1 - label;
        for (const Label* mapped :
             {static_cast<const Label*>(nullptr), static_cast<const Label*>(map.data())}) {
          expect_rendered<std::uint32_t>(*labeled.labels, 0, extent.rows(), mapped);
          expect_rendered<std::uint16_t>(*labeled.labels, 1, extent.rows() - 1, mapped);
          if (count < 256) expect_rendered<std::uint8_t>(*labeled.labels, 2, 1, mapped);
        }
      }
    }
}

TEST_CASE("labels that need all bits of their type are rendered as they are") {
  const BitVolume image = random_image({77, 1}, 0.5, 1, 1);
  const Labeling labeled = cpu::make_runs_in_strips(Connectivity::c4, 0)->label(image.view());
  std::vector<Label> map(std::size_t{labeled.labels->count()} + 1);
  for (const Label most : {0xffu, 0xffffu, 0xffffffffu}) {
    for (Label label = 1; label < map.size(); ++label) map[label] = most - label % 2;
    expect_rendered<std::uint32_t>(*labeled.labels, 0, 1, map.data());
    if (most <= 0xffff) expect_rendered<std::uint16_t>(*labeled.labels, 0, 1, map.data());
    if (most <= 0xff) expect_rendered<std::uint8_t>(*labeled.labels, 0, 1, map.data());
  }
}

TEST_CASE("a row is written run by run") {
  std::mt19937 random(1);
  for (int width = 1; width < 700; width += 7) {
    std::vector<std::uint16_t> row(static_cast<std::size_t>(width) + 64, 99), expected = row;
    std::fill_n(expected.begin(), width, std::uint16_t{0});
    cpu::RowWriter<std::uint16_t> writer(row.data(), width);
    const auto longest = random() % 2 == 0 ? 5u : 300u;
    for (int begin = static_cast<int>(random() % longest); begin < width;) {
      const int end = std::min(width, begin + 1 + static_cast<int>(random() % longest));
      const auto value = static_cast<std::uint16_t>(random());
      writer.run(begin, end, value);
      std::fill(expected.begin() + begin, expected.begin() + end, value);
      begin = end + 1 + static_cast<int>(random() % longest);
    }
    writer.finish();
    REQUIRE(row == expected);
  }
}
