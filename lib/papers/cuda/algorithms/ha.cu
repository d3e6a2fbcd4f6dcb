// Hardware Accelerated labeling (HA4, HA8), 2D, 4- and 8-connectivity.
//
//   A. Hennequin, L. Lacassagne, L. Cabaret, Q. Meunier, "A new Direct Connected Component Labeling and
//   Analysis Algorithms for GPUs", Conference on Design and Architectures for Signal and Image Processing
//   (DASIP), 2018, hal-01923784 (4-connectivity)
//   F. Bolelli, S. Allegretti, L. Lumetti, C. Grana, "A State-of-the-Art Review with Code about Connected
//   Components Labeling on GPUs", IEEE TPDS, 2024, doi:10.1109/TPDS.2024.3434357 (HA8, 8-connectivity)
//
// A node of the forest is a segment: a run of foreground pixels of one row within 32 columns, which a warp
// finds by a ballot. The distance of a pixel to the start of its segment is the number of consecutive set
// bits before it. StripLabeling: a thread block moves along a strip of four rows, one warp per row. It links
// the segments of a row, and merges segments of two rows where they first touch. BorderMerging does the same
// for the rows at which strips meet. Relabeling finds the root of each segment once, and writes its label to
// the segment's pixels.
//
//     4: both pixels are foreground, and one of them starts its segment
//     8: also if one starts its segment, and the segment of the other row ended in the column before
//
// Two points differ from the paper. Segments of two rows that touch across column 32 k of a border are merged
// by the preceding warp, whose last lane reads one pixel ahead. Relabeling also writes the background, so the
// label image need not be cleared before.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/thread_grid.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"

namespace gpuccl::cuda {
namespace ha {
namespace {

constexpr int kStripHeight = 4;  // the paper's

/// One warp per row of a strip.
using StripThreads = ThreadGrid<1, 1, 1, kWarp, kStripHeight>;
/// One warp per 32 columns of the first row of each strip.
using BorderThreads = ThreadGrid<1, kStripHeight, 1, kWarp, 4>;
/// One warp per 32 columns of each row.
using RowThreads = ThreadGrid<1, 1, 1, kWarp, 4>;

/// Returns the number of pixels of a segment before this lane's pixel, or of the segment that ended just
/// before it.
__device__ int start_distance(unsigned pixels, int lane) {
  return __clz(static_cast<int>(~(pixels << (31 - lane) << 1)));
}
/// Returns the number of consecutive pixels before column 32: the distance for the first lane of the next 32
/// columns. They may continue `before` pixels of the preceding columns.
__device__ int carried_distance(unsigned pixels, int before) {
  const int distance = __clz(static_cast<int>(~pixels));
  return distance == static_cast<int>(kWarp) ? distance + before : distance;
}

/// A pixel of a row: whether it is foreground, its index, and its distance.
struct SegmentPixel {
  bool foreground;
  Index here;
  int distance;

  /// Returns the first pixel of its segment, or of the segment that ended just before it.
  __device__ Index start() const { return here - static_cast<Index>(distance); }
};

/// Merges the segments of two pixels, one above the other, if they first touch here.
template <Connectivity connectivity>
__device__ void unite_segments(Label* labels, SegmentPixel own, SegmentPixel above) {
  bool first_contact = own.foreground && above.foreground && (own.distance == 0 || above.distance == 0);
  if constexpr (connectivity == Connectivity::c8) {
    if (own.foreground != above.foreground)
      first_contact =
          own.foreground ? own.distance == 0 && above.distance > 0 : above.distance == 0 && own.distance > 0;
  }
  if (first_contact) PixelForest{labels}.unite(own.start(), above.start());
}

template <Connectivity connectivity>
__global__ void strip_labeling(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  __shared__ unsigned rows[2][kStripHeight];  // used in turn, so one barrier suffices
  const int3 at = StripThreads::origin(image.extent);
  const int lane = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);

