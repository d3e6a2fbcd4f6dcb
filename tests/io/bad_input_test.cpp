// Refused inputs, refused before memory is allocated for them.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

#include "io/image/limits.hpp"
#include "support/bits.hpp"
#include "support/compressed.hpp"
#include "support/png_file.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"
#include "support/tiff_bytes.hpp"
#include "support/tiff_file.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using tests::MemoryFile;
using tests::noise;
using tests::Options;
using tests::refusal;
using tests::same_bits;
using tests::TiffTag;
using tests::write_tiff;

namespace {

/// Requires the bytes to be refused as bad data.
void expect_refused(const std::string& bytes) { tests::refusal_of_bytes(bytes); }

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * std::int64_t{1024};
}

struct Header {
  std::uint32_t width = 16, height = 16, bits = 1, compression = COMPRESSION_NONE, channels = 1,
                rows_per_strip = 16;
  std::uint32_t bytes = 32;
};

/// A TIFF of one strip of zeros whose header says this.
std::string tiff_of(const Header& header, std::size_t stored = 32) {
  constexpr std::size_t kTags = 9;
  return tests::tiff_of_tags({{TIFFTAG_IMAGEWIDTH, 4, 1, header.width},
                              {TIFFTAG_IMAGELENGTH, 4, 1, header.height},
                              {TIFFTAG_BITSPERSAMPLE, 3, 1, header.bits},
                              {TIFFTAG_COMPRESSION, 3, 1, header.compression},
                              {TIFFTAG_PHOTOMETRIC, 3, 1, PHOTOMETRIC_MINISBLACK},
                              {TIFFTAG_STRIPOFFSETS, 4, 1, tests::tiff_data_offset(kTags)},
                              {TIFFTAG_SAMPLESPERPIXEL, 3, 1, header.channels},
                              {TIFFTAG_ROWSPERSTRIP, 4, 1, header.rows_per_strip},
                              {TIFFTAG_STRIPBYTECOUNTS, 4, 1, header.bytes}},
                             std::string(stored, '\0'));
}

/// Tags of a page of 16 x 1 pixels.
const std::vector<TiffTag> kTinyPage = {{TIFFTAG_IMAGEWIDTH, 4, 1, 16},   {TIFFTAG_IMAGELENGTH, 4, 1, 1},
                                        {TIFFTAG_BITSPERSAMPLE, 3, 1, 1}, {TIFFTAG_PHOTOMETRIC, 3, 1, 1},
                                        {TIFFTAG_STRIPOFFSETS, 4, 1, 8},  {TIFFTAG_STRIPBYTECOUNTS, 4, 1, 2}};

/// Does `action` while standard input is `descriptor`.
template <class Action>
void with_input(int descriptor, Action action) {
  const int saved = dup(STDIN_FILENO);
  dup2(descriptor, STDIN_FILENO);
  action();
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(descriptor);
}

std::string tiled_tiff_of(std::uint32_t width, std::uint32_t tile_width, std::uint32_t tile_height) {
  constexpr std::size_t kTags = 8;
  return tests::tiff_of_tags({{TIFFTAG_IMAGEWIDTH, 4, 1, width},
                              {TIFFTAG_IMAGELENGTH, 4, 1, 16},
                              {TIFFTAG_BITSPERSAMPLE, 3, 1, 1},
                              {TIFFTAG_PHOTOMETRIC, 3, 1, PHOTOMETRIC_MINISBLACK},
                              {TIFFTAG_TILEWIDTH, 4, 1, tile_width},
                              {TIFFTAG_TILELENGTH, 4, 1, tile_height},
                              {TIFFTAG_TILEOFFSETS, 4, 1, tests::tiff_data_offset(kTags)},
                              {TIFFTAG_TILEBYTECOUNTS, 4, 1, 32}},
                             std::string(32, '\0'));
}

}  // namespace

