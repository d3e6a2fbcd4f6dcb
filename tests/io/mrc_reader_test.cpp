// MRC headers byte by byte: what mrcfile does not write (tests/app/volumes_interop.py has the rest), and
// damage.

#include "io/write/label_writer.hpp"
#include "label_samples.hpp"
#include "support/compressed.hpp"
#include "support/read_labels.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// 2 x 2 x 2 bytes, the first of them 200.
std::string mrc() {
  std::string bytes(1024 + 8, '\0');
  for (std::size_t i = 0; i < 3; ++i) {
    put(bytes, 4 * i, 2);
    put(bytes, 28 + 4 * i, 2);
    put(bytes, 40 + 4 * i, 2 * (static_cast<float>(i) + 1.5f));
    put(bytes, 64 + 4 * i, static_cast<int>(i) + 1);
  }
  put(bytes, 88, 1);
  bytes.replace(208, 6, "MAP \x44\x44");
  bytes[1024] = static_cast<char>(200);
  return bytes;
}

template <class T>
std::string with(std::size_t at, T value, std::string bytes = mrc()) {
  put(bytes, at, value);
  return bytes;
}

ImageInfo info_of(const std::string& bytes, std::vector<std::string>* warnings = nullptr) {
  const tests::Read read = tests::read_bytes(bytes);
  if (warnings != nullptr) *warnings = read.warnings;
  return read.info;
}

std::string reason_of(const std::string& bytes) { return tests::refusal_of_bytes(bytes); }

bool is_bright(const std::string& bytes) {
  return tests::read_bytes(bytes, tests::Options().above(100)).image(0, 0, 0);
}

}  // namespace

TEST_CASE("bytes of an MRC are signed, unless IMOD or their statistics say that they are not") {
  const std::string imod = with(152, 1146047817);
  CHECK_FALSE(is_bright(mrc()));
  CHECK(is_bright(imod));
  CHECK_FALSE(is_bright(with(156, 1, imod)));
  CHECK_FALSE(is_bright(with(156, 1)));                 // flags without their stamp
  CHECK(is_bright(with(76, 20.0f, with(80, 200.0f))));  // DMIN and DMAX
  CHECK_FALSE(is_bright(with(76, 20.0f, with(80, 127.0f))));
  CHECK_FALSE(is_bright(with(76, -1.0f, with(80, 200.0f))));
  CHECK_FALSE(is_bright(with(76, 20.0f, with(80, 200.0f, with(156, 1, imod)))));
  CHECK(reason_of(with(156, 16, imod)).starts_with("has MRC mode 0, samples of 4 bits; convert it with"));
}

TEST_CASE("modes of an MRC that are not read are refused by name") {
  for (const auto& [mode, reason] : {std::pair{101, "has MRC mode 101, samples of 4 bits"},
                                     {3, "has MRC mode 3, complex numbers; save their magnitude"},
                                     {4, "has MRC mode 4, complex numbers; save their magnitude"},
                                     {16, "has MRC mode 16, colors; convert it with mrc2tif"},
                                     {5, "has MRC mode 5, not 0, 1, 2, 6 or 12; write one"},
                                     {-1, "has MRC mode -1, not 0, 1, 2, 6 or 12; write one"}})
    CHECK(reason_of(with(12, mode)).starts_with(reason));
}

TEST_CASE("an MRC without a machine stamp has the byte order of its sizes") {
  for (const int width : {2, 100, 128, 200, 384, 32768}) {
    const std::string plain =
        with(0, width, with(28, width, with(40, 1.5f * static_cast<float>(width), with(212, 0)))) +
        std::string(4 * (static_cast<std::size_t>(width) - 2), '\0');
    std::string swapped = plain;
    for (std::size_t at = 0; at < 100; at += 4) std::reverse(swapped.begin() + at, swapped.begin() + at + 4);
    for (const std::string& bytes : {plain, swapped}) {
      CHECK(info_of(bytes).extent == Extent{width, 2, 2});
      CHECK(info_of(bytes).geometry.spacing == Vector3{1.5, 2.5, 3.5});
    }
  }
}

TEST_CASE("an MRC has its place by the origin, or else by its start in the cell") {
  CHECK(info_of(mrc()).geometry.orientation->origin == Vector3{});
  const std::string started = with(20, 4);
  CHECK(info_of(started).geometry.orientation->origin == Vector3{0, 10, 0});
  const std::string moved = with(204, 7.0f, started);
  CHECK(info_of(moved).geometry.orientation->origin == Vector3{0, 0, 7});
  const std::string imod = with(152, 1146047817, moved);
  CHECK(info_of(imod).geometry.orientation->origin == Vector3{0, 0, -7});
  CHECK(info_of(with(156, 4, imod)).geometry.orientation->origin == Vector3{0, 0, 7});
  CHECK(info_of(with(108, 20140, imod)).geometry.orientation->origin == Vector3{0, 0, 7});
}

