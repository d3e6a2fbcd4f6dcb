// PBM, PGM, PPM, BMP and JPEG: images of other programs, by the bytes.

#include "io/image/formats.hpp"
#include "support/bits.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using namespace std::string_literals;
using tests::Options;
using tests::read_bytes;
using tests::same_bits;

namespace {

BitVolume bits_of(const std::string& content, const ReadOptions& options = {}) {
  return read_bytes(content, options).image;
}

bool is_refused(const std::string& content) { return !tests::refusal_of_bytes(content).empty(); }

/// EXIF data with this orientation, in one byte order or the other.
std::string exif_of(char orientation, bool big_endian) {
  return big_endian ? "MM\0*\0\0\0\10\0\1\1\x12\0\3\0\0\0\1\0"s + orientation + "\0\0\0\0\0\0"s
                    : "II*\0\10\0\0\0\1\0\x12\1\3\0\1\0\0\0"s + orientation + "\0\0\0\0\0\0\0"s;
}

std::vector<std::string> warnings_of(const std::string& content) {
  std::vector<std::string> lines = read_bytes(content).warnings;
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("libpng: "); });  // checksums
  return lines;
}

const std::string kPng =
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\1\0\0\0\0\x37\x6e\xf9\x24"
    "\0\0\0\nIDAT\x78\x9c\x63\x68\0\0\0\x82\0\x81\x77\xcd\x72\xb6\0\0\0\0IEND\xae\x42\x60\x82"s;

TEST_CASE("an orientation of EXIF in JPEG and PNG is not applied, and warned of as that of a TIFF") {
  const std::string jpeg = read_file(GPUCCL_GOLDEN "/gray.jpg");
  const std::size_t before_pixels = kPng.find("\0\0\0\nIDAT"s);
  for (const bool big_endian : {false, true})
    for (const char orientation : {'\1', '\6', '\10', '\11'}) {
      CAPTURE(big_endian, orientation);
      const std::string exif = exif_of(orientation, big_endian);
      const std::string segment = "Exif\0\0"s + exif;
      const std::string in_jpeg = jpeg.substr(0, 2) + "\xff\xe1\0"s + static_cast<char>(segment.size() + 2) +
                                  segment + jpeg.substr(2);
      const std::string chunk = "\0\0\0"s + static_cast<char>(exif.size()) + "eXIf" + exif + "1234";
      const std::string in_png = kPng.substr(0, before_pixels) + chunk + kPng.substr(before_pixels);
      const bool is_turned = orientation == 6 || orientation == 8;
      const std::vector<std::string> warning = {"orientation " + std::to_string(orientation) +
                                                " ignored, read as stored"};
      CHECK(warnings_of(in_jpeg) == (is_turned ? warning : std::vector<std::string>()));
      CHECK(warnings_of(in_png) == (is_turned ? warning : std::vector<std::string>()));
    }
}

TEST_CASE("a picture of several gets a warning that only the first is read") {
  const std::vector<std::string> warning = {
      "has several images; only the first is read, so save the others as separate files"};
  const std::string jpeg = read_file(GPUCCL_GOLDEN "/gray.jpg");
  const auto with_segment = [&](const std::string& segment) {
    return jpeg.substr(0, 2) + "\xff\xe2\0"s + static_cast<char>(segment.size() + 2) + segment +
           jpeg.substr(2);
  };
  CHECK(warnings_of(with_segment("MPF\0MM\0*\0\0\0\10"s)) == warning);
  CHECK(warnings_of(with_segment("ICC_PROFILE\0\1\1"s)).empty());
  const auto with_chunk = [&](const std::string& before) {
    const std::string chunk = "\0\0\0\10acTL\0\0\0\2\0\0\0\0\xf3\x8d\x93\x70"s;
    const std::size_t at = kPng.find(before) - 4;
    return kPng.substr(0, at) + chunk + kPng.substr(at);
  };
  CHECK(warnings_of(with_chunk("IDAT")) == warning);
  CHECK(warnings_of(with_chunk("IEND")).empty());  // such a PNG is not animated
}

