#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

/// Writes one row from left to right: runs of a value, zeros between them.
///
/// A stretch is written in complete blocks of four vectors. The last block may extend beyond the stretch, and
/// the next stretch overwrites it, so most stretches take one iteration and no remainder. Stretches at the
/// end of the row are written exactly.
template <class T>
class RowWriter {
 public:
  RowWriter(T* row, int width) : row_(row), width_(width) {}

  void run(int begin, int end, T value) {
    zeros(at_, begin);
    stretch(begin, end, value);
    at_ = end;
  }
  void finish() { std::fill(row_ + at_, row_ + width_, T{0}); }

 private:
  using Vector [[gnu::vector_size(16)]] = T;
  static constexpr int kBlock = 4 * sizeof(Vector) / sizeof(T);
  static constexpr int kLong = 8 * kBlock;  // from this length on, memset is faster

  void zeros(int begin, int end) {
    if (end - begin >= kLong) {
      std::fill(row_ + begin, row_ + end, T{0});
    } else if (begin < end) {
      stretch(begin, end, 0);
    }
  }

  void stretch(int begin, int end, T value) {
    if (end > width_ - kBlock) {
      std::fill(row_ + begin, row_ + end, value);
      return;
    }
    const Vector vector = Vector{} + value;
    T* at = row_ + begin;
    do {
      std::memcpy(at, &vector, sizeof vector);
      std::memcpy(at + kBlock / 4, &vector, sizeof vector);
      std::memcpy(at + kBlock / 2, &vector, sizeof vector);
      std::memcpy(at + kBlock / 4 * 3, &vector, sizeof vector);
      at += kBlock;
    } while (at < row_ + end);
  }

  T* row_;
  int width_;
  int at_ = 0;
};

/// Renders row y of slice z of labels that have for_each_labeled_run(y, z, visit).
template <class Labels, class T>
void draw_row(const Labels& labels, int y, int z, T* out, const Label* map) {
  RowWriter<T> writer(out, labels.extent().width);
  labels.for_each_labeled_run(y, z, [&](int begin, int end, Label label) {
    writer.run(begin, end, static_cast<T>(map != nullptr ? map[label] : label));
  });
  writer.finish();
}

/// As LabelRows::list_runs().
template <class Labels>
void list_rows(const Labels& labels, std::int64_t first_row, std::int64_t rows, LabelRuns& out,
               const Label* map) {
  const std::int64_t height = labels.extent().height;
  out.runs.clear();
  out.ends.clear();
  for (std::int64_t row = first_row; row < first_row + rows; ++row) {
    labels.for_each_labeled_run(static_cast<int>(row % height), static_cast<int>(row / height),
                                [&](int begin, int end, Label label) {
                                  out.add({begin, end, map != nullptr ? map[label] : label});
                                });
    out.ends.push_back(out.runs.size());
  }
}

}  // namespace gpuccl::cpu
