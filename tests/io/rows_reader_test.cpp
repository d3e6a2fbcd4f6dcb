// Slices read a few rows at a time.

#include "io/files/atomic_file.hpp"
#include "io/image/read_options.hpp"
#include "io/read/reader.hpp"
#include "io/write/label_writer.hpp"
#include "support/bits.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

std::string save(const std::string& path, const BitVolume& image) {
  AtomicFile file(path);
  write_image(file, image.view());
  file.commit();
  return path;
}

std::unique_ptr<Reader> open(const std::string& path) {
  ReadOptions options;
  options.in_parts = true;
  return open_reader(path, options);
}

void expect_rows(Reader& reader, const BitVolume& image, int z, int y0, int y1) {
  INFO("slice " << z << ", rows " << y0 << " to " << y1);
  BitVolume rows({image.extent().width, y1 - y0, 1});
  reader.read_rows(z, y0, y1, rows);
  REQUIRE(std::memcmp(rows.row(0), image.view().row(y0, z), static_cast<std::size_t>(rows.bytes())) == 0);
}

}  // namespace

TEST_CASE("rows are read in order, passed over, and read again") {
  const ScratchFolder scratch;
  const BitVolume image = tests::noise({333, 700, 1}, 1), volume = tests::noise({65, 90, 3}, 2);
  for (const char* name : {"in.png", "in.tif"}) {
    const auto reader = open(save(scratch / name, image));
    for (const int step : {1, 7, 64, 65, 699, 700})
      for (int y = 0; y < 700; y += step) expect_rows(*reader, image, 0, y, std::min(700, y + step));
    expect_rows(*reader, image, 0, 30, 50);
    expect_rows(*reader, image, 0, 500, 520);
    expect_rows(*reader, image, 0, 519, 520);
    expect_rows(*reader, image, 0, 690, 700);
  }
  const auto reader = open(save(scratch / "volume.tif", volume));
  for (const int z : {0, 1, 2, 1, 0})
    for (int y = 0; y < 90; y += 45) expect_rows(*reader, volume, z, y, y + 45);
}

TEST_CASE("a reader may stop between rows that are decoded ahead") {
  const ScratchFolder scratch;
  const BitVolume image = tests::noise({20000, 4000, 1}, 3);  // more than is decoded ahead
  const std::string path = save(scratch / "in.tif", image);
  for (const int rows : {1, 100, 3000}) {
    const auto reader = open(path);
    expect_rows(*reader, image, 0, 0, rows);
  }
}

TEST_CASE("damage is met where the rows are, or at the end") {
  const ScratchFolder scratch;
  const BitVolume image = tests::noise({3000, 400, 1}, 4);
  const std::string path = save(scratch / "in.png", image);
  const std::string whole = read_file(path);

  write_file(path, whole.substr(0, whole.size() / 2));
  const auto half = open(path);
  expect_rows(*half, image, 0, 0, 100);
  BitVolume rest({3000, 300, 1});
  CHECK(error_code_of([&] { half->read_rows(0, 100, 400, rest); }) == ErrorCode::data);

  write_file(path, whole.substr(0, whole.size() - 12));  // all pixels, but no end
  const auto endless = open(path);
  expect_rows(*endless, image, 0, 0, 100);
  CHECK(error_code_of([&] { endless->read_rows(0, 100, 400, rest); }) == ErrorCode::data);
}
