// Union-Find (UF), 2D, 4- and 8-connectivity.
//
//   V. Oliveira, R. Lotufo, "A Study on Connected Components Labeling algorithms using GPUs", SIBGRAPI 2010
//   (8-connectivity: Allegretti et al., IPAS 2018, doi:10.1109/IPAS.2018.8708900)
//
// Every thread block labels a tile of the image in shared memory. Then the tiles are merged in the label
// image by the pixels with neighbors in another tile, and the links followed to their roots.

#include "common/neighborhood.hpp"
#include "cuda/algorithms/algorithms.hpp"
#include "cuda/device/memory.cuh"
#include "cuda/device/tile.cuh"
#include "cuda/runtime/cuda_labeler.cuh"

namespace gpuccl::cuda {
namespace {

using UfTile = Tile<32, 16>;
using TileForest = UnionFind<ZeroBased, SharedByBlock>;
using Forest = UnionFind<OneBased, SharedByThreads>;

template <Connectivity connectivity>
__global__ void local_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  __shared__ Label links[UfTile::kPixels];
  const TileForest forest{links};
  const PixelThread at = UfTile::mine(image.extent);
  const bool foreground = is_foreground(image, at.x, at.y, at.z);

  forest.make_set(UfTile::index());
  __syncthreads();

  if (foreground) {
    for_each_preceding<connectivity>([&](int dx, int dy, int) {
      if (UfTile::holds(dx, dy) && is_foreground(image, at.x + dx, at.y + dy, at.z))
        forest.unite(UfTile::index(), UfTile::index(dx, dy));
    });
  }
  __syncthreads();

  if (!at.inside(image.extent)) return;
  const Index root = UfTile::in_image(labels, at, forest.find(UfTile::index()));
  labels(at.x, at.y, at.z) = foreground ? OneBased::pack(root) : 0;
}

template <Connectivity connectivity>
__global__ void global_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = UfTile::mine(image.extent);
  const bool on_border = !UfTile::holds(-1, -1) || !UfTile::holds(1, -1);
  if (!on_border || !is_foreground(image, at.x, at.y, at.z)) return;

  for_each_preceding<connectivity>([&](int dx, int dy, int) {
    if (!UfTile::holds(dx, dy) && is_foreground(image, at.x + dx, at.y + dy, at.z))
      Forest{labels.data}.unite(labels.index(at.x, at.y, at.z), labels.index(at.x + dx, at.y + dy, at.z));
  });
}

__global__ void path_compression(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (!is_foreground(image, at.x, at.y, at.z)) return;

  Forest{labels.data}.compress(labels.index(at.x, at.y, at.z));
}

// ---- host

template <Connectivity connectivity>
class Uf2d final : public CudaLabeler {
 public:
  explicit Uf2d(int gpu) : CudaLabeler(gpu, connectivity) {}

 private:
  void enqueue(const Job& job, PhaseClock& phase) override {
    const LaunchShape tiles = UfTile::Grid::shape(job.image.extent);
    const LaunchShape pixels = PixelThread::Grid::shape(job.image.extent);

    phase("LocalMerge", local_merge<connectivity>, tiles, job.image, job.labels);
    phase("GlobalMerge", global_merge<connectivity>, tiles, job.image, job.labels);
    phase("PathCompression", path_compression, pixels, job.image, job.labels);
  }
};

}  // namespace

std::unique_ptr<Labeler> make_uf_c4(int gpu) { return std::make_unique<Uf2d<Connectivity::c4>>(gpu); }
std::unique_ptr<Labeler> make_uf_c8(int gpu) { return std::make_unique<Uf2d<Connectivity::c8>>(gpu); }

}  // namespace gpuccl::cuda
