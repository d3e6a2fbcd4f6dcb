#include "cuda/device/thread_grid.cuh"
#include "cuda/phases/layouts.cuh"

namespace gpuccl::cuda {
namespace {

using Format = DeviceImage::Format;
using Word = std::uint32_t;
constexpr int kWordBits = 32;

/// Returns up to 32 bits, `elements` of them, from the byte `from` on.
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

/// One thread per word.
template <Format format>
__global__ void pack_kernel(DeviceImage image, int words_a_row, Word* bits) {
  const auto words = static_cast<std::uint64_t>(image.extent.rows()) * static_cast<unsigned>(words_a_row);
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  const std::uint64_t row = i / static_cast<unsigned>(words_a_row);
  const int x = static_cast<int>(i % static_cast<unsigned>(words_a_row)) * kWordBits;
  const auto y = static_cast<std::int64_t>(row % static_cast<unsigned>(image.extent.height));
  const auto z = static_cast<std::int64_t>(row / static_cast<unsigned>(image.extent.height));
  const int left = i < words && x < image.extent.width ? image.extent.width - x : 0;
  const int elements = left < kWordBits ? left : kWordBits;
  const auto* const from = static_cast<const std::uint8_t*>(image.data) + z * image.slice_pitch +
                           y * image.row_pitch + (format == Format::bits ? x / 8 : x);
  const Word word = format == Format::bits ? word_of_bits(from, elements) : word_of_bytes(from, elements);
  if (i < words) bits[i] = word;
}

using GroupLine = ThreadLine<>;  // one thread per 16 elements

/// Expands the low four bits to four bytes of 0 or 1.
__device__ unsigned spread_to_bytes(unsigned bits) { return (bits & 0xfu) * 0x00204081u & 0x01010101u; }

__global__ void unpack_kernel(const unsigned short* bits, uint4* pixels, std::uint64_t groups) {
  const std::uint64_t i = GroupLine::of_this_thread();
  if (i >= groups) return;

  const unsigned group = __ldg(bits + i);
  pixels[i] = make_uint4(spread_to_bytes(group), spread_to_bytes(group >> 4), spread_to_bytes(group >> 8),
                         spread_to_bytes(group >> 12));
}

using LabelGrid = ThreadGrid<1, 1, 1, 32, 8>;

template <class T>
__global__ void copy_labels_kernel(Extent extent, const Label* labels, std::int64_t pitch, T* to,
                                   std::int64_t row_pitch, std::int64_t slice_pitch) {
  constexpr Label kLargest = static_cast<T>(~Label{0});
  const int3 at = LabelGrid::origin(extent);
  if (at.x >= extent.width || at.y >= extent.height || at.z >= extent.depth) return;
  const Label label = labels[(std::int64_t{at.z} * extent.height + at.y) * pitch + at.x];
  to[at.z * slice_pitch + at.y * row_pitch + at.x] = static_cast<T>(label < kLargest ? label : kLargest);
}

}  // namespace

void pack(const DeviceImage& image, int words_a_row, std::uint32_t* bits, PhaseClock& phase) {
  auto* const kernel = image.format == Format::bits ? pack_kernel<Format::bits> : pack_kernel<Format::bytes>;
  const auto words = static_cast<std::uint64_t>(image.extent.rows()) * static_cast<unsigned>(words_a_row);
  phase("Pack", kernel, ThreadLine<>::shape(words), image, words_a_row, bits);
}

void unpack(BitRows bits, Pixel* pixels, PhaseClock& phase) {
  const std::uint64_t groups = bits.count() * 4;
  phase("Unpack", unpack_kernel, GroupLine::shape(groups),
        reinterpret_cast<const unsigned short*>(bits.words), reinterpret_cast<uint4*>(pixels), groups);
}

void copy_labels(const Label* labels, std::int64_t pitch, Extent extent, const DeviceLabels& to,
                 PhaseClock& phase) {
  std::visit(
      [&]<class T>(T* data) {
        constexpr std::int64_t kLabel = sizeof(T);
        phase("Copy", copy_labels_kernel<T>, LabelGrid::shape(extent), extent, labels, pitch, data,
              to.row_pitch / kLabel, to.slice_pitch / kLabel);
      },
      to.data);
}

}  // namespace gpuccl::cuda
