#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "cuda/runtime/stream.hpp"
#include "gpuccl/image.hpp"

namespace gpuccl::cuda {

/// Calls work(begin, end) for parts of [0, count), several at once. Defined in a .cpp file, because nvcc need
/// not compile oneTBB.
void by_all_threads(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work);

/// Touches new memory with one thread per huge page: if several threads touched the same huge page first,
/// each would clear a page of its own. The memory's contents are lost.
void touch_by_all_threads(void* memory, std::size_t bytes);

/// Copies between the device and pageable memory through a few small page-locked slots. One slot is filled
/// while others are transferred, so the bus runs at full speed without page-locking whole images.
class PinnedRing {
 public:
  PinnedRing() = default;
  ~PinnedRing();
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;

  /// Uploads the bits of all rows, words_per_row() words each. Returns when the image may change. The data
  /// are on the device when the stream has reached this point.
  void upload(BitView image, void* to, const Stream& stream);

  /// Uploads rows of `row_bytes`, without gaps. draw(row, begin, end, to) produces bytes [begin, end) of a
  /// row, cut at multiples of 8, on several threads at once. Returns as above.
  using DrawRow = std::function<void(std::size_t row, std::size_t begin, std::size_t end, std::byte* to)>;
  void upload(std::size_t row_bytes, std::size_t rows, const DrawRow& draw, void* to, const Stream& stream);

  /// Downloads rows that are `from_pitch` bytes apart on the device to `to`, without gaps. Returns when they
  /// are complete.
  void download(const void* from, std::size_t from_pitch, void* to, std::size_t row_bytes, std::size_t rows,
                const Stream& stream);

  /// Downloads `count` entries of `entry_bytes` bytes, at most kSlotBytes. Passes them in pieces, in
  /// ascending order, to take(first, count, entries), while later pieces are transferred. Entries are invalid
  /// after take() returns.
  using TakeEntries = std::function<void(std::size_t first, std::size_t count, const std::byte* entries)>;
  void download(const void* from, std::size_t count, std::size_t entry_bytes, const TakeEntries& take,
                const Stream& stream);

 private:
  static constexpr std::size_t kSlots = 4;
  static constexpr std::size_t kSlotBytes = std::size_t{4} << 20;

  struct Slot {
    std::byte* memory = nullptr;
    std::optional<Event> copied;  // when the device last accessed the slot
    std::byte* to = nullptr;      // destination of a download
    std::size_t bytes = 0;        // of the download; 0: none
  };

  /// Content of one slot: a rectangle of bytes.
  struct SlotContent {
    std::size_t row, column, rows, bytes;  // bytes: per row
  };
  template <class Visit>
  static void for_each_piece(std::size_t pitch, std::size_t row_bytes, std::size_t rows, Visit visit);

  Slot& next_slot();
  void deliver(Slot& slot);

  std::array<Slot, kSlots> slots_;
  std::size_t next_ = 0;
};

}  // namespace gpuccl::cuda
