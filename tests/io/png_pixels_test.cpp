// Pixels of a PNG inflated in one piece, against libpng row by row. Rows are random bytes: through whichever
// filter, they are the pixels of some image.

#include "io/png/png_pixels.hpp"

#include "io/files/input_file.hpp"
#include "io/image/limits.hpp"
#include "io/png/png.hpp"
#include "support/compressed.hpp"
#include "support/png_file.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

using Chunks = std::vector<std::pair<std::string, std::string>>;

/// An image of which every part can be replaced before it becomes a file.
struct Image {
  std::uint32_t width, height;
  int bits, color_type;
  std::string rows;    // each behind its filter
  std::string stream;  // zlib
  Chunks before = {}, after = {};
  std::size_t chunk_bytes = 8192;
  std::string behind = {};  // the file

  int channels() const {
    return color_type == PNG_COLOR_TYPE_RGB          ? 3
           : color_type == PNG_COLOR_TYPE_RGB_ALPHA  ? 4
           : color_type == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                                                     : 1;
  }
  PngLayout layout() const {
    PngLayout layout;
    layout.pixel_bytes = static_cast<std::size_t>(std::max(1, bits * channels() / 8));
    layout.row_bytes = (std::size_t{width} * static_cast<std::size_t>(bits * channels()) + 7) / 8;
    layout.height = height;
    return layout;
  }
  Chunks pixel_chunks() const {
    Chunks chunks;
    for (std::size_t at = 0; at < stream.size(); at += chunk_bytes)
      chunks.emplace_back("IDAT", stream.substr(at, chunk_bytes));
    return chunks;
  }
  std::string file() const {
    Chunks chunks = {{"IHDR", tests::png_header(width, height, bits, color_type)}};
    if (color_type == PNG_COLOR_TYPE_PALETTE)
      chunks.emplace_back("PLTE", std::string(std::size_t{3} << bits, '\x55'));
    for (const Chunks& more : {before, pixel_chunks(), after})
      chunks.insert(chunks.end(), more.begin(), more.end());
    return tests::png_of_chunks(chunks) + behind;
  }
};

/// `filter_of(y)`: 0 to 4.
template <class FilterOf>
Image random_image(std::uint32_t width, std::uint32_t height, int bits, int color_type, std::mt19937& random,
                   FilterOf filter_of) {
  Image image{width, height, bits, color_type, {}, {}};
  for (std::uint32_t y = 0; y < height; ++y) {
    image.rows.push_back(static_cast<char>(filter_of(y)));
    for (std::size_t i = 0; i < image.layout().row_bytes; ++i)
      image.rows.push_back(static_cast<char>(random() % 4 != 0 ? 0 : random()));
  }
  image.stream = tests::zlib_stream(image.rows);
  image.after = {{"IEND", ""}};
  return image;
}

Image small_image() {
  std::mt19937 random(7);
  return random_image(70, 30, 8, PNG_COLOR_TYPE_GRAY, random, [](std::uint32_t y) { return y % 5; });
}

std::shared_ptr<const InputFile> input_of(const std::string& bytes) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return std::make_shared<const InputFile>(std::vector<std::byte>(data, data + bytes.size()));
}

/// Whether the pixels of the file can be inflated in one piece.
bool is_usual(const Image& image, const std::string& bytes) {
  const auto file = input_of(bytes);
  return PngPixels::inflate(*file, bytes.find("IDAT") - 4, image.layout()).has_value();
}
bool is_usual(const Image& image) { return is_usual(image, image.file()); }

struct Decoded {
  std::string rows;
  std::string error;

  bool operator==(const Decoded&) const = default;
};

Decoded decode(const Image& image, const std::string& bytes, bool in_order, std::int64_t memory = 0) {
  Decoded decoded;
  try {
    ReadOptions options;
    options.limits.memory = memory;
    const auto source = open_png(input_of(bytes), options);
    const std::size_t row_bytes = image.layout().row_bytes;
    decoded.rows.assign(row_bytes * image.height, '?');
    // Bits of the last byte of a row that are pixels.
    const std::size_t padding =
        row_bytes * 8 - image.width * static_cast<std::size_t>(image.bits * image.channels());
    const auto sink = [&](const SampleRows& rows) {
      for (int i = 0; i < rows.count; ++i) {
        char* const row = decoded.rows.data() + static_cast<std::size_t>(rows.y + i) * row_bytes;
        std::memcpy(row, rows.data + static_cast<std::size_t>(i) * rows.pitch, row_bytes);
        row[row_bytes - 1] = static_cast<char>(row[row_bytes - 1] & -1 << padding);
      }
    };
    if (in_order) {
      source->decode_from_top(0, sink);
    } else {
      source->decode(0, sink);
    }
  } catch (const Error& error) {
    decoded = {{}, error.what()};
  }
  return decoded;
}

