// NIfTI-1 and NIfTI-2: one file, compressed or not, and pairs.

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "io/files/gunzipped_file.hpp"
#include "io/read/intensity_reader.hpp"
#include "label_samples.hpp"
#include "support/bits.hpp"
#include "support/compressed.hpp"
#include "support/nifti_file.hpp"
#include "support/read_labels.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using tests::gzipped;
using tests::MemoryFile;
using tests::NiftiToWrite;
using tests::noise;
using tests::Options;
using tests::same_bits;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

NiftiToWrite nifti_of(const BitVolume& image) {
  NiftiToWrite nifti;
  const Extent& extent = image.extent();
  nifti.dim = {3, extent.width, extent.height, extent.depth, 1, 1, 1, 1};
  nifti.samples = tests::stored_samples<std::uint8_t>(image, 1, false);
  return nifti;
}

template <class T>
void check_type(int datatype, T value) {
  const BitVolume image = noise({35, 7, 4}, 3);
  for (const bool nifti2 : {false, true})
    for (const bool big_endian : {false, true}) {
      CAPTURE(datatype, nifti2, big_endian);
      NiftiToWrite nifti = nifti_of(image);
      nifti.nifti2 = nifti2;
      nifti.big_endian = big_endian;
      nifti.datatype = datatype;
      nifti.samples = tests::stored_samples(image, value, big_endian);
      for (const std::string& bytes : {nifti.bytes(), gzipped(nifti.bytes())}) {
        const MemoryFile file(bytes);
        ImageInfo info;
        REQUIRE(same_bits(read_image(file.path(), {}, &info), image));
        CHECK(info.format == "nifti");
        CHECK(info.bits_per_sample == static_cast<int>(8 * sizeof(T)));
      }
    }
}

std::string read_reason(const std::string& bytes, const ReadOptions& options = {},
                        ErrorCode failure = ErrorCode::data) {
  return tests::refusal_of_bytes(bytes, options, failure);
}

/// Options under which a .nii.gz is a stream.
Options little_memory() { return Options().parts().memory(8 << 20); }

}  // namespace

TEST_CASE("samples of each type, in both orders of bytes, plain and compressed, are read") {
  check_type<std::uint8_t>(2, 255);
  check_type<std::int16_t>(4, -300);
  check_type<std::int32_t>(8, -70000);
  check_type<float>(16, 0.25f);
  check_type<double>(64, -1e-300);
  check_type<std::int8_t>(256, -1);
  check_type<std::uint16_t>(512, 0x100);
  check_type<std::uint32_t>(768, 0x10000);
  check_type<std::int64_t>(1024, std::int64_t{-1} << 40);
  check_type<std::uint64_t>(1280, std::uint64_t{1} << 63);
}

TEST_CASE("compressed samples of several MiB are read, and damage in them is an error") {
  NiftiToWrite nifti;
  nifti.datatype = 2;
  nifti.dim = {3, 256, 256, 96};
  for (int i = 0; i < 256 * 256 * 96; ++i) nifti.samples += static_cast<char>(i % 1009 % 3 == 0);
  const MemoryFile plain(nifti.bytes()), zipped(gzipped(nifti.bytes()));
  CHECK(same_bits(read_image(zipped.path(), {}), read_image(plain.path(), {})));
  const std::string bytes = gzipped(nifti.bytes());
  CHECK(read_reason(bytes.substr(0, bytes.size() / 2)) == "the compressed samples end early");
}

