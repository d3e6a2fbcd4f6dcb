#include "cpu/runs/run_labels.hpp"

#include "cpu/runs/row_writer.hpp"

namespace gpuccl::cpu {

template <class T>
void RunLabels::draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const {
  const Extent extent = bundles_.image().extent;
  int y = static_cast<int>(first_row % extent.height), z = static_cast<int>(first_row / extent.height);
  for (; rows > 0; --rows, out += extent.width) {
    RowWriter<T> writer(out, extent.width);
    for_each_labeled_run(y, z, [&](int begin, int end, Label label) {
      writer.run(begin, end, static_cast<T>(map != nullptr ? map[label] : label));
    });
    writer.finish();
    if (++y == extent.height) {
      y = 0;
      ++z;
    }
  }
}

void RunLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  std::visit([&](auto* to) { draw(first_row, rows, to, map); }, out);
}

}  // namespace gpuccl::cpu
