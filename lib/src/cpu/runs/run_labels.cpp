#include "cpu/runs/run_labels.hpp"

#include <algorithm>
#include <utility>

#include "cpu/runs/label_rows.hpp"
#include "cpu/runs/row_writer.hpp"

namespace gpuccl::cpu {

template <class T>
void RunLabels::draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const {
  const Extent extent = bundles_.image().extent;
  const bool by_vectors = can_draw_label_rows();
  BundleLabels labels;
  std::int64_t labels_are_of = -1;
  int y = static_cast<int>(first_row % extent.height), z = static_cast<int>(first_row / extent.height);
  for (; rows > 0; --rows, out += extent.width) {
    if (by_vectors) {
      Bundles::Place place = bundles_.holding(y, z);
      const BundleRows bundle = bundles_.rows(place);
      if (std::exchange(labels_are_of, place.bundle) != place.bundle) {
        const Label* const first = labels_of(place);
        bundles_.next(place);
        labels.assign(first, labels_of(place), map);
      }
      draw_label_row(bundles_.row_set(), bundle, bundles_.image().row(y, z), extent.width, labels.data(),
                     out);
    } else {
      RowWriter<T> writer(out, extent.width);
      for_each_labeled_run(y, z, [&](int begin, int end, Label label) {
        writer.run(begin, end, static_cast<T>(map != nullptr ? map[label] : label));
      });
      writer.finish();
    }
    if (++y == extent.height) {
      y = 0;
      ++z;
    }
  }
}

void RunLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  std::visit([&](auto* to) { draw(first_row, rows, to, map); }, out);
}

void RunLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const {
  const std::int64_t height = bundles_.image().extent.height;
  out.runs.clear();
  out.ends.clear();
  for (std::int64_t row = first_row; row < first_row + rows; ++row) {
    for_each_labeled_run(static_cast<int>(row % height), static_cast<int>(row / height),
                         [&](int begin, int end, Label label) {
                           if (map != nullptr) label = map[label];
                           if (label != 0) out.runs.push_back({begin, end, label});
                         });
    out.ends.push_back(out.runs.size());
  }
}

RunLabels RunLabels::part(BitView image, std::int64_t first_row, Label before, Label count) const {
  Bundles bundles(image, bundles_.row_set());
  const Index* const first = runs_before_.data() + first_row / bundles.height();
  std::vector<Index> runs_before(static_cast<std::size_t>(bundles.count()) + 1);
  std::transform(first, first + runs_before.size(), runs_before.begin(),
                 [first](Index runs) { return runs - *first; });
  auto labels = std::make_unique_for_overwrite<Label[]>(runs_before.back());
  std::transform(label_of_run_.get() + *first, label_of_run_.get() + *first + runs_before.back(),
                 labels.get(), [before](Label label) { return label - before; });
  return {std::move(bundles), std::move(runs_before), std::move(labels), count};
}

}  // namespace gpuccl::cpu
