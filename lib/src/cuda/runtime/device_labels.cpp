#include "cuda/runtime/device_labels.hpp"

#include <utility>

#include "cuda/runtime/pinned_labels.hpp"
#include "cuda/runtime/streamed_labels.hpp"

namespace gpuccl::cuda {

std::unique_ptr<LabelSource> bring_down(const LabelLayout& layout, DeviceBuffer<Label>& memory,
                                        std::size_t window_bytes, const Stream& stream,
                                        const std::shared_ptr<Downloads>& downloads) {
  if (layout.bytes() <= window_bytes)
    return std::make_unique<PinnedLabels>(layout, memory.data(), stream, downloads);
  return std::make_unique<StreamedLabels>(layout, std::move(memory), stream, downloads, window_bytes);
}

}  // namespace gpuccl::cuda
