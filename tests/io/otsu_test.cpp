#include "io/image/foreground.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

constexpr std::int64_t kMemory = std::int64_t{1} << 30;

/// Otsu's criterion for the split after bin t, from its definition.
double variance_between(const std::vector<std::uint64_t>& histogram, std::size_t t) {
  double weight[2] = {0, 0}, sum[2] = {0, 0};
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;
    weight[i > t] += static_cast<double>(histogram[i]);
    sum[i > t] += static_cast<double>(histogram[i]) * static_cast<double>(i);
  }
  if (weight[0] == 0 || weight[1] == 0) return -1;
  const double distance = sum[0] / weight[0] - sum[1] / weight[1];
  return weight[0] * weight[1] * distance * distance;
}

/// Slices of samples in memory.
class MemorySource final : public SampleSource {
 public:
  MemorySource(const SampleFormat& format, Extent extent, std::vector<std::byte> bytes)
      : bytes_(std::move(bytes)) {
    describe("memory", extent, format);
  }
  std::int64_t buffer_bytes() const override { return 0; }
  /// How often a slice was.
  int decoded() const { return decoded_; }
  void decode_from_top(int z, const Sink& sink) const override {
    ++decoded_;
    const auto pitch = static_cast<std::size_t>(format_.row_bytes(info_.extent.width));
    for (int y = 0; y < info_.extent.height; ++y)
      sink({format_, y, 1, bytes_.data() + static_cast<std::size_t>(z * info_.extent.height + y) * pitch,
            pitch});
  }

 private:
  std::vector<std::byte> bytes_;
  mutable std::atomic<int> decoded_ = 0;
};

template <class T>
SampleValue exact_threshold_of(const std::vector<T>& samples, SampleKind kind,
                               Photometric photometric = Photometric::min_is_black,
                               const std::vector<SampleValue>& missing = {}) {
  std::vector<std::byte> bytes(samples.size() * sizeof(T));
  std::memcpy(bytes.data(), samples.data(), bytes.size());
  SampleFormat format{sizeof(T) * 8, kind, 1, photometric, false, {}};
  format.set_missing(missing);
  return otsu_threshold(MemorySource(format, {static_cast<int>(samples.size() / 2), 1, 2}, bytes), {},
                        kMemory)
      .value;
}

template <class T>
double threshold_of(const std::vector<T>& samples, SampleKind kind,
                    Photometric photometric = Photometric::min_is_black) {
  return exact_threshold_of(samples, kind, photometric).number();
}

template <class T>
void check_gray_as_colors(T factor = 1) {
  std::mt19937 random(2);
  std::vector<T> grays(2000), colors;
  for (T& gray : grays) gray = static_cast<T>(((random() % 3 == 0 ? 170 : 60) + random() % 50) * factor);
  for (const T gray : grays) colors.insert(colors.end(), 3, gray);
  std::vector<std::byte> bytes(colors.size() * sizeof(T));
  std::memcpy(bytes.data(), colors.data(), bytes.size());
  const SampleKind kind = std::is_signed_v<T> ? SampleKind::signed_integer : SampleKind::unsigned_integer;
  const SampleFormat format{sizeof(T) * 8, kind, 3, Photometric::rgb, false, {}};
  CHECK(otsu_threshold(MemorySource(format, {1000, 1, 2}, bytes), {}, kMemory).number() ==
        threshold_of(grays, kind));
}

}  // namespace

TEST_CASE("Otsu's threshold of grays that are stored as colors is that of the gray image") {
  check_gray_as_colors<std::uint8_t>();
  check_gray_as_colors<std::uint16_t>();
  check_gray_as_colors<std::uint32_t>();
  check_gray_as_colors<std::uint32_t>(15000000);
  check_gray_as_colors<std::int16_t>(-100);
  check_gray_as_colors<std::int32_t>(-7000000);
}

