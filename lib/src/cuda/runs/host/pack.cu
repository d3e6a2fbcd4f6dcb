#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/host/device_call.cuh"

namespace gpuccl::cuda::runs {
namespace {

using Format = DeviceImage::Format;

/// The `elements` bits, at most 32, that begin at a byte.
__device__ Word word_of_bits(const std::uint8_t* from, int elements) {
  Word word = 0;
  for (int i = 0; 8 * i < elements; ++i) word |= static_cast<Word>(from[i]) << 8 * i;
  return elements < kWordBits ? word & ((Word{1} << elements) - 1) : word;
}

/// Packs bytes. The lanes of a warp read adjacent bytes together.
__device__ Word word_of_bytes(const std::uint8_t* from, int elements) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  Word word = 0;
  for (int owner = 0; owner < 32; ++owner) {
    const auto address = __shfl_sync(~0u, reinterpret_cast<unsigned long long>(from), owner);
    const bool inside = lane < __shfl_sync(~0u, elements, owner);
    const bool set = inside && reinterpret_cast<const std::uint8_t*>(address)[lane] != 0;
    const Word packed = __ballot_sync(~0u, set);
    if (lane == owner) word = packed;
  }
  return word;
}

/// A thread a word.
template <Format format>
__global__ void pack_kernel(DeviceImage image, int words_a_row, Word* bits) {
  const auto words = static_cast<std::uint64_t>(image.extent.rows()) * static_cast<unsigned>(words_a_row);
  const std::uint64_t i = ThreadLine<>::mine();
  const std::uint64_t row = i / static_cast<unsigned>(words_a_row);
  const int x = static_cast<int>(i % static_cast<unsigned>(words_a_row)) * kWordBits;
  const auto y = static_cast<std::int64_t>(row % static_cast<unsigned>(image.extent.height));
  const auto z = static_cast<std::int64_t>(row / static_cast<unsigned>(image.extent.height));
  const int left = i < words ? image.extent.width - x : 0;
  const int elements = left < kWordBits ? left : kWordBits;
  const auto* const from = static_cast<const std::uint8_t*>(image.data) + z * image.slice_pitch +
                           y * image.row_pitch + (format == Format::bits ? x / 8 : x);
  const Word word = format == Format::bits ? word_of_bits(from, elements) : word_of_bytes(from, elements);
  if (i < words) bits[i] = word;
}

}  // namespace

void pack(const DeviceImage& image, int words_a_row, Word* bits, PhaseClock& phase) {
  auto* const kernel = image.format == Format::bits ? pack_kernel<Format::bits> : pack_kernel<Format::bytes>;
  const auto words = static_cast<std::uint64_t>(image.extent.rows()) * static_cast<unsigned>(words_a_row);
  phase("Pack", kernel, ThreadLine<>::shape(words), image, words_a_row, bits);
}

}  // namespace gpuccl::cuda::runs
