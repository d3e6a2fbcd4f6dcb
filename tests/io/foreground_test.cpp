// From samples to bits: every way of packing against one pixel after the other.

#include "io/image/foreground.hpp"

#include "gpuccl/image.hpp"
#include "io/image/samples.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

/// The value of one pixel, by the book: bit by bit or byte by byte, channel by channel.
struct SlowRow {
  const SampleFormat& format;
  const std::vector<std::byte>& bytes;

  std::uint64_t byte(std::int64_t i) const {
    return std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(i)]);
  }
  std::uint64_t code(std::int64_t sample) const {
    std::uint64_t code = 0;
    if (format.bits % 8 == 0) {  // the lowest byte is first
      for (std::int64_t i = format.bits / 8 - 1; i >= 0; --i)
        code = code << 8 | byte(sample * format.bits / 8 + i);
      return code;
    }
    for (std::int64_t at = sample * format.bits; at < (sample + 1) * format.bits; ++at)
      code = code << 1 | (byte(at / 8) >> (7 - at % 8) & 1);
    return code;
  }
  double number(std::int64_t sample, bool flip) const {
    std::uint64_t c = code(sample);
    if (format.kind == SampleKind::floating && format.bits == 32) {
      const auto narrow = static_cast<std::uint32_t>(c);
      float value;
      std::memcpy(&value, &narrow, sizeof value);
      return value;
    }
    if (format.kind == SampleKind::floating && format.bits == 16) {
      const int exponent = static_cast<int>(c >> 10 & 31);
      const auto fraction = static_cast<double>(c & 1023);
      const double magnitude = exponent == 31 ? (fraction == 0 ? HUGE_VAL : NAN)
                               : exponent > 0 ? std::ldexp(1024 + fraction, exponent - 25)
                                              : std::ldexp(fraction, -24);
      return (c >> 15) != 0 ? -magnitude : magnitude;
    }
    if (format.kind == SampleKind::floating) {
      double value;
      std::memcpy(&value, &c, sizeof value);
      return value;
    }
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - format.bits);
    if (flip) c = ~c & mask;
    if (format.kind == SampleKind::signed_integer && (c >> (format.bits - 1)) != 0)
      return static_cast<double>(static_cast<std::int64_t>(c | ~mask));
    return static_cast<double>(c);
  }
  double value(std::int64_t x, bool as_stored) const {
    const std::int64_t at = x * format.channels;
    if (format.photometric == Photometric::rgb)
      return luma(number(at, false), number(at + 1, false), number(at + 2, false));
    if (format.photometric == Photometric::cmyk) {
      const double max = std::pow(2.0, format.bits) - 1;
      const auto light = [&](int channel) { return max - number(at + channel, false); };
      const double black = light(3) / max;
      return luma(light(0) * black, light(1) * black, light(2) * black);
    }
    if (format.photometric == Photometric::palette && !as_stored) {
      const auto index = static_cast<std::size_t>(number(at, false));
      return index < format.palette.size() ? format.palette[index] : 0;
    }
    return number(
        at, format.photometric == Photometric::min_is_white && !as_stored && !format.inverted_by_name_only);
  }
};

bool is_bit(const std::vector<std::uint32_t>& bits, std::int64_t x) {
  return (bits[static_cast<std::size_t>(x / 32)] >> (x % 32) & 1) != 0;
}

/// Random bytes in which the samples that rules turn on (none and all bits set) are frequent.
std::vector<std::byte> random_row(const SampleFormat& format, int width, std::mt19937& random) {
  std::vector<std::byte> row(static_cast<std::size_t>(format.row_bytes(width)));
  for (std::size_t i = 0; i < row.size();) {
    const auto kind = random() % 3;
    const std::size_t end = std::min(row.size(), i + 1 + random() % 16);
    for (; i < end; ++i)
      row[i] = kind == 0 ? std::byte{0} : kind == 1 ? std::byte{255} : static_cast<std::byte>(random());
  }
  return row;
}