TEST_CASE("Otsu's threshold of a palette of colors is one of its lumas: that with the largest variance") {
  std::mt19937 random(7);
  for (int repetition = 0; repetition < 40; ++repetition) {
    CAPTURE(repetition);
    SampleFormat format{8, SampleKind::unsigned_integer, 1, Photometric::palette, false, {}};
    // Many colors whose lumas lie within one or two units.
    const auto near_100 = [&](unsigned range) { return 100.0 + static_cast<double>(random() % range); };
    for (int i = 0; i < 256; ++i) format.palette.push_back(luma(near_100(3), near_100(3), near_100(9)));
    std::vector<std::byte> bytes(400);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 256);
    std::vector<double> lumas;
    for (const std::byte byte : bytes) lumas.push_back(format.palette[std::to_integer<std::size_t>(byte)]);
    std::sort(lumas.begin(), lumas.end());
    const auto variance_at = [&](double threshold) {
      double sums[2] = {}, counts[2] = {};
      for (const double one : lumas) {
        sums[one > threshold] += one;
        ++counts[one > threshold];
      }
      const double distance = sums[0] / counts[0] - sums[1] / counts[1];
      return counts[0] * counts[1] * distance * distance;
    };
    const double found = otsu_threshold(MemorySource(format, {400, 1, 1}, bytes), {}, kMemory).number();
    CHECK(std::binary_search(lumas.begin(), lumas.end(), found));
    for (const double other : lumas)
      if (other < lumas.back()) CHECK(variance_at(other) <= variance_at(found) * (1 + 1e-9));
  }
}

TEST_CASE("Otsu's threshold of a palette splits its lumas, with any bits of an index") {
  for (const int bits : {1, 2, 4, 8}) {
    CAPTURE(bits);
    const int colors = 1 << bits;
    SampleFormat format{bits, SampleKind::unsigned_integer, 1, Photometric::palette, false, {}};
    for (int i = 0; i < colors; ++i) format.palette.push_back(i < colors / 2 ? 50 : 200);
    std::vector<std::byte> bytes(64);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i);
    CHECK(otsu_threshold(MemorySource(format, {64 * 8 / bits, 1, 1}, bytes), {}, kMemory).number() == 50);
  }
}

TEST_CASE("Otsu's split has the largest variance between classes and is the first that has") {
  std::mt19937 random(1);
  for (int repetition = 0; repetition < 300; ++repetition) {
    std::vector<std::uint64_t> histogram(2 + random() % 40);
    for (auto& bin : histogram) bin = random() % 3 == 0 ? random() % 1000 : 0;
    histogram.front() += 1;
    histogram.back() += 1;
    const std::size_t split = otsu_split(histogram);
    const double variance = variance_between(histogram, split);
    CAPTURE(split);
    for (std::size_t t = 0; t < histogram.size(); ++t) {
      REQUIRE(variance_between(histogram, t) <= variance * (1 + 1e-12));
      if (t < split) REQUIRE(variance_between(histogram, t) < variance);
    }
  }
}

TEST_CASE("Otsu's split of a histogram without two values is the value") {
  REQUIRE(otsu_split({0, 0, 7, 0}) == 2);
  REQUIRE(otsu_split({0, 0}) == 0);
}

TEST_CASE("Otsu's threshold is exact for numbers of 16 bits and in the scale of the samples") {
  using Kind = SampleKind;
  REQUIRE(threshold_of<std::uint8_t>({10, 10, 12, 200, 201, 10}, Kind::unsigned_integer) == 12);
  REQUIRE(threshold_of<std::uint16_t>({10, 10, 12, 60000, 60001, 10}, Kind::unsigned_integer) == 12);
  REQUIRE(threshold_of<std::int16_t>({-500, -500, -480, 300, 301, -500}, Kind::signed_integer) == -480);
  REQUIRE(threshold_of<std::uint8_t>({245, 245, 243, 55, 54, 245}, Kind::unsigned_integer,
                                     Photometric::min_is_white) == 12);
}

