// Datasets of small HDF5 files, as h5py wrote them, and what is refused of them when they are damaged.

#include "io/image/formats.hpp"
#include "io/read/reader.hpp"
#include "support/memory_file.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

const std::string kFolder = "tests/io/hdf5/";

bool is_built_in() { return formats_not_built_in().find("HDF5") == std::string::npos; }

ReadOptions chosen(int channel, int frame) {
  ReadOptions options;
  options.planes.channel = channel;
  options.planes.frame = frame;
  return options;
}

/// Whether it is of 7x6x3 elements, of which every fifth is foreground.
bool is_every_fifth(const std::string& path, const ReadOptions& options = {}) {
  const BitVolume image = read_image(path, options);
  if (image.extent() != Extent{7, 6, 3}) return false;
  for (int i = 0; i < 7 * 6 * 3; ++i)
    if (image(i % 7, i / 7 % 6, i / 42) != (i % 5 == 0)) return false;
  return true;
}

std::string reason_for(const std::string& path, ErrorCode failure = ErrorCode::data) {
  return reason_of([&] { read_image(path, {}); }, failure);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("a dataset of HDF5 is an image, of any layout, type and version of the file") {
  if (!is_built_in()) {
    CHECK(has(reason_for(kFolder + "lzf.h5"), "an HDF5 file, but this build has no libhdf5"));
    return;
  }
  CHECK(is_every_fifth(kFolder + "contiguous.h5"));
  CHECK(is_every_fifth(kFolder + "contiguous.h5:/image"));
  CHECK(is_every_fifth(kFolder + "filters.h5"));
  CHECK(is_every_fifth(kFolder + "filters.h5:/a"));
  CHECK(is_every_fifth(kFolder + "lzf.h5"));
  CHECK(is_every_fifth(kFolder + "several.h5:/soft"));
  CHECK(is_every_fifth(kFolder + "axistags.h5", chosen(1, 1)));
  CHECK_FALSE(is_every_fifth(kFolder + "axistags.h5", chosen(0, 1)));
  const Geometry geometry = open_reader(kFolder + "several.h5:/raw", {})->info().geometry;
  CHECK(geometry.spacing == Vector3{0.25, 0.5, 2});
  CHECK(geometry.unit == LengthUnit::um);
  CHECK(open_reader(kFolder + "axistags.h5", chosen(0, 0))->info().geometry.spacing ==
        Vector3{0.5, 0.5, 0.5});
}

TEST_CASE("dimension scales name the axes of a netCDF-4") {
  if (!is_built_in()) return;
  const std::string file =
      kFolder + "dimensions.nc";  // axes: valid_time, lat, lon; hour (axis "T"), lev, lat, lon
  CHECK(reason_for(file + ":/step") ==
        "contains 3 time points; --frame N selects one, from 0, --page 0..2 all as slices");
  CHECK(reason_for(file + ":/levels") == "contains 2 time points; --frame N selects one, from 0");
  ReadOptions hour;
  hour.planes.frame = 1;
  const BitVolume levels = read_image(file + ":/levels", hour);
  CHECK(levels.extent() == Extent{2, 2, 2});
  CHECK((levels(0, 0, 0) && !levels(1, 0, 0) && levels(0, 1, 1) && levels(1, 1, 1)));
}

TEST_CASE("labels of axes, names of scales and times of CF name the axes of an HDF5") {
  if (!is_built_in()) return;
  for (const char* dataset : {"labels", "name", "units"})
    CHECK(reason_for(kFolder + "axes.h5:/" + dataset) ==
          "contains 3 time points; --frame N selects one, from 0, --page 0..2 all as slices");
}

TEST_CASE("coordinates of a netCDF-4 distinguish its grid from others") {
  if (!is_built_in()) return;
  const auto geometry = [](const std::string& group) {
    return open_reader(kFolder + "coordinates.nc:/" + group, {})->info().geometry;
  };
  const auto difference = [&](const std::string& group, const std::string& other = "up") {
    return grid_difference(geometry(other), geometry(group), {12, 8, 1});
  };
  CHECK(difference("up").empty());
  CHECK(difference("packed").empty());      // the same latitudes by scale_factor and add_offset
  CHECK(difference("unnumbered").empty());  // dimensions without coordinates
  CHECK(difference("down") == "direction");
  CHECK(difference("down", "packed") == "direction");
  CHECK(difference("shifted") == "origin");
  CHECK(difference("uneven") == "spacing");
  CHECK_FALSE(geometry("up").is_known());  // degrees are no length
  const Geometry metric = geometry("metric");
  CHECK(metric.spacing == Vector3{0.25, 5e5, 0});  // x in mm, y in m, and z that is not equidistant
  CHECK(metric.unit == LengthUnit::mm);
}

TEST_CASE("of several datasets one is named, and links to other files lead nowhere") {
  if (!is_built_in()) return;
  CHECK(has(reason_for(kFolder + "several.h5"),
            "contains 2 datasets; name one of them, as in file.h5:/name: /g/labels"));
  CHECK(has(reason_for(kFolder + "several.h5:/x", ErrorCode::no_input),
            "has no dataset '/x'; it has /g/labels"));
  CHECK(has(reason_for(kFolder + "several.h5:/far"), "leads to nothing in this file"));
  CHECK(has(reason_for(kFolder + "several.h5:/text"), "contains no numbers"));
  CHECK(has(reason_for("data/page.png:/image"), "is not an HDF5 file"));
  CHECK(has(reason_for(kFolder + "none.h5:/image", ErrorCode::no_input), "no such file"));
}

TEST_CASE("an HDF5 on which libhdf5 ends the program is refused, or read by one that does not") {
  if (!is_built_in()) return;
  for (const char* name : {"text-of-any-length", "two-sizes-of-a-chunk", "shuffle-of-any-element"}) try {
      read_image("tests/fuzz/crashes/hdf5-" + std::string(name) + ".h5", {});
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::data);
    }
}

TEST_CASE("an HDF5 that is cut or has other bytes is refused or read, and nothing else") {
  if (!is_built_in()) return;
  for (const char* name : {"filters.h5", "contiguous.h5", "lzf.h5"}) {
    const std::string whole = read_file(kFolder + name);
    for (std::size_t size = 8; size < whole.size(); size += 61)
      CHECK(!reason_for(tests::MemoryFile(whole.substr(0, size)).path()).empty());
  }
  std::string unsized = read_file(kFolder + "lzf.h5");
  const std::size_t record = unsized.find(std::string("TREE\1\0", 6)) + 24;  // of the first chunk: its size
  REQUIRE(unsized[record] == 15);
  unsized[record] = 0;
  CHECK(has(reason_for(tests::MemoryFile(unsized).path()), "chunk 0.0.0 is stored in 0 bytes"));
  const std::string whole = read_file(kFolder + "filters.h5");
  std::string damaged = whole;
  const std::size_t chunk = whole.find("\x78\x5e");  // zlib
  REQUIRE(chunk != std::string::npos);
  damaged[chunk + 9] = static_cast<char>(damaged[chunk + 9] ^ 1);
  CHECK(has(reason_for(tests::MemoryFile(damaged).path()), "chunk 0.0.0 has a wrong checksum"));
}

}  // namespace
