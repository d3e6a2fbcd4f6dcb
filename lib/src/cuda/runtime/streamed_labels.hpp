#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <vector>

#include "cuda/runtime/device_labels.hpp"

namespace gpuccl::cuda {

/// Labels that come down from the device a window of rows at a time. While the rows of one are rendered, the
/// next is on its way.
class StreamedLabels final : public LabelSource {
 public:
  /// The labels in `memory` are complete when `stream` has come so far. A window is a whole number of rows,
  /// so larger than `window_bytes` where a row is.
  StreamedLabels(const LabelLayout& layout, DeviceBuffer<Label> memory, const Stream& stream,
                 std::shared_ptr<Downloads> downloads, std::size_t window_bytes);
  ~StreamedLabels() override;
  StreamedLabels(const StreamedLabels&) = delete;
  StreamedLabels& operator=(const StreamedLabels&) = delete;

  Extent extent() const override { return layout_.extent; }
  Label count() const override { return layout_.count; }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override;
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;

 private:
  struct Window {
    std::int64_t begin = 0, end = 0;  // rows
    std::unique_ptr<std::byte[]> labels;
  };

  Window download(Window window, std::int64_t first_row) const;
  Window next(std::int64_t first_row) const;
  void set_out(std::int64_t first_row) const;
  Window unused() const;

  LabelLayout layout_;
  DeviceBuffer<Label> memory_;
  std::shared_ptr<Downloads> downloads_;
  Event complete_{Event::Purpose::waiting};
  std::int64_t window_rows_;

  // Only prepare() changes these.
  mutable std::vector<Window> here_;    // each begins where the one before ends
  mutable std::vector<Window> unused_;  // their memory is used again
  mutable std::future<Window> coming_;  // what follows
};

}  // namespace gpuccl::cuda