TEST_CASE("a PNM is the same as text and as bytes, with comments") {
  const BitVolume white = tests::drawn(std::vector<std::string>{"#.##.....", "........#"});
  CHECK(same_bits(bits_of("P1 9 2\n010011111\n1 1 1 1 1 1 1 1 0\n"), white));
  CHECK(same_bits(bits_of("P4\n# by hand\n9 2\n\x4f\x80\xff\0"s), white));
  CHECK(same_bits(bits_of("P1 2 1 1 0\n", Options().raw()), tests::drawn(std::vector<std::string>{"#."})));

  const BitVolume bright = tests::drawn(std::vector<std::string>{"#..", "..#"});
  CHECK(same_bits(bits_of("P2 3 2 # largest\n255\n200 3 0 7 100 101\n", Options().above(100)), bright));
  CHECK(same_bits(bits_of("P5\n3 2\n255\n\xc8\3\0\7\x64\x65"s, Options().above(100)), bright));
  CHECK(same_bits(bits_of("P2 3 2 1000 900 3 0 7 300 301", Options().above(300)), bright));
  CHECK(same_bits(bits_of("P5\t3\r\n2 1000\n\3\x84\0\3\0\0\0\7\1\x2c\1\x2d"s, Options().above(300)), bright));
  CHECK(same_bits(bits_of("P3 3 2 9  9 9 9 0 0 9 0 0 0  1 1 1 0 9 0 0 9 1", Options().above(5.3)), bright));
  CHECK(same_bits(bits_of("P6 3 2 9\n\t\t\t\0\0\t\0\0\0\1\1\1\0\t\0\0\t\1"s, Options().above(5.3)), bright));
  CHECK(tests::info_of_bytes("P6 1 1 9\nabc").format == "pnm");
}

TEST_CASE("a PNM that ends early, or is none, is refused") {
  for (const std::string& content :
       {"P5 3 2 255\n12345"s, "P4 9 2\n123"s, "P6 3 2 255\n12345678901234567"s, "P2 3 2 255\n1 2 3 4 5"s,
        "P1 3 2\n1 0 2 0 1 0"s, "P2 1 1 255\n256"s, "P5 3\n"s, "P5 3 2 65536\n123456"s, "P5 3 2 0\n123456"s,
        "P5 99999999999 2 255\n"s, "P5 -3 2 255\n123456"s, "P5 0 2 255\n"s,
        "P2 2147483647 2147483647 255 1 2 3"s})
    CHECK(is_refused(content));
  CHECK(warnings_of("P5 1 1 255\n1P5 1 1 255\n1") ==
        std::vector<std::string>{"data after its samples is ignored"});
}

/// Little-endian.
std::string number(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 255);
  return text;
}

struct Bmp {
  int bits = 1, width = 9, height = 2;
  std::string palette = "\0\0\0\0\xff\xff\xff\0"s;
  std::uint32_t compression = 0, colors = 0;

  std::string with(const std::string& rows) const {
    const auto offset = static_cast<std::uint32_t>(54 + palette.size());
    return "BM" + number(0, 8) + number(offset, 4) + number(40, 4) +
           number(static_cast<std::uint32_t>(width), 4) + number(static_cast<std::uint32_t>(height), 4) +
           number(1, 2) + number(static_cast<std::uint32_t>(bits), 2) + number(compression, 4) +
           number(0, 4) + number(3937, 4) + number(3937, 4) + number(colors, 4) + number(0, 4) + palette +
           rows;
  }
};

