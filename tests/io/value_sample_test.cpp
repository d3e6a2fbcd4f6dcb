#include "io/image/samples.hpp"
#include "support/test.hpp"

namespace gpuccl::io {
namespace {

SampleFormat format_of(int bits) {
  SampleFormat format;
  format.bits = bits;
  return format;
}

/// Whether rows of these samples, looked at one after the other, have more than two values.
template <class Sample>
bool has_more(const SampleFormat& format, const std::vector<std::vector<Sample>>& rows) {
  TwoValueDetector sample;
  for (const std::vector<Sample>& row : rows) {
    const Extent extent{static_cast<int>(row.size()), 1, 1};
    sample.look_at(
        {format, 0, 1, reinterpret_cast<const std::byte*>(row.data()), row.size() * sizeof(Sample)}, extent);
  }
  return sample.has_more_than_two();
}

}  // namespace

TEST_CASE("a third value is found wherever it is in a row") {
  const SampleFormat bytes = format_of(8), words = format_of(16);
  for (const std::size_t width : {1, 5, 63, 64, 65, 200, 300, 1000}) {
    std::vector<std::uint8_t> two(width), one(width, 7);
    for (std::size_t x = 0; x < width; ++x) two[x] = x % 3 == 0 ? 7 : 0;
    CHECK_FALSE(has_more<std::uint8_t>(bytes, {two, one, std::vector<std::uint8_t>(width), two}));
    for (std::size_t x = 0; x < width; ++x) {
      std::vector<std::uint8_t> three = two;
      three[x] = 255;
      CAPTURE(width, x);
      REQUIRE(has_more<std::uint8_t>(bytes, {one, std::vector<std::uint8_t>(width), three}));
      REQUIRE(has_more<std::uint16_t>(words, {{7}, {0}, {three.begin(), three.end()}}));
    }
  }
}

TEST_CASE("values count, not samples: of pages of different formats, and scaled") {
  TwoValueDetector sample;
  const std::uint16_t words[] = {0, 300};
  const std::uint8_t bytes[] = {0, 44};  // 300 in the low 8 bits
  const SampleFormat of_words = format_of(16), of_bytes = format_of(8);
  sample.look_at({of_words, 0, 1, reinterpret_cast<const std::byte*>(words), sizeof words}, {2, 1, 1});
  sample.look_at({of_bytes, 0, 1, reinterpret_cast<const std::byte*>(bytes), 1}, {1, 1, 1});
  CHECK_FALSE(sample.has_more_than_two());
  sample.look_at({of_bytes, 0, 1, reinterpret_cast<const std::byte*>(bytes), sizeof bytes}, {2, 1, 1});
  CHECK(sample.has_more_than_two());

  SampleFormat half;
  half.slope = 0.5;
  CHECK_FALSE(has_more<std::uint8_t>(half, {{0, 2, 0, 2}}));
  CHECK(has_more<std::uint8_t>(half, {{0, 2}, {0, 1}}));
}

}  // namespace gpuccl::io