/// Whether the value of a pixel is among those of the options; of 64-bit samples by numbers that hold these.
bool is_listed(const SampleFormat& format, const ForegroundOptions& options, const SlowRow& slow,
               std::int64_t x) {
  if (format.channels > 1 || format.bits < 64 || format.kind == SampleKind::floating) {
    const double sample = slow.value(x, true);
    return std::any_of(options.values.begin(), options.values.end(), [&](const SampleInterval& value) {
      return sample >= value.low.number() && sample <= value.high.number();
    });
  }
  const std::uint64_t code = slow.code(x);
  const auto sample = format.kind == SampleKind::signed_integer
                          ? static_cast<long double>(static_cast<std::int64_t>(code))
                          : static_cast<long double>(code);
  return std::any_of(options.values.begin(), options.values.end(), [&](const SampleInterval& value) {
    return sample >= std::stold(value.low.text()) && sample <= std::stold(value.high.text());
  });
}

std::vector<SampleInterval> values_of(const std::vector<std::string>& texts) {
  std::vector<SampleInterval> values;
  for (const std::string& text : texts) values.push_back(*SampleInterval::parse(text));
  sort_and_unite(values);
  return values;
}

void expect_packed(const SampleFormat& format, const ForegroundOptions& options, std::mt19937& random) {
  int first_wrong_width = 0;
  const int wide[] = {511, 512, 513, 1100};
  for (const int width : {1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 200, wide[random() % 4]}) {
    const std::vector<std::byte> row = random_row(format, width, random);
    std::vector<std::uint32_t> bits(static_cast<std::size_t>(words_per_row(width)), 0xdeadbeefu);
    const bool any_nan = Foreground(format, options, options.threshold).pack(row.data(), width, bits.data());

    const SlowRow slow{format, row};
    const bool is_gray =
        format.photometric == Photometric::min_is_black || format.photometric == Photometric::min_is_white;
    bool all_right = true, expect_nan = false;
    for (int x = 0; x < width; ++x) {
      const double value = slow.value(x, options.raw);
      expect_nan = expect_nan || std::isnan(value);
      const bool is_foreground =
          !options.values.empty() ? is_listed(format, options, slow, x)
          : options.threshold || !(is_gray || (options.raw && format.photometric == Photometric::palette))
              ? value > options.threshold.value_or(0)
              : value != 0 && !std::isnan(value);
      all_right = all_right && is_bit(bits, x) == (!std::isnan(value) && is_foreground != options.invert);
    }
    for (std::int64_t x = width; x < words_per_row(width) * 32; ++x)
      all_right = all_right && !is_bit(bits, x);
    all_right = all_right && any_nan == expect_nan;
    if (!all_right && first_wrong_width == 0) first_wrong_width = width;
  }
  CAPTURE(format.bits, static_cast<int>(format.kind), format.channels, static_cast<int>(format.photometric));
  CAPTURE(options.raw, options.invert, options.threshold.value_or(-1e99));
  REQUIRE(first_wrong_width == 0);
}

std::vector<std::optional<double>> thresholds_of(const SampleFormat& format) {
  if (format.kind == SampleKind::floating)
    return {std::nullopt, 0.0, -0.0,  1e-30, -1e-30, 1e30,  -1e30,    0.1,
            -0.1,         1.0, 65504, -2.5,  6e-8,   1e300, HUGE_VAL, -HUGE_VAL};
  const double max = std::ldexp(1.0, format.bits) - 1;
  return {std::nullopt, 0.0,     -1.0, -0.5,    0.5,  std::floor(max / 2),
          max / 2,      max - 1, max,  max + 5, 1e30, -1e30};
}

