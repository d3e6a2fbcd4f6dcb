// Accelerated Connected Component Labeling (ACCL), 2D, 8-connectivity.
//
//   F. Nina Paravecino, D. Kaeli, "Accelerated Connected Component Labeling Using CUDA Framework",
//   International Conference on Computer Vision and Graphics (ICCVG), 2014 (details as in the authors' code
//   in YACCLAB)
//
// FindSpans: each thread scans a row and stores its spans, the runs of foreground, each with a label.
// MergeSpans visits the pairs of touching spans row by row. If their labels differ, it replaces one of them
// in all spans. Pairs are merged one after another, so most of the GPU is idle. FinalLabeling writes the
// labels of spans to their pixels.
//
// In the paper, one thread visits the pairs of an image, launches a kernel for each relabeling and waits for
// it. CUDA no longer supports such waits, so here a thread block visits the pairs and relabels. A pair gets
// the smaller of its labels; in the published code it gets the label of the upper span. The replaced label
// gives the first row that can contain it, so relabeling begins there instead of at the top. The spans of two
// rows are compared in one pass over both, not in one pass over a row for each span of the other.

#include "cuda/device/pixel_forest.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"

namespace gpuccl::cuda {
namespace accl {
namespace {

/// Spans of all rows, `pitch` entries per row. Does not own its memory.
struct Spans {
  Label *begins, *ends;  // columns; ends are exclusive
  Label* labels;
  Label* counts;  // per row
  Index pitch;
};

using RowThread = ThreadLine<1, 64>;

__global__ void find_spans(ImageRef<const Pixel> image, Spans spans) {
  const auto row = static_cast<Index>(RowThread::of_this_thread());
  if (row >= image.extent.rows()) return;

  const Pixel* const pixels = image.data + row * image.pitch;
  const auto width = static_cast<Label>(image.extent.width);
  Index at = row * spans.pitch;
  bool before = false;
  for (Label x = 0; x <= width; ++x) {
    const bool foreground = x < width && load_input(pixels + x) != 0;
    if (foreground && !before) {
      SharedByThreads::store(spans.begins + at, x);
      SharedByThreads::store(spans.labels + at, OneBased::pack(row * image.pitch + x));
    }
    if (before && !foreground) SharedByThreads::store(spans.ends + at++, x);
    before = foreground;
  }
  SharedByThreads::store(spans.counts + row, at - row * spans.pitch);
}

constexpr unsigned kMergeThreads = 256;

/// Replaces the label `replaced` of spans in rows [first, last]. Called by all threads of the block.
__device__ void relabel(Spans spans, Index first, Index last, Label replaced, Label label) {
  for (Index row = first; row <= last; ++row) {
    Label* const labels = spans.labels + row * spans.pitch;
    const Label count = SharedByThreads::load(spans.counts + row);
    for (Label i = threadIdx.x; i < count; i += kMergeThreads)
      if (SharedByThreads::load(labels + i) == replaced) SharedByThreads::store(labels + i, label);
  }
}

/// Merges the spans of a row with the spans of the next row. All threads of the block visit the same pairs.
__device__ void merge_rows(Spans spans, Index row, Index image_pitch) {
  Index upper = row * spans.pitch, lower = upper + spans.pitch;
  const Index upper_end = upper + SharedByThreads::load(spans.counts + row);
  const Index lower_end = lower + SharedByThreads::load(spans.counts + row + 1);
  while (upper < upper_end && lower < lower_end) {
    const Label end = SharedByThreads::load(spans.ends + upper);
    const Label lower_span_end = SharedByThreads::load(spans.ends + lower);
    const bool touch = SharedByThreads::load(spans.begins + upper) <= lower_span_end &&
                       SharedByThreads::load(spans.begins + lower) <= end;
    const Label a = SharedByThreads::load(spans.labels + upper);
    const Label b = SharedByThreads::load(spans.labels + lower);
    if (touch && a != b) {
      __syncthreads();  // all threads have read them
      relabel(spans, OneBased::unpack(max(a, b)) / image_pitch, row + 1, max(a, b), min(a, b));
      __syncthreads();
    }
    ++(end < lower_span_end ? upper : lower);
  }
}

/// One thread block per slice.
__global__ void merge_spans(Extent extent, Index image_pitch, Spans spans) {
  const Index first = blockIdx.x * static_cast<Index>(extent.height);
  for (Index y = 0; y + 1 < static_cast<Index>(extent.height); ++y) merge_rows(spans, first + y, image_pitch);
}

/// One thread per span and the background after it. The thread of a row's first span also fills the
/// background before it.
using SpanThread = ThreadGrid<2, 1, 1, 16, 16>;

__global__ void final_labeling(ImageRef<Label> labels, Spans spans) {
  const int3 at = SpanThread::origin(labels.extent);
  if (!labels.extent.contains(at.x, at.y, at.z)) return;

  const Index row = labels.index(0, at.y, at.z) / labels.pitch;
  const auto span = static_cast<Label>(at.x) / 2, count = SharedByThreads::load(spans.counts + row);
  const auto width = static_cast<Label>(labels.extent.width);
  const Index first = row * spans.pitch;
  const auto begin_of = [&](Label i) {
    return i < count ? SharedByThreads::load(spans.begins + first + i) : width;
  };
  const auto fill = [&](Label begin, Label end, Label label) {
    for (Label x = begin; x < end; ++x) SharedByThreads::store(labels.data + row * labels.pitch + x, label);
  };
  if (span == 0) fill(0, begin_of(0), 0);
  if (span >= count) return;
  const Label end = SharedByThreads::load(spans.ends + first + span);
  fill(begin_of(span), end, SharedByThreads::load(spans.labels + first + span));
  fill(end, begin_of(span + 1), 0);
}

// ---- host

class Accl final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void reserve(const LabelingBuffers& buffers) override {
    const auto rows = static_cast<std::size_t>(buffers.image.extent.rows());
    spans_.reserve(rows * (3 * static_cast<std::size_t>(buffers.image.pitch) / 2 + 1), "allocating spans");
  }

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;
    const Index pitch = buffers.image.pitch / 2;
    const std::size_t each = static_cast<std::size_t>(extent.rows()) * pitch;
    Label* const first = spans_.data();
    const Spans spans{first, first + each, first + 2 * each, first + 3 * each, pitch};
    const LaunchShape a_slice_each{dim3(static_cast<unsigned>(extent.depth)), dim3(kMergeThreads)};

    phase("FindSpans", find_spans, RowThread::shape(static_cast<std::uint64_t>(extent.rows())), buffers.image,
          spans);
    phase("MergeSpans", merge_spans, a_slice_each, extent, buffers.image.pitch, spans);
    phase("FinalLabeling", final_labeling, SpanThread::shape(extent), buffers.labels, spans);
  }

  DeviceBuffer<Label> spans_;
};

}  // namespace
}  // namespace accl

Variants accl_variants() { return {variant<accl::Accl, Connectivity::c8>()}; }

}  // namespace gpuccl::cuda
