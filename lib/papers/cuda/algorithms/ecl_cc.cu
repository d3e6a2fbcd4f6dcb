// ECL-CC on the grid of elements, 2D and 3D.
//
//   J. Jaiganesh, M. Burtscher, "A High-Performance Connected Components Implementation for GPUs", High-
//   Performance Parallel and Distributed Computing (HPDC), 2018, doi:10.1145/3208040.3208041
//
// An algorithm for graphs, applied to the graph of foreground elements with an edge between neighbors, which
// is not stored. Init links each vertex to its first preceding neighbor. Compute processes every edge to a
// preceding neighbor: it hooks the larger representative to the smaller one by compare-and-swap. Finding a
// representative shortens the path: each vertex on it is linked to its grandparent (intermediate pointer
// jumping). Finalize links all vertices to their representatives.
//
// The paper processes vertices of more than 16 edges with warps and thread blocks. Grid vertices have at most
// 26 edges, so the paper's first kernel, one thread per vertex, processes all of them.

#include "cuda/device/pixel_forest.cuh"
#include "papers/cuda/device/pixel_quad.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace ecl_cc {
namespace {

template <Connectivity connectivity>
__global__ void init(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelQuad at = PixelQuad::of_this_thread(image.extent);
  if (at.inside(image.extent)) store_first_links<connectivity>(image, labels, at);
}

class Vertices : public PixelForest {
 public:
  __device__ explicit Vertices(Label* parents) : PixelForest(parents), parents_(parents) {}

  /// Finds the representative by intermediate pointer jumping.
  __device__ Index representative(Index vertex) const {
    Index before = vertex, at = parent_of(vertex);
    if (at == vertex) return at;
    for (Index next = parent_of(at); next < at; next = parent_of(at)) {
      count_step<SharedByThreads>();
      link(before, next);
      before = at;
      at = next;
    }
    return at;
  }

  /// Hooks the larger representative to the smaller one. Returns the remaining one.
  __device__ Index hook(Index a, Index b) const {
    while (a != b) {
      Index& high = a < b ? b : a;
      const Index low = a < b ? a : b;
      const Index was = OneBased::unpack(
          SharedByThreads::exchange_if(parents_ + high, OneBased::pack(high), OneBased::pack(low)));
      if (was == high) return low;
      high = was;  // another thread hooked it first; continue with its parent
    }
    return a;
  }

 private:
  Label* parents_;
};

template <Connectivity connectivity>
__global__ void compute(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::of_this_thread(image.extent);
  if (!is_foreground(image, at.x, at.y, at.z)) return;

  const Vertices vertices{labels.data};
  Index own = vertices.representative(labels.index(at.x, at.y, at.z));
  for_each_preceding<connectivity>([&](int dx, int dy, int dz) {
    const int x = at.x + dx, y = at.y + dy, z = at.z + dz;
    if (is_foreground(image, x, y, z))
      own = vertices.hook(own, vertices.representative(labels.index(x, y, z)));
  });
}

// ---- host

template <Connectivity connectivity>
class EclCc final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;

    phase("Init", init<connectivity>, PixelQuad::Grid::shape(extent), buffers.image, buffers.labels);
    phase("Compute", compute<connectivity>, PixelThread::Grid::shape(extent), buffers.image, buffers.labels);
    compress_labels("Finalize", buffers, phase);
  }
};

}  // namespace
}  // namespace ecl_cc

Variants ecl_cc_variants() {
  using enum Connectivity;
  return variants<ecl_cc::EclCc, c4, c8, c6, c18, c26>();
}

}  // namespace gpuccl::cuda
