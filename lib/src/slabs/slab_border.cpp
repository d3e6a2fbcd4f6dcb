#include "slabs/slab_border.hpp"

#include <algorithm>

namespace gpuccl {

SlabBorder::SlabBorder(const LabelSource& labels, std::int64_t first_row, std::int64_t rows, Label offset) {
  const int width = labels.extent().width;
  std::vector<Label> row(static_cast<std::size_t>(width));
  ends_.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t y = first_row; y < first_row + rows; ++y) {
    labels.render(y, 1, row.data(), nullptr);
    const auto is_set = [](Label label) { return label != 0; };
    for (auto at = row.begin(); (at = std::find_if(at, row.end(), is_set)) != row.end();) {
      const auto end = std::find(at, row.end(), Label{0});  // elements beside each other have one label
      runs_.push_back(
          {static_cast<int>(at - row.begin()), static_cast<int>(end - row.begin()), offset + *at});
      at = end;
    }
    ends_.push_back(runs_.size());
  }
}

}  // namespace gpuccl
