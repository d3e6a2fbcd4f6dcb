// Compares samples with the vectors that every 64-bit ARM processor has. A mask of bytes becomes bits: each
// lane keeps a bit of its own, and adjacent lanes are added three times.

#include <arm_neon.h>

#include <cstring>

#include "gpuccl/detail/pack_samples.hpp"

namespace gpuccl {
namespace {

constexpr std::int64_t kBlock = 64;  // samples that become one 64-bit word

/// Returns all ones for each of 16 one-byte samples in the range.
uint8x16_t in_range(const std::byte* samples, SampleRange<std::uint8_t> range) {
  const uint8x16_t some = vld1q_u8(reinterpret_cast<const std::uint8_t*>(samples));
  return vcleq_u8(vsubq_u8(some, vdupq_n_u8(range.low)),
                  vdupq_n_u8(static_cast<std::uint8_t>(range.high - range.low)));
}

/// Returns all ones for each of 16 two-byte samples in the range.
uint8x16_t in_range(const std::byte* samples, SampleRange<std::uint16_t> range) {
  const uint16x8_t low = vdupq_n_u16(range.low);
  const uint16x8_t span = vdupq_n_u16(static_cast<std::uint16_t>(range.high - range.low));
  const auto eight = [&](const std::byte* from) {
    const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(from));  // also for odd addresses
    return vreinterpretq_u8_u16(vcleq_u16(vsubq_u16(vreinterpretq_u16_u8(bytes), low), span));
  };
  return vuzp1q_u8(eight(samples), eight(samples + 16));
}

std::uint64_t bits_of(const uint8x16_t (&masks)[4]) {
  const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
  const uint8x16_t front = vpaddq_u8(vandq_u8(masks[0], bit), vandq_u8(masks[1], bit));
  const uint8x16_t back = vpaddq_u8(vandq_u8(masks[2], bit), vandq_u8(masks[3], bit));
  const uint8x16_t quarters = vpaddq_u8(front, back);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)), 0);
}

template <class Sample>
void pack_by_neon(const std::byte* samples, std::int64_t blocks, std::span<const SampleRange<Sample>> ranges,
                  std::uint64_t flip, std::uint32_t* bits) {
  for (std::int64_t block = 0; block < blocks; ++block, samples += kBlock * sizeof(Sample), bits += 2) {
    uint8x16_t masks[4];
    for (std::size_t k = 0; k < 4; ++k) {
      const std::byte* from = samples + k * 16 * sizeof(Sample);
      masks[k] = in_range(from, ranges[0]);
      for (std::size_t i = 1; i < ranges.size(); ++i)
        masks[k] = vorrq_u8(masks[k], in_range(from, ranges[i]));
    }
    const std::uint64_t word = bits_of(masks) ^ flip;
    std::memcpy(bits, &word, sizeof word);
  }
}

}  // namespace

template <class Sample>
std::vector<SamplePacker<Sample>> vector_packers() {
  if constexpr (sizeof(Sample) <= 2) return {{"NEON", pack_by_neon<Sample>}};
  return {};  // compilers generate good code for wider samples
}

template std::vector<SamplePacker<std::uint8_t>> vector_packers();
template std::vector<SamplePacker<std::uint16_t>> vector_packers();
template std::vector<SamplePacker<std::uint32_t>> vector_packers();
template std::vector<SamplePacker<std::uint64_t>> vector_packers();

}  // namespace gpuccl
