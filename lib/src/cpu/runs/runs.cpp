#include <algorithm>
#include <bit>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/algorithms.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl::cpu {
namespace {

struct Run {
  int begin, end;
};

class RunLabels final : public LabelSource {
 public:
  Extent extent_;
  Label count_ = 0;
  std::vector<Run> runs;
  std::vector<Label> label;
  std::vector<std::size_t> first;  // of each row

  Extent extent() const override { return extent_; }
  Label count() const override { return count_; }
  void render(std::int64_t r, std::int64_t n, std::uint8_t* out, const Label* map) const override {
    draw(r, n, out, map);
  }
  void render(std::int64_t r, std::int64_t n, std::uint16_t* out, const Label* map) const override {
    draw(r, n, out, map);
  }
  void render(std::int64_t r, std::int64_t n, std::uint32_t* out, const Label* map) const override {
    draw(r, n, out, map);
  }

 private:
  template <class T>
  void draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const {
    std::fill_n(out, rows * extent_.width, T{0});
    for (std::int64_t row = first_row; row < first_row + rows; ++row, out += extent_.width)
      for (std::size_t i = first[static_cast<std::size_t>(row)]; i < first[static_cast<std::size_t>(row) + 1];
           ++i)
        std::fill(out + runs[i].begin, out + runs[i].end,
                  static_cast<T>(map != nullptr ? map[label[i]] : label[i]));
  }
};

class Runs final : public Labeler {
 public:
  explicit Runs(Connectivity connectivity) : connectivity_(connectivity) {}

  Labeled label(BitView image) override {
    auto result = std::make_unique<RunLabels>();
    RunLabels& r = *result;
    r.extent_ = image.extent;
    const std::int64_t rows = image.extent.rows();
    Labeled labeled;
    PhaseClock clock{labeled.phases};
    clock("Runs", [&] {
      for (std::int64_t row = 0; row < rows; ++row) {
        r.first.push_back(r.runs.size());
        bool inside = false;
        for (int x = 0; x < image.extent.width; ++x) {
          const bool on = (image.row(row)[x / 32] >> (x % 32) & 1u) != 0;
          if (on && !inside) r.runs.push_back({x, x + 1});
          if (on) r.runs.back().end = x + 1;
          inside = on;
        }
      }
      r.first.push_back(r.runs.size());
      r.label.resize(r.runs.size());
      const UnionFind<ZeroBased, OneThread> forest{r.label.data()};
      for (std::size_t i = 0; i < r.runs.size(); ++i) forest.make_set(static_cast<Index>(i));
      const int height = image.extent.height;
      for (std::int64_t row = 0; row < rows; ++row) {
        const bool below = row % height != 0;
        if (below) join(r, forest, row, row - 1, reach(connectivity_) >= 2);
        if (!is_3d(connectivity_) || row < height) continue;
        join(r, forest, row, row - height, reach(connectivity_) >= 2);
        if (reach(connectivity_) < 2) continue;
        if (below) join(r, forest, row, row - height - 1, reach(connectivity_) >= 3);
        if (row % height != height - 1) join(r, forest, row, row - height + 1, reach(connectivity_) >= 3);
      }
    });
    clock("Number", [&] {
      for (std::size_t i = 0; i < r.label.size(); ++i)
        r.label[i] = r.label[i] == i ? ++r.count_ : r.label[r.label[i]];
    });
    labeled.statistics_ms = milliseconds([&] { measure(r, labeled.components); });
    labeled.labels = std::move(result);
    return labeled;
  }

 private:
  static void join(const RunLabels& r, const UnionFind<ZeroBased, OneThread>& forest, std::int64_t a,
                   std::int64_t b, bool diagonal) {
    const int d = diagonal ? 1 : 0;
    std::size_t i = r.first[static_cast<std::size_t>(a)], j = r.first[static_cast<std::size_t>(b)];
    const std::size_t i_end = r.first[static_cast<std::size_t>(a) + 1],
                      j_end = r.first[static_cast<std::size_t>(b) + 1];
    while (i < i_end && j < j_end) {
      if (r.runs[i].begin < r.runs[j].end + d && r.runs[j].begin < r.runs[i].end + d)
        forest.unite(static_cast<Index>(i), static_cast<Index>(j));
      if (r.runs[i].end < r.runs[j].end)
        ++i;
      else
        ++j;
    }
  }

  static void measure(const RunLabels& r, Components& components) {
    components.resize(r.count_);
    for (Box& box : components.box) box = {{2147483647, 2147483647, 2147483647}, {-1, -1, -1}};
    for (std::int64_t row = 0; row < r.extent_.rows(); ++row)
      for (std::size_t i = r.first[static_cast<std::size_t>(row)];
           i < r.first[static_cast<std::size_t>(row) + 1]; ++i) {
        const std::size_t c = r.label[i] - 1;
        const std::uint64_t length = static_cast<std::uint64_t>(r.runs[i].end - r.runs[i].begin);
        const int y = static_cast<int>(row % r.extent_.height), z = static_cast<int>(row / r.extent_.height);
        components.area[c] += length;
        components.sum[c][0] += length * static_cast<std::uint64_t>(r.runs[i].begin + r.runs[i].end - 1) / 2;
        components.sum[c][1] += length * static_cast<std::uint64_t>(y);
        components.sum[c][2] += length * static_cast<std::uint64_t>(z);
        Box& box = components.box[c];
        box.min = {std::min(box.min[0], r.runs[i].begin), std::min(box.min[1], y), std::min(box.min[2], z)};
        box.max = {std::max(box.max[0], r.runs[i].end - 1), std::max(box.max[1], y), std::max(box.max[2], z)};
      }
  }

  Connectivity connectivity_;
};

}  // namespace

std::unique_ptr<Labeler> make_runs(Connectivity connectivity) { return std::make_unique<Runs>(connectivity); }

}  // namespace gpuccl::cpu
