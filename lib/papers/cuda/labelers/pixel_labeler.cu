#include <string>

#include "cuda/phases/layouts.cuh"
#include "cuda/phases/run_starts.cuh"
#include "gpuccl/types.hpp"
#include "papers/cuda/labelers/pixel_labeler.cuh"

namespace gpuccl::cuda {
namespace {

/// Links are unsigned 32-bit integers, and one value is reserved for none.
constexpr std::int64_t kMaxElements = 0xffffffffLL - 1;

/// Returns the number of elements on the device, including row padding. Throws Error (usage) if there are too
/// many.
std::size_t checked_elements(Extent extent) {
  const std::int64_t elements = extent.rows() * words_per_row(extent.width) * 32;
  if (elements > kMaxElements)
    throw Error(ErrorCode::usage, "this algorithm labels at most " + std::to_string(kMaxElements) +
                                      " pixels, with rows padded to 64; this image has " +
                                      std::to_string(elements) + "; use --algo auto");
  return static_cast<std::size_t>(elements);
}

/// Returns a view of a whole buffer with the pitch of the bits.
template <class T>
ImageRef<T> view(T* data, const BitRows& bits) {
  const Index pitch = bits.words_a_row * 64;
  return {data, bits.extent, pitch, pitch * static_cast<Index>(bits.extent.height)};
}

}  // namespace

Word64* PixelLabeler::reserve_image(Extent extent) {
  const std::size_t elements = checked_elements(extent);
  bits_.reserve(elements / 64, "allocating the image");
  pixels_.reserve(elements, "allocating the image");
  buffers_.bits = {bits_.data(), extent, static_cast<unsigned>(words_per_row(extent.width) / 2)};
  buffers_.image = view<const Pixel>(pixels_.data(), buffers_.bits);
  buffers_.labels = view<Label>(nullptr, buffers_.bits);
  first_.reserve(buffers_.bits);
  reserve(buffers_);
  return bits_.data();
}

void PixelLabeler::enqueue_unpacking(PhaseClock& phase) { unpack(buffers_.bits, pixels_.data(), phase); }

/// Clears the labels in the padding that share a 16-byte access with the last labels of a row, because not
/// every algorithm writes them.
void PixelLabeler::enqueue_clearing(Label* labels, cudaStream_t stream) {
  const auto width = static_cast<std::size_t>(buffers_.bits.extent.width);
  if (width % 4 == 0) return;
  const std::size_t bytes = (4 - width % 4) * sizeof(Label);
  const auto rows = static_cast<std::size_t>(buffers_.bits.extent.rows());
  const std::size_t pitch =
      rows > 1 ? static_cast<std::size_t>(buffers_.labels.pitch) * sizeof(Label) : bytes;
  check(cudaMemset2DAsync(labels + width, pitch, 0, bytes, rows, stream), "clearing the labels");
}

void PixelLabeler::enqueue_labeling(Numbering numbering, Label* labels, PhaseClock& phase) {
  buffers_.labels.data = labels;
  if (numbering == Numbering::consecutive) {
    enqueue_numbered(buffers_, phase, first_);
  } else {
    enqueue(buffers_, phase);
  }
}

void PixelLabeler::enqueue_numbered(const LabelingBuffers& buffers, PhaseClock& phase, FirstElements& first) {
  enqueue(buffers, phase);
  first.mark_pixels(buffers, connectivity_, phase);
  first.count(phase);
  first.relabel(buffers, phase);
}

void PixelLabeler::enqueue_run_labels(CountedBits starts, Label* labels, PhaseClock& phase) {
  gather_runs(buffers_, connectivity_, starts, labels, phase);
}

Label PixelLabeler::wait_for_count(const Stream& stream) { return first_.total(stream); }

void PixelLabeler::enqueue_statistics(Label count, const Label*, PhaseClock& phase) {
  statistics_.collect(buffers_, count, phase);
}

Components PixelLabeler::download_components(PinnedRing& ring, const Stream& stream) {
  return statistics_.download(ring, stream);
}

void PixelLabeler::check_components(const Components& components, BitView image) const {
  std::uint64_t sum = 0;
  for (const std::uint64_t area : components.area) sum += area;
  const auto expected = static_cast<std::uint64_t>(count_foreground(image));
  if (sum != expected)
    throw Error(ErrorCode::internal, "the components found on the GPU cover " + std::to_string(sum) + " of " +
                                         std::to_string(expected) + " foreground pixels");
}

}  // namespace gpuccl::cuda
