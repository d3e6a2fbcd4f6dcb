#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/pinned_ring.hpp"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cuda {

/// A finished label image on a device.
struct DeviceLabels {
  int gpu = 0;
  DeviceBuffer<Label> memory;
  Extent extent;
  Label count = 0;
  std::size_t pitch = 0;  // labels from one row to the next
  int bytes_a_label = 4;  // or 2
};

/// What labels come down by, one piece at a time.
struct Downloads {
  std::mutex one;
  Stream stream;
  PinnedRing ring;
};

/// Labels that come down from the device a window of rows at a time. While the rows of one are rendered, the
/// next is on its way.
class StreamedLabels final : public LabelSource {
 public:
  /// `labels` are complete. A window is a whole number of rows, so larger than `window_bytes` where a row is.
  StreamedLabels(DeviceLabels labels, std::shared_ptr<Downloads> downloads, std::size_t window_bytes);

  Extent extent() const override { return labels_.extent; }
  Label count() const override { return labels_.count; }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override;
  void render(std::int64_t first_row, std::int64_t rows, std::uint8_t* out, const Label* map) const override;
  void render(std::int64_t first_row, std::int64_t rows, std::uint16_t* out, const Label* map) const override;
  void render(std::int64_t first_row, std::int64_t rows, std::uint32_t* out, const Label* map) const override;

 private:
  struct Window {
    std::int64_t begin = 0, end = 0;  // rows
    std::unique_ptr<std::byte[]> labels;
  };

  std::size_t row_bytes() const;
  Window download(Window window, std::int64_t first_row) const;
  Window next(std::int64_t first_row) const;
  void set_out(std::int64_t first_row) const;
  Window unused() const;
  template <class T>
  void draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const;

  DeviceLabels labels_;
  std::shared_ptr<Downloads> downloads_;
  std::int64_t window_rows_;

  // Only prepare() changes these.
  mutable std::vector<Window> here_;    // each begins where the one before ends
  mutable std::vector<Window> unused_;  // their memory is used again
  mutable std::future<Window> coming_;  // what follows
};

}  // namespace gpuccl::cuda
