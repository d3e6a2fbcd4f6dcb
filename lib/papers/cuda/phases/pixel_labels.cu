#include "cuda/device/pixel_forest.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace {

__global__ void own_labels_kernel(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::of_this_thread(image.extent);
  if (!at.inside(image.extent)) return;

  const Index here = image.index(at.x, at.y, at.z);
  SharedByThreads::store(labels.data + here, load_input(image.data + here) != 0 ? OneBased::pack(here) : 0);
}

__global__ void compress_kernel(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::of_this_thread(image.extent);
  if (is_foreground(image, at.x, at.y, at.z))
    PixelForest{labels.data}.compress(labels.index(at.x, at.y, at.z));
}

__global__ void compress_inline_kernel(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::of_this_thread(image.extent);
  if (is_foreground(image, at.x, at.y, at.z))
    PixelForest{labels.data}.compress_inline(labels.index(at.x, at.y, at.z));
}

}  // namespace

void own_labels(const char* name, const LabelingBuffers& buffers, PhaseClock& phase) {
  phase(name, own_labels_kernel, PixelThread::Grid::shape(buffers.image.extent), buffers.image,
        buffers.labels);
}

void compress_labels(const char* name, const LabelingBuffers& buffers, PhaseClock& phase) {
  phase(name, compress_kernel, PixelThread::Grid::shape(buffers.image.extent), buffers.image, buffers.labels);
}

void compress_labels_inline(const char* name, const LabelingBuffers& buffers, PhaseClock& phase) {
  phase(name, compress_inline_kernel, PixelThread::Grid::shape(buffers.image.extent), buffers.image,
        buffers.labels);
}

}  // namespace gpuccl::cuda
