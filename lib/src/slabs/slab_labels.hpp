#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/labels_in_memory.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "slabs/faces.hpp"
#include "slabs/slab_merger.hpp"

namespace gpuccl {

/// As LabelRows::render(), with two maps applied one after the other. The second may be null.
template <class T>
void render_mapped(const LabelRows& labels, std::int64_t first_row, std::int64_t rows, T* out,
                   const Label* map, const Label* second) {
  if (second == nullptr) return labels.render(first_row, rows, out, map);
  const std::int64_t elements = rows * labels.extent().width;
  std::vector<Label> drawn(static_cast<std::size_t>(elements));
  labels.render(first_row, rows, drawn.data(), map);
  copy_labels(drawn.data(), elements, out, second);
}

/// Bits and labels of one slab.
struct LabeledSlab {
  BitVolume bits;    // empty if the labels do not need them
  Labeling labeled;  // may refer to the bits
};

/// The labels of a whole with one slab at a time in memory.
class LazySlabLabels final : public LabelRows {
 public:
  /// `label` reads and labels a slab.
  LazySlabLabels(Extent extent, std::vector<Slab> slabs,
                 std::function<std::unique_ptr<LabeledSlab>(const Slab& slab)> label,
                 SlabComponents components)
      : extent_(extent),
        slabs_(std::move(slabs)),
        label_(std::move(label)),
        components_(std::move(components)) {}

  Extent extent() const override { return extent_; }
  Label count() const override { return components_.count(); }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override;
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  template <class T>
  void draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const;
  void keep_from(std::int64_t row) const;
  void load(std::size_t slab) const;

  Extent extent_;
  std::vector<Slab> slabs_;
  std::function<std::unique_ptr<LabeledSlab>(const Slab& slab)> label_;
  SlabComponents components_;

  // State of rendering: one slab in memory, and rendered rows of the slab before it, which was freed. Only
  // prepare() changes it.
  mutable std::size_t next_ = 0;  // the slab after the one in memory
  mutable std::unique_ptr<LabeledSlab> slab_;
  mutable RowRange slab_rows_;
  mutable std::vector<Label> before_;
  mutable std::int64_t before_begin_ = 0;
};

/// The labels of a whole in parts. At most one of them may have labels that must be prepared.
class JoinedLabels final : public LabelRows {
 public:
  struct Part {
    RowRange rows;  // of the whole
    std::shared_ptr<const LabelRows> labels;
    std::vector<Label> numbers;  // final label of each label of the part, and of 0; empty: unchanged

    const Label* map() const { return numbers.empty() ? nullptr : numbers.data(); }
  };

  /// `parts`: in the order of their rows. Rows without a part cannot be rendered. `prepared`: the part whose
  /// labels must be prepared; by default the only part, if there is one.
  JoinedLabels(Extent extent, std::vector<Part> parts, Label count, std::optional<std::size_t> prepared = {})
      : extent_(extent), parts_(std::move(parts)), count_(count), prepared_(prepared) {
    if (parts_.size() == 1) prepared_ = 0;
  }

  Extent extent() const override { return extent_; }
  Label count() const override { return count_; }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override;
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  template <class Visit>
  void for_each_part(std::int64_t first_row, std::int64_t rows, Visit visit) const;

  Extent extent_;
  std::vector<Part> parts_;
  Label count_;
  std::optional<std::size_t> prepared_;
};

}  // namespace gpuccl