TEST_CASE("slope and intercept scale samples unless they are 0 or not numbers") {
  NiftiToWrite nifti;
  nifti.dim = {1, 4, 1, 1};
  nifti.samples = std::string("\0\1\2\3", 4);
  const auto bits = [&](double slope, double inter, std::optional<double> threshold) {
    nifti.slope = slope;
    nifti.inter = inter;
    ReadOptions options;
    options.foreground.threshold = threshold;
    const MemoryFile file(nifti.bytes());
    const BitVolume image = read_image(file.path(), options);
    std::string text;
    for (int x = 0; x < 4; ++x) text += image(x, 0, 0) ? '#' : '.';
    return text;
  };
  for (const int datatype : {2, 256}) {
    nifti.datatype = datatype;
    CHECK(bits(0, 7, std::nullopt) == ".###");
    CHECK(bits(kNan, 7, 1) == "..##");
    CHECK(bits(1, 0, 1) == "..##");
    CHECK(bits(0.5, 0, 1) == "...#");
    CHECK(bits(-1, 0, -1.5) == "##..");
    CHECK(bits(2, -2, std::nullopt) == "#.##");
  }
  nifti.datatype = 4;
  nifti.samples = std::string("\0\0\1\0\2\0\3\0", 8);
  CHECK(bits(2, -2, std::nullopt) == "#.##");
  CHECK(bits(-0.5, 1, 0) == "##..");
  nifti.datatype = 16;
  nifti.samples = std::string("\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 16);
  CHECK(bits(2, -2, std::nullopt) == "#.##");
  for (const double slope : {kInfinity, -kInfinity}) {
    nifti.slope = slope;
    nifti.inter = 0;
    read_reason(nifti.bytes());
  }
  nifti.slope = 1;
  nifti.inter = kNan;
  read_reason(nifti.bytes());
}

TEST_CASE("colors count by their luma under any scale") {
  NiftiToWrite nifti;
  nifti.dim = {2, 2, 1};
  nifti.datatype = 128;
  nifti.slope = 100;
  nifti.samples = std::string("\0\0\0\1\0\0", 6);
  const BitVolume image = read_image(MemoryFile(nifti.bytes()).path(), {});
  CHECK_FALSE(image(0, 0, 0));
  CHECK(image(1, 0, 0));
}

TEST_CASE("a pair is read by the name of its header") {
  const ScratchFolder folder;
  const BitVolume image = noise({9, 5, 3}, 1);
  NiftiToWrite nifti = nifti_of(image);
  nifti.pair = true;
  const std::string samples = nifti.samples;
  nifti.samples.clear();
  write_file(folder / "a.hdr", nifti.bytes());
  CHECK(gpuccl::reason_of([&] { read_image(folder / "a.hdr", {}); }, ErrorCode::no_input) ==
        "its samples are missing: no file a.img next to it");
  write_file(folder / "a.img.gz", gzipped(samples));
  REQUIRE(same_bits(read_image(folder / "a.hdr", {}), image));
  write_file(folder / "a.img", samples);
  REQUIRE(same_bits(read_image(folder / "a.hdr", {}), image));
  write_file(folder / "a.img", samples.substr(1));
  REQUIRE(error_code_of([&] { read_image(folder / "a.hdr", {}); }) == ErrorCode::data);
  write_file(folder / "a.img", "12" + samples);
  nifti.vox_offset = 2;
  write_file(folder / "a.hdr", nifti.bytes());
  REQUIRE(same_bits(read_image(folder / "a.hdr", {}), image));
  write_file(folder / "a.txt", nifti.bytes());
  REQUIRE(error_code_of([&] { read_image(folder / "a.txt", {}); }) == ErrorCode::data);
}

TEST_CASE("one frame of four axes is a volume, several are refused with a remedy") {
  const BitVolume image = noise({9, 5, 3}, 2);
  NiftiToWrite nifti = nifti_of(image);
  nifti.dim = {7, 9, 5, 3, 1, 1, 0, 1};
  REQUIRE(same_bits(read_image(MemoryFile(nifti.bytes()).path(), {}), image));
  nifti.dim = {4, 9, 5, 1, 3};
  CHECK(read_reason(nifti.bytes()) == "contains 3 volumes; --frame N selects one, from 0");
  const auto reason_with = [&](const PlaneOptions& options) {
    ReadOptions read;
    read.planes.options = options;
    return read_reason(nifti.bytes(), read);
  };
  CHECK(reason_with({.prefix = "--intensity-"}) ==
        "contains 3 volumes; --intensity-frame N selects one, from 0");
  CHECK(reason_with({.every_frame = true}) ==
        "contains 3 volumes; --frame N selects one, from 0, --frame all each");
  CHECK(reason_with({.instead = "'gpuccl measure FILE OPTION N -o labels.tif' saves one"}) ==
        "contains 3 volumes; 'gpuccl measure FILE --frame N -o labels.tif' saves one");
  nifti.dim = {5, 9, 5, 1, 1, 3};
  CHECK(read_reason(nifti.bytes()) == "contains 3 volumes; --frame N selects one, from 0");
}

TEST_CASE("headers that claim the impossible are refused") {
  const NiftiToWrite good = nifti_of(noise({4, 3, 2}, 1));
  for (const bool nifti2 : {false, true}) {
    CAPTURE(nifti2);
    const auto refused = [&](const auto& change) {
      NiftiToWrite nifti = good;
      nifti.nifti2 = nifti2;
      change(nifti);
      read_reason(nifti.bytes());
      read_reason(gzipped(nifti.bytes()));
    };
    for (const std::int64_t axes : {0, -1, 8, 32767}) refused([=](auto& nifti) { nifti.dim[0] = axes; });
    for (const std::size_t axis : {1, 2, 3})
      for (const std::int64_t size :
           {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-32768}, std::int64_t{32767}})
        refused([=](auto& nifti) { nifti.dim[axis] = size; });
    if (nifti2)
      for (const std::int64_t size : {std::int64_t{1} << 31, std::int64_t{1} << 32, INT64_MAX, INT64_MIN}) {
        for (const std::size_t axis : {1, 2, 3}) refused([=](auto& nifti) { nifti.dim[axis] = size; });
        refused([=](auto& nifti) { nifti.dim = {3, size, size, size}; });
        refused([=](auto& nifti) { nifti.dim = {4, 4, 3, 2, INT64_MAX}; });
      }
    for (const int datatype : {0, 1, 32, 1536, 1792, 2048, -2, 3})
      refused([=](auto& nifti) { nifti.datatype = datatype; });
    for (const double offset : {1.0, 100.0, 1e9, -5.0, 9e18})
      refused([=](auto& nifti) { nifti.vox_offset = offset; });
    if (!nifti2)
      for (const double offset : {kNan, kInfinity, -kInfinity, 352.5, 1e30})
        refused([=](auto& nifti) { nifti.vox_offset = offset; });
    refused([](auto& nifti) { nifti.sizeof_hdr = 347; });
    refused([](auto& nifti) { nifti.pair = true; });
  }
  NiftiToWrite careless = good;  // an offset of 0 stands for the least
  careless.vox_offset = 0;
  CHECK_NOTHROW(read_image(MemoryFile(careless.bytes()).path(), {}));
}

