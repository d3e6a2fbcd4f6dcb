// Arrays of numpy as images.

#include "io/npy_bytes.hpp"
#include "support/bits.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using tests::MemoryFile;
using tests::noise;
using tests::npy;
using tests::Options;
using tests::same_bits;
using tests::stored_samples;

namespace {

std::string shape_of(const Extent& extent) {
  const std::string page = std::to_string(extent.height) + ", " + std::to_string(extent.width) + ")";
  return "(" + (extent.depth > 1 ? std::to_string(extent.depth) + ", " : "") + page;
}

template <class T>
void check_type(const char* type, T foreground, bool swapped) {
  for (const Extent& extent : {Extent{70, 9, 5}, Extent{33, 20, 1}, Extent{1, 1, 2}})
    for (const bool fortran : {false, true})
      for (const int version : {1, 2, 3}) {
        CAPTURE(type, extent.width, fortran, version);
        const BitVolume image = noise(extent, 7);
        const MemoryFile file(npy(type, shape_of(extent), stored_samples(image, foreground, swapped, fortran),
                                  version, fortran));
        ImageInfo info;
        REQUIRE(same_bits(read_image(file.path(), {}, &info), image));
        CHECK(info.format == "npy");
        CHECK(info.bits_per_sample == static_cast<int>(8 * sizeof(T)));
      }
}

}  // namespace

TEST_CASE("arrays of each type, order of bytes and axes, and version of the header are read") {
  check_type<bool>("|b1", true, false);
  check_type<std::uint8_t>("|u1", 200, false);
  check_type<std::int8_t>("|i1", -3, false);
  for (const bool swapped : {false, true}) {
    const std::string order = swapped ? ">" : "<";
    check_type<std::uint16_t>((order + "u2").c_str(), 0x100, swapped);
    check_type<std::int16_t>((order + "i2").c_str(), -2, swapped);
    check_type<std::uint32_t>((order + "u4").c_str(), 0x10000, swapped);
    check_type<std::int32_t>((order + "i4").c_str(), -70000, swapped);
    check_type<std::uint64_t>((order + "u8").c_str(), std::uint64_t{1} << 40, swapped);
    check_type<std::int64_t>((order + "i8").c_str(), -1, swapped);
    check_type<float>((order + "f4").c_str(), 0.25f, swapped);
    check_type<double>((order + "f8").c_str(), -1e-300, swapped);
  }
}

TEST_CASE("an array in Fortran order is put together by a few slices at a time where memory is short") {
  const Extent extent{64, 64, 40};
  const BitVolume image = noise(extent, 3);
  const MemoryFile file(
      npy("|u1", shape_of(extent), stored_samples<std::uint8_t>(image, 1, false, true), 1, true));
  const Options options = Options().parts().memory(std::int64_t{8} * 3 * 64 * 64);  // an eighth: three slices
  const std::unique_ptr<Reader> reader = open_reader(file.path(), options);
  CHECK(reader->held_bytes() <= options.limits.memory / 4);
  CHECK(reader->held_bytes() >= 3 * 64 * 64);
  BitVolume read(extent);
  reader->read(0, extent.depth, read);
  REQUIRE(same_bits(read, image));
  BitVolume last({64, 64, 1});
  reader->read(39, 40, last);
  reader->read(1, 2, last);  // back again
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) REQUIRE(last(x, y, 0) == image(x, y, 1));
}

TEST_CASE("a large page is the same by many threads and by one") {
  const BitVolume image = noise({3001, 701, 1}, 8);  // 2 MB a byte of a sample, read by 256 KB
  const auto check = [&](const std::string& type, const std::string& data) {
    CAPTURE(type);
    const MemoryFile file(npy(type, "(701, 3001)", data));
    CHECK(same_bits(read_image(file.path(), {}), image));
    CHECK(same_bits(read_image(file.path(), Options().memory(2 << 20)), image));  // for one thread
    const auto reader = open_reader(file.path(), {});
    BitVolume rows(image.extent());
    reader->read_rows(0, 0, 701, rows);
    CHECK(same_bits(rows, image));
    tests::refusal_of_bytes(npy(type, "(701, 3001)", data.substr(1)));
  };
  check("|u1", stored_samples<std::uint8_t>(image, 1));
  check(">u2", stored_samples<std::uint16_t>(image, 256, true));
  check(">f8", stored_samples<double>(image, 0.5, true));
}

