#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device/counted_bits.cuh"
#include "cuda/runtime/count_on_host.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

/// Lengths of the arrays of a Bitmap.
struct BitmapLengths {
  std::int64_t words;  // words that kernels write

  /// Returns the number of thread blocks that count.
  GPUCCL_HD std::int64_t blocks() const { return (words + kWordsABlock - 1) / kWordsABlock; }
  std::size_t padded_words() const { return static_cast<std::size_t>(blocks() * kWordsABlock); }
  /// Returns the number of words after those that kernels write, which count_bits() also reads.
  GPUCCL_HD std::int64_t padding() const { return blocks() * kWordsABlock - words; }
  std::size_t before() const { return padded_words() / 4; }
  GPUCCL_HD std::int64_t progress() const { return blocks() + 1; }

  static constexpr int kThreads = 512;
  static constexpr int kGroupsAThread = 4;  // groups of four words
  static constexpr std::int64_t kWordsABlock = std::int64_t{kThreads} * kGroupsAThread * 4;
};

/// A bitmap that kernels write, and the running count of its set bits. Does not own its memory.
struct Bitmap {
  BitmapLengths lengths;
  std::uint32_t* words;  // padding must be zero
  std::uint32_t* before;
  unsigned long long* progress;  // of count_bits(); must be zero when it begins
  CountTarget total;             // receives the number of all set bits

  /// Returns the bitmap with counts. Valid after count_bits().
  GPUCCL_HD CountedBits counted() const { return {words, before}; }
};

/// Enqueues clearing of the padding.
void clear_padding(const Bitmap& bitmap, cudaStream_t stream);

/// Enqueues clearing of the progress, if no kernel does it before count_bits().
void clear_progress(const Bitmap& bitmap, cudaStream_t stream);

/// Enqueues the prefix sum, in one launch, which may start early.
void count_bits(const char* name, const Bitmap& bitmap, PhaseClock& phase);

/// Memory for a Bitmap, reused for the next image.
class BitmapMemory {
 public:
  /// Allocates memory for `words` words.
  void reserve(std::int64_t words, const char* doing);
  /// Makes all work enqueued later count the bits of the next image.
  void expect_next() { total_.expect_next(); }
  Bitmap bitmap() const;
  /// Returns the number of set bits for the last image. Waits only until the device has counted them.
  unsigned long long total(const Stream& stream) const { return total_.wait(stream); }

 private:
  BitmapLengths lengths_{};
  DeviceBuffer<std::uint32_t> words_, before_;
  DeviceBuffer<unsigned long long> progress_;
  CountOnHost total_;
};

}  // namespace gpuccl::cuda
