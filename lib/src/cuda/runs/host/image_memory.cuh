#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/phases/unpack.cuh"
#include "cuda/runs/core/source.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/pinned_ring.hpp"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/image.hpp"

// The image in the memory of the device, kept from image to image: for each source (source.cuh) one class.
namespace gpuccl::cuda::runs {

class BitImage {
 public:
  using Source = FromBits;
  static constexpr int kBitsPerElement = 1;

  void reserve(BitView image) {
    extent_ = image.extent;
    words_a_row_ = static_cast<unsigned>(words_per_row(image.extent.width) / 2);
    bits_.reserve(rows().count(), "allocating the image");
  }
  /// Uploads an image that fits the reserved memory.
  void upload(BitView image, PinnedRing& ring, const Stream& stream) {
    ring.upload(image, bits_.data(), stream);
  }

  /// Returns the rows that all phases but LocalMerge read.
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

  void reserve(BitView image) {
    uploaded_.reserve(image);
    const std::size_t words = rows().count();
    pixels_.reserve(words * 64, "allocating the image");
    bits_.reserve(words, "allocating the image");
  }
  void upload(BitView image, PinnedRing& ring, const Stream& stream) {
    uploaded_.upload(image, ring, stream);
    PhaseClock phase{stream.get(), nullptr};
    unpack(uploaded_.rows(), pixels_.data(), phase);
  }

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
  BitImage uploaded_;  // as bits, from which the bytes are made
  DeviceBuffer<Pixel> pixels_;
  DeviceBuffer<Word64> bits_;
};

}  // namespace gpuccl::cuda::runs