TEST_CASE("a BMP is read from the bottom up and from the top down, with a palette and in colors") {
  const BitVolume image = tests::drawn(std::vector<std::string>{"#.##.....", "........#"});
  const std::string first = "\xb0\0\0\0"s, second = "\0\x80\0\0"s;
  CHECK(same_bits(bits_of(Bmp().with(second + first)), image));
  CHECK(same_bits(bits_of(Bmp{1, 9, -2}.with(first + second)), image));
  CHECK(
      same_bits(bits_of(Bmp{1, 9, -2, "\xff\xff\xff\0\0\0\0\0"s}.with("\x4f\xff\0\0\xff\x7f\0\0"s)), image));

  const BitVolume bright = tests::drawn(std::vector<std::string>{"#..", "..#"});
  std::string grays;
  for (std::uint32_t i = 0; i < 16; ++i) grays += number(i * 0x111111, 4);
  CHECK(
      same_bits(bits_of(Bmp{4, 3, -2, grays}.with("\xf3\0\0\0\x01\xe0\0\0"s), Options().above(13)), bright));
  CHECK(same_bits(bits_of(Bmp{8, 3, 2, "\0\0\xff\0\0\0\0\0"s, 0, 2}.with("\1\1\0\0\0\1\1\0"s)), bright));
  // Blue first: 0.114 of it is below 30, 0.299 of red above.
  CHECK(
      same_bits(bits_of(Bmp{24, 3, -2, ""}.with("\0\0\xff\xff\0\0\0\0\0\0\0\0\0\0\0\xff\0\0\0\0\xff\0\0\0"s),
                        Options().above(30)),
                bright));
  CHECK(same_bits(bits_of(Bmp{32, 1, 2, ""}.with("\0\0\xff\0\0\0\0\xff"s), Options().above(30)),
                  tests::drawn(std::vector<std::string>{".", "#"})));
  // Bit fields of whole bytes, here with red in the last of four.
  const std::string fields = number(0xff000000, 4) + number(0xff0000, 4) + number(0xff00, 4);
  CHECK(same_bits(bits_of(Bmp{32, 1, 2, fields, 3}.with("\0\0\0\xff\0\xff\0\0"s), Options().above(30)),
                  tests::drawn(std::vector<std::string>{".", "#"})));
  CHECK(is_refused(
      Bmp{32, 1, 2, number(0xff, 4) + number(0xff, 4) + number(0xff00, 4), 3}.with(std::string(8, 0))));
  // A cursor's place in the fields that are 0 elsewhere, and a header of no version's size.
  std::string hotspot = Bmp().with(second + first);
  hotspot.replace(6, 4, "\3\0\4\0"s);
  CHECK(same_bits(bits_of(hotspot), image));
  std::string bad_header = Bmp().with(second + first) + std::string(60, 0);
  bad_header[14] = 66;
  CHECK(is_refused(bad_header));
  const ImageInfo info = tests::info_of_bytes(Bmp().with(second + first));
  CHECK(info.format == "bmp");
  CHECK(info.geometry.resolution.x == 39.37);
  CHECK(warnings_of(Bmp().with(second + first)).empty());
  CHECK(same_bits(bits_of(Bmp().with(second + first + "more")), image));
  CHECK(warnings_of(Bmp().with(second + first + "more")) ==
        std::vector<std::string>{"data after its samples is ignored"});
}

TEST_CASE("a BMP that ends early, is compressed, or lies about its size is refused") {
  const std::string rows(8, '\0');
  for (const Bmp& bmp : {Bmp{1, 9, 3}, Bmp{1, 0, 2}, Bmp{1, 9, 0}, Bmp{1, -9, 2}, Bmp{2, 9, 2}, Bmp{16, 2, 2},
                         Bmp{1, 2147483647, 2147483647}, Bmp{8, 3, 2, "", 1}, Bmp{32, 1, 2, "", 3},
                         Bmp{1, 9, -2147483647 - 1}, Bmp{1, 9, 2, "", 5}})
    CHECK(is_refused(bmp.with(rows)));
  const std::string whole = Bmp().with(rows);
  for (const char offset : {'\0', '\x35', '\x3d'})  // within the header or the palette
    CHECK(is_refused(whole.substr(0, 10) + offset + whole.substr(11) + rows));
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK(is_refused(whole.substr(0, size)));
}

TEST_CASE("a JPEG whose header lies is refused, with or without libjpeg") {
  const std::string start = "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"s;
  const std::string frame = "\xff\xc0\0\x0b\x08\xff\xff\xff\xff\1\1\x11\0"s;
  for (const std::string& content : {start, start + frame, start + frame + "\xff\xda\0\x08\1\1\0\0\x3f\0"s,
                                     "\xff\xd8\xff"s + std::string(50, 'x')})
    CHECK(is_refused(content));
  CHECK((read_formats().find("JPEG") == std::string::npos) ==
        (formats_not_built_in().find("JPEG") != std::string::npos));
}

}  // namespace
