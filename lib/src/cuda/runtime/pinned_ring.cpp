#include "cuda/runtime/pinned_ring.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

namespace gpuccl::cuda {

void by_all_threads(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work) {
  constexpr std::size_t kGrain = 1 << 13;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kGrain),
                    [&](const auto& range) { work(range.begin(), range.end()); });
}

void touch_by_all_threads(void* memory, std::size_t bytes) {
  constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
  auto* const begin = static_cast<std::byte*>(memory);
  tbb::parallel_for(std::size_t{0}, (bytes + kHugePage - 1) / kHugePage, [=](std::size_t i) {
    const std::size_t end = std::min((i + 1) * kHugePage, bytes);
    for (std::size_t at = i * kHugePage; at < end; at += kPage) begin[at] = std::byte{0};
  });
}

namespace {

constexpr const char* kUploading = "uploading";
constexpr const char* kDownloading = "downloading";
constexpr std::size_t kGrain = std::size_t{512} << 10;  // bytes per task

/// Copies with several threads, because one core is slower than the bus.
void parallel_copy(const std::byte* from, std::byte* to, std::size_t bytes) {
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

/// Calls visit(piece) for pieces of rows: several whole rows, or a part of one row that is longer than a
/// slot.
template <class Visit>
void PinnedRing::for_each_piece(std::size_t pitch, std::size_t row_bytes, std::size_t rows, Visit visit) {
  if (pitch == row_bytes) {  // no gaps: rows may be cut anywhere
    row_bytes *= rows;
    rows = 1;
  }
  if (row_bytes == 0) return;
  const std::size_t width = std::min(row_bytes, kSlotBytes);
  const std::size_t height = kSlotBytes / width;
  for (std::size_t row = 0; row < rows; row += height)
    for (std::size_t column = 0; column < row_bytes; column += width)
      visit(SlotContent{row, column, std::min(height, rows - row), std::min(width, row_bytes - column)});
}

void PinnedRing::upload(BitView image, void* to, const Stream& stream) {
  const auto* const source = reinterpret_cast<const std::byte*>(image.words);
  auto* const target = static_cast<std::byte*>(to);
  const auto pitch = static_cast<std::size_t>(image.row_pitch) * sizeof(*image.words);
  const auto row_bytes = static_cast<std::size_t>(words_per_row(image.extent.width)) * sizeof(*image.words);
  for_each_piece(pitch, row_bytes, static_cast<std::size_t>(image.extent.rows()),
                 [&](const SlotContent& piece) {
                   Slot& slot = next_slot();
                   for (std::size_t i = 0; i < piece.rows; ++i)
                     parallel_copy(source + (piece.row + i) * pitch + piece.column,
                                   slot.memory + i * piece.bytes, piece.bytes);
                   check(cudaMemcpyAsync(target + piece.row * row_bytes + piece.column, slot.memory,
                                         piece.rows * piece.bytes, cudaMemcpyHostToDevice, stream.get()),
                         kUploading);
                   slot.copied->record(stream.get(), kUploading);
                 });
}

void PinnedRing::upload(std::size_t row_bytes, std::size_t rows, const DrawRow& draw, void* to,
                        const Stream& stream) {
  const std::size_t width = std::min(row_bytes, kSlotBytes), height = width > 0 ? kSlotBytes / width : 0;
  for (std::size_t row = 0; row < rows && width > 0; row += height)
    for (std::size_t begin = 0; begin < row_bytes; begin += width) {
      const std::size_t end = std::min(begin + width, row_bytes), count = std::min(height, rows - row);
      Slot& slot = next_slot();
      const std::size_t together = std::max<std::size_t>(1, kGrain / (end - begin));
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, together), [&](const auto& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
          draw(row + i, begin, end, slot.memory + i * (end - begin));
      });
      check(cudaMemcpyAsync(static_cast<std::byte*>(to) + row * row_bytes + begin, slot.memory,
                            count * (end - begin), cudaMemcpyHostToDevice, stream.get()),
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
  for (Slot& slot : slots_) slot.bytes = 0;  // a failed download may have left data
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  touch_by_all_threads(to, row_bytes * rows);
  for_each_piece(from_pitch, row_bytes, rows, [&](const SlotContent& piece) {
    deliver(slots_[next_]);
    Slot& slot = next_slot();
    // CUDA limits pitches. A single long row may exceed the limit, so it gets the pitch of its piece.
    check(cudaMemcpy2DAsync(slot.memory, piece.bytes, source + piece.row * from_pitch + piece.column,
                            piece.rows > 1 ? from_pitch : piece.bytes, piece.bytes, piece.rows,
                            cudaMemcpyDeviceToHost, stream.get()),
          kDownloading);
    slot.copied->record(stream.get(), kDownloading);
    slot.to = target + piece.row * row_bytes + piece.column;
    slot.bytes = piece.bytes * piece.rows;
  });
  for (std::size_t i = 0; i < kSlots; ++i) deliver(slots_[(next_ + i) % kSlots]);
}

void PinnedRing::download(const void* from, std::size_t count, std::size_t entry_bytes,
                          const TakeEntries& take, const Stream& stream) {
  const std::size_t at_once = kSlotBytes / entry_bytes, pieces = (count + at_once - 1) / at_once;
  const std::size_t first_slot = next_;
  const auto entries_of = [&](std::size_t piece) { return std::min(at_once, count - piece * at_once); };
  const auto take_piece = [&](std::size_t piece) {
    Slot& slot = slots_[(first_slot + piece) % kSlots];
    slot.copied->wait(kDownloading);
    take(piece * at_once, entries_of(piece), slot.memory);
  };
  std::size_t taken = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (piece >= kSlots) take_piece(taken++);
    Slot& slot = next_slot();
    const auto* const source = static_cast<const std::byte*>(from) + piece * at_once * entry_bytes;
    check(cudaMemcpyAsync(slot.memory, source, entries_of(piece) * entry_bytes, cudaMemcpyDeviceToHost,
                          stream.get()),
          kDownloading);
    slot.copied->record(stream.get(), kDownloading);
  }
  while (taken < pieces) take_piece(taken++);
}

}  // namespace gpuccl::cuda