std::vector<SampleFormat> every_format() {
  std::vector<SampleFormat> formats;
  for (const int bits : {1, 2, 3, 4, 5, 7, 8, 10, 12, 14, 15, 16, 24, 32, 64})
    for (const SampleKind kind :
         {SampleKind::unsigned_integer, SampleKind::signed_integer, SampleKind::floating}) {
      if (kind == SampleKind::floating && bits != 16 && bits < 32) continue;
      for (const int channels : {1, 2, 3, 4, 5})
        for (const Photometric photometric : {Photometric::min_is_black, Photometric::min_is_white,
                                              Photometric::palette, Photometric::rgb, Photometric::cmyk}) {
          SampleFormat format{bits, kind, channels, photometric, false, {}};
          if (kind == SampleKind::floating && photometric == Photometric::min_is_white) continue;
          if (photometric == Photometric::palette)
            for (int i = 0; i < std::min(1 << std::min(bits, 8), 200); ++i)
              format.palette.push_back(i % 3 * 50.5);
          try {
            check_format(format);
          } catch (const Error&) {
            continue;
          }
          formats.push_back(format);
        }
    }
  return formats;
}

}  // namespace

TEST_CASE("samples of every format become the bits that the rule says", "[native]") {
  std::mt19937 random(1);
  for (const SampleFormat& format : every_format())
    for (const std::optional<double> threshold : thresholds_of(format))
      for (const bool raw : {false, true}) {
        ForegroundOptions options;
        options.raw = raw;
        options.invert = random() % 2 == 0;
        options.threshold = threshold;
        expect_packed(format, options, random);
      }
}

TEST_CASE("samples of every format that have one of the values become foreground", "[native]") {
  std::mt19937 random(2);
  std::vector<std::string> many;
  for (int i = -40; i < 40; ++i) many.push_back(std::to_string(i * 3));
  const std::vector<std::string> lists[] = {{"0"},
                                            {"1"},
                                            {"-1"},
                                            {"255", "0"},
                                            {"3", "1", "2", "65535", "4294967295"},
                                            {"18446744073709551615"},
                                            {"-9223372036854775808", "9223372036854775807", "-1", "0"},
                                            {"0.5", "1e30"},
                                            {"1..3"},
                                            {"-5..200", "65000..70000", "100..300"},
                                            {"0.5..2.5", "250.5..1e30"},
                                            {"-1e30..-0.5"},
                                            {"-1e30..1e30"},
                                            {"-9223372036854775808..-2", "0", "1"},
                                            {"9223372036854775807..18446744073709551615"},
                                            {"0.25..0.75"},
                                            many};
  for (const SampleFormat& format : every_format())
    for (const std::vector<std::string>& list : lists) {
      ForegroundOptions options;
      options.invert = random() % 2 == 0;
      options.raw = random() % 4 == 0;
      options.values = values_of(list);
      expect_packed(format, options, random);
    }
}

