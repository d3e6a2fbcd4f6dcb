#include "cuda/runtime/streamed_labels.hpp"

#include <algorithm>
#include <utility>

#include "cuda/runtime/current_device.hpp"

namespace gpuccl::cuda {
namespace {

constexpr const char* kDownloading = "downloading labels";

}  // namespace

StreamedLabels::StreamedLabels(const LabelLayout& layout, DeviceBuffer<Label> memory, const Stream& stream,
                               std::shared_ptr<Downloads> downloads, std::size_t window_bytes)
    : layout_(layout),
      memory_(std::move(memory)),
      downloads_(std::move(downloads)),
      window_rows_(static_cast<std::int64_t>(
          std::max<std::size_t>(1, window_bytes / std::max<std::size_t>(1, layout.row_bytes())))) {
  complete_.record(stream.get(), kDownloading);
  set_out(0);
}

StreamedLabels::~StreamedLabels() {
  if (coming_.valid()) coming_.wait();  // nothing reads the memory any more
  downloads_->on_device.give_back(std::move(memory_));
}

StreamedLabels::Window StreamedLabels::download(Window window, std::int64_t first_row) const {
  const CurrentDevice here(layout_.gpu);
  if (window.labels == nullptr)
    window.labels = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(window_rows_) *
                                                                layout_.row_bytes());
  window.begin = first_row;
  window.end = std::min(first_row + window_rows_, layout_.extent.rows());
  const auto* const from = reinterpret_cast<const std::byte*>(memory_.data()) +
                           static_cast<std::size_t>(first_row) * layout_.pitch_bytes();
  const std::lock_guard lock(downloads_->one);
  downloads_->stream.wait_for(complete_, kDownloading);
  downloads_->ring.download(from, layout_.pitch_bytes(), window.labels.get(), layout_.row_bytes(),
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
  if (first_row >= layout_.extent.rows()) return;
  // Without a thread to be had, when it is asked for.
  constexpr auto kInBackground = std::launch::async | std::launch::deferred;
  coming_ = std::async(kInBackground, [this, first_row, memory = unused()]() mutable {
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

void StreamedLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out,
                            const Label* map) const {
  for (const Window& window : here_) {
    const std::int64_t begin = std::max(first_row, window.begin);
    const std::int64_t end = std::min(first_row + rows, window.end);
    if (begin >= end) continue;
    const auto gone = static_cast<std::size_t>(begin - window.begin) * layout_.row_bytes();
    copy_rows(layout_, window.labels.get() + gone, end - begin, out, map);
  }
}

}  // namespace gpuccl::cuda
