#pragma once

#include <cstdint>

#include "cpu/runs/row_writer.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

/// Row y of slice z of labels that know their runs, as for_each_labeled_run(y, z, visit).
template <class Labels, class T>
void draw_row(const Labels& labels, int y, int z, T* out, const Label* map) {
  RowWriter<T> writer(out, labels.extent().width);
  labels.for_each_labeled_run(y, z, [&](int begin, int end, Label label) {
    writer.run(begin, end, static_cast<T>(map != nullptr ? map[label] : label));
  });
  writer.finish();
}

/// LabelSource::list_runs for these labels.
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
