#pragma once

#include <cstddef>
#include <memory>

#include "common/copy_labels.hpp"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/memory_pool.hpp"
#include "cuda/runtime/pinned_memory.hpp"
#include "cuda/runtime/pinned_ring.hpp"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cuda {

/// How the labels of an image lie on the device.
struct LabelLayout {
  int gpu = 0;
  Extent extent;
  Label count = 0;
  std::size_t pitch = 0;  // labels from one row to the next
  int bytes_a_label = 4;  // or 2

  std::size_t pitch_bytes() const { return pitch * static_cast<std::size_t>(bytes_a_label); }
  /// Of a row without its padding, as rows lie on the host.
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(bytes_a_label);
  }
  std::size_t bytes() const { return row_bytes() * static_cast<std::size_t>(extent.rows()); }
};

/// Copies `rows` rows that lie on the host to where LabelSource::render writes; moves `out` behind them.
inline void copy_rows(const LabelLayout& layout, const std::byte* from, std::int64_t rows, LabelsOut& out,
                      const Label* map) {
  const std::int64_t count = rows * layout.extent.width;
  std::visit(
      [&](auto*& to) {
        to = layout.bytes_a_label == 2
                 ? copy_labels(reinterpret_cast<const std::uint16_t*>(from), count, to, map)
                 : copy_labels(reinterpret_cast<const Label*>(from), count, to, map);
      },
      out);
}

/// What the labels of one image after another come down by.
struct Downloads {
  MemoryPool<PinnedMemory> on_host;           // for those that come down in one piece
  MemoryPool<DeviceBuffer<Label>> on_device;  // of those that came down window by window

  std::mutex one;  // held by whoever uses what follows, for those that come down window by window
  Stream stream;
  PinnedRing ring;
};

/// Labels in `memory`, complete when `stream` has come so far, on their way to who reads them in ascending
/// order. Those larger than `window_bytes` take the memory with them, and give it to downloads->on_device in
/// the end.
std::unique_ptr<LabelSource> bring_down(const LabelLayout& layout, DeviceBuffer<Label>& memory,
                                        std::size_t window_bytes, const Stream& stream,
                                        const std::shared_ptr<Downloads>& downloads);

}  // namespace gpuccl::cuda
