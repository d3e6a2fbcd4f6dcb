// Samples become the bits that a comparison of one after the other gives, by the instructions of every kind
// that this processor has, and plain ones.

#include "gpuccl/detail/pack_samples.hpp"

#include "gpuccl/image.hpp"
#include "support/test.hpp"

using namespace gpuccl;

namespace {

template <class Sample>
using Ranges = std::vector<SampleRange<Sample>>;

/// One range that ends at either limit, holds one value, everything or some, and sets of several.
template <class Sample>
std::vector<Ranges<Sample>> ranges_to_try() {
  constexpr auto kMax = static_cast<Sample>(~Sample{0});
  constexpr auto kHalf = static_cast<Sample>(kMax / 2);
  std::vector<Ranges<Sample>> all = {
      {{1, kMax}},  {{0, 0}},       {{0, kMax}},        {{kHalf, kMax}},
      {{0, kHalf}}, {{kMax, kMax}}, {{100, kHalf + 3}}, {{0, 2}, {kMax, kMax}}};
  Ranges<Sample> most;
  for (Sample low = 1; most.size() < kMaxSampleRanges; low = static_cast<Sample>(low + 13))
    most.push_back({low, static_cast<Sample>(low + most.size() % 3)});
  all.push_back(most);
  return all;
}

/// Samples where the limits of those ranges are often met; their bytes begin at `offset` of a fresh buffer.
template <class Sample>
std::vector<std::byte> samples_at(std::size_t offset, std::int64_t count, std::mt19937& random) {
  constexpr auto kMax = static_cast<Sample>(~Sample{0});
  std::vector<std::byte> bytes(offset + static_cast<std::size_t>(count) * sizeof(Sample));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto any = static_cast<Sample>(std::uint64_t{random()} << 32 ^ random());
    const Sample values[] = {0, static_cast<Sample>(any % 256), kMax,
                             static_cast<Sample>(kMax / 2 + any % 8 - 3), any};
    std::memcpy(bytes.data() + offset + static_cast<std::size_t>(i) * sizeof(Sample), &values[random() % 5],
                sizeof(Sample));
  }
  return bytes;
}

template <class Sample>
bool in_any(const std::byte* at, const Ranges<Sample>& ranges) {
  Sample sample;
  std::memcpy(&sample, at, sizeof sample);
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return range.low <= sample && sample <= range.high; });
}

template <class Sample>
std::vector<std::uint32_t> expected_bits(const std::byte* samples, std::int64_t count,
                                         const Ranges<Sample>& ranges, bool invert) {
  std::vector<std::uint32_t> bits(static_cast<std::size_t>((count + 63) / 64 * 2));
  for (std::int64_t i = 0; i < count; ++i)
    if (in_any(samples + i * std::int64_t{sizeof(Sample)}, ranges) != invert)
      bits[static_cast<std::size_t>(i / 32)] |= 1u << (i % 32);
  return bits;
}

}  // namespace

TEMPLATE_TEST_CASE("rows of samples become bits for every width and alignment", "", std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  std::mt19937 random(1);
  const auto ranges = ranges_to_try<TestType>();
  for (std::int64_t count = 0; count <= 200; ++count)
    for (std::size_t offset = 0; offset < 64; offset += 1 + random() % 7) {
      const auto bytes = samples_at<TestType>(offset, count, random);
      const auto& chosen = ranges[random() % ranges.size()];
      const bool invert = random() % 2 != 0;
      const auto expected = expected_bits(bytes.data() + offset, count, chosen, invert);
      std::vector<std::uint32_t> bits(expected.size() + 2, 0x5a5a5a5au);  // what is beyond stays
      pack_samples<TestType>(bytes.data() + offset, count, chosen, invert, bits.data());
      CAPTURE(count, offset, invert);
      REQUIRE(std::equal(expected.begin(), expected.end(), bits.begin()));
      REQUIRE((bits[expected.size()] == 0x5a5a5a5au && bits.back() == 0x5a5a5a5au));
    }
}

TEMPLATE_TEST_CASE("vectors of each kind give the bits that plain code gives", "", std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  const auto packers = sample_packers<TestType>();
  REQUIRE(std::string(packers.back().name) == "plain");
#if defined(__x86_64__) || defined(__aarch64__)
  CHECK((packers.size() > 1 || sizeof(TestType) > 2));
#endif
  std::mt19937 random(2);
  constexpr std::int64_t kBlocks = 3;
  for (const auto& ranges : ranges_to_try<TestType>())
    for (std::size_t offset = 0; offset < 64; ++offset) {
      const auto bytes = samples_at<TestType>(offset, kBlocks * 64, random);
      for (const auto& packer : packers)
        for (const bool invert : {false, true}) {
          std::vector<std::uint32_t> bits(kBlocks * 2);
          packer.pack(bytes.data() + offset, kBlocks, ranges, invert ? ~std::uint64_t{0} : 0, bits.data());
          CAPTURE(packer.name, offset, invert, ranges.size());
          REQUIRE(bits == expected_bits(bytes.data() + offset, kBlocks * 64, ranges, invert));
        }
    }
}

TEST_CASE("all 65,536 samples of 16 bits, by vectors of each kind") {
  std::vector<std::uint16_t> samples(65536);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::uint16_t>(i);
  const auto* bytes = reinterpret_cast<const std::byte*>(samples.data());
  for (const auto& ranges : ranges_to_try<std::uint16_t>())
    for (const auto& packer : sample_packers<std::uint16_t>()) {
      std::vector<std::uint32_t> bits(samples.size() / 32);
      packer.pack(bytes, 1024, ranges, 0, bits.data());
      CAPTURE(packer.name);
      CHECK(bits == expected_bits(bytes, 65536, ranges, false));
    }
}

TEST_CASE("bytes that are not 0, by any processor's instructions") {
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i) {
    std::uint8_t bytes[64];
    std::uint64_t expected = 0;
    for (int k = 0; k < 64; ++k) {
      bytes[k] = random() % 2 != 0 ? static_cast<std::uint8_t>(random() >> 8) : 0;
      expected |= std::uint64_t{bytes[k] != 0} << k;
    }
    REQUIRE(nonzero_bytes(bytes) == expected);
    REQUIRE(nonzero_bytes_portably(bytes) == expected);
  }
}