TEST_CASE("headers of arrays that are not images, or claim too much, are refused") {
  const auto refuses = [](const std::string& bytes) { return !tests::refusal_of_bytes(bytes).empty(); };
  for (const char* type : {"<c8", "<c16", "|O", "|S1", "<U1", "<f1", "<u3", "|u2", "=u2", "<M8[s]", ""})
    CHECK(refuses(npy(type, "(1, 1)", std::string(16, '\1'))));
  for (const char* shape :
       {"()", "(3,)", "(1, 1, 1, 1)", "(0, 1)", "(1, 0)", "(0, 1, 1)", "(-1, 1)", "(1, x)", "(2, 9)",
        "(99999999999999999999, 1)", "(2147483647, 2147483647, 2147483647)", "(4294967297, 1)",
        "(1, 4294967297)", "(1.0, 1)", "(1, 1", "1, 1"})
    CHECK(refuses(npy("|u1", shape, std::string(16, '\1'))));
  for (const bool fortran : {false, true}) {
    const std::string good = npy("<u2", "(2, 2)", std::string(8, '\1'), 1, fortran);
    CHECK_NOTHROW(read_image(MemoryFile(good).path(), {}));
    for (std::size_t size = 6; size < good.size(); ++size) CHECK(refuses(good.substr(0, size)));
  }
  for (const int version : {0, 4, 255}) CHECK(refuses(npy("|u1", "(1, 1)", "a", version)));
  std::string fields = npy("|u1", "(1, 1)", "a");
  fields.replace(fields.find("'|u1'"), 5, "[('a'");
  CHECK(refuses(fields));
  for (const char* again : {"'descr': '|i1', }", "'shape': (1, 1), }", "'fortran_order': True, }"}) {
    std::string twice = npy("|u1", "(1, 1)", "a");
    CHECK_NOTHROW(read_image(MemoryFile(twice).path(), {}));
    twice.replace(twice.find('}'), std::strlen(again), again);
    CHECK(refuses(twice));
  }
  std::string neither = npy("|u1", "(1, 1)", "a");
  neither.replace(neither.find("False"), 5, "Maybe");
  CHECK(refuses(neither));
}

TEST_CASE("an array whose last axis may be colors is read as a volume, with a warning") {
  for (const int width : {2, 3, 4, 5}) {
    const std::string shape = "(20, 30, " + std::to_string(width) + ")";
    ReadOptions options;
    std::string said;
    options.warn = [&](const std::string& line) { said += line; };
    const MemoryFile file(npy("|u1", shape, std::string(static_cast<std::size_t>(600 * width), '\1')));
    CHECK(open_reader(file.path(), options)->info().extent == Extent{width, 30, 20});
    const bool may_be = width == 3 || width == 4;
    CHECK((said.find("as colors have, but is read as x") != std::string::npos) == may_be);
  }
}

TEST_CASE("an array of more slices than are allowed is refused by the name of the option") {
  const tests::MemoryFile file(npy("|u1", "(3, 1, 1)", "abc"));
  ReadOptions options;
  options.limits.max_pages = 2;
  CHECK_THROWS_WITH(read_image(file.path(), options), "header claims 3 slices, more than --max-pages 2");
}

TEST_CASE("an array that does not fit the memory is refused before anything is taken for it") {
  const std::string data(1 << 20, '\1');
  const Options little = Options().memory(300 << 10), parts = Options(little).parts();
  tests::refusal_of_bytes(npy("|u1", "(1024, 1024)", data), little, ErrorCode::memory);
  CHECK_NOTHROW(open_reader(MemoryFile(npy("|u1", "(1024, 1024)", data)).path(), parts));
  tests::refusal_of_bytes(npy("|u1", "(1024, 1024)", data, 1, true), parts, ErrorCode::memory);
}