TEST_CASE("Otsu's threshold of 24, 32 and 64-bit numbers is one of them where they lie close together") {
  using Kind = SampleKind;
  REQUIRE(threshold_of<std::int32_t>({0, 0, 0, 0, 4, 4, 18, 18}, Kind::signed_integer) == 4);
  REQUIRE(threshold_of<std::uint64_t>({0, 0, 0, 0, 4, 4, 18, 18}, Kind::unsigned_integer) == 4);
  REQUIRE(threshold_of<std::uint32_t>({4000000000, 4000000000}, Kind::unsigned_integer) == 4000000000);
  for (const std::size_t count : {std::size_t{2}, std::size_t{10000}})
    REQUIRE(threshold_of(std::vector<std::uint64_t>(count, 3 << 16), Kind::unsigned_integer) == 3 << 16);
  REQUIRE(threshold_of<std::uint32_t>({~1u, ~1u, ~7u, ~1000u}, Kind::unsigned_integer,
                                      Photometric::min_is_white) == 7);
  REQUIRE(threshold_of<std::uint32_t>({7, 8, 65542, 65541}, Kind::unsigned_integer) == 8);
  // As many as a bin can hold: the largest value of the lower class, within a bin.
  const double wide =
      threshold_of<std::uint64_t>({1ull << 62, 1ull << 62, 3ull << 62, 3ull << 62}, Kind::unsigned_integer);
  REQUIRE((wide >= 0x1p62 && wide < 0x3p62));
}

TEST_CASE("Otsu's threshold of 64-bit integers is exact where doubles skip integers") {
  using Kind = SampleKind;
  const auto expect = [](const SampleValue& found, const std::string& text) { CHECK(found.text() == text); };
  constexpr std::uint64_t kHigh = ~std::uint64_t{0}, kTime = 1700000000000000000;
  const std::vector<std::uint64_t> times{kTime, kTime + 1, kTime + 99, kTime + 100};
  expect(exact_threshold_of(times, Kind::unsigned_integer), "1700000000000000001");
  expect(exact_threshold_of(std::vector<std::int64_t>(times.begin(), times.end()), Kind::signed_integer),
         "1700000000000000001");
  const std::vector<std::int64_t> low{INT64_MIN, INT64_MIN + 2, INT64_MIN + 90, INT64_MIN + 91};
  expect(exact_threshold_of(low, Kind::signed_integer), "-9223372036854775806");
  expect(
      exact_threshold_of<std::uint64_t>({kHigh, kHigh - 1, kHigh - 60, kHigh - 61}, Kind::unsigned_integer),
      "18446744073709551555");
  expect(exact_threshold_of<std::uint64_t>({0, 1, 60, 61}, Kind::unsigned_integer, Photometric::min_is_white),
         "18446744073709551555");
  expect(exact_threshold_of<std::uint64_t>({kTime, kTime + 4, kHigh, kTime + 5}, Kind::unsigned_integer,
                                           Photometric::min_is_black,
                                           {*SampleValue::parse("18446744073709551615")}),
         "1700000000000000000");
  // Spans of all 64 bits: the last integer of the first of 65,536 bins.
  expect(exact_threshold_of<std::uint64_t>({0, 1, kHigh, kHigh}, Kind::unsigned_integer), "281474976710655");
  expect(exact_threshold_of<std::int64_t>({INT64_MIN, INT64_MIN, 5, INT64_MAX}, Kind::signed_integer),
         "-9223090561878065153");
  expect(exact_threshold_of<std::int64_t>({INT64_MIN, INT64_MIN}, Kind::signed_integer),
         "-9223372036854775808");
}

TEST_CASE("Otsu's threshold of colors of 64 bits is below the lumas of the upper class") {
  const std::uint64_t low = 1ull << 60;
  for (const std::uint64_t step : {256u, 512u, 4096u, 300u * 65536u}) {
    CAPTURE(step);
    std::vector<std::uint64_t> colors;
    for (const std::uint64_t luma : {low, low + step, low + 40 * step, low + 41 * step})
      colors.insert(colors.end(), 3, luma);
    std::vector<std::byte> bytes(colors.size() * sizeof colors[0]);
    std::memcpy(bytes.data(), colors.data(), bytes.size());
    const SampleFormat format{64, SampleKind::unsigned_integer, 3, Photometric::rgb, false, {}};
    const double found = otsu_threshold(MemorySource(format, {4, 1, 1}, bytes), {}, kMemory).number();
    CHECK(found >= static_cast<double>(low + step));
    CHECK(found < static_cast<double>(low + 40 * step));
  }
}

