#include "cuda/runtime/pinned_labels.hpp"

#include <utility>

#include "cuda/runtime/current_device.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl::cuda {
namespace {

constexpr const char* kDownloading = "downloading labels";

}  // namespace

PinnedLabels::PinnedLabels(const LabelLayout& layout, const Label* memory, const Stream& stream,
                           std::shared_ptr<Downloads> downloads)
    : layout_(layout), downloads_(std::move(downloads)), labels_(downloads_->on_host.take()) {
  if (layout_.bytes() == 0) return;
  labels_.reserve(layout_.bytes(), "page-locking memory for labels");
  check(cudaMemcpy2DAsync(labels_.data(), layout_.row_bytes(), memory, layout_.pitch_bytes(),
                          layout_.row_bytes(), static_cast<std::size_t>(layout_.extent.rows()),
                          cudaMemcpyDeviceToHost, stream.get()),
        kDownloading);
  here_.record(stream.get(), kDownloading);
}

PinnedLabels::~PinnedLabels() {
  try {
    prepare(0, 0);
    downloads_->on_host.give_back(std::move(labels_));
  } catch (const Error&) {
    // The device is lost; nothing writes to the memory any more.
  }
}

std::int64_t PinnedLabels::prepare(std::int64_t, std::int64_t) const {
  const CurrentDevice here(layout_.gpu);
  here_.wait(kDownloading);
  return layout_.extent.rows();
}

void PinnedLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  const std::byte* const from = labels_.data() + static_cast<std::size_t>(first_row) * layout_.row_bytes();
  copy_rows(layout_, from, rows, out, map);
}

}  // namespace gpuccl::cuda