TEST_CASE("64-bit samples beyond 2^53 are compared with the threshold as integers") {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), half = std::int64_t{1} << 62;
  const std::int64_t samples[] = {half, half + 1, half - 1, -half, -half + 1, -half - 1, least, 0};
  std::uint32_t bits[2];
  const auto above = [&](SampleKind kind, double threshold, Photometric photometric) {
    SampleFormat format;
    format.bits = 64;
    format.kind = kind;
    format.photometric = photometric;
    Foreground(format, {}, threshold).pack(reinterpret_cast<const std::byte*>(samples), 8, bits);
    return bits[0];
  };
  const auto is_black = Photometric::min_is_black, is_white = Photometric::min_is_white;
  CHECK(above(SampleKind::signed_integer, 0x1p62, is_black) == 0b00000010);
  CHECK(above(SampleKind::signed_integer, -0x1p62, is_black) == 0b10010111);
  CHECK(above(SampleKind::signed_integer, -0x1p63, is_black) == 0b10111111);
  CHECK(above(SampleKind::signed_integer, -1e30, is_black) == 0b11111111);
  CHECK(above(SampleKind::signed_integer, 0x1p63, is_black) == 0);
  CHECK(above(SampleKind::signed_integer, 0x1p62, is_white) == 0b01000000);  // -1 less the sample
  CHECK(above(SampleKind::unsigned_integer, 0x1p62, is_black) == 0b01111010);

  const auto above_whole = [&](SampleKind kind, const std::string& threshold,
                               Photometric photometric = Photometric::min_is_black) {
    SampleFormat format;
    format.bits = 64;
    format.kind = kind;
    format.photometric = photometric;
    ForegroundOptions options;
    options.whole_threshold = SampleValue::parse(threshold);
    const double nearest = options.whole_threshold->number();
    Foreground(format, options, nearest).pack(reinterpret_cast<const std::byte*>(samples), 8, bits);
    return bits[0];
  };
  const auto is_signed = SampleKind::signed_integer, is_unsigned = SampleKind::unsigned_integer;
  CHECK(above_whole(is_signed, "4611686018427387903") == 0b00000011);
  CHECK(above_whole(is_signed, "4611686018427387905") == 0);
  CHECK(above_whole(is_signed, "-4611686018427387905") == 0b10011111);
  CHECK(above_whole(is_signed, "-4611686018427387903") == 0b10000111);
  CHECK(above_whole(is_signed, "9223372036854775807") == 0);
  CHECK(above_whole(is_signed, "4611686018427387903", is_white) == 0b01100000);
  CHECK(above_whole(is_unsigned, "4611686018427387903") == 0b01111011);
  CHECK(above_whole(is_unsigned, "13835058055282163711") == 0b00011000);
  CHECK(above_whole(is_unsigned, "18446744073709551615") == 0);
  CHECK(above_whole(is_unsigned, "18446744073709551616") == 0);
  CHECK(above_whole(is_unsigned, "-9007199254740993") == 0b11111111);
  // Integers written as decimals, and others between integers.
  CHECK(above_whole(is_signed, "4611686018427387903.0") == 0b00000011);
  CHECK(above_whole(is_signed, "4.611686018427387903e18") == 0b00000011);
  CHECK(above_whole(is_signed, "4611686018427387903.5") == 0b00000011);
  CHECK(above_whole(is_signed, "46116860184273879039e-1") == 0b00000011);
  CHECK(above_whole(is_signed, "4611686018427387904.5") == above_whole(is_signed, "4611686018427387904"));
  CHECK(above_whole(is_signed, "-4611686018427387903.5") == above_whole(is_signed, "-4611686018427387904"));
  CHECK(above_whole(is_unsigned, "13835058055282163711.25") == 0b00011000);
  CHECK(above_whole(is_unsigned, "18446744073709551614.5") ==
        above_whole(is_unsigned, "18446744073709551614"));
}

