#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/phases/layouts.cuh"
#include "cuda/runs/core/source.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/image.hpp"

// Device memory of the image, reused for the next image. One class per source (source.cuh).
namespace gpuccl::cuda::runs {

class BitImage {
 public:
  using Source = FromBits;
  static constexpr int kBitsPerElement = 1;

  /// Returns the memory for the bits.
  Word64* reserve(Extent extent) {
    extent_ = extent;
    words_a_row_ = static_cast<unsigned>(words_per_row(extent.width) / 2);
    bits_.reserve(rows().count(), "allocating the image");
    return bits_.data();
  }
  /// Enqueues the conversion of the bits to the form that Source reads.
  void unpack(PhaseClock&) const {}

  /// Returns the rows that all phases except LocalMerge read.
  BitRows rows() const { return {bits_.data(), extent_, words_a_row_}; }
  Source source() const { return {}; }

 private:
  Extent extent_;
  unsigned words_a_row_ = 0;
  DeviceBuffer<Word64> bits_;
};

class ByteImage {
 public:
  using Source = FromBytes;
  static constexpr int kBitsPerElement = 8;

  Word64* reserve(Extent extent) {
    Word64* const uploaded = uploaded_.reserve(extent);
    const std::size_t words = rows().count();
    pixels_.reserve(words * 64, "allocating the image");
    bits_.reserve(words, "allocating the image");
    return uploaded;
  }
  void unpack(PhaseClock& phase) const { cuda::unpack(uploaded_.rows(), pixels_.data(), phase); }

  /// Returns the rows that LocalMerge writes.
  BitRows rows() const {
    BitRows rows = uploaded_.rows();
    rows.words = bits_.data();
    return rows;
  }
  Source source() const {
    return {reinterpret_cast<const uint4*>(pixels_.data()), reinterpret_cast<Word*>(bits_.data())};
  }

 private:
  BitImage uploaded_;  // bits, which are unpacked to bytes
  DeviceBuffer<Pixel> pixels_;
  DeviceBuffer<Word64> bits_;
};

}  // namespace gpuccl::cuda::runs