TEST_CASE("a NIfTI that ends early, or is damaged, is refused; bytes after it get a warning") {
  const BitVolume image = noise({40, 30, 5}, 1);
  NiftiToWrite nifti = nifti_of(image);
  const std::string whole = nifti.bytes(), zipped = gzipped(whole);
  for (std::size_t size = 352; size < whole.size(); size += 97) {
    read_reason(whole.substr(0, size));
    read_reason(gzipped(whole.substr(0, size)));
  }
  for (std::size_t size = 1; size < zipped.size(); size += 7) read_reason(zipped.substr(0, size));
  CHECK(read_reason(zipped.substr(0, 12)) == "the compressed samples end early");
  CHECK(read_reason(gzipped(whole.substr(0, 347))) == "is a compressed NIfTI file, truncated in its header");
  const std::pair<std::string, bool> longer[] = {
      {whole + "garbage", true},
      {zipped + "garbage", true},
      {gzipped(whole + "garbage"), true},
      {gzipped(whole) + gzipped("more"), true},
      {gzipped(whole) + gzipped(""), false},
      {gzipped(whole.substr(0, 100)) + gzipped(whole.substr(100)), false},
      {gzipped(whole.substr(0, 1000)) + gzipped("") + gzipped(whole.substr(1000)), false}};
  for (const auto& [bytes, is_said] : longer)
    for (Options options : {Options(), little_memory()}) {
      std::vector<std::string> lines;
      options.warn = [&](const std::string& line) { lines.push_back(line); };
      BitVolume parts(image.extent());
      open_reader(MemoryFile(bytes).path(), options)->read(0, 5, parts);
      REQUIRE(same_bits(parts, image));
      REQUIRE(lines == std::vector<std::string>(is_said ? 1 : 0, "data after its samples is ignored"));
    }
  for (const std::size_t at :
       {zipped.size() / 2, zipped.size() - 8, zipped.size() - 1}) {  // data, checksum, length
    std::string damaged = zipped;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    read_reason(damaged);
    read_reason(damaged, little_memory());
  }
}

