#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {

/// The labels of a whole in parts: of several, all in memory, or of one alone.
class JoinedLabels final : public LabelSource {
 public:
  struct Part {
    RowRange rows;  // of the whole
    std::unique_ptr<LabelSource> labels;
    std::vector<Label> numbers;  // of the whole, for each label of the part, and 0; empty: the same

    const Label* map() const { return numbers.empty() ? nullptr : numbers.data(); }
  };

  /// In the order of their rows; rows of which there is no part cannot be rendered.
  JoinedLabels(Extent extent, std::vector<Part> parts, Label count)
      : extent_(extent), parts_(std::move(parts)), count_(count) {}

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
};

}  // namespace gpuccl
