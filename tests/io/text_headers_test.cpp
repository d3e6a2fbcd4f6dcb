// NRRD and MetaImage: what their headers, which are text, can say and what they must not.

#include <bit>

#include "support/bits.hpp"
#include "support/compressed.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using tests::contains;
using tests::MemoryFile;
using tests::Options;
using tests::read_bytes;

namespace {

const std::string kSamples(24, '\1');  // 4 x 3 x 2

const std::string kNrrd =
    "NRRD0004\n# a comment\ntype: uchar\ndimension: 3\nsizes: 4 3 2\nencoding: raw\nkey:=a: value\n";
const std::string kMetaimage = "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementType = MET_UCHAR\n";

ImageInfo info_of(const std::string& content) { return tests::info_of_bytes(content); }

std::string nrrd(const std::string& fields) { return kNrrd + fields + "\n" + kSamples; }
std::string metaimage(const std::string& fields) {
  return kMetaimage + fields + "ElementDataFile = LOCAL\n" + kSamples;
}

std::string refusal_of(const std::string& content, const ReadOptions& options = {}) {
  CAPTURE(content);
  return tests::refusal_of_bytes(content, options);
}

/// Requires each of the files to be refused with words that contain the second of its pair.
void expect_refused(const std::vector<std::pair<std::string, const char*>>& files) {
  for (const auto& [content, words] : files) {
    CAPTURE(words);
    CHECK_THAT(refusal_of(content), tests::containing(words));
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(contains(text, from));
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("an NRRD says where its elements are in the words of its standard") {
  ImageInfo info =
      info_of(nrrd("space: LPS\nspace directions: (0,2,0) (-3,0,0) (0,0,0.5)\n"
                   "space origin: (1,2,3)\nspace units: \"mm\" \"mm\" \"mm\"\n"));
  CHECK(info.format == "nrrd");
  CHECK(info.extent == Extent{4, 3, 2});
  CHECK(info.geometry.spacing == Vector3{2, 3, 0.5});
  CHECK(info.geometry.unit == LengthUnit::mm);
  REQUIRE(info.geometry.orientation);
  CHECK(info.geometry.orientation->space == WorldSpace::lps);
  CHECK(info.geometry.orientation->steps[1] == Vector3{-3, 0, 0});
  CHECK(info.geometry.orientation->origin == Vector3{1, 2, 3});

  // Numbers that are none, and units that are not alike, are not known.
  info = info_of(nrrd("spacings: 0.5 nan 2\nunits: \"mm\" \"um\" \"mm\"\r\n"));
  CHECK(info.geometry.spacing == Vector3{0.5, 0, 2});
  CHECK(info.geometry.unit == LengthUnit::unknown);
  info = info_of(
      nrrd("space dimension: 3\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (nan,0,0)\n"));
  CHECK(!info.geometry.orientation);

  const std::string colors =
      replaced(replaced(replaced(kNrrd, "3\nsizes: 4 3 2", "4\nsizes: 3 2 2 2"), "raw", "RAW"), "# a comment",
               "kinds: RGB-color domain domain domain");
  CHECK(info_of(colors + "\n" + kSamples).photometric == "rgb");
  CHECK(contains(refusal_of(replaced(colors, "RGB-color", "vector") + "\n" + kSamples),
                 "contains 3 channels; "));
}

/// The places of foreground among the elements that are read, of which there are at most 24.
std::vector<int> places_in(const std::string& content, const ReadOptions& options = {}) {
  const BitVolume image = read_bytes(content, options).image;
  std::vector<int> places;
  for (int row = 0; row < static_cast<int>(image.extent().rows()); ++row)
    for (int x = 0; x < image.extent().width; ++x)
      if (image(x, row % image.extent().height, row / image.extent().height))
        places.push_back(row * image.extent().width + x);
  return places;
}

/// A segmentation of 2 channels of 3 x 2 x 2.
const std::string kTwoChannels{1, 0, 0, 0, 0, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0};

TEST_CASE("values of a list or vector in an NRRD, and of a MetaImage, are channels") {
  const std::string rest = " domain domain domain\nencoding: raw\n";
  const std::string axes = "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 3 2 2\nkinds: ";
  for (const char* kind : {"list", "vector", "2-vector", "complex"}) {
    CAPTURE(kind);
    const std::string file = axes + kind + rest + "\n" + kTwoChannels;
    CHECK(refusal_of(file) == "contains 2 channels; --channel N selects one, from 0");
    CHECK(places_in(file, Options().channel(0)) == std::vector{0, 5});
    CHECK(places_in(file, Options().channel(1)) == std::vector{2, 7});
    CHECK(contains(refusal_of(file, Options().channel(2)), "has no channel 2"));
    CHECK(contains(refusal_of(file, Options().channel("liver")), "does not name its channels"));
    CHECK(contains(refusal_of(file, Options().channel(0).series(1)), "--series is for"));
  }
  const std::string meta =
      "ObjectType = Image\nNDims = 3\nDimSize = 3 2 2\nElementType = MET_UCHAR\nElementNumberOfChannels = 2\n"
      "ElementDataFile = LOCAL\n" +
      kTwoChannels;
  CHECK(refusal_of(meta) == "contains 2 channels; --channel N selects one, from 0");
  CHECK(places_in(meta, Options().channel(1)) == std::vector{2, 7});
  CHECK(contains(refusal_of(replaced(meta, "Channels = 2", "Channels = 0")), "has 0 values per pixel"));
}

TEST_CASE("an axis of an NRRD whose kind is not spatial is never z") {
  const auto file = [](const std::string& sizes, const std::string& kinds) {
    const std::string axes = std::to_string(std::count(kinds.begin(), kinds.end(), ' ') + 1);
    return "NRRD0005\ntype: uint8\ndimension: " + axes + "\nsizes: " + sizes + "\nkinds: " + kinds +
           "\nencoding: raw\n\n" + std::string{1, 0, 0, 0, 0, 5, 0, 7, 0, 0, 0, 0};
  };
  for (const char* space : {"domain", "space"}) {
    const std::string plane = std::string(space) + " " + space;
    CHECK(contains(refusal_of(file("3 2 2", plane + " time")), "contains 2 volumes; --frame N selects one"));
    CHECK(places_in(file("3 2 2", plane + " time"), Options().frame(1)) == std::vector{1});
    for (const char* kind : {"list", "vector", "RGB-color", "complex"})
      CHECK(contains(refusal_of(file("3 2 2", plane + " " + kind)),
                     "put values first or time last with unu permute"));
    CHECK(contains(refusal_of(file("3 2 1 2", plane + " list " + space)), "axis 2 is of kind list"));
    CHECK(contains(refusal_of(file("3 2 1 2", plane + " time " + space)), "axis 2 is of kind time"));
    CHECK(
        contains(refusal_of(file("3 2 2", std::string(space) + " time " + space)), "axis 1 is of kind time"));
    CHECK(contains(refusal_of(file("2 3 2", "time " + plane)), "axis 0 is of kind time"));
    for (const char* kind : {"???", "none"})
      CHECK(places_in(file("3 2 2", plane + " " + kind)) == std::vector{0, 5, 7});
    CHECK(places_in(file("3 4 1", plane + " stub")) == std::vector{0, 5, 7});
  }
  const auto directed = [&](const std::string& directions) {
    return refusal_of(replaced(file("3 2 2", "??? ??? ???"), "encoding",
                               "space: LPS\nspace directions: " + directions + "\nencoding"));
  };
  CHECK(contains(directed("(1,0,0) (0,1,0) none"), "contains 2 volumes; --frame N selects one"));
  CHECK(directed("(1,0,0) none (0,1,0)") ==
        "axis 1 has no direction in space; put values first or time last with unu permute");
}

TEST_CASE("layers of a segmentation of Slicer have the names of their segments") {
  const std::string file =
      "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 2 3 2 2\nkinds: list domain domain domain\nencoding: raw\n"
      "Segment0_Layer:=0\nSegment0_LabelValue:=1\nSegment0_Name:=rib: left\n"
      "Segment1_Layer:=1\nSegment1_LabelValue:=5\nSegment1_Name:=cyst\n"
      "Segment2_Layer:=1\nSegment2_LabelValue:=7\nSegment2_Name:=liver\nSegment2_Tags:=x\n\n" +
      kTwoChannels;
  CHECK(refusal_of(file) ==
        "contains 2 channels (0 rib: left, 1 cyst = 5; liver = 7); --channel N selects one, from 0");
  CHECK(places_in(file, Options().channel("rib: left")) == std::vector{0, 5});
  CHECK(contains(refusal_of(file, Options().channel("liver")),
                 "has 'liver' as value 7 of a channel; use 'gpuccl label' with --channel 1 and --value 7"));
  CHECK(contains(refusal_of(file, Options().channel("lung")),
                 "has no 'lung' among its channels (0 rib: left, 1 cyst = 5; liver = 7)"));
  std::string single = replaced(replaced(file, "4\nsizes: 2 3", "3\nsizes: 6"), "list domain", "domain");
  for (const char* segment : {"Segment1_Layer:=", "Segment2_Layer:="})
    single = replaced(single, segment + std::string("1"), segment + std::string("0"));
  CHECK(contains(refusal_of(single, Options().channel("liver")),
                 "has 'liver' as value 7 of a channel; use 'gpuccl label' with --value 7"));
}

TEST_CASE("an NRRD of four axes of which one has one element is a volume") {
  const std::string four = replaced(kNrrd, "3\nsizes: 4 3 2", "4\nsizes: 4 3 2 1");
  const ImageInfo info =
      info_of(four +
              "space dimension: 4\nspace directions: (2,0,0,0) (0,3,0,0) (0,0,4,0) (0,0,0,1)\n"
              "space origin: (1,2,3,4)\nspace units: \"mm\" \"mm\" \"mm\" \"s\"\n\n" +
              kSamples);
  CHECK(info.extent == Extent{4, 3, 2});
  CHECK(info.geometry.spacing == Vector3{2, 3, 4});
  CHECK(info.geometry.unit == LengthUnit::mm);
  REQUIRE(info.geometry.orientation);
  CHECK(info.geometry.orientation->origin == Vector3{1, 2, 3});
  CHECK(
      contains(refusal_of(four + "space directions: (2,0,0,1) (0,3,0,0) (0,0,4,0) (0,0,0,1)\n\n" + kSamples),
               "space directions"));
}

TEST_CASE("an NRRD of two axes has its units and directions") {
  const std::string flat = replaced(kNrrd, "3\nsizes: 4 3 2", "2\nsizes: 4 6");
  ImageInfo info = info_of(flat + "spacings: 2 3\nunits: \"um\" \"um\"\n\n" + kSamples);
  CHECK(info.extent == Extent{4, 6, 1});
  CHECK(info.geometry.spacing == Vector3{2, 3, 0});
  CHECK(info.geometry.unit == LengthUnit::um);
  info = info_of(flat +
                 "space dimension: 2\nspace directions: (2,0) (0,-3)\nspace origin: (5,6)\n"
                 "space units: \"mm\" \"mm\"\n\n" +
                 kSamples);
  CHECK(info.geometry.unit == LengthUnit::mm);
  REQUIRE(info.geometry.orientation);
  CHECK(info.geometry.orientation->steps == std::array<Vector3, 3>{{{2, 0, 0}, {0, -3, 0}, {0, 0, 1}}});
  info =
      info_of(flat + "space: LPS\nspace directions: (0,2,0) (0,0,3)\nspace origin: (5,6,7)\n\n" + kSamples);
  REQUIRE(info.geometry.orientation);
  CHECK(info.geometry.orientation->steps[2] == Vector3{1, 0, 0});
}

TEST_CASE("kinds of an NRRD count more than axes without a direction") {
  const std::string directions = "space dimension: 3\nspace directions: none (0,2,0) (0,0,3)\n";
  const ImageInfo info = info_of(nrrd("kinds: domain domain domain\n" + directions));
  CHECK(info.extent == Extent{4, 3, 2});
  CHECK(info.geometry.spacing == Vector3{0, 2, 3});
  CHECK(info_of(nrrd("space directions: none none none\n")).extent == Extent{4, 3, 2});
  CHECK(contains(refusal_of(nrrd(directions)), "contains 4 channels"));
}

TEST_CASE("an NRRD that cannot be read says why") {
  const auto with = [](const std::string& from, const std::string& to) {
    return replaced(nrrd(""), from, to);
  };
  expect_refused({{with("uchar", "block"), "type block"},
                  {with("uchar", "short"), "endian"},
                  {with("raw", "bzip2"), "encoding bzip2, not raw or gzip; convert it with unu"},
                  {with("dimension: 3", "dimension: 17"), "dimension 17"},
                  {with("sizes: 4 3 2", "sizes: 4 3"), "sizes 4 3"},
                  {with("type: uchar\n", ""), "no type"},
                  {with("3\nsizes: 4 3 2", "4\nsizes: 4 3 1 2"), "contains 2 volumes"},
                  {with("4 3 2", "4 3 2.5"), "an axis of 2.5 pixels"},
                  {with("4 3 2", "2147483647 1 1000000"), "truncated"},
                  {with("4 3 2", "1e300 3 2"), "an axis of"},
                  {with("4 3 2", "4 0 2"), "empty image"},
                  {with("4 3 2", "400 300 200"), "23 MiB from"},
                  {nrrd("spacings: 1 2\n"), "spacings 1 2"},
                  {nrrd("space directions: (1,0,0) (0,1,0\n"), "space directions"},
                  {nrrd("byte skip: -2\n"), "byte skip -2"},
                  {with("raw", "gzip"), "Deflate"}});
  const std::string long_text(std::size_t{5} << 20, 'x');
  CHECK(contains(refusal_of(kNrrd + "# " + long_text), "its header does not end"));
  CHECK(info_of(kNrrd + "# " + long_text.substr(0, 3 << 20) + "\n\n" + kSamples).extent.width == 4);
}

TEST_CASE("a MetaImage is read as ITK reads it") {
  ImageInfo info =
      info_of(metaimage("TransformMatrix = 0 1 0 -1 0 0 0 0 1\nOffset = 1 2 3\nElementSpacing = 2 3 0.5\n"
                        "DistanceUnits = um\n"));
  CHECK(info.format == "metaimage");
  CHECK(info.geometry.spacing == Vector3{2, 3, 0.5});
  CHECK(info.geometry.unit == LengthUnit::um);
  REQUIRE(info.geometry.orientation);
  CHECK(info.geometry.orientation->space == WorldSpace::lps);
  CHECK(info.geometry.orientation->steps[0] == Vector3{0, 2, 0});
  CHECK(info.geometry.orientation->steps[1] == Vector3{-3, 0, 0});
  CHECK(info.geometry.orientation->origin == Vector3{1, 2, 3});
  CHECK(!info_of(metaimage("ElementSpacing = 0 3 0.5\n")).geometry.is_known());
  const Geometry tilted =  // as CT with gantry tilt: the slices are 0.4 apart
      info_of(metaimage("TransformMatrix = 1 0 0 0 1 0 0 0.6 0.8\nElementSpacing = 2 3 0.5\n")).geometry;
  CHECK(is_sheared(tilted, 3));
  CHECK_FALSE(is_sheared(tilted, 2));
  CHECK(tilted.spacing == Vector3{2, 3, 0.5});
  CHECK(layer_distances(tilted)[2] == Approx(0.4));
  // The spacing that is told loses against the length of a step.
  const Geometry stretched =
      info_of(metaimage("TransformMatrix = 2 0 0 0 1 0 0 0 1\nElementSpacing = 2 3 0.5\n")).geometry;
  CHECK(stretched.spacing == Vector3{4, 3, 0.5});

  const auto with = [](const std::string& from, const std::string& to) {
    return replaced(metaimage(""), from, to);
  };
  expect_refused({{metaimage("BinaryData = False\n"), "text"},
                  {metaimage("Offset = 1 2\n"), "Offset = 1 2"},
                  {metaimage("CompressedData = True\n"), "Deflate"},
                  {with("UCHAR", "STRING"), "ElementType = MET_STRING"},
                  {with("NDims = 3", "NDims = 1e9"), "NDims = 1e9"},
                  {with("4 3 2", "4 3 -2"), "an axis of -2"},
                  {with("LOCAL", "LIST"), "several files"},
                  {with("LOCAL", "a%03d.raw 1 2 1"), "several files"},
                  {kMetaimage, "no ElementDataFile"}});
}

TEST_CASE("zlib has one stream under any limit of memory") {
  const std::string samples(256 * 128 * 64, '\1');
  const std::string header =
      replaced(kMetaimage, "4 3 2", "256 128 64") + "CompressedData = True\nElementDataFile = LOCAL\n";
  const std::string whole = header + tests::zlib_stream(samples);
  const std::string cut =
      header + tests::zlib_stream(samples.substr(0, 500)) + tests::zlib_stream(samples.substr(500));
  // With little memory the samples are inflated as a stream.
  for (const Options& options : {Options(), Options().parts().memory(8 << 20)}) {
    CHECK_NOTHROW(open_reader(MemoryFile(whole).path(), options)->info());
    const MemoryFile file(cut);
    CHECK(reason_of([&] {
            BitVolume bits({256, 128, 64});
            open_reader(file.path(), options)->read(0, 64, bits);
          }) == "the file is truncated");
  }
}

TEST_CASE("an NRRD whose data file is a NIfTI is refused, unless it skips the header") {
  const ScratchFolder folder;
  std::string nifti(352, '\0');
  nifti.replace(0, 4, std::string("\x5c\1\0\0", 4)).replace(344, 4, std::string("n+1\0", 4));
  write_file(folder / "a.nii", nifti + kSamples);
  const std::string header = folder / "a.nhdr";
  write_file(header, kNrrd + "data file: a.nii\n");
  CHECK(reason_of([&] { read_image(header, {}); }) ==
        "names a NIfTI, a.nii, and its header as samples; read that file itself");
  write_file(header, kNrrd + "byte skip: 352\ndata file: a.nii\n");
  const BitVolume skipped = read_image(header, {});
  write_file(header, kNrrd + "byte skip: -1\ndata file: a.nii\n");
  CHECK(tests::same_bits(read_image(header, {}), skipped));
}

TEST_CASE("a volume of FreeSurfer is read with its place") {
  const auto big = [](std::uint32_t value, int bytes = 4) {
    std::string text;
    for (int i = bytes; i-- > 0;) text += static_cast<char>(value >> 8 * i & 255);
    return text;
  };
  const auto real = [&](float value) { return big(std::bit_cast<std::uint32_t>(value)); };
  std::vector<float> place = {2, 3, 4, -1, 0, 0, 0, 0, -1, 0, 1, 0, 10, 20, 30};
  const auto mgh = [&](std::uint32_t type, const std::string& samples, std::uint32_t frames = 1) {
    std::string bytes = big(1) + big(4) + big(3) + big(2) + big(frames) + big(type) + big(0) + big(1, 2);
    for (const float value : place) bytes += real(value);
    bytes.resize(284);
    return bytes + samples + "the parameters of a scan";
  };
  std::string shorts;
  for (std::uint32_t i = 0; i < 24; ++i) shorts += big(i == 5 ? 300 : i == 23 ? 65535 : 0, 2);  // -1
  const auto& [image, info, lines] = read_bytes(mgh(4, shorts));
  CHECK(info.format == "mgh");
  CHECK(info.extent == Extent{4, 3, 2});
  CHECK(count_foreground(image.view()) == 2);
  CHECK(image(1, 1, 0));
  CHECK(image(3, 2, 1));
  CHECK(lines.empty());
  CHECK(info.geometry.spacing == Vector3{2, 3, 4});
  REQUIRE(info.geometry.orientation);
  CHECK(info.geometry.orientation->space == WorldSpace::ras);
  CHECK(info.geometry.orientation->steps[1] == Vector3{0, 0, -3});
  CHECK(info.geometry.orientation->origin == Vector3{14, 16, 34.5});  // 10 + 2 * 2, 20 - 4, 30 + 3 * 1.5
  CHECK(count_foreground(read_bytes(mgh(4, shorts), Options().above(0)).image.view()) == 1);
  const std::string two_frames = mgh(0, std::string(24, 0) + std::string(24, 1), 2);
  CHECK(count_foreground(read_bytes(two_frames, Options().frame(1)).image.view()) == 24);
  refusal_of(mgh(4, shorts).substr(0, 300));
  refusal_of(mgh(7, shorts));
  place[9] = 0.6F;  // the slices are shifted along x
  place[10] = 0.8F;
  place[3] = -2;
  const Geometry sheared = read_bytes(mgh(4, shorts)).info.geometry;
  CHECK(is_sheared(sheared, 3));
  CHECK(sheared.spacing == Vector3{4, 3, 4});  // the length of the first step, not the 2 that is told
  CHECK(layer_distances(sheared)[2] == Approx(3.2));
}

TEST_CASE("bytes after the samples of a volume get a warning") {
  for (const std::string& content : {nrrd(""), metaimage("")}) {
    CHECK(read_bytes(content).warnings.empty());
    CHECK(read_bytes(content + "x").warnings ==
          std::vector<std::string>{"data after its samples is ignored"});
  }
}

TEST_CASE("samples that are compressed with or without a bound of memory are the same") {
  std::string samples(100 * 90 * 60, '\0');
  for (std::size_t i = 0; i < samples.size(); i += 7) samples[i] = '\1';
  const std::string header = replaced(replaced(kNrrd, "4 3 2", "100 90 60"), "raw", "gzip") + "\n";
  const MemoryFile file(header + tests::gzipped(samples));
  const BitVolume whole = read_image(file.path(), {});
  CHECK(tests::same_bits(read_image(file.path(), Options().memory(600 << 10)), whole));
  CHECK(whole(7, 0, 0));
  CHECK(refusal_of(header + tests::gzipped(samples.substr(1))).find("") == 0);
}

}  // namespace