TEST_CASE("a .nii.gz is read forwards and back, as a stream if it is larger than the memory") {
  const Extent extent{256, 256, 400};
  const BitVolume image = noise(extent, 5);
  const NiftiToWrite nifti = nifti_of(image);  // 25 MiB
  const MemoryFile file(gzipped(nifti.bytes(), 1));
  CHECK(open_reader(file.path(), little_memory())->held_bytes() < little_memory().limits.memory);
  const Options enough = little_memory().memory(256 << 20);
  Options all;
  all.any_order = true;
  CHECK(open_reader(file.path(), all)->held_bytes() > extent.elements());
  const auto check = [&](const ReadOptions& options) {
    const std::unique_ptr<Reader> reader = open_reader(file.path(), options);
    BitVolume read(extent);
    reader->read(0, extent.depth, read);
    REQUIRE(same_bits(read, image));
    for (const int z : {399, 390, 200, 201, 0, 137}) {
      BitVolume slice({256, 256, 1});
      reader->read(z, z + 1, slice);
      BitVolume rows({256, 5, 1});
      reader->read_rows(z, 100, 105, rows);
      for (int y = 0; y < 256; ++y)
        for (int x = 0; x < 256; ++x) {
          if (slice(x, y, 0) != image(x, y, z)) FAIL("slice " << z << " differs");
          if (y >= 100 && y < 105 && rows(x, y - 100, 0) != image(x, y, z))
            FAIL("rows of " << z << " differ");
        }
    }
  };
  const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
  for (const ReadOptions& options : {little_memory(), enough, all})
    for (const int threads : {1, 4}) tbb::task_arena(threads).execute([&] { check(options); });
}

TEST_CASE("bytes after a .nii.gz get one warning for several reads") {
  const BitVolume image = noise({256, 256, 40}, 1);
  const MemoryFile file(gzipped(nifti_of(image).bytes()) + "garbage");
  for (Options options : {Options(), little_memory()})
    for (const bool otsu : {false, true}) {
      int lines = 0;
      options.foreground.otsu = otsu;
      options.warn = [&](const std::string&) { ++lines; };
      const std::unique_ptr<Reader> reader = open_reader(file.path(), options);
      BitVolume read(image.extent());
      for (int i = 0; i < 2; ++i) reader->read(0, 40, read);
      CHECK(same_bits(read, image));
      CHECK(lines == 1);
    }
}

TEST_CASE("a header that claims more than gzip can hold is refused at once") {
  NiftiToWrite nifti;
  nifti.dim = {3, 32767, 32767, 32767};
  CHECK(read_reason(gzipped(nifti.bytes())).find("header claims") == 0);
  nifti.dim = {3, 1000, 1000, 100};
  nifti.samples = std::string(100000000, '\0');
  const std::string bomb = gzipped(nifti.bytes(), 9);  // what it claims is there, and does not fit
  read_reason(bomb, Options().memory(4 << 20), ErrorCode::memory);
}

TEST_CASE("the scale of the sform counts if pixdim has another") {
  NiftiToWrite nifti = nifti_of(noise({4, 3, 2}, 3));
  nifti.units = 2;
  nifti.pixdim = {1, 1, 1, 2, 1, 1, 1, 1};
  nifti.sform = 1;
  nifti.srow = {-1.25, 0, 0, 5, 0, 0, 2.5, 6, 0, 1.0001, 0, 7};
  ImageInfo info;
  read_image(MemoryFile(nifti.bytes()).path(), {}, &info);
  CHECK(info.geometry.spacing == Vector3{1.25, 1, 2.5});  // rounding is not another scale
  CHECK(physical_scale(info.geometry, 3)->element == 1.25 * 2.5);
  const ScratchFolder folder;
  WriteOptions options;
  options.geometry = info.geometry;
  for (const char* name : {"a.mha", "a.nrrd", "a.nii"}) {  // other formats have no second scale
    CAPTURE(name);
    save_labels(folder / name, sample_labels({4, 3, 2}, 5), options);
    const Geometry written = open_reader(folder / name, {})->info().geometry;
    CHECK(physical_scale(written, 3)->element == Approx(1.25 * 2.5).epsilon(1e-3));
    CHECK(grid_difference(info.geometry, written, {4, 3, 2}).empty());
  }
  nifti.pixdim = {1};
  nifti.srow[9] = 1;
  read_image(MemoryFile(nifti.bytes()).path(), {}, &info);
  CHECK(info.geometry.spacing == Vector3{1.25, 1, 2.5});
  nifti.pixdim = {1, 1, 1, 2, 1, 1, 1, 1};
  nifti.sform = 0;
  read_image(MemoryFile(nifti.bytes()).path(), {}, &info);
  CHECK(info.geometry.spacing == Vector3{1, 1, 2});
}