TEST_CASE("Otsu's threshold of wide numbers parts them as well as any of their values") {
  std::mt19937 random(2);
  for (int repetition = 0; repetition < 60; ++repetition) {
    CAPTURE(repetition);
    // From a few values close together to all over the range of 20 bits, one or two humps.
    const auto spread = 1u << (1 + random() % 19);
    const auto far = static_cast<std::uint32_t>(random() % (1u << 19));
    std::vector<std::uint32_t> samples(200 + random() % 800 * 2);
    for (auto& sample : samples)
      sample = static_cast<std::uint32_t>(random() % spread) + (random() % 3 == 0 ? far : 0);
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
    const bool is_exact = *most - *least < 65536;
    std::vector<std::uint64_t> histogram(std::size_t{1} << 21);
    for (const auto sample : samples) ++histogram[sample];
    const std::size_t best = otsu_split(histogram);
    const double variance = variance_between(histogram, best);
    const auto expect = [&](double threshold) {
      if (threshold == static_cast<double>(best)) return;
      REQUIRE(!is_exact);
      REQUIRE(variance_between(histogram, static_cast<std::size_t>(threshold)) >= variance * (1 - 1e-3));
    };
    expect(threshold_of<std::uint32_t>(samples, SampleKind::unsigned_integer));
    const auto moved = [&]<class T>(T by) {
      std::vector<T> values;
      for (const auto sample : samples) values.push_back(static_cast<T>(sample) + by);
      return values;
    };
    expect(threshold_of(moved(0x7fff0000u), SampleKind::unsigned_integer) - 0x7fff0000);
    for (const std::int64_t by : {std::int64_t{0}, -(std::int64_t{1} << 19), -(std::int64_t{1} << 52)})
      expect(threshold_of(moved(by), SampleKind::signed_integer) - static_cast<double>(by));
    for (const std::uint64_t by : {std::uint64_t{1} << 40, std::uint64_t{1} << 52})
      expect(threshold_of(moved(by), SampleKind::unsigned_integer) - static_cast<double>(by));
  }
}

TEST_CASE("Otsu's method decodes numbers of 16 bits once and wider ones twice") {
  std::mt19937 random(3);
  const auto decoded = [&](int bits, std::vector<std::byte> bytes) {
    const int width = static_cast<int>(static_cast<std::int64_t>(bytes.size()) * 8 / bits);
    const MemorySource source({bits, SampleKind::unsigned_integer, 1, Photometric::min_is_black, false, {}},
                              {width, 1, 1}, std::move(bytes));
    otsu_threshold(source, {}, kMemory);
    return source.decoded();
  };
  std::vector<std::byte> noise(std::size_t{1} << 20);
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
  REQUIRE(decoded(8, noise) == 1);
  REQUIRE(decoded(12, noise) == 1);
  REQUIRE(decoded(16, noise) == 1);
  REQUIRE(decoded(32, noise) == 2);
  REQUIRE(decoded(64, noise) == 2);
}

TEST_CASE("Otsu's threshold of floating-point samples lies between the classes") {
  const float nan = std::nanf(""), infinity = HUGE_VALF;
  const double threshold =
      threshold_of<float>({0.1f, 0.11f, nan, 0.9f, 0.91f, infinity}, SampleKind::floating);
  REQUIRE(threshold > 0.11);
  REQUIRE(threshold < 0.9);
  REQUIRE(threshold_of<float>({2.5f, 2.5f}, SampleKind::floating) == 2.5);
  REQUIRE(threshold_of<float>({nan, nan}, SampleKind::floating) == 0);
  const double huge = threshold_of<double>({-1.7e308, 1.7e308}, SampleKind::floating);
  REQUIRE(std::abs(huge) < 1.7e308);
  const double least = std::numeric_limits<double>::denorm_min();
  REQUIRE(threshold_of<double>({0, 0, 0, least, least, least}, SampleKind::floating) == 0);
  REQUIRE(threshold_of<double>({0, 0, 9 * least, 8 * least}, SampleKind::floating) == 0);
}
