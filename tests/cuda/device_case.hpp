#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/device.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/values.hpp"

// label_on_device() with memory as callers have it, on a GPU or on the emulation of one.
namespace tests {

/// Memory of the device (cudaMalloc), or page-locked memory of the host.
class CudaMemory {
 public:
  enum class Place { device, host };

  CudaMemory(Place place, std::size_t bytes);
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Place place_;
  std::size_t size_;
  std::byte* data_ = nullptr;
};

class CudaStream {
 public:
  CudaStream();
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  cudaStream_t get() const { return stream_; }
  void wait() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// Elements in memory of the device, by chance from an odd place, in padded rows and slices. Everything
/// around them is watched.
class DeviceArray {
 public:
  DeviceArray(gpuccl::ValueType type, gpuccl::Extent extent, const void* elements, std::mt19937& random,
              const CudaStream& stream);

  gpuccl::DeviceValueImage image(double delta = 0) const;
  /// For elements of one byte.
  gpuccl::DeviceImage mask() const;
  /// Waits. Requires that nothing around the elements has been written.
  std::vector<std::byte> download(const CudaStream& stream);

 private:
  std::byte* row(std::int64_t index) const;

  gpuccl::ValueType type_;
  gpuccl::Extent extent_;
  std::int64_t row_bytes_, offset_, row_, slice_;  // bytes
  CudaMemory device_, host_;
};

/// Graph of the work that work() enqueues in a stream, to be run repeatedly.
class CapturedGraph {
 public:
  template <class Enqueue>
  CapturedGraph(const CudaStream& stream, const Enqueue& enqueue) {
    begin(stream);
    enqueue();
    end(stream);
  }
  ~CapturedGraph();
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  void launch(const CudaStream& stream) const;

 private:
  static void begin(const CudaStream& stream);
  void end(const CudaStream& stream);

  cudaGraphExec_t exec_ = nullptr;
};

/// How image and labels lie in memory.
struct DeviceLayout {
  gpuccl::DeviceImage::Format format = gpuccl::DeviceImage::Format::bytes;
  bool narrow = false;                                           // labels of two bytes
  int image_offset = 0, row_pad = 0, slice_pad = 0;              // in bytes
  int label_offset = 0, label_row_pad = 0, label_slice_pad = 0;  // in labels
};

/// One that is as odd as can be, or none at all, by chance.
DeviceLayout random_layout(std::mt19937& random);

/// Image, labels, N and components of one extent. Everything around what a call may write is watched.
class DeviceCase {
 public:
  DeviceCase(gpuccl::Extent extent, const DeviceLayout& layout, std::size_t capacity);

  /// These enqueue. What is not foreground or not an element of `image` is garbage where it may be.
  void upload(const gpuccl::BitVolume& image, const CudaStream& stream);
  void label(gpuccl::Connectivity connectivity, const CudaMemory& workspace, const CudaStream& stream);
  void label(gpuccl::DeviceLabeler& labeler, const CudaStream& stream);
  void download(const CudaStream& stream);

  /// Whether download() has been done and not only enqueued, since the last upload().
  bool is_downloaded() const;
  /// Once the stream has been waited for.
  void expect(const gpuccl::Labeling& expected) const;

  gpuccl::DeviceImage image() const;
  gpuccl::DeviceResult result() const;

 private:
  std::int64_t label_bytes() const { return layout_.narrow ? 2 : 4; }
  std::size_t label_at(int x, int y, int z) const;

  gpuccl::Extent extent_;
  DeviceLayout layout_;
  std::size_t capacity_;
  std::int64_t image_row_, image_slice_, label_row_, label_slice_;  // bytes
  CudaMemory image_, labels_, count_, components_;
  CudaMemory host_image_, host_labels_, host_count_, host_components_;
};

/// An image with its labels.
struct Known {
  gpuccl::BitVolume image;
  gpuccl::Labeling expected;

  Known(gpuccl::Extent extent, gpuccl::Connectivity connectivity, double density, int granularity,
        std::uint32_t seed);
};

/// Labels all images one after the other in a stream, in random layouts, without waiting between them.
void expect_on_device(gpuccl::DeviceLabeler& labeler, const std::vector<Known>& all, std::mt19937& random);

/// Labels `image` in a stream of its own, and expects what `expected` has.
void expect_on_device(const gpuccl::BitVolume& image, gpuccl::Connectivity connectivity,
                      const DeviceLayout& layout, const gpuccl::Labeling& expected);

}  // namespace tests