TEST_CASE("headers that claim the impossible are refused and take no memory") {
  const std::int64_t before = peak_memory();
  REQUIRE(count_foreground(read_image(MemoryFile(tiff_of({})).path(), {}).view()) == 0);  // a good one

  for (const std::uint32_t huge : {0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    CAPTURE(huge);
    expect_refused(tiff_of({huge, 16}));
    expect_refused(tiff_of({16, huge}));
    expect_refused(tiff_of({huge, huge, 1, COMPRESSION_NONE, 1, huge}));
    expect_refused(tiff_of({16, huge, 1, COMPRESSION_LZW, 1, huge}));
    expect_refused(tiff_of({16, huge, 1, COMPRESSION_CCITTFAX4, 1, huge}));
    expect_refused(tiff_of({16, 16, 1, COMPRESSION_PACKBITS, 1, 16, huge}));
  }
  for (const std::uint32_t compression :
       {COMPRESSION_NONE, COMPRESSION_PACKBITS, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
        COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4, COMPRESSION_CCITTRLE}) {
    CAPTURE(compression);
    expect_refused(tiff_of({65536, 1048576, 1, compression, 1, 1048576}));
  }
  expect_refused(tiff_of({0, 16}));
  expect_refused(tiff_of({16, 0}));
  expect_refused(tiff_of({16, 16, 1, COMPRESSION_NONE, 65535}));
  expect_refused(tiff_of({16, 16, 65535}));
  expect_refused(tiff_of({16, 16, 1, COMPRESSION_NONE, 1, 0}));
  expect_refused(tiff_of({16, 16, 8}));  // a strip too short
  expect_refused(tiff_of({}, 31));

  for (const std::uint32_t size : {0u, 15u, 0x7ffffff0u, 0x80000000u, 0xfffffff0u}) {
    CAPTURE(size);
    expect_refused(tiled_tiff_of(16, size, 16));
    expect_refused(tiled_tiff_of(16, 16, size));
    expect_refused(tiled_tiff_of(0x7fffffff, size, size));
  }

  for (const std::uint32_t huge : {1000001u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
    for (const int color : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB_ALPHA})
      for (const int interlace : {0, 1}) {
        CAPTURE(huge, color, interlace);
        const std::string header = tests::png_header(huge, huge, 8, color, interlace);
        expect_refused(
            tests::png_of_chunks({{"IHDR", header}, {"IDAT", tests::zlib_stream("x")}, {"IEND", ""}}));
      }
  REQUIRE(peak_memory() - before < std::int64_t{64} << 20);
}

TEST_CASE(
    "compressions whose headers are not checked against the page are unsupported, whatever libtiff has") {
  for (const std::uint32_t compression :
       {COMPRESSION_JBIG, COMPRESSION_OJPEG, COMPRESSION_LZMA, COMPRESSION_WEBP, COMPRESSION_LERC,
        COMPRESSION_NEXT, COMPRESSION_THUNDERSCAN, COMPRESSION_PIXARLOG, COMPRESSION_SGILOG,
        COMPRESSION_JP2000, 4711}) {
    CAPTURE(compression);
    const MemoryFile file(tiff_of({16, 16, 1, compression}));
    const std::string reason = refusal(file.path());
    CAPTURE(reason);
    REQUIRE(reason.starts_with("compression "));
    REQUIRE(reason.ends_with(" is not supported"));
  }
}

TEST_CASE("tiles whose size passes 64 bits are refused") {
  // RGB with 32768 channels of 64 bits, 65535 tiles of 1x2^30 across: 2^64 bytes.
  constexpr std::size_t kTags = 11;
  constexpr std::uint32_t kTiles = 65535;
  const std::uint32_t tables = tests::tiff_data_offset(kTags);
  std::string data;
  for (std::uint32_t i = 0; i < kTiles; ++i) tests::append_number(data, 8, 4);
  for (std::uint32_t i = 0; i < kTiles; ++i) tests::append_number(data, 1, 4);
  const MemoryFile file(tests::tiff_of_tags({{TIFFTAG_IMAGEWIDTH, 4, 1, kTiles},
                                             {TIFFTAG_IMAGELENGTH, 4, 1, 16},
                                             {TIFFTAG_BITSPERSAMPLE, 3, 1, 64},
                                             {TIFFTAG_COMPRESSION, 3, 1, COMPRESSION_LZW},
                                             {TIFFTAG_PHOTOMETRIC, 3, 1, PHOTOMETRIC_RGB},
                                             {TIFFTAG_SAMPLESPERPIXEL, 3, 1, 32768},
                                             {TIFFTAG_PLANARCONFIG, 3, 1, PLANARCONFIG_CONTIG},
                                             {TIFFTAG_TILEWIDTH, 4, 1, 1},
                                             {TIFFTAG_TILELENGTH, 4, 1, 1u << 30},
                                             {TIFFTAG_TILEOFFSETS, 4, kTiles, tables},
                                             {TIFFTAG_TILEBYTECOUNTS, 4, kTiles, tables + 4 * kTiles}},
                                            data));
  REQUIRE(refusal(file.path()) == "impossible strips or tiles");
}

TEST_CASE("the tables of a codec have an allowance under any limit of memory") {
  const MemoryFile file;
  tests::TiffPageToWrite page;
  page.width = page.height = 64;
  page.compression = COMPRESSION_LZW;
  page.samples = tests::samples_of<std::uint64_t>(noise({64, 64, 1}, 1), 1, 0);
  write_tiff(file.path(), {page});
  REQUIRE(read_image(file.path(), Options().memory(64 << 10).parts()).extent() == Extent{64, 64, 1});
}

TEST_CASE("a TIFF that ends before its directory does is said to be cut off") {
  const std::string whole = tests::tiff_of_tags(kTinyPage);
  REQUIRE(read_image(MemoryFile(whole).path(), {}).extent() == Extent{16, 1, 1});
  for (std::size_t length = 4; length < whole.size() - 4; ++length) {
    CAPTURE(length);
    REQUIRE(tests::refusal_of_bytes(whole.substr(0, length)) == "the file is truncated");
  }
  const std::string far_page = tests::tiff_of_tags(kTinyPage, {}, 100000);
  REQUIRE(tests::refusal_of_bytes(far_page) == "page 1: the file is truncated");
}

TEST_CASE("the message of a bomb names both sizes") {
  const std::string header = tests::png_header(250000, 200000, 1, PNG_COLOR_TYPE_GRAY);
  const MemoryFile file(
      tests::png_of_chunks({{"IHDR", header}, {"IDAT", tests::zlib_stream("x")}, {"IEND", ""}}));
  REQUIRE(refusal(file.path()) == "header claims 5960 MiB from 69 bytes");
}

TEST_CASE("texts of a PNG that unfold to megabytes are not looked at") {
  const std::int64_t before = peak_memory();
  const std::string bomb =
      std::string("comment\0\0", 9) + tests::zlib_stream(std::string(std::size_t{1000} << 10, 'a'));
  const std::string pixels = tests::zlib_stream(std::string(2, '\0'));
  std::vector<std::pair<std::string, std::string>> chunks = {{"IHDR", tests::png_header(8, 1, 1, 0)}};
  for (int i = 0; i < 200; ++i) chunks.emplace_back("zTXt", bomb);
  chunks.emplace_back("IDAT", pixels);
  chunks.emplace_back("IEND", "");
  const MemoryFile file(tests::png_of_chunks(chunks));
  REQUIRE(read_image(file.path(), {}).extent() == Extent{8, 1, 1});
  REQUIRE(peak_memory() - before < std::int64_t{64} << 20);
}

TEST_CASE("damaged PNG files are refused") {
  using Chunks = std::vector<std::pair<std::string, std::string>>;
  const std::string header = tests::png_header(8, 2, 1, 0);
  const std::string pixels = tests::zlib_stream(std::string(4, '\0'));
  const MemoryFile good(tests::png_of_chunks({{"IHDR", header}, {"IDAT", pixels}, {"IEND", ""}}));
  REQUIRE(read_image(good.path(), {}).extent() == Extent{8, 2, 1});
  std::string bad_sum = pixels;
  bad_sum.back() = static_cast<char>(bad_sum.back() ^ 1);
  for (const Chunks& chunks : {Chunks{{"IHDR", header}, {"IEND", ""}},
                               {{"IHDR", header}, {"IDAT", pixels}},
                               {{"IDAT", pixels}, {"IHDR", header}, {"IEND", ""}},
                               {{"IHDR", header}, {"IDAT", pixels.substr(0, 5)}, {"IEND", ""}},
                               {{"IHDR", header}, {"IDAT", tests::zlib_stream("x")}, {"IEND", ""}},
                               {{"IHDR", header}, {"CRIT", ""}, {"IDAT", pixels}, {"IEND", ""}},
                               {{"IHDR", tests::png_header(8, 2, 8, 3)}, {"IDAT", pixels}, {"IEND", ""}},
                               {{"IHDR", tests::png_header(8, 2, 3, 0)}, {"IDAT", pixels}, {"IEND", ""}},
                               {{"IHDR", tests::png_header(0, 2, 1, 0)}, {"IDAT", pixels}, {"IEND", ""}},
                               {{"IHDR", header}, {"IDAT", bad_sum}, {"IEND", ""}}})
    expect_refused(tests::png_of_chunks(chunks));
}

TEST_CASE("a thousand pages that share their strips are refused early") {
  // Pages of 20,000 strips of one byte, all of which use the same tables.
  constexpr std::uint32_t kStrips = 20000, kPages = 1000, kTables = 16;
  std::string file("II*\0", 4);
  const auto add = [&](std::uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(number >> (8 * i));
  };
  const std::uint32_t first = kTables + 8 * kStrips;
  add(first, 4);
  file.resize(kTables, '\xaa');
  for (std::uint32_t i = 0; i < kStrips; ++i) add(8, 4);
  for (std::uint32_t i = 0; i < kStrips; ++i) add(1, 4);
  constexpr std::array<std::array<std::uint32_t, 3>, 9> kTags = {{{256, 1, 8},
                                                                  {257, 1, kStrips},
                                                                  {258, 1, 1},
                                                                  {259, 1, 1},
                                                                  {262, 1, 1},
                                                                  {273, kStrips, kTables},
                                                                  {277, 1, 1},
                                                                  {278, 1, 1},
                                                                  {279, kStrips, kTables + 4 * kStrips}}};
  for (std::uint32_t page = 1; page <= kPages; ++page) {
    add(kTags.size(), 2);
    for (const auto& [tag, count, value] : kTags) {
      add(tag, 2);
      add(4, 2);
      add(count, 4);
      add(value, 4);
    }
    add(page < kPages ? file.size() + 4 : 0, 4);
  }
  const ScratchFolder folder;
  write_file(folder / "in.tif", file);
  CHECK_THAT(gpuccl::reason_of([&] { open_reader(folder / "in.tif", {}); }),
             tests::containing("times as much as the file contains"));
}

TEST_CASE("pages that form a loop are refused") {
  const std::uint32_t second = tests::tiff_data_offset(kTinyPage.size());
  expect_refused(tests::tiff_of_tags(kTinyPage, {}, 8));
  const std::string two_pages =
      tests::tiff_of_tags(kTinyPage, tests::tiff_of_tags(kTinyPage, {}, 0).substr(8), second);
  REQUIRE(read_image(MemoryFile(two_pages).path(), {}).extent().depth == 2);
  for (const std::uint32_t next : {8u, second})
    expect_refused(
        tests::tiff_of_tags(kTinyPage, tests::tiff_of_tags(kTinyPage, {}, next).substr(8), second));
  expect_refused(tests::tiff_of_tags(kTinyPage, {}, 100000));
}

TEST_CASE("limits are kept") {
  const MemoryFile file;
  std::vector<tests::TiffPageToWrite> pages(3);
  for (auto& page : pages) {
    page.width = 100;
    page.height = 50;
    page.samples.assign(5000, 1);
  }
  write_tiff(file.path(), pages);
  const auto limited = [&](auto member, std::int64_t value) {
    ReadOptions options;
    options.limits.*member = value;
    return [&file, options] { read_image(file.path(), options); };
  };
  limited(&Limits::max_dim, 100)();
  limited(&Limits::max_pixels, 5000)();
  limited(&Limits::max_pages, 3)();
  REQUIRE(error_code_of(limited(&Limits::max_dim, 99)) == ErrorCode::data);
  REQUIRE(error_code_of(limited(&Limits::max_pixels, 4999)) == ErrorCode::data);
  REQUIRE_THROWS_WITH(limited(&Limits::max_pages, 2)(), "contains more pages than --max-pages 2");
  REQUIRE(error_code_of(limited(&Limits::memory, 3 * 50 * 16 - 1)) == ErrorCode::memory);
  REQUIRE(available_memory() > std::int64_t{1} << 20);
}

TEST_CASE("folders, and files that are not images, are refused") {
  const ScratchFolder folder;
  REQUIRE(refusal(folder / "missing.png", {}, ErrorCode::no_input) == "no such file or directory");
  REQUIRE(refusal(folder.path().string(), {}, ErrorCode::no_input) == "is a directory, not a file");
  REQUIRE(error_code_of([] { read_image("/dev/null", {}); }) == ErrorCode::no_input);
  write_file(folder / "empty", "");
  REQUIRE(refusal(folder / "empty") == "is empty");
  write_file(folder / "text.png", "not an image");
  REQUIRE(refusal(folder / "text.png").starts_with("is not in a supported format (PNG, TIFF, .npy, "));
  for (const char* start : {"II*", "MM", "\x89PNG\r\n\x1a\n", "II"}) expect_refused(start);
  for (const std::string& start :
       {std::string("II*\0", 4), std::string("II*\0\0\0\0\0", 8), std::string("MM\0*\0\0\0\0", 8),
        std::string("II+\0\10\0\0\0\0\0\0\0\0\0\0\0", 16)})
    expect_refused(start);
  if (geteuid() != 0) {
    write_file(folder / "secret", "x");
    chmod((folder / "secret").c_str(), 0);
    REQUIRE(refusal(folder / "secret", {}, ErrorCode::no_input) == "permission denied");
  }
}

TEST_CASE("requests that make no sense are refused") {
  ReadOptions options;
  options.foreground.threshold = std::nan("");
  REQUIRE(error_code_of([&] { open_reader("x", options); }) == ErrorCode::usage);
  options.foreground.threshold = 3;
  options.foreground.otsu = true;
  REQUIRE(error_code_of([&] { open_reader("x", options); }) == ErrorCode::usage);
  REQUIRE(error_code_of([&] { open_reader({"-", true}, {}); }) == ErrorCode::usage);
}

TEST_CASE("a file that shrinks while it is read is an error") {
  const MemoryFile file;
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW}) {
    tests::TiffPageToWrite page;
    page.width = 1000;
    page.height = 700;
    page.bits = 8;
    page.compression = compression;
    page.rows_per_strip = 10;
    page.samples = tests::samples_of<std::uint64_t>(noise({1000, 700, 1}, 1), 1, 0);
    write_tiff(file.path(), {page});
    const auto reader = open_reader(file.path(), {});
    BitVolume image(reader->info().extent);
    REQUIRE(truncate(file.path().c_str(), 5000) == 0);
    REQUIRE(error_code_of([&] { reader->read(0, 1, image); }) == ErrorCode::data);
  }
}

