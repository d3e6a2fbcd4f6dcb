#include <algorithm>
#include <utility>

#include "app/view/pages.hpp"
#include "app/view/view_layers.hpp"

namespace gpuccl::app {
namespace {

constexpr std::size_t kMostRuns = 4u << 20, kMostRows = 2u << 20;
constexpr int kFewSlices = 64;  // if there are more, slices are left out before elements

void append_number(std::vector<std::uint8_t>& out, std::uint64_t number) {
  for (; number >= 128; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 128));
  out.push_back(static_cast<std::uint8_t>(number));
}

}  // namespace

std::int64_t ViewLabels::most_bytes(std::int64_t rows, std::int64_t runs) {
  // Vectors that grow have twice as much, and what is packed from them is smaller.
  return 2 * (std::min<std::int64_t>(kMostRuns, runs) * static_cast<std::int64_t>(sizeof(LabelRun)) +
              std::min<std::int64_t>(kMostRows, rows) * static_cast<std::int64_t>(sizeof(Row)));
}

ViewLabels::ViewLabels(const io::MappedLabels& labels) : extent_(labels.labels.extent()) {
  LabelRuns row;
  std::int64_t ready = 0;
  for (int z = 0; z < extent_.depth; ++z)
    for (int y = 0; y < extent_.height; ++y) {
      if (!is_shown(y, z)) continue;
      const std::int64_t r = std::int64_t{z} * extent_.height + y;
      if (r >= ready) ready = labels.labels.prepare(r, 1);
      io::list_runs(labels, r, 1, row);
      const std::size_t begin = runs_.size();
      for (const LabelRun& run : row.runs) add(run, factor_, begin);
      rows_.push_back({y, z, runs_.size()});
      while (runs_.size() > kMostRuns || rows_.size() > kMostRows) thin_out();
    }
}

/// Adds every `by`-th element of a run to the row whose runs begin at `row_begin`.
void ViewLabels::add(const LabelRun& run, int by, std::size_t row_begin) {
  const auto first_from = [by](int x) { return static_cast<int>((std::int64_t{x} + by - 1) / by); };
  const LabelRun left{first_from(run.begin), first_from(run.end), run.label};
  if (left.begin == left.end) return;
  if (runs_.size() > row_begin && runs_.back().end == left.begin && runs_.back().label == left.label)
    runs_.back().end = left.end;
  else
    runs_.push_back(left);
}

void ViewLabels::thin_out() {
  const bool by_slices = depth() > kFewSlices;
  (by_slices ? step_ : factor_) *= 2;
  const std::vector<LabelRun> runs = std::exchange(runs_, {});
  std::vector<Row> rows = std::exchange(rows_, {});
  std::size_t begin = 0;
  for (const Row& row : rows) {
    if (is_shown(row.y, row.z)) {
      const std::size_t first = runs_.size();
      for (std::size_t i = begin; i < row.end; ++i) add(runs[i], by_slices ? 1 : 2, first);
      rows_.push_back({row.y, row.z, runs_.size()});
    }
    begin = row.end;
  }
}

/// Returns four streams: the number of runs of each row; the distance of a run from the one before, or from
/// the beginning of its row; its length minus 1; and the difference of its label from the one before, n as 2
/// n and -n as 2 n - 1.
std::vector<std::vector<std::uint8_t>> ViewLabels::streams() const {
  std::vector<std::vector<std::uint8_t>> out(4);
  std::size_t i = 0;
  std::int64_t last = 0;
  for (const Row& row : rows_) {
    append_number(out[0], row.end - i);
    int x = 0;
    for (; i < row.end; ++i) {
      const LabelRun& run = runs_[i];
      append_number(out[1], static_cast<std::uint64_t>(run.begin - x));
      append_number(out[2], static_cast<std::uint64_t>(run.end - run.begin - 1));
      const std::int64_t more = std::int64_t{run.label} - last;
      append_number(out[3], static_cast<std::uint64_t>(more < 0 ? -2 * more - 1 : 2 * more));
      x = run.end;
      last = run.label;
    }
  }
  return out;
}

std::vector<std::string> ViewLabels::pack(std::size_t most_bytes) {
  for (;;) {
    std::vector<std::string> lines = packed(streams());
    if (bytes_of(lines) <= most_bytes || (width() == 1 && height() == 1 && depth() == 1)) return lines;
    thin_out();
  }
}

}  // namespace gpuccl::app
