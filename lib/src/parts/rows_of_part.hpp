#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "parts/message.hpp"
#include "periodic/border_runs.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {

void put(Message& message, const BorderRows& rows);
BorderRows take_border_rows(TakenMessage& message);

/// Keeps all of them.
void keep(BorderRuns& borders, const BorderRows& rows);

/// The rows of a part with its halo rows, which parts exchange. Labels of the whole image are listed as
/// number(label).
class RowsOfPart final : public LabelSource {
 public:
  /// `part` must outlive it.
  RowsOfPart(PartLink& link, Extent whole, const RowsAround& reach, const NumberedPart& part,
             const std::function<Label(Label)>& number);

  const RowRange& own() const { return own_; }
  Extent extent() const override { return extent_; }
  Label count() const override { return part_.count; }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override {
    return prepare_own(part_.labels.labels.get(), own_, extent_.rows(), first_row, rows);
  }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  struct Around {
    RowRange rows;
    LabelRuns runs;
  };

  void exchange(PartLink& link, const RowsAround& reach, const std::function<Label(Label)>& number);

  Extent extent_;
  const NumberedPart& part_;
  RowRange own_;
  std::vector<Label> numbers_;  // of the part's own labels
  std::vector<Around> around_;
};

}  // namespace gpuccl
