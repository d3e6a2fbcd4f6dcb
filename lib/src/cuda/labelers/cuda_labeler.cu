#include <chrono>
#include <string>

#include "cuda/labelers/cuda_labeler.cuh"
#include "cuda/phases/unpack.cuh"
#include "gpuccl/error.hpp"

namespace gpuccl::cuda {
namespace {

/// Links are unsigned 32-bit numbers, and one value must be free to mean none.
constexpr std::int64_t kMostElements = 0xffffffffLL - 1;

void check_size(BitView image) {
  const std::int64_t elements = image.extent.rows() * image.row_pitch * 32;
  if (elements > kMostElements)
    throw Error(Failure::usage, "this algorithm labels at most " + std::to_string(kMostElements) +
                                    " elements, rows padded to 64; this image has " +
                                    std::to_string(elements) + "; use --algo auto");
}

/// A view of a whole buffer with the pitch of the bits.
template <class T>
ImageRef<T> view(T* data, const BitRows& bits) {
  const Index pitch = bits.words_a_row * 64;
  return {data, bits.extent, pitch, pitch * static_cast<Index>(bits.extent.height)};
}

void check_areas(const Components& components, BitView image) {
  std::uint64_t sum = 0;
  for (const std::uint64_t area : components.area) sum += area;
  const auto expected = static_cast<std::uint64_t>(count_foreground(image));
  if (sum != expected)
    throw Error(Failure::internal, "the components found on the GPU cover " + std::to_string(sum) + " of " +
                                       std::to_string(expected) + " foreground elements");
}

}  // namespace

void CudaLabeler::upload(BitView image) {
  check_size(image);
  use_device();
  const std::size_t elements = static_cast<std::size_t>(image.extent.rows() * image.row_pitch) * 32;
  bits_.reserve(elements / 64, "allocating the image");
  pixels_.reserve(elements, "allocating the image");
  job_.bits = {bits_.data(), image.extent, static_cast<unsigned>(image.row_pitch / 2)};
  job_.image = view<const Pixel>(pixels_.data(), job_.bits);
  job_.labels = view<Label>(nullptr, job_.bits);
  first_.reserve(job_.bits);
  reserve(job_);
  if (elements == 0) return;

  ring_.upload(image.words, bits_.data(), elements / 8, stream_);
  PhaseClock phase{stream_.get(), nullptr};
  unpack(job_.bits, pixels_.data(), phase);
}

void CudaLabeler::allocate() {
  use_device();
  labels_.reserve(static_cast<std::size_t>(job_.bits.count()) * 64, "allocating the labels");
  job_.labels.data = labels_.data();
  clear_padding();
}

/// The labels that share an access of 16 bytes with the last ones of a row; no algorithm writes them all.
void CudaLabeler::clear_padding() {
  const auto width = static_cast<std::size_t>(job_.bits.extent.width);
  if (width % 4 == 0) return;
  const std::size_t bytes = (4 - width % 4) * sizeof(Label);
  const auto rows = static_cast<std::size_t>(job_.bits.extent.rows());
  const std::size_t pitch = rows > 1 ? static_cast<std::size_t>(job_.labels.pitch) * sizeof(Label) : bytes;
  check(cudaMemset2DAsync(labels_.data() + width, pitch, 0, bytes, rows, stream_.get()),
        "clearing the labels");
}

void CudaLabeler::release() {
  use_device();
  labels_.release();
  job_.labels.data = nullptr;
}

void CudaLabeler::run(Numbering numbering, PhaseTimes* times) {
  use_device();
  numbering_ = numbering;
  if (job_.bits.count() == 0) return;
  PhaseClock phase{stream_.get(), times, counts_};
  if (numbering == Numbering::consecutive) {
    enqueue_numbered(job_, phase, first_);
  } else {
    enqueue(job_, phase);
  }
  phase.finish();
}

void CudaLabeler::enqueue_numbered(const Job& job, PhaseClock& phase, FirstElements& first) {
  enqueue(job, phase);
  first.mark_pixels(job, connectivity_, phase);
  first.count(phase);
  first.relabel(job, phase);
}

Label CudaLabeler::count() {
  if (job_.bits.count() == 0 || numbering_ == Numbering::provisional) return 0;
  Label count = 0;
  ring_.download(first_.total(), sizeof(count), &count, sizeof(count), 1, stream_);
  return count;
}

void CudaLabeler::statistics(PhaseTimes* times) {
  use_device();
  PhaseClock phase{stream_.get(), times};
  statistics_.collect(job_, count(), phase);
  phase.finish();
}

double CudaLabeler::device_ms(const std::function<void()>& work) {
  use_device();
  return cuda::device_ms(stream_, work);
}

void CudaLabeler::wait() {
  use_device();
  stream_.wait("labeling");
}

LabelImage CudaLabeler::labels() {
  use_device();
  const Extent extent = job_.bits.extent;
  LabelImage image(extent, count());
  ring_.download(job_.labels.data, job_.labels.pitch * sizeof(Label), image.data(),
                 static_cast<std::size_t>(extent.width) * sizeof(Label),
                 static_cast<std::size_t>(extent.rows()), stream_);
  return image;
}

Components CudaLabeler::components() {
  use_device();
  return statistics_.download(ring_, stream_);
}

std::uint64_t CudaLabeler::device_bytes() const {
  return bits_.bytes() + pixels_.bytes() + labels_.bytes() + first_.bytes() + statistics_.bytes();
}

Labeled CudaLabeler::label_on_device(BitView image) {
  upload(image);
  allocate();
  Labeled result;
  run(Numbering::consecutive, &result.phases);
  const auto begin = std::chrono::steady_clock::now();
  statistics(nullptr);
  result.components = components();
  check_areas(result.components, image);
  result.statistics_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

Labeled CudaLabeler::label(BitView image) {
  Labeled result = label_on_device(image);
  result.labels = std::make_unique<LabelImage>(labels());
  return result;
}

Labeled CudaLabeler::label_in_windows(BitView image, std::size_t window_bytes) {
  Labeled result = label_on_device(image);
  const LabelLayout layout{gpu(), job_.bits.extent, count(), static_cast<std::size_t>(job_.labels.pitch)};
  result.labels = bring_down(layout, labels_, window_bytes, stream_, downloads_);
  job_.labels.data = labels_.data();
  return result;
}

}  // namespace gpuccl::cuda