  int before = 0, before_above = 0;  // distances of the first lane
  for (int first = 0; first < image.extent.width; first += static_cast<int>(kWarp)) {
    const int x = first + lane;
    const unsigned pixels = __ballot_sync(kAllLanes, is_foreground(image, x, at.y, at.z));
    const Index here = labels.index(x, at.y, at.z);
    const bool foreground = (pixels >> lane & 1u) != 0;
    const SegmentPixel own{foreground, here, lane == 0 ? before : start_distance(pixels, lane)};
    if (foreground && (lane == 0 || own.distance == 0))
      SharedByThreads::store(labels.data + here, OneBased::pack(own.start()));

    unsigned* const shared = rows[first / static_cast<int>(kWarp) % 2];
    if (lane == 0) shared[row] = pixels;
    __syncthreads();

    const unsigned pixels_above = row > 0 ? shared[row - 1] : 0;
    unite_segments<connectivity>(labels.data, own,
                                 {(pixels_above >> lane & 1u) != 0, here - labels.pitch,
                                  lane == 0 ? before_above : start_distance(pixels_above, lane)});
    before = carried_distance(pixels, before);
    before_above = carried_distance(pixels_above, before_above);
  }
}

template <Connectivity connectivity>
__global__ void border_merging(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const int3 at = BorderThreads::origin(image.extent);
  if (at.y == 0 || at.y >= image.extent.height) return;

  const int lane = static_cast<int>(threadIdx.x);
  const bool foreground = is_foreground(image, at.x, at.y, at.z);
  const bool foreground_above = is_foreground(image, at.x, at.y - 1, at.z);
  const unsigned pixels = __ballot_sync(kAllLanes, foreground);
  const unsigned pixels_above = __ballot_sync(kAllLanes, foreground_above);
  const SegmentPixel own{foreground, labels.index(at.x, at.y, at.z), start_distance(pixels, lane)};
  const SegmentPixel above{foreground_above, own.here - labels.pitch, start_distance(pixels_above, lane)};
  unite_segments<connectivity>(labels.data, own, above);

  if constexpr (connectivity == Connectivity::c8) {
    if (lane != static_cast<int>(kWarp) - 1 || foreground == foreground_above) return;
    const bool next = is_foreground(image, at.x + 1, at.y, at.z);
    const bool next_above = is_foreground(image, at.x + 1, at.y - 1, at.z);
    const PixelForest forest{labels.data};
    if (foreground && !next && next_above) forest.unite(own.start(), above.here + 1);
    if (foreground_above && !next_above && next) forest.unite(own.here + 1, above.start());
  }
}

__global__ void relabeling(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const int3 at = RowThreads::origin(image.extent);
  const int lane = static_cast<int>(threadIdx.x);
  const bool foreground = is_foreground(image, at.x, at.y, at.z);
  const unsigned pixels = __ballot_sync(kAllLanes, foreground);
  const int distance = start_distance(pixels, lane);
  const Index here = labels.index(at.x, at.y, at.z);

  Label label = 0;
  if (foreground && distance == 0) label = OneBased::pack(PixelForest{labels.data}.find(here));
  label = __shfl_sync(kAllLanes, label, lane - distance);
  if (image.extent.contains(at.x, at.y, at.z))
    SharedByThreads::store(labels.data + here, foreground ? label : 0);
}

// ---- host

template <Connectivity connectivity>
class Ha final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;
    const LaunchShape strips = StripThreads::shape({1, extent.height, extent.depth});

    phase("StripLabeling", strip_labeling<connectivity>, strips, buffers.image, buffers.labels);
    phase("BorderMerging", border_merging<connectivity>, BorderThreads::shape(extent), buffers.image,
          buffers.labels);
    phase("Relabeling", relabeling, RowThreads::shape(extent), buffers.image, buffers.labels);
  }
};

}  // namespace
}  // namespace ha

Variants ha4_variants() { return variants<ha::Ha, Connectivity::c4>(); }
Variants ha8_variants() { return variants<ha::Ha, Connectivity::c8>(); }

}  // namespace gpuccl::cuda
