#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"

// Labels images in GPU memory, for programs with their own CUDA code. Only in libraries built with
// CUDA. docs/gpu.md has a complete program.
//
// All pointers are to memory that the stream's device can access. Pitches are in bytes.
#pragma GCC visibility push(default)
namespace gpuccl {

/// A binary image or volume on a device: row y of slice z begins z * slice_pitch + y * row_pitch bytes
/// after `data`. Any address and pitches are accepted. Fastest: a width that is a multiple of 32 and
/// rows without padding, 16-byte aligned; others are packed first, in one pass.
struct DeviceImage {
  enum class Format {
    bits,   // element x is bit x % 8, least significant first, of byte x / 8; bits beyond the width
            // are ignored
    bytes,  // one byte per element; nonzero is foreground
  };

  const void* data = nullptr;
  Format format = Format::bytes;
  Extent extent;
  std::int64_t row_pitch = 0;    // 0: rows without padding, of (width + 7) / 8 or of `width` bytes
  std::int64_t slice_pitch = 0;  // 0: height * row_pitch
};

/// Destination of labels of 4 or 2 bytes, in rows like those of DeviceImage. Address and pitches must
/// be multiples of the label size; multiples of four labels are fastest. Padding is not written.
///
/// Labels of two bytes saturate: elements of components beyond 65535 get 65535; compare the count to
/// detect it.
struct DeviceLabels {
  std::variant<std::uint32_t*, std::uint16_t*> data;  // null: no labels are written
  std::int64_t row_pitch = 0;                         // 0: width * size of a label
  std::int64_t slice_pitch = 0;                       // 0: height * row_pitch
};

/// Area, coordinate sums and bounding box of one component, axes in the order x, y, z.
struct alignas(64) DeviceComponent {
  unsigned long long area;    // elements
  unsigned long long sum[3];  // of the coordinates, modulo 2^64; sum / area is the centroid
  int min[3], max[3];         // inclusive
};

/// Outputs of label_on_device(); null pointers are skipped.
struct DeviceResult {
  DeviceLabels labels;
  unsigned long long* count = nullptr;    // one value: N
  DeviceComponent* components = nullptr;  // [capacity]; entry i belongs to label i + 1
  /// Components beyond the capacity are dropped; entries from N on are not written.
  std::size_t capacity = 0;
};

/// Returns the bytes of workspace for images of this extent, and for every extent that is no larger
/// along any axis: for large images, per element, 0.8 with 26-connectivity, 1.3 with 8, 2.4 with 4, 6
/// and 18; less than twice that from 2^31 elements on. Uses no device.
///
/// Throws Error: usage if an axis is below 0; memory if the image is too large for any device or could
/// have 2^31 components.
std::size_t device_workspace_bytes(Extent extent, Connectivity connectivity);

/// Enqueues the labeling of `image` on `stream`: labels 1..N in raster order (z, y, x) of each
/// component's first element, background 0, identical on every run and to the CPU. A 2D connectivity
/// labels slices separately; labels continue from slice to slice.
///
/// All work is kernels and memsets on `stream`. The call does not allocate, synchronize or change the
/// current device, and keeps no state. Requires that the device of `stream` is current. Thread-safe:
/// calls may overlap on any threads and streams that share neither workspace nor results. Can be
/// captured into a CUDA graph, which labels what the image contains when it runs; call once before
/// capturing, because CUDA loads kernels on their first launch. From compute capability 9.0 on, such
/// graphs need a driver for CUDA 12.3.
///
/// Requires a `workspace` of at least device_workspace_bytes(), 256-byte aligned. Its contents need not
/// survive between calls. It must not overlap the image or results.
///
/// Throws Error: usage, before anything is enqueued, for invalid arguments; as
/// device_workspace_bytes(); with CUDA's message if a launch fails, after which results are undefined.
/// Errors during execution are reported by calls that synchronize the stream.
void label_on_device(const DeviceImage& image, Connectivity connectivity, const DeviceResult& result,
                     void* workspace, std::size_t workspace_bytes, cudaStream_t stream);

/// A multi-label image on a device: neighbors connect if their values are equal and nonzero, or with a
/// `delta` if they differ by at most that much (values.hpp).
struct DeviceValueImage {
  const void* data = nullptr;  // address and pitches must be multiples of the value size
  ValueType type = ValueType::u32;
  Extent extent;
  std::int64_t row_pitch = 0;    // 0: rows without padding
  std::int64_t slice_pitch = 0;  // 0: height * row_pitch
  double delta = 0;
};

/// Returns the bytes of workspace of label_values_on_device(), as device_workspace_bytes() does: for
/// large images, per element, 4.6 with 4-connectivity, 4.7 with 6, 5 with 8, 5.6 with 18 and 6.1 with
/// 26; 4 more if the image, padded to whole tiles, exceeds 2^31 elements. Images have fewer than 2^31
/// elements.
std::size_t device_value_workspace_bytes(Extent extent, Connectivity connectivity);

/// Enqueues the labeling of a multi-label image; otherwise as label_on_device(). If `values` is not
/// null, entry i becomes the value of the first element of component i + 1, up to
/// DeviceResult::capacity, with or without components.
void label_values_on_device(const DeviceValueImage& image, Connectivity connectivity,
                            const DeviceResult& result, ValueBits* values, void* workspace,
                            std::size_t workspace_bytes, cudaStream_t stream);

/// Enqueues the search of the highest label of an image of integers of 16, 32 or 64 bits, as
/// label_on_device() enqueues labeling. Negative labels, as unsigned numbers of their type, are above all
/// others.
void highest_label_on_device(const DeviceValueImage& labels, unsigned long long* highest,
                             cudaStream_t stream);

/// A column of a table on a device.
struct DeviceColumn {
  std::optional<MeasureId> measure;  // none: the label
  /// One value per row; integers are rounded towards 0, and int32_t holds values modulo 2^32.
  std::variant<double*, std::int64_t*, std::int32_t*> data;
  bool is_past_end = false;  // 1 more, as x1, y1 and z1 of half-open boxes
};

/// A label image whose labels are measured, whether each is connected or not, and the table that receives
/// one row for each label that occurs, in ascending order. Rows and columns are those of measure()
/// (measures.hpp).
struct DeviceMeasuring {
  DeviceValueImage labels;  // integers of 16, 32 or 64 bits; `delta` is 0
  /// Samples of the same extent, of any type; null data: none. `delta` is 0.
  DeviceValueImage samples;
  /// Larger labels, and negative ones, count as background.
  std::uint32_t largest = 0;
  Connectivity connectivity = Connectivity::c8;  // 2D or 3D: of diameters
  std::array<double, 3> spacing{};               // distance of elements along x, y, z; 0: unknown
  std::span<const DeviceColumn> columns;
  std::size_t capacity = 0;             // rows of each column; further rows are dropped
  unsigned long long* count = nullptr;  // receives the number of labels that occur, or null
  /// Receives the highest label as highest_label_on_device() does, or null. If it is above `largest`, larger
  /// labels were left out. Requires `largest` above 0.
  unsigned long long* highest = nullptr;
};

/// Returns whether measure_on_device(), or table_on_device() of components, has the measure: those that are
/// sums over elements and their neighbors, those of convex hulls in images, and those of samples. Median and
/// percentiles are of integers of at most 16 bits.
bool is_measured_on_device(MeasureId measure, bool of_components = false, bool in_volume = false);

/// Returns the bytes of workspace of measure_on_device() for a request, of which images and columns need no
/// addresses yet, except whether there are samples: per label up to `largest` 65, 128 more with samples (384
/// if these have 8 bytes), and with measures of shape or topology up to 88 more, in volumes up to 160. Convex
/// hulls take 4 more, and 24 bytes per row for each of 1 to 256 thread blocks, about a byte per element.
/// Median and percentiles take 12 more, and 2 bytes per element.
std::size_t device_measure_workspace_bytes(const DeviceMeasuring& request);

/// Enqueues the measurement of a label image on `stream`, as label_on_device() enqueues labeling. Values of
/// integer samples are those of the CPU, bit by bit. Floating-point samples are rounded to 2^-40 of the
/// largest magnitude in their label (for the standard deviation 2^-30), and added up exactly, so the values
/// are the same on every run.
///
/// Throws Error as label_on_device(): usage for invalid arguments, among them measures that are not
/// measured here, that need samples or a spacing which is not given, and extents whose sums of coordinates,
/// or of their products if second moments are wanted, could exceed 2^64.
void measure_on_device(const DeviceMeasuring& request, void* workspace, std::size_t workspace_bytes,
                       cudaStream_t stream);

/// Enqueues columns of basic measures of the first `count` components that label_on_device() has found, one
/// row each. Needs no workspace. If `found` is not null, *found on the device is their number, when it is
/// below `count`: so nobody waits for it.
void table_on_device(const DeviceComponent* components, std::size_t count, const unsigned long long* found,
                     Extent extent, Connectivity connectivity, const std::array<double, 3>& spacing,
                     std::span<const DeviceColumn> columns, cudaStream_t stream);

/// A label image whose labels are replaced by entries of `map`, and the image that receives them.
struct DeviceRelabeling {
  DeviceValueImage labels;           // integers of 16, 32 or 64 bits; `delta` is 0
  ValueType type = ValueType::u32;   // of `map` and `out`
  const void* map = nullptr;         // the entry of 0 comes first
  std::size_t entries = 0;           // labels beyond become 0
  void* out = nullptr;               // may be the labels if both types have the same size
  std::int64_t out_row_pitch = 0;    // bytes; 0: rows without padding
  std::int64_t out_slice_pitch = 0;  // bytes; 0: height * out_row_pitch
};

/// Enqueues the replacement on `stream`, as label_on_device() enqueues labeling: new numbers, values of
/// objects in an image, or a mask of the objects to keep. Needs no workspace. Throws Error: usage for invalid
/// arguments.
void relabel_on_device(const DeviceRelabeling& request, cudaStream_t stream);

/// An image of which components are kept, and the image that receives their elements.
struct DeviceCleaning {
  std::variant<DeviceImage, DeviceValueImage> image;  // a mask, or a multi-label image
  Connectivity connectivity = Connectivity::c8;
  std::uint64_t fill_holes = 0;  // first fills holes of a mask with at most this number of elements
  std::uint64_t min_size = 0, max_size = UINT64_MAX;  // of components, in elements
  std::uint32_t largest = 0;  // number of components, the first ones of equal size; 0: all that meet the rest
  bool clear_border = false;  // removes components at the border, in 2D that of their slice
  DeviceImage seeds;          // keeps components in which this mask has an element; null data: all
  /// Elements that are written where components are kept, of the size of `type`. Null data: `filled`.
  DeviceValueImage from;
  /// Bits of an element that is written where `from` has bits of 0 in a hole that is filled.
  std::uint64_t filled = 1;
  ValueType type = ValueType::u8;
  void* out = nullptr;               // may be the data of `image` and `from` if these have its layout
  std::int64_t out_row_pitch = 0;    // bytes; 0: rows without padding
  std::int64_t out_slice_pitch = 0;  // bytes; 0: height * out_row_pitch

