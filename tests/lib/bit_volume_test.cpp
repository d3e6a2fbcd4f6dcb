#include <cinttypes>

#include "gpuccl/image.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

TEST_CASE("a bit volume keeps rows on 64-bit boundaries and its padding at zero") {
  BitVolume image({65, 2, 3});
  REQUIRE(image.row_pitch() == 4);
  image.set(64, 1, 2);
  REQUIRE(image(64, 1, 2));
  REQUIRE(!image(63, 1, 2));
  REQUIRE(image.row(1, 2)[2] == 1u);
  REQUIRE(count_foreground(image.view()) == 1);
  REQUIRE(count_foreground(image.view().slices(0, 2)) == 0);
  REQUIRE(image.view().slices(2, 3)(64, 1));
  image.set(64, 1, 2, false);
  REQUIRE(count_foreground(image.view()) == 0);
}

namespace {

constexpr Extent kExtents[] = {{1, 1, 1},  {7, 3, 1},  {8, 2, 2},  {31, 2, 1},
                               {32, 2, 1}, {33, 3, 2}, {64, 1, 3}, {75, 4, 1}};

bool same_bits(BitView a, BitView b) {
  if (a.extent != b.extent) return false;
  for (std::int64_t row = 0; row < a.extent.rows(); ++row)
    if (!std::equal(a.row(row), a.row(row) + words_per_row(a.extent.width), b.row(row))) return false;
  return true;
}

}  // namespace

TEST_CASE("an image comes from a buffer of bytes, every value but 0 foreground") {
  for (const Extent extent : kExtents)
    for (const std::int64_t more : {0, 1, 5}) {  // bytes between rows
      const BitVolume image = random_image(extent, 0.5, 1, 3);
      const std::int64_t pitch = extent.width + more;
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(pitch * extent.rows() - more), 9);
      for_each_element(extent, [&](int x, int y, int z) {
        bytes[static_cast<std::size_t>((std::int64_t{z} * extent.height + y) * pitch + x)] =
            static_cast<std::uint8_t>(image(x, y, z) ? 1 + 37 * x % 255 : 0);
      });
      CHECK(same_bits(from_bytes(bytes, extent, more == 0 ? 0 : pitch).view(), image.view()));
      CHECK_NOTHROW(check(from_bytes(bytes, extent, pitch).view()));
      bytes.pop_back();
      CHECK(error_code_of([&] { from_bytes(bytes, extent, pitch); }) == ErrorCode::usage);
    }
}

TEST_CASE("an image comes from a buffer of bits in either order, with any bits beyond a row") {
  for (const Extent extent : kExtents)
    for (const BitOrder order : {BitOrder::lsb_first, BitOrder::msb_first})
      for (const std::int64_t more : {0, 3}) {
        const BitVolume image = random_image(extent, 0.5, 1, 4);
        const std::int64_t pitch = (extent.width + 7) / 8 + more;
        std::vector<std::uint8_t> bits(static_cast<std::size_t>(pitch * extent.rows() - more), 0xff);
        for_each_element(extent, [&](int x, int y, int z) {
          if (image(x, y, z)) return;
          const int bit = order == BitOrder::lsb_first ? 1 << x % 8 : 128 >> x % 8;
          bits[static_cast<std::size_t>((std::int64_t{z} * extent.height + y) * pitch + x / 8)] &=
              static_cast<std::uint8_t>(~bit);
        });
        CHECK(same_bits(from_bits(bits, extent, order, more == 0 ? 0 : pitch).view(), image.view()));
        bits.pop_back();
        CHECK(error_code_of([&] { from_bits(bits, extent, order, pitch); }) == ErrorCode::usage);
      }
}

TEST_CASE("buffers that cannot be the image are refused, and an empty image needs none") {
  const std::vector<std::uint8_t> bytes(100);
  CHECK(error_code_of([&] { from_bytes(bytes, {10, 10, 1}, 9); }) == ErrorCode::usage);
  CHECK(error_code_of([&] { from_bits(bytes, {10, 10, 1}, BitOrder::lsb_first, 1); }) == ErrorCode::usage);
  CHECK(error_code_of([&] { from_bytes(bytes, {10, -10, -1}); }) == ErrorCode::usage);
  CHECK(error_code_of([&] { from_bytes(bytes, {2147483647, 2147483647, 2147483647}); }) == ErrorCode::usage);
  CHECK(from_bytes({}, {0, 5, 1}).extent() == Extent{0, 5, 1});
  CHECK(from_bits({}, {5, 0, 1}, BitOrder::msb_first).extent() == Extent{5, 0, 1});
}

namespace {

/// The flags that the kernel keeps for the mapping of `address`.
std::string mapping_flags(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
      inside = begin <= reinterpret_cast<std::uintptr_t>(address) &&
               reinterpret_cast<std::uintptr_t>(address) < end;
    else if (inside && line.starts_with("VmFlags:"))
      return line + " ";
  }
  return "";
}

}  // namespace

TEST_CASE("large images ask for huge pages, small ones do not", "[native]") {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled"))
    SUCCEED("this system has none");
  else {
    const BitVolume large({1 << 16, 1 << 13, 1}), small({1 << 12, 1 << 11, 1});
    CHECK(mapping_flags(large.row(1 << 12)).find(" hg ") != std::string::npos);
    CHECK(mapping_flags(small.row(1 << 10)).find(" hg ") == std::string::npos);
  }
}