TEST_CASE("a page that is replaced while it is read is an error") {
  const MemoryFile file;
  tests::TiffPageToWrite page;
  page.width = 1000;
  page.height = 7;
  page.compression = COMPRESSION_LZW;
  page.samples.assign(7000, 1);
  write_tiff(file.path(), {page, page});
  const auto reader = open_reader(file.path(), {});
  page.width = 500;
  page.height = 14;
  write_tiff(file.path(), {page, page});
  BitVolume image(reader->info().extent);
  REQUIRE(error_code_of([&] { reader->read(0, 1, image); }) == ErrorCode::data);
}

TEST_CASE("a pipe is read to its end") {
  const ScratchFolder folder;
  const BitVolume image = noise({300, 200, 1}, 2);
  tests::TiffPageToWrite page;
  page.width = 300;
  page.height = 200;
  page.samples = tests::samples_of<std::uint64_t>(image, 1, 0);
  write_tiff(folder / "image.tif", {page});
  const std::string content = read_file(folder / "image.tif");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  {
    std::thread writer([&] { write_file(folder / "pipe", content); });
    REQUIRE(same_bits(read_image(folder / "pipe", {}), image));
    writer.join();
  }

  with_input(open((folder / "image.tif").c_str(), O_RDONLY), [&] {
    const tests::Read found = tests::read("-");
    REQUIRE(same_bits(found.image, image));
    REQUIRE(found.info.path == "-");
  });
}

TEST_CASE("a pipe that brings more than may be held is refused") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string content(30000, 'x');
  REQUIRE(write(ends[1], content.data(), content.size()) == 30000);
  close(ends[1]);
  with_input(ends[0], [] { refusal("-", Options().memory(20000), ErrorCode::memory); });
}
