#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <variant>

#include "gpuccl/connectivity.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/value_type.hpp"

// Connected components of images that are in the memory of a GPU, for programs with CUDA code of their own.
// Only libraries that are built with CUDA have it. docs/device.md has a whole program.
//
// All pointers in here are to memory that the stream's device can access. Pitches are in bytes.
namespace gpuccl {

/// A binary image or volume on a device: element (x, y, z) is in row y of slice z, which begins
/// z * slice_pitch + y * row_pitch bytes after `data`. Any address and any pitches do that hold the rows.
/// Read fastest are, of images whose width is a multiple of 32, rows without padding that follow each other
/// from an address that is a multiple of 16; all others are packed first, in one pass.
struct DeviceImage {
  enum class Format {
    bits,   // element x is bit x % 8, least significant first, of byte x / 8; what is beyond the width is
            // ignored
    bytes,  // one byte an element; every value but 0 is foreground
  };

  const void* data = nullptr;
  Format format = Format::bytes;
  Extent extent;
  std::int64_t row_pitch = 0;    // 0: rows without padding, of (width + 7) / 8 or of `width` bytes
  std::int64_t slice_pitch = 0;  // 0: height * row_pitch
};

/// Where labels are written, 4 or 2 bytes each, in rows as those of DeviceImage. Address and pitches are
/// multiples of a label's size; four times that is written fastest. Bytes beyond the width are not touched.
///
/// Two bytes hold labels up to 65535: the elements of components beyond are written as 65535, and N tells.
struct DeviceLabels {
  std::variant<std::uint32_t*, std::uint16_t*> data;  // null: no labels are written
  std::int64_t row_pitch = 0;                         // 0: width * size of a label
  std::int64_t slice_pitch = 0;                       // 0: height * row_pitch
};

/// One component. The box is of whole elements; coordinates are in the order x, y, z.
struct alignas(64) DeviceComponent {
  unsigned long long area;    // elements
  unsigned long long sum[3];  // of the coordinates of all elements, modulo 2^64; sum / area is the centroid
  int min[3], max[3];         // inclusive
};

/// What label_on_device() writes; what is null is left out.
struct DeviceResult {
  DeviceLabels labels;
  unsigned long long* count = nullptr;    // one value: N
  DeviceComponent* components = nullptr;  // [capacity]: entry i is of label i + 1
  /// Entries from N on are not written, nor are components beyond the capacity, whatever N.
  std::size_t capacity = 0;
};

/// Bytes of workspace that label_on_device() needs for an image of this extent: an element of large ones
/// takes 0.8 at 26-connectivity, 1.3 at 8, 2.4 at 4, 6 and 18; from 2^31 elements on less than twice that. So
/// much also does for every extent that is longer along no axis. Uses no device.
///
/// Throws Error: usage if an axis is below 0, memory if the image is too large for any device, or could have
/// 2^31 components.
std::size_t device_workspace_bytes(Extent extent, Connectivity connectivity);

/// Enqueues the labeling of `image` in `stream`: labels 1..N in raster order (z, y, x) of each component's
/// first element, background 0, the same bytes as on the CPU and on every run. A 2D connectivity labels the
/// slices of a volume on their own, and the numbering goes on from slice to slice.
///
/// Everything is done by kernels and memsets in `stream`, in order with what was and will be enqueued there.
/// Nothing waits for the device, nothing is allocated, no device is made current and no state is kept: calls
/// from several threads and for several streams may overlap if they share neither workspace nor results. The
/// device of `stream` must be current. Calls can be captured into a CUDA graph, which then labels what is in
/// the image when it runs; make one before, because CUDA loads kernels when they are first launched. From
/// compute capability 9.0 on, kernels overlap, and graphs of these need a driver for CUDA 12.3 or later.
///
/// `workspace` has device_workspace_bytes() or more and is aligned to 256 bytes, as fresh device memory
/// is. It holds nothing between calls. Neither it nor results may overlap each other or the image.
///
/// Throws Error: usage, before anything is enqueued, if an argument is not as described here; as
/// device_workspace_bytes() does; or with CUDA's reason when a launch fails, after which results are
/// undefined. Errors that the device meets later come from calls that wait for the stream.
void label_on_device(const DeviceImage& image, Connectivity connectivity, const DeviceResult& result,
                     void* workspace, std::size_t workspace_bytes, cudaStream_t stream);

/// An image or volume of values on a device, such as a segmentation: neighbors connect when their values are
/// equal and not 0, with a `delta` when they differ by at most that much, as gpuccl/values.hpp says.
struct DeviceValueImage {
  const void* data = nullptr;  // this and the pitches, in bytes, are multiples of a value's size
  ValueType type = ValueType::u32;
  Extent extent;
  std::int64_t row_pitch = 0;    // 0: rows without padding
  std::int64_t slice_pitch = 0;  // 0: height * row_pitch
  double delta = 0;
};

/// Bytes of workspace that label_values_on_device() needs: as device_workspace_bytes(), but an element of
/// large images takes 4.6 at 4-connectivity, 4.7 at 6, 5 at 8, 5.6 at 18 and 6.1 at 26, and 4 more where the
/// image with what fills up its last tiles passes 2^31 elements. Every element may be a component, so images
/// have fewer than 2^31 of them.
std::size_t device_value_workspace_bytes(Extent extent, Connectivity connectivity);

/// label_on_device() of values; all that is said there holds here. Where `values` is not null, entry i is the
/// value of the first element of component i + 1, as far as DeviceResult::capacity goes, whether components
/// are asked for or not.
void label_values_on_device(const DeviceValueImage& image, Connectivity connectivity,
                            const DeviceResult& result, ValueBits* values, void* workspace,
                            std::size_t workspace_bytes, cudaStream_t stream);

}  // namespace gpuccl
