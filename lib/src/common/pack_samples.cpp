#include "gpuccl/detail/pack_samples.hpp"

#include <cstring>

namespace gpuccl {
namespace {

constexpr std::int64_t kBlock = 64;  // samples that become one 64-bit word

template <class Sample>
void pack_plainly(const std::byte* samples, std::int64_t blocks, std::span<const SampleRange<Sample>> ranges,
                  std::uint64_t flip, std::uint32_t* bits) {
  for (std::int64_t block = 0; block < blocks; ++block, samples += kBlock * sizeof(Sample), bits += 2) {
    Sample some[kBlock];
    std::memcpy(some, samples, sizeof some);
    std::uint8_t flags[kBlock] = {};
    for (const SampleRange<Sample>& range : ranges) {
      const auto low = range.low, span = static_cast<Sample>(range.high - range.low);
      for (std::int64_t i = 0; i < kBlock; ++i) flags[i] |= static_cast<Sample>(some[i] - low) <= span;
    }
    const std::uint64_t word = nonzero_bytes(flags) ^ flip;
    std::memcpy(bits, &word, sizeof word);
  }
}

}  // namespace

template <class Sample>
std::vector<SamplePacker<Sample>> sample_packers() {
  std::vector<SamplePacker<Sample>> packers = vector_packers<Sample>();
  packers.push_back({"plain", pack_plainly<Sample>});
  return packers;
}

template <class Sample>
void pack_samples(const std::byte* samples, std::int64_t count, std::span<const SampleRange<Sample>> ranges,
                  bool invert, std::uint32_t* bits) {
  static const auto pack = sample_packers<Sample>().front().pack;
  const std::uint64_t flip = invert ? ~std::uint64_t{0} : 0;
  const std::int64_t blocks = count / kBlock, rest = count % kBlock;
  pack(samples, blocks, ranges, flip, bits);
  if (rest == 0) return;
  std::byte last[kBlock * sizeof(Sample)] = {};
  std::memcpy(last, samples + blocks * kBlock * std::int64_t{sizeof(Sample)},
              static_cast<std::size_t>(rest) * sizeof(Sample));
  std::uint64_t word;
  pack(last, 1, ranges, flip, reinterpret_cast<std::uint32_t*>(&word));
  word &= (std::uint64_t{1} << rest) - 1;
  std::memcpy(bits + blocks * 2, &word, sizeof word);
}

#define GPUCCL_EXPORTED __attribute__((visibility("default")))  // explicit instantiations do not inherit it
#define GPUCCL_PACK_SAMPLES(Sample)                                            \
  template GPUCCL_EXPORTED std::vector<SamplePacker<Sample>> sample_packers(); \
  template GPUCCL_EXPORTED void pack_samples(const std::byte*, std::int64_t,   \
                                             std::span<const SampleRange<Sample>>, bool, std::uint32_t*);
GPUCCL_PACK_SAMPLES(std::uint8_t)
GPUCCL_PACK_SAMPLES(std::uint16_t)
GPUCCL_PACK_SAMPLES(std::uint32_t)
GPUCCL_PACK_SAMPLES(std::uint64_t)
#undef GPUCCL_PACK_SAMPLES
#undef GPUCCL_EXPORTED

}  // namespace gpuccl
