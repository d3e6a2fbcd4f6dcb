#include "cuda/runtime/pinned_ring.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

namespace gpuccl::cuda {
namespace {

constexpr const char* kUploading = "uploading";
constexpr const char* kDownloading = "downloading";

/// One core alone copies slower than the bus.
void parallel_copy(const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr std::size_t kGrain = std::size_t{512} << 10;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, bytes, kGrain), [&](const auto& range) {
    std::memcpy(to + range.begin(), from + range.begin(), range.size());
  });
}

}  // namespace

PinnedRing::~PinnedRing() {
  for (Slot& slot : slots_)
    if (slot.memory != nullptr) cudaFreeHost(slot.memory);
}

PinnedRing::Slot& PinnedRing::next_slot() {
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % kSlots;
  if (slot.memory == nullptr) {
    if (!slot.copied) slot.copied.emplace(Event::Purpose::waiting);
    void* memory = nullptr;
    check(cudaMallocHost(&memory, kSlotBytes), "page-locking memory for transfers");
    slot.memory = static_cast<std::byte*>(memory);
  } else {
    slot.copied->wait("transferring");
  }
  return slot;
}

void PinnedRing::upload(const void* from, void* to, std::size_t bytes, const Stream& stream) {
  for (std::size_t done = 0; done < bytes; done += kSlotBytes) {
    const std::size_t now = std::min(kSlotBytes, bytes - done);
    Slot& slot = next_slot();
    parallel_copy(static_cast<const std::byte*>(from) + done, slot.memory, now);
    check(cudaMemcpyAsync(static_cast<std::byte*>(to) + done, slot.memory, now, cudaMemcpyHostToDevice,
                          stream.get()),
          kUploading);
    slot.copied->record(stream.get(), kUploading);
  }
}

void PinnedRing::deliver(Slot& slot) {
  if (slot.bytes == 0) return;
  slot.copied->wait(kDownloading);
  parallel_copy(slot.memory, slot.to, slot.bytes);
  slot.bytes = 0;
}

void PinnedRing::download(const void* from, std::size_t from_pitch, void* to, std::size_t row_bytes,
                          std::size_t rows, const Stream& stream) {
  if (row_bytes == 0) return;
  if (from_pitch == row_bytes) {  // no gaps: any cut will do
    row_bytes *= rows;
    from_pitch = row_bytes;
    rows = 1;
  }
  for (Slot& slot : slots_) slot.bytes = 0;  // a download that failed may have left something
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  // A slot takes whole rows, or a piece of one row that is longer than a slot.
  const std::size_t width = std::min(row_bytes, kSlotBytes);
  const std::size_t height = kSlotBytes / width;
  for (std::size_t row = 0; row < rows; row += height)
    for (std::size_t column = 0; column < row_bytes; column += width) {
      const std::size_t now_wide = std::min(width, row_bytes - column);
      const std::size_t now_high = std::min(height, rows - row);
      deliver(slots_[next_]);
      Slot& slot = next_slot();
      // A pitch has a limit, which a single long row passes.
      check(cudaMemcpy2DAsync(slot.memory, now_wide, source + row * from_pitch + column,
                              now_high > 1 ? from_pitch : now_wide, now_wide, now_high,
                              cudaMemcpyDeviceToHost, stream.get()),
            kDownloading);
      slot.copied->record(stream.get(), kDownloading);
      slot.to = target + row * row_bytes + column;
      slot.bytes = now_wide * now_high;
    }
  for (std::size_t i = 0; i < kSlots; ++i) deliver(slots_[(next_ + i) % kSlots]);
}

}  // namespace gpuccl::cuda
