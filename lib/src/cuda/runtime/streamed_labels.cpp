#include "cuda/runtime/streamed_labels.hpp"

#include <algorithm>
#include <utility>

#include "common/copy_labels.hpp"

namespace gpuccl::cuda {

StreamedLabels::StreamedLabels(DeviceLabels labels, std::shared_ptr<Downloads> downloads,
                               std::size_t window_bytes)
    : labels_(std::move(labels)),
      downloads_(std::move(downloads)),
      window_rows_(static_cast<std::int64_t>(
          std::max<std::size_t>(1, window_bytes / std::max<std::size_t>(1, row_bytes())))) {
  set_out(0);
}

std::size_t StreamedLabels::row_bytes() const {
  return static_cast<std::size_t>(labels_.extent.width) * static_cast<std::size_t>(labels_.bytes_a_label);
}

StreamedLabels::Window StreamedLabels::download(Window window, std::int64_t first_row) const {
  check(cudaSetDevice(labels_.gpu), "selecting the device");
  if (window.labels == nullptr)
    window.labels =
        std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(window_rows_) * row_bytes());
  window.begin = first_row;
  window.end = std::min(first_row + window_rows_, labels_.extent.rows());
  const std::size_t pitch = labels_.pitch * static_cast<std::size_t>(labels_.bytes_a_label);
  const auto* const from =
      reinterpret_cast<const std::byte*>(labels_.memory.data()) + static_cast<std::size_t>(first_row) * pitch;
  const std::lock_guard lock(downloads_->one);
  downloads_->ring.download(from, pitch, window.labels.get(), row_bytes(),
                            static_cast<std::size_t>(window.end - window.begin), downloads_->stream);
  return window;
}

StreamedLabels::Window StreamedLabels::unused() const {
  if (unused_.empty()) return {};
  Window window = std::move(unused_.back());
  unused_.pop_back();
  return window;
}

/// The window with `first_row`, and the one after it set out.
StreamedLabels::Window StreamedLabels::next(std::int64_t first_row) const {
  Window window;
  if (coming_.valid()) window = coming_.get();
  if (first_row < window.begin || first_row >= window.end) window = download(std::move(window), first_row);
  set_out(window.end);
  return window;
}

void StreamedLabels::set_out(std::int64_t first_row) const {
  if (first_row >= labels_.extent.rows()) return;
  coming_ = std::async(std::launch::async, [this, first_row, memory = unused()]() mutable {
    return download(std::move(memory), first_row);
  });
}

std::int64_t StreamedLabels::prepare(std::int64_t first_row, std::int64_t rows) const {
  const bool again = !here_.empty() && first_row < here_.front().begin;
  const auto gone = [&](const Window& window) { return again || window.end <= first_row; };
  while (!here_.empty() && gone(here_.front())) {
    unused_.push_back(std::move(here_.front()));
    here_.erase(here_.begin());
  }
  while (here_.empty() || here_.back().end < first_row + rows)
    here_.push_back(next(here_.empty() ? first_row : here_.back().end));
  return here_.back().end;
}

template <class T>
void StreamedLabels::draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const {
  for (const Window& window : here_) {
    const std::int64_t begin = std::max(first_row, window.begin);
    const std::int64_t end = std::min(first_row + rows, window.end);
    if (begin >= end) continue;
    const std::byte* const from =
        window.labels.get() + static_cast<std::size_t>(begin - window.begin) * row_bytes();
    const std::int64_t count = (end - begin) * labels_.extent.width;
    out = labels_.bytes_a_label == 2
              ? copy_labels(reinterpret_cast<const std::uint16_t*>(from), count, out, map)
              : copy_labels(reinterpret_cast<const Label*>(from), count, out, map);
  }
}

void StreamedLabels::render(std::int64_t first_row, std::int64_t rows, std::uint8_t* out,
                            const Label* map) const {
  draw(first_row, rows, out, map);
}
void StreamedLabels::render(std::int64_t first_row, std::int64_t rows, std::uint16_t* out,
                            const Label* map) const {
  draw(first_row, rows, out, map);
}
void StreamedLabels::render(std::int64_t first_row, std::int64_t rows, std::uint32_t* out,
                            const Label* map) const {
  draw(first_row, rows, out, map);
}

}  // namespace gpuccl::cuda
