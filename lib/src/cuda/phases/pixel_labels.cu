#include "cuda/device/pixel_forest.cuh"
#include "cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace {

__global__ void own_labels_kernel(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (!at.inside(image.extent)) return;

  const Index here = image.index(at.x, at.y, at.z);
  SharedByThreads::store(labels.data + here, load_input(image.data + here) != 0 ? OneBased::pack(here) : 0);
}

__global__ void compress_kernel(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (is_foreground(image, at.x, at.y, at.z))
    PixelForest{labels.data}.compress(labels.index(at.x, at.y, at.z));
}

__global__ void compress_inline_kernel(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (is_foreground(image, at.x, at.y, at.z))
    PixelForest{labels.data}.compress_inline(labels.index(at.x, at.y, at.z));
}

}  // namespace

void own_labels(const char* name, const Job& job, PhaseClock& phase) {
  phase(name, own_labels_kernel, PixelThread::Grid::shape(job.image.extent), job.image, job.labels);
}

void compress_labels(const char* name, const Job& job, PhaseClock& phase) {
  phase(name, compress_kernel, PixelThread::Grid::shape(job.image.extent), job.image, job.labels);
}

void compress_labels_inline(const char* name, const Job& job, PhaseClock& phase) {
  phase(name, compress_inline_kernel, PixelThread::Grid::shape(job.image.extent), job.image, job.labels);
}

}  // namespace gpuccl::cuda