  Extent extent() const {
    return std::visit([](const auto& one) { return one.extent; }, image);
  }
};

/// Returns the bytes of workspace of clean_on_device(), which depend on the extent, the conditions, and
/// whether there are seeds. They are those of the labeling of the image or, if more, of the complement whose
/// components are holes, a bit per element with seeds, and up to 4.4 bytes for each possible component: as
/// many as elements of a multi-label image; of a mask a half of that with 4- and 6-connectivity, a quarter
/// with 8 and 18, and an eighth with 26.
std::size_t device_clean_workspace_bytes(const DeviceCleaning& request);

/// Enqueues the removal of components on `stream`, as label_on_device() enqueues labeling: `out` receives the
/// elements of components that are kept, and 0 otherwise. Holes are components of the background that do not
/// touch the border, connected as the foreground is not: 4 for 8, 8 for 4, 6 for 18 and 26, 26 for 6. Images
/// have fewer than 2^32 elements, multi-label images fewer than 2^31.
///
/// Throws Error as label_on_device().
void clean_on_device(const DeviceCleaning& request, void* workspace, std::size_t workspace_bytes,
                     cudaStream_t stream);

/// A table of pairs of labels on a device, one row each, ascending by a, then b. Null pointers are skipped.
struct DevicePairs {
  std::int64_t *a = nullptr, *b = nullptr;
  std::int64_t* counts[5] = {};   // of overlaps_on_device() one, of contacts_on_device() five
  std::int64_t* first = nullptr;  // of overlaps: index of the first element in raster order
  std::size_t capacity = 0;       // rows of each column, up to 2^30
  /// Receives the number of pairs. If it exceeds the capacity, rows are undefined, and it may be too small.
  unsigned long long* count = nullptr;
  /// Receives the highest label of contacts, as of DeviceMeasuring. Null for overlaps.
  unsigned long long* highest = nullptr;
};

/// Returns the bytes of workspace for this many pairs: about 100 to 210 per pair for overlaps, 150 to 310 for
/// contacts. Requires that a device is current. Throws Error: memory above 2^30 pairs.
std::size_t device_overlaps_workspace_bytes(std::size_t capacity);
std::size_t device_contacts_workspace_bytes(std::size_t capacity);

/// Enqueues the count of elements that each label of `a` shares with each of `b`, as label_on_device()
/// enqueues labeling. Pairs with 0 count the elements of a label where the other image is background; so the
/// counts of all pairs of a label add up to its area. Both images have the same extent and labels of 16, 32
/// or 64 bits. Labels above `largest`, which is that of both images and below 2^32 - 1, count as background;
/// so do negative ones if `largest` is a positive number of their type.
///
/// Throws Error as measure_on_device().
void overlaps_on_device(const DeviceValueImage& a, const DeviceValueImage& b, std::uint32_t largest,
                        const DevicePairs& pairs, void* workspace, std::size_t workspace_bytes,
                        cudaStream_t stream);

/// Enqueues the count of neighboring elements of each two labels a < b of an image: pairs that share a face
/// across x, y and z, only an edge, and only a corner, as find_contacts() counts them. Otherwise as
/// overlaps_on_device().
void contacts_on_device(const DeviceValueImage& labels, Connectivity connectivity, std::uint32_t largest,
                        const DevicePairs& pairs, void* workspace, std::size_t workspace_bytes,
                        cudaStream_t stream);

/// A label image whose labels are replaced by their ranks: 1 for the lowest that occurs, 0 for 0. So labels
/// that are far apart, up to 2^64 - 1, are measured, matched and so on.
struct DeviceRanking {
  DeviceValueImage labels;  // integers of 16, 32 or 64 bits, negative ones above all others; no `delta`
  std::uint32_t* ranks = nullptr;  // of the extent of the labels, in rows without padding
  std::uint64_t* ids = nullptr;    // [capacity + 1]: the label of each rank
  std::size_t capacity = 0;        // labels, up to 2^30
  /// Receives the number of labels. If it exceeds the capacity, results are undefined, and it may be too
  /// small.
  unsigned long long* count = nullptr;
};

/// Enqueues the replacement on `stream`, as label_on_device() enqueues labeling. Requires a workspace of
/// device_overlaps_workspace_bytes(capacity). Throws Error as measure_on_device().
void rank_on_device(const DeviceRanking& request, void* workspace, std::size_t workspace_bytes,
                    cudaStream_t stream);

class Labeler;

/// Any GPU algorithm of algorithms() for images in GPU memory, with the memory that it needs, which is
/// kept from image to image: for experiments with published algorithms. label_on_device() is faster.
///
/// Not thread-safe. Its calls may be on different streams if the work of one is ordered after that of
/// the call before.
class DeviceLabeler {
 public:
  /// Takes the name of an algorithm, such as "bke", and belongs to the current device.
  ///
  /// Throws Error: usage if no GPU algorithm has this name, or it has not this connectivity; with
  /// CUDA's message if the device cannot be used.
  DeviceLabeler(const std::string& algorithm, Connectivity connectivity);
  /// Requires that the streams of its calls have completed their work.
  ~DeviceLabeler();
  DeviceLabeler(DeviceLabeler&&) noexcept;
  DeviceLabeler& operator=(DeviceLabeler&&) noexcept;

  /// Enqueues the labeling of `image` on `stream`, a stream of its device: the labels of
  /// label_on_device(), and N to `count` unless that is null. Nothing passes through the host but N.
  /// The image is packed first and labels are copied last, one pass each, because algorithms need rows
  /// of their own. Leaves the caller's device current.
  ///
  /// Allocates if the image is larger than all before it, which waits for the device. Algorithms that
  /// iterate (iterated_phase()) wait for the stream after each iteration; others do not synchronize.
  /// Cannot be captured into a CUDA graph.
  ///
  /// Throws Error: usage, before anything is enqueued, for invalid arguments and images too large for
  /// the algorithm; memory if the device has not enough; with CUDA's message if a call fails.
  void label(const DeviceImage& image, const DeviceLabels& labels, unsigned long long* count,
             cudaStream_t stream);

 private:
  std::unique_ptr<Labeler> labeler_;
  Connectivity connectivity_;
};

}  // namespace gpuccl
#pragma GCC visibility pop
