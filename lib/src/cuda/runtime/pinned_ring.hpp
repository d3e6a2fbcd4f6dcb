#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "cuda/runtime/stream.hpp"
#include "gpuccl/image.hpp"

namespace gpuccl::cuda {

/// Calls work(begin, end) for parts of [0, count), several at once. Apart from it, because nvcc need not read
/// oneTBB.
void by_all_threads(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work);

/// Touches new memory, one thread a huge page: threads that touch the same one first each clear a page of
/// their own. What the memory held is lost.
void touch_by_all_threads(void* memory, std::size_t bytes);

/// Copies between the device and ordinary memory by way of a few small page-locked slots, so that the bus
/// runs at full speed without page-locking whole images: one slot is filled while others travel.
class PinnedRing {
 public:
  PinnedRing() = default;
  ~PinnedRing();
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;

  /// The bits of all rows, words_per_row() words each. Returns when the image may change; the device has the
  /// data when the stream has come so far.
  void upload(BitView image, void* to, const Stream& stream);

  /// Rows of `row_bytes`, one after the other, as draw(row, begin, end, to) makes bytes [begin, end) of each,
  /// cut at multiples of 8, by several threads at once. Returns and leaves the device as above.
  using DrawRow = std::function<void(std::size_t row, std::size_t begin, std::size_t end, std::byte* to)>;
  void upload(std::size_t row_bytes, std::size_t rows, const DrawRow& draw, void* to, const Stream& stream);

  /// Rows that lie `from_pitch` bytes apart on the device and close together in `to`. Returns when they are
  /// there.
  void download(const void* from, std::size_t from_pitch, void* to, std::size_t row_bytes, std::size_t rows,
                const Stream& stream);

  /// Hands on `count` entries of `entry_bytes` bytes, at most kSlotBytes, by pieces in ascending order as
  /// take(first, count, entries), while pieces behind travel. Entries are gone when take() returns.
  using TakeEntries = std::function<void(std::size_t first, std::size_t count, const std::byte* entries)>;
  void download(const void* from, std::size_t count, std::size_t entry_bytes, const TakeEntries& take,
                const Stream& stream);

 private:
  static constexpr std::size_t kSlots = 4;
  static constexpr std::size_t kSlotBytes = std::size_t{4} << 20;

  struct Slot {
    std::byte* memory = nullptr;
    std::optional<Event> copied;  // when the device last read or wrote the slot
    std::byte* to = nullptr;      // where a download goes on to
    std::size_t bytes = 0;        // of it; 0: nothing on the way
  };

  /// Content of one slot: a rectangle of bytes.
  struct Piece {
    std::size_t row, column, rows, bytes;  // bytes of each row
  };
  template <class Visit>
  static void for_each_piece(std::size_t pitch, std::size_t row_bytes, std::size_t rows, Visit visit);

  Slot& next_slot();
  void deliver(Slot& slot);

  std::array<Slot, kSlots> slots_;
  std::size_t next_ = 0;
};

}  // namespace gpuccl::cuda
