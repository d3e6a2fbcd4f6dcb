#pragma once

#include <cstddef>
#include <vector>

#include "cpu/runs/bundles.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

inline constexpr int kWidestDrawn = 1 << 18;  // limit for copying the labels of a row or bundle

/// Returns true if the processor has AVX2, which draw_label_row() requires.
bool can_draw_label_rows();

/// The labels of the runs of one bundle, as draw_label_row() reads them: the first label is at index 1, and a
/// whole vector may be read from any label on.
class BundleLabels {
 public:
  void assign(const Label* first, const Label* end, const Label* map) {
    const auto count = static_cast<std::size_t>(end - first);
    constexpr std::size_t kAround = 1 + 8;
    if (labels_.size() < count + kAround) labels_.resize(count + kAround);
    for (std::size_t i = 0; i < count; ++i) labels_[i + 1] = map != nullptr ? map[first[i]] : first[i];
  }
  const Label* data() const { return labels_.data(); }

 private:
  std::vector<Label> labels_;
};

/// Writes the labels of row `row`, which has `width` elements, of the bundle with rows `set`. If `set` is 0,
/// bundle[0] is the first elements of runs, which may touch each other.
template <class T>
void draw_label_row(RowSet set, const BundleRows& bundle, const std::uint32_t* row, int width,
                    const Label* labels, T* out);

}  // namespace gpuccl::cpu
