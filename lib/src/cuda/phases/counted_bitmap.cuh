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
  std::int64_t words;  // that kernels write

  /// Thread blocks that count.
  GPUCCL_HD std::int64_t blocks() const { return (words + kWordsABlock - 1) / kWordsABlock; }
  std::size_t padded_words() const { return static_cast<std::size_t>(blocks() * kWordsABlock); }
  /// Words behind those that kernels write, which count_bits() reads.
  GPUCCL_HD std::int64_t padding() const { return blocks() * kWordsABlock - words; }
  std::size_t before() const { return padded_words() / 4; }
  GPUCCL_HD std::int64_t progress() const { return blocks() + 1; }

  static constexpr int kThreads = 512;
  static constexpr int kGroupsAThread = 4;  // of four words
  static constexpr std::int64_t kWordsABlock = std::int64_t{kThreads} * kGroupsAThread * 4;
};

/// A bitmap that kernels write, and the running count of its bits. Owns nothing.
struct Bitmap {
  BitmapLengths lengths;
  std::uint32_t* words;  // zero behind those that are written
  std::uint32_t* before;
  unsigned long long* progress;  // of count_bits(), zero when it begins
  CountTarget total;             // for the number of all set bits

  /// After count_bits().
  GPUCCL_HD CountedBits counted() const { return {words, before}; }
};

/// Makes the words behind those that are written zero.
void clear_padding(const Bitmap& bitmap, cudaStream_t stream);

/// Clears progress in the stream before count_bits(), if no kernel does it.
void clear_progress(const Bitmap& bitmap, cudaStream_t stream);

/// One launch, which may begin early.
void count_bits(const char* name, const Bitmap& bitmap, PhaseClock& phase);

/// Memory for a Bitmap, kept from image to image.
class BitmapMemory {
 public:
  /// Room for so many words.
  void reserve(std::int64_t words, const char* doing);
  /// Makes all work enqueued later count the bits of the next image.
  void expect_next() { total_.expect_next(); }
  Bitmap bitmap() const;
  /// Set bits of the last image. Waits no longer than for the device to have counted.
  unsigned long long total(const Stream& stream) const { return total_.wait(stream); }

 private:
  BitmapLengths lengths_{};
  DeviceBuffer<std::uint32_t> words_, before_;
  DeviceBuffer<unsigned long long> progress_;
  CountOnHost total_;
};

}  // namespace gpuccl::cuda