/// That both ways of decoding have the same result, which is returned.
Decoded expect_same(const Image& image, const std::string& bytes) {
  Decoded decoded = decode(image, bytes, false);
  CHECK(decoded == decode(image, bytes, true));
  return decoded;
}

struct Format {
  int bits, color_type;
};

std::vector<Format> formats() {
  std::vector<Format> all;
  for (const int bits : {1, 2, 4, 8, 16}) all.push_back({bits, PNG_COLOR_TYPE_GRAY});
  for (const int bits : {1, 2, 4, 8}) all.push_back({bits, PNG_COLOR_TYPE_PALETTE});
  for (const int type : {PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA})
    for (const int bits : {8, 16}) all.push_back({bits, type});
  return all;
}

}  // namespace

TEST_CASE("pixels inflated in one piece are those of libpng for all formats, filters and sizes") {
  std::mt19937 random(1);
  for (const Format& format : formats())
    for (const std::uint32_t width : {1u, 2u, 7u, 8u, 9u, 31u, 63u, 64u, 65u, 129u, 600u})
      for (const std::uint32_t height : {1u, 2u, 40u})
        for (int filter = 0; filter <= 5; ++filter) {  // 5: mixed
          CAPTURE(format.bits, format.color_type, width, height, filter);
          const Image image = random_image(
              width, height, format.bits, format.color_type, random,
              [&](std::uint32_t) { return filter < 5 ? static_cast<unsigned>(filter) : random() % 5; });
          const std::string file = image.file();
          REQUIRE(is_usual(image, file));
          REQUIRE(expect_same(image, file).error.empty());
        }
}

TEST_CASE("parts of an image are restored by several threads") {
  std::mt19937 random(2);
  for (const Format& format : {Format{1, PNG_COLOR_TYPE_GRAY}, Format{8, PNG_COLOR_TYPE_GRAY},
                               Format{16, PNG_COLOR_TYPE_GRAY}, Format{8, PNG_COLOR_TYPE_RGB}})
    for (const unsigned seldom : {1u, 3u, 100u, 1000000u}) {  // one in so many rows is independent
      CAPTURE(format.bits, format.color_type, seldom);
      const Image image = random_image(
          1500, 1100, format.bits, format.color_type, random,
          [&](std::uint32_t) { return random() % seldom == 0 ? random() % 2 : 2 + random() % 3; });
      const std::string file = image.file();
      REQUIRE(is_usual(image, file));
      REQUIRE(expect_same(image, file).error.empty());
    }
}

TEST_CASE("however its chunks are cut, a stream is one") {
  Image image = small_image();
  const Decoded expected = expect_same(image, image.file());
  REQUIRE(expected.error.empty());
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{2}, std::size_t{100}, image.stream.size()}) {
    image.chunk_bytes = bytes;
    CAPTURE(bytes);
    REQUIRE(is_usual(image));
    REQUIRE(expect_same(image, image.file()) == expected);
  }
  Chunks with_empty = {{"IDAT", ""}};
  for (const auto& chunk : image.pixel_chunks()) {
    with_empty.push_back(chunk);
    with_empty.emplace_back("IDAT", "");
  }
  with_empty.insert(with_empty.end(), image.after.begin(), image.after.end());
  image.after = with_empty;
  image.stream.clear();
  REQUIRE(is_usual(image));
  REQUIRE(expect_same(image, image.file()) == expected);
}

TEST_CASE("other chunks of a PNG make no difference") {
  Image image = small_image();
  const Decoded expected = expect_same(image, image.file());
  image.before = {{"tEXt", "a"}, {"gAMA", "1234"}};
  image.after = {{"tEXt", "date"}, {"tIME", "1234567"}, {"IEND", ""}};
  image.behind = "something else";
  REQUIRE(is_usual(image));
  REQUIRE(expect_same(image, image.file()) == expected);
  // The messages for these are those of libpng.
  image.after = {{"pHYs", std::string("\0\0\0\1\0\0\0\1\0", 9)}, {"IEND", ""}};
  REQUIRE(!is_usual(image));
  expect_same(image, image.file());
  image.after = {{"tEXt", "a"}, {"IDAT", ""}, {"IEND", ""}};
  REQUIRE(!is_usual(image));
  expect_same(image, image.file());
  image.after = {{"tEXt", std::string(2000000, 'a')}, {"IEND", ""}};
  REQUIRE(!is_usual(image));
  expect_same(image, image.file());
  image.after = {{"IEND", ""}};
  image.behind = std::string(2000000, 'a');
  REQUIRE(!is_usual(image));
  REQUIRE(expect_same(image, image.file()) == expected);
}

