#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "slabs/slab_components.hpp"
#include "slabs/slab_labels.hpp"

namespace gpuccl {

/// The labels of a whole of which all slabs are in memory.
class JoinedLabels final : public LabelSource {
 public:
  /// Those of the slabs, in their order.
  JoinedLabels(Extent extent, std::vector<RowRange> rows, std::vector<std::unique_ptr<LabelSource>> slabs,
               SlabComponents components)
      : extent_(extent),
        rows_(std::move(rows)),
        slabs_(std::move(slabs)),
        components_(std::move(components)) {}

  Extent extent() const override { return extent_; }
  Label count() const override { return components_.count(); }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  template <class Visit>
  void for_each_slab(std::int64_t first_row, std::int64_t rows, Visit visit) const;

  Extent extent_;
  std::vector<RowRange> rows_;
  std::vector<std::unique_ptr<LabelSource>> slabs_;
  SlabComponents components_;
};

}  // namespace gpuccl
