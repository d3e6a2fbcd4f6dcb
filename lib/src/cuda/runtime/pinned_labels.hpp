#pragma once

#include <memory>

#include "cuda/runtime/device_labels.hpp"

namespace gpuccl::cuda {

/// Labels that come down in one piece, straight to where they are rendered from.
class PinnedLabels final : public LabelSource {
 public:
  /// Enqueues their way down. `memory` may be written to by what comes later in the stream.
  PinnedLabels(const LabelLayout& layout, const Label* memory, const Stream& stream,
               std::shared_ptr<Downloads> downloads);
  ~PinnedLabels() override;
  PinnedLabels(const PinnedLabels&) = delete;
  PinnedLabels& operator=(const PinnedLabels&) = delete;

  Extent extent() const override { return layout_.extent; }
  Label count() const override { return layout_.count; }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override;
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;

 private:
  LabelLayout layout_;
  std::shared_ptr<Downloads> downloads_;
  PinnedMemory labels_;
  Event here_{Event::Purpose::waiting};
};

}  // namespace gpuccl::cuda