TEST_CASE("a PNG whose pixels are not whole is left to libpng and its words") {
  const auto expect_refused = [](const Image& image, const std::string& bytes) {
    CHECK(!is_usual(image, bytes));
    CHECK(expect_same(image, bytes).error != "");
  };
  const Image good = small_image();
  const std::string file = good.file();
  for (std::size_t cut = file.find("IDAT") + 4; cut < file.size(); cut += 37)
    expect_refused(good, file.substr(0, cut));
  for (std::size_t at = file.find("IDAT"); at < file.size(); at += 41) {  // what its checksum finds
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    CAPTURE(at);
    expect_refused(good, damaged);
  }
  for (std::size_t at = 0; at < good.stream.size(); at += 43) {  // what the stream's checksum finds
    Image image = good;
    image.stream[at] = static_cast<char>(image.stream[at] ^ 64);
    CAPTURE(at);
    CHECK(!is_usual(image));
    expect_same(image, image.file());
  }
  for (std::size_t behind = 1; behind <= 6; ++behind) {  // its checksum begins in another chunk, and is wrong
    Image image = good;
    image.chunk_bytes = image.stream.size() - behind;
    image.stream.back() = static_cast<char>(image.stream.back() ^ 1);
    CAPTURE(behind);
    expect_refused(image, image.file());
  }
  for (const std::string& rows : {good.rows.substr(0, good.rows.size() - 1), good.rows + "a"}) {
    Image image = good;
    image.stream = tests::zlib_stream(rows);
    CHECK(!is_usual(image));
    expect_same(image, image.file());
  }
  {
    Image image = good;
    image.stream += "a";
    CHECK(!is_usual(image));
    expect_same(image, image.file());
  }
  for (const char filter : {'\5', '\100', '\377'}) {
    Image image = good;
    image.rows[image.layout().pitch() * 29] = filter;
    image.stream = tests::zlib_stream(image.rows);
    expect_refused(image, image.file());
  }
}

TEST_CASE("a match beyond the window that a PNG states is left to zlib") {
  std::mt19937 random(3);
  Image image = random_image(2000, 2, 8, PNG_COLOR_TYPE_GRAY, random, [](std::uint32_t) { return 0; });
  for (std::size_t i = 1; i <= 2000; ++i) image.rows[i] = static_cast<char>(random());
  image.rows.replace(2002, 2000, image.rows, 1, 2000);
  image.stream = tests::zlib_stream(image.rows);
  REQUIRE(is_usual(image));
  REQUIRE(expect_same(image, image.file()).error.empty());
  for (const unsigned window : {0u, 1u, 2u, 3u, 4u, 5u}) {  // 256 << window
    const unsigned head = (window << 4 | 8) << 8;
    const unsigned checked = head + 31 - head % 31;
    image.stream[0] = static_cast<char>(checked >> 8);
    image.stream[1] = static_cast<char>(checked);
    CAPTURE(window);
    CHECK(is_usual(image) == (256u << window >= image.rows.size()));
    CHECK(expect_same(image, image.file()).error.empty() == (256u << window > 2001));
  }
}

TEST_CASE("pixels that take more than an eighth of the memory are decoded row by row") {
  std::mt19937 random(4);
  const Image image =
      random_image(3000, 700, 8, PNG_COLOR_TYPE_GRAY, random, [](std::uint32_t y) { return y % 3; });
  const std::string bytes = image.file();
  ReadOptions options;
  const auto buffer_bytes = [&](std::int64_t memory) {
    options.limits.memory = memory;
    return open_png(input_of(bytes), options)->buffer_bytes();
  };
  const auto whole = static_cast<std::int64_t>(PngPixels::most_bytes(*input_of(bytes), image.layout()));
  REQUIRE(whole > 3001 * 700);
  REQUIRE(buffer_bytes(8 * whole) == whole);
  REQUIRE(buffer_bytes(8 * whole - 1) == 4 * 3000);
  const Decoded expected = decode(image, bytes, true);
  REQUIRE(expected.error.empty());
  REQUIRE(decode(image, bytes, false, 8 * whole) == expected);
  REQUIRE(decode(image, bytes, false, 8 * whole - 1) == expected);
}