TEST_CASE("values of 64 bits are compared exactly, floating-point ones by the nearest sample") {
  std::uint32_t bits[2];
  const std::uint64_t wide[] = {(1ull << 60) + 1, 1ull << 60, (1ull << 60) - 1, ~0ull, 1ull << 63};
  ForegroundOptions options;
  const auto packed = [&](const SampleFormat& format, const void* row, int width) {
    Foreground(format, options, std::nullopt).pack(static_cast<const std::byte*>(row), width, bits);
    return bits[0];
  };
  SampleFormat format{64, SampleKind::unsigned_integer, 1, Photometric::min_is_black, false, {}};
  options.values = values_of({"1152921504606846976", "18446744073709551615"});
  CHECK(packed(format, wide, 5) == 0b01010u);
  options.values = values_of({"-1", "-9223372036854775808"});
  CHECK(packed(format, wide, 5) == 0);
  format.kind = SampleKind::signed_integer;
  CHECK(packed(format, wide, 5) == 0b11000u);

  const float floats[] = {0.1f, 0.0f, -0.0f, std::nanf(""), 3.0f, std::numeric_limits<float>::infinity()};
  format = {32, SampleKind::floating, 1, Photometric::min_is_black, false, {}};
  options.values = values_of({"0.1", "-0", "3", "1e300"});
  CHECK(packed(format, floats, 6) == 0b010111u);
  const std::uint16_t halves[] = {0x2e66, 0x2e67, 0x0001, 0x7c00, 0x3c00};
  format.bits = 16;
  options.values = values_of({"0.1", "6e-8", "1", "65536"});
  CHECK(packed(format, halves, 5) == 0b10101u);
  // A scaled sample has the value that the scale gives it.
  const std::uint8_t bytes[] = {0, 1, 2, 3};
  format = {8, SampleKind::unsigned_integer, 1, Photometric::min_is_black, false, {}, 0.5, 1};
  options.values = values_of({"1.5", "2.5"});
  CHECK(packed(format, bytes, 4) == 0b1010u);
  // The ends of an interval belong to it, also where they lie between samples or beyond them all.
  format = {64, SampleKind::signed_integer, 1, Photometric::min_is_black, false, {}};
  const std::int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
  const auto in_interval = [&](const std::string& interval) {
    options.values = values_of({interval});
    return packed(format, ends, 7);
  };
  CHECK(in_interval("-9223372036854775807..9223372036854775806") == 0b0111110u);
  CHECK(in_interval("-1e19..-0.5") == 0b0000111u);
  CHECK(in_interval("0.5..1e19") == 0b1110000u);
  CHECK(in_interval("9223372036854775807..9223372036854775808") == 0b1000000u);
  CHECK(in_interval("-9223372036854775810..-9223372036854775809") == 0);
  CHECK(in_interval("0.25..0.75") == 0);
  for (const char* text : {"", " 1", "1 ", "0x1", "nan", "inf", "1e999", "one"})
    CHECK(!SampleValue::parse(text));
  for (const char* text : {"..", "1..", "..2", "1..x", "1..2..3", "1.. 2", "-..1"})
    CHECK(!SampleInterval::parse(text));
  CHECK(SampleInterval::parse("0.5...75")->text() == "0.5..0.75");
  CHECK(SampleValue::parse("3.0") == SampleValue::parse("3"));
  // A value that no sample can have, although the nearest double is one.
  format = {64, SampleKind::signed_integer, 1, Photometric::min_is_black, false, {}};
  const std::int64_t least[] = {INT64_MIN, 0};
  options.values = values_of({"-9223372036854775809"});
  CHECK(packed(format, least, 2) == 0);
  CHECK(SampleValue::parse("1e19")->text() == "10000000000000000000");
}

TEST_CASE("missing samples are background under every rule, as numbers of their type") {
  SampleFormat format{16, SampleKind::signed_integer, 1, Photometric::min_is_black, false, {}};
  format.set_missing({*SampleValue::parse("-5"), *SampleValue::parse("7"), *SampleValue::parse("70000")});
  const std::int16_t row[] = {-5, -4, 0, 6, 7, 8, 4464};
  std::uint32_t bits[2];
  const auto packed = [&](bool invert, std::optional<double> threshold,
                          const std::vector<std::string>& values) {
    ForegroundOptions options;
    options.invert = invert;
    options.threshold = threshold;
    options.values = values_of(values);
    Foreground(format, options, threshold).pack(reinterpret_cast<const std::byte*>(row), 7, bits);
    return bits[0];
  };
  CHECK(packed(false, {}, {}) == 0b1101010u);
  CHECK(packed(true, {}, {}) == 0b0000100u);
  CHECK(packed(false, -6.0, {}) == 0b1101110u);
  CHECK(packed(true, 5.0, {}) == 0b0000110u);
  CHECK(packed(false, {}, {"-9..6"}) == 0b0001110u);
  CHECK(packed(true, {}, {"-9..6"}) == 0b1100000u);
  format.slope = 2;
  format.intercept = 1;
  CHECK(packed(true, 5.0, {}) == 0b0000110u);
  CHECK(value_rule(format) == "2 * sample + 1; -5, 7, 70000 are missing");
}