TEST_CASE("axes of an MRC lie along those of the world in any order") {
  const std::string turned = with(72, 1, with(64, 3));
  const Geometry geometry = info_of(turned).geometry;
  CHECK(geometry.spacing == Vector3{3.5, 2.5, 1.5});
  CHECK(geometry.orientation->steps == std::array<Vector3, 3>{{{0, 0, 3.5}, {0, 2.5, 0}, {1.5, 0, 0}}});
  CHECK(info_of(with(64, 0, with(68, 0, with(72, 0)))).geometry.spacing == Vector3{1.5, 2.5, 3.5});
  for (const int axis : {0, 4, -1, 2})
    CHECK(reason_of(with(64, axis)) == "its axes (MAPC, MAPR, MAPS) are not 1, 2 and 3 in any order");
}

TEST_CASE("an MRC whose cell is oblique or has no size has no spacing") {
  std::vector<std::string> warnings;
  CHECK(info_of(with(52, 90.0f), &warnings).geometry.is_known(3));
  CHECK(warnings.empty());
  CHECK_FALSE(info_of(with(60, 120.0f), &warnings).geometry.is_known());
  CHECK(warnings == std::vector<std::string>{
                        "its unit cell has angles other than 90 degrees, so its spacing is not read"});
  std::string unsized = mrc();
  unsized.replace(40, 12, 12, '\0');
  CHECK_FALSE(info_of(unsized).geometry.is_known());
  CHECK(info_of(with(40, std::numeric_limits<float>::quiet_NaN())).geometry.spacing[0] == 0);
  CHECK(info_of(with(28, 0)).geometry.spacing[0] == 0);
}

TEST_CASE("an MRC of space group 0 is a stack of images if MZ is 1") {
  for (const int group : {0, 1})
    for (const int intervals : {1, 2}) {
      const ImageInfo info = info_of(with(88, group, with(36, intervals)));
      CHECK(info.is_image_stack == (group == 0 && intervals == 1));
      CHECK((info.geometry.spacing[2] == 0) == info.is_image_stack);
    }
}

TEST_CASE("an MRC that is damaged is refused") {
  for (const std::size_t size : {212, 1000, 1023})
    CHECK(reason_of(mrc().substr(0, size)) == "the file is truncated in its header");
  CHECK(reason_of(mrc().substr(0, 1031)).starts_with("the file is truncated: "));
  CHECK(reason_of(tests::gzipped(mrc().substr(0, 1000))) == "the file is truncated in its header");
  CHECK(reason_of(with(92, -1)) == "its extended header (NSYMBT) has a negative size");
  CHECK(reason_of(with(92, 1)).starts_with("the file is truncated: "));
  for (const std::size_t at : {0, 4, 8})
    for (const int size : {0, -1, 1 << 30, INT32_MIN}) reason_of(with(at, size));
  for (const int each : {0, -2, 3}) {  // volumes of a stack
    CHECK(reason_of(with(36, each, with(88, 401))) ==
          "its sections (NZ) are not volumes of MZ sections; correct MZ with mrcfile of Python");
  }
  CHECK(reason_of(with(36, 1, with(88, 401))) == "contains 2 volumes; --frame N selects one, from 0");
}

TEST_CASE("labels as MRC are read back with their place") {
  const ScratchFolder folder;
  const std::string path = folder / "labels.mrc";
  for (const LabelType type : {LabelType::i8, LabelType::i16, LabelType::u16}) {
    const LabelImage image = sample_labels({37, 21, 5}, 100);
    WriteOptions options{.type = type, .progress = {}};
    options.geometry.unit = LengthUnit::nm;
    options.geometry.spacing = {1, 2, 3};
    options.geometry.orientation = {{}, {{{0, 1, 0}, {0, 0, 2}, {3, 0, 0}}}, {4, 5, 6}};
    save_labels(path, image, options);
    CHECK(values_of(read_labels(path)) == values_of(image));
    const Geometry geometry = open_reader(path, {})->info().geometry;
    CHECK(geometry.spacing == Vector3{10, 20, 30});
    CHECK(geometry.orientation->origin == Vector3{40, 50, 60});
    CHECK(world_axes(*geometry.orientation) == std::array<std::size_t, 3>{1, 2, 0});
    CHECK(lost_geometry(LabelFormat::mrc, options.geometry, 5).empty());
    options.geometry.orientation = {WorldSpace::ras, {{{-1, 0, 0}, {0, -2, 0}, {0, 0, 3}}}, {-4, -5, 6}};
    save_labels(path, image, options);  // as a NIfTI of such an MRC has it
    CHECK(open_reader(path, {})->info().geometry.orientation->origin == Vector3{40, 50, 60});
    CHECK(lost_geometry(LabelFormat::mrc, options.geometry, 5).empty());
    options.geometry.orientation->steps[0][0] = 1;
    CHECK(lost_geometry(LabelFormat::mrc, options.geometry, 5) ==
          "MRC cannot hold directions; use NIfTI, NRRD or MetaImage");
    options.geometry.unit = LengthUnit::unknown;
    CHECK(lost_geometry(LabelFormat::mrc, options.geometry, 5) ==
          "MRC cannot hold a pixel size without a unit; set one with --spacing X,Y,Z,UNIT");
  }
}