TEST_CASE("the luma of a gray is the gray, that of the darkest colors is not zero") {
  for (int gray = 0; gray < 65536; ++gray) REQUIRE(luma(gray, gray, gray) == gray);
  REQUIRE(luma(0, 0, 1) > 0);
  REQUIRE(luma(1, 0, 0) > 0);
}

TEST_CASE("the rule that made samples foreground is stated") {
  SampleFormat format;
  ForegroundOptions options;
  REQUIRE(foreground_rule(format, options, std::nullopt) == "nonzero");
  REQUIRE(foreground_rule(format, options, 128) == "value > 128");
  options.invert = true;
  REQUIRE(foreground_rule(format, options, 0.1) == "value > 0.1, inverted");
  options.otsu = true;
  REQUIRE(foreground_rule(format, options, 93.5) == "otsu: value > 93.5, inverted");
  options = {};
  format.photometric = Photometric::min_is_white;
  REQUIRE(foreground_rule(format, options, std::nullopt) == "nonzero after inversion (MinIsWhite)");
  format.kind = SampleKind::floating;  // there is no largest value to invert by
  REQUIRE(foreground_rule(format, options, std::nullopt) == "nonzero");
  format.kind = SampleKind::unsigned_integer;
  format.inverted_by_name_only = true;
  REQUIRE(foreground_rule(format, options, std::nullopt) == "nonzero as stored (MinIsWhite of tifffile)");
  format.photometric = Photometric::palette;
  format.inverted_by_name_only = false;
  REQUIRE(foreground_rule(format, options, 7) == "palette luma > 7");
  options.raw = true;
  REQUIRE(foreground_rule(format, options, std::nullopt) == "nonzero as stored");
  options = {};
  options.values = values_of({"7", "-1", "0.5"});
  REQUIRE(foreground_rule(format, options, std::nullopt) == "index = -1, 0.5, 7");
  format.photometric = Photometric::min_is_black;
  options.invert = true;
  REQUIRE(foreground_rule(format, options, std::nullopt) == "value = -1, 0.5, 7, inverted");
  format.photometric = Photometric::min_is_white;
  options.invert = false;
  REQUIRE(foreground_rule(format, options, std::nullopt) == "value as stored (MinIsWhite) = -1, 0.5, 7");
  options.values = values_of({"7..9", "-3..-1", "8..20", "20.0..20", "30"});
  REQUIRE(foreground_rule(format, options, std::nullopt) ==
          "value as stored (MinIsWhite) = -3..-1, 7..20, 30");
  format.photometric = Photometric::rgb;
  REQUIRE(foreground_rule(format, {}, std::nullopt) == "luma > 0");
}

TEST_CASE("formats without a meaning are refused") {
  const auto refuses = [](int bits, SampleKind kind, int channels, Photometric photometric) {
    return error_code_of([&] {
             check_format({bits, kind, channels, photometric, false, {}});
           }) == ErrorCode::data;
  };
  const SampleKind whole = SampleKind::unsigned_integer;
  REQUIRE(refuses(0, whole, 1, Photometric::min_is_black));
  REQUIRE(refuses(17, whole, 1, Photometric::min_is_black));
  REQUIRE(refuses(128, whole, 1, Photometric::min_is_black));
  REQUIRE(refuses(24, SampleKind::floating, 1, Photometric::min_is_black));
  REQUIRE(refuses(8, whole, 2, Photometric::rgb));
  REQUIRE(refuses(8, whole, 3, Photometric::cmyk));
  REQUIRE(refuses(8, SampleKind::signed_integer, 4, Photometric::cmyk));
  REQUIRE(refuses(32, whole, 1, Photometric::palette));
  REQUIRE(refuses(8, SampleKind::signed_integer, 1, Photometric::palette));
}
