// Which values stored samples have, and which of them are ids of objects.

#include <bit>
#include <initializer_list>

#include "binary.hpp"
#include "io/image/formats.hpp"
#include "io/npy_bytes.hpp"
#include "support/png_file.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

namespace gpuccl {
namespace {

using tests::bytes_of;

/// An image of one row.
std::string save_row(const std::string& path, const std::string& type, std::size_t width,
                     const std::string& bytes) {
  return save_nrrd(path, type, std::to_string(width) + " 1", bytes);
}

/// A Zarr of one row in one chunk, with these attributes.
std::string save_zarr(const std::string& path, int version, const std::string& type, std::size_t width,
                      const std::string& bytes, const std::string& attributes,
                      const std::string& fill_value = "0") {
  const std::string shape = "[1," + std::to_string(width) + "]";
  std::filesystem::create_directories(path + (version == 2 ? "" : "/c/0"));
  if (version == 2) {
    write_file(path + "/.zarray", R"({"zarr_format":2,"shape":)" + shape + R"(,"chunks":)" + shape +
                                      R"(,"dtype":")" + type + R"(","compressor":null,"fill_value":)" +
                                      fill_value + "}");
    write_file(path + "/.zattrs", attributes);
    write_file(path + "/0.0", bytes);
    return path;
  }
  write_file(path + "/zarr.json",
             R"({"zarr_format":3,"node_type":"array","shape":)" + shape + R"(,"data_type":")" + type +
                 R"(","chunk_grid":{"name":"regular","configuration":{"chunk_shape":)" + shape +
                 R"(}},"chunk_key_encoding":{"name":"default"},"fill_value":)" + fill_value +
                 R"(,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":)" +
                 attributes + "}");
  write_file(path + "/c/0/0", bytes);
  return path;
}

/// A TIFF of one row, with ImageJ's description and GDAL_NODATA unless these are empty.
std::string save_tiff(const std::string& path, int bits, int sample_format,
                      const std::vector<std::uint64_t>& samples, const std::string& description,
                      const std::string& nodata, int channels = 1) {
  tests::TiffPageToWrite page;
  page.width = static_cast<std::uint32_t>(samples.size()) / static_cast<std::uint32_t>(channels);
  page.height = 1;
  page.bits = bits;
  page.channels = channels;
  page.photometric = channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  page.sample_format = sample_format;
  page.compression = bits == 8 ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE;  // which are read differently
  page.samples = samples;
  page.more = [=](TIFF* tiff) {
    static char name[] = "GDAL_NODATA";
    const TIFFFieldInfo nodata_info[] = {{42113, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, name}};
    if (!description.empty()) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description.c_str());
    if (nodata.empty()) return;
    TIFFMergeFieldInfo(tiff, nodata_info, 1);
    TIFFSetField(tiff, 42113, nodata.c_str());
  };
  tests::write_tiff(path, {page});
  return path;
}

/// The labels of an image, as labels_in() prints them.
std::string labeled(const ScratchFolder& scratch, const std::string& path, Words words = {}) {
  const std::string out = scratch / "labels.tif";
  words.insert(words.begin(), {"label", path, "-o", out, "--overwrite", "--quiet"});
  succeeds(words);
  return labels_in(out);
}

std::string rule_of(const std::string& path) {
  return report_of({path, "--quiet"})["input"].value("value_rule", "");
}

const std::string kStored = bytes_of<std::int16_t>({0, 1000, 3000, -32768, 5000, -32768});
constexpr const char* kPacked = R"({"scale_factor":0.001,"add_offset":0.5,"_FillValue":-32768})";

TEST_CASE("attributes of CF make values of the samples of a Zarr, and missing ones are background") {
  const ScratchFolder scratch;
  // Values: 0.5, 1.5, 3.5, -, 5.5, -
  for (const int version : {2, 3}) {
    const std::string path = save_zarr(scratch / "packed" + std::to_string(version) + ".zarr", version,
                                       version == 2 ? "<i2" : "int16", 6, kStored, kPacked);
    CAPTURE(path);
    CHECK(labeled(scratch, path) == "1 1 1 0 2 0");
    CHECK(labeled(scratch, path, {"--threshold", "1.5"}) == "0 0 1 0 2 0");
    CHECK(labeled(scratch, path, {"--threshold", "3.5", "--invert"}) == "1 1 1 0 0 0");
    CHECK(labeled(scratch, path, {"--value", "1.5"}) == "0 1 0 0 0 0");
    CHECK(labeled(scratch, path, {"--threshold", "otsu"}) == "0 0 1 0 2 0");
    CHECK(rule_of(path) == "0.001 * sample + 0.5; -32768 is missing");
    const std::string warning = "its missing values are background (0.001 * sample + 0.5; -32768 is missing)";
    for (const Words& words : {Words{"label", path, "--json", "-"},
                               {"label", path, "--threshold", "1.5", "--json", "-", "--memory", "1M"},
                               {"label", path, "--values", "--delta", "0", "--json", "-"},
                               {"measure", path, "--round", "--json", "-"}})
      CHECK(gpuccl(words).err.find(warning) != std::string::npos);
    const std::string none = save_zarr(scratch / "none" + std::to_string(version) + ".zarr", version,
                                       version == 2 ? "<i2" : "int16", 2, kStored.substr(2, 4), kPacked);
    for (const Words& words :
         {Words{"label", none, "--json", "-"}, {"measure", none, "--round", "--json", "-"}})
      CHECK(gpuccl(words).err.find("missing") == std::string::npos);
  }
}

TEST_CASE("missing values are lists, of any type, unsigned, or as xarray writes them for Zarr") {
  const ScratchFolder scratch;
  const auto check = [&](const std::string& type, const std::string& bytes, std::size_t width,
                         const std::string& attributes, const std::string& labels, const std::string& rule,
                         int version = 2, const std::string& fill = "0") {
    const std::string path = scratch / "in.zarr";
    std::filesystem::remove_all(path);
    save_zarr(path, version, type, width, bytes, attributes, fill);
    CAPTURE(type, attributes, fill);
    CHECK(labeled(scratch, path) == labels);
    CHECK(rule_of(path) == rule);
  };
  check("|u1", bytes_of<std::uint8_t>({1, 7, 3, 255}), 4, R"({"missing_value":[7,255]})", "1 0 2 0",
        "7, 255 are missing");
  check("|i1", bytes_of<std::int8_t>({-56, -1, 3}), 3, R"({"_Unsigned":"true","_FillValue":-1})", "1 0 2",
        "255 is missing");
  check("<f4", bytes_of<float>({1e20F, 2, -9999}), 3, R"({"_FillValue":1e20,"missing_value":-9999})", "0 1 0",
        "-9999, 100000002004087734272 are missing");
  check("<f8", bytes_of<double>({std::numeric_limits<double>::quiet_NaN(), 2}), 2, R"({"_FillValue":"NaN"})",
        "0 1", "");
  check("<i8", bytes_of<std::int64_t>({INT64_MIN + 2, INT64_MIN + 3, 1}), 3,
        R"({"_FillValue":-9223372036854775806})", "0 1 1", "-9223372036854775806 is missing");
  // A double is an integer, of which no other is the same; 2^63 is none of signed ones.
  const std::int64_t time = 1700000000000000256;
  check("<i8", bytes_of<std::int64_t>({time, time + 1, time - 1}), 3,
        R"({"_FillValue":1.7000000000000003e18})", "0 1 1", "1700000000000000256 is missing");
  check("<u8", bytes_of<std::uint64_t>({1ull << 63, (1ull << 63) - 1}), 2,
        R"({"missing_value":[9.223372036854776e18]})", "0 1", "9223372036854775808 is missing");
  check("<i8", bytes_of<std::int64_t>({INT64_MAX, INT64_MIN}), 2, R"({"missing_value":9.223372036854776e18})",
        "1 1", "9223372036854775808 is missing");
  check("<i8", bytes_of<std::int64_t>({INT64_MAX, INT64_MAX - 1}), 2,
        R"({"_FillValue":"9223372036854775807"})", "0 1", "9223372036854775807 is missing");
  check("<f4", bytes_of<float>({0.1F, 0.1F + 1e-8F}), 2, R"({"_FillValue":[0.1]})", "0 1",
        "0.10000000149011612 is missing");
  check("<f2", bytes_of<std::uint16_t>({0x2e66, 0x2e67}), 2, R"({"_FillValue":0.1})", "0 1",
        "0.0999755859375 is missing");
  check("float32", bytes_of<float>({-9999, 2}), 2, R"({"_FillValue":"AAAAAICHw8A="})", "0 1",
        "-9999 is missing", 3);
  // The fill value of a Zarr v2 of xarray; 0 is what every array has.
  check("<i2", bytes_of<std::int16_t>({-5, 2}), 2, R"({"_ARRAY_DIMENSIONS":["y","x"]})", "0 1",
        "-5 is missing", 2, "-5");
  check("<i2", bytes_of<std::int16_t>({-5, 2}), 2, "{}", "1 1", "", 2, "-5");
  check("<i2", bytes_of<std::int16_t>({0, 2}), 2, R"({"_ARRAY_DIMENSIONS":["y","x"]})", "0 1", "");
  check("<i2", bytes_of<std::int16_t>({0, 2}), 2, R"({"_ARRAY_DIMENSIONS":["y","x"],"add_offset":1})", "0 1",
        "sample + 1; 0 is missing");
  save_zarr(scratch / "bad.zarr", 2, "|u1", 1, "\1", R"({"scale_factor":"one"})");
  fails({"label", scratch / "bad.zarr", "--json", "-"}, 65,
        "has the scale_factor 'one', which is not a number");
}

TEST_CASE("attributes of CF make values of the samples of an HDF5") {
  if (io::formats_not_built_in().find("HDF5") != std::string::npos) return;
  const ScratchFolder scratch;
  const std::string file = source_file("tests/io/hdf5/cf.h5");
  CHECK(labeled(scratch, file + ":/packed", {"--threshold", "1.5"}) == "0 0 1 0 2 0/0 0 0 0 0 0");
  CHECK(rule_of(file + ":/packed") == "0.001 * sample + 0.5; -32768 is missing");
  CHECK(labeled(scratch, file + ":/list") == "1 0 2/0 0 0");
  CHECK(rule_of(file + ":/list") == "7, 255 are missing");
  CHECK(labeled(scratch, file + ":/wide") == "0 1 1/0 0 0");
  CHECK(rule_of(file + ":/wide") == "-9223372036854775806 is missing");
  CHECK(rule_of(file + ":/bytes") == "255 is missing");
  fails({"label", file + ":/bad", "--json", "-"}, 65, "has the add_offset 'none', which is not a number");
}

TEST_CASE("ImageJ's calibration makes values of samples, its signed 16 bits among them") {
  const ScratchFolder scratch;
  constexpr const char* kSigned = "ImageJ=1.54f\ncf=0\nc0=-32768.0\nc1=1.0\nvunit=Gray Value\n";
  const std::string path = save_tiff(scratch / "signed.tif", 16, SAMPLEFORMAT_UINT,
                                     {32768, 33268, 33268, 32768, 32668}, kSigned, "");
  CHECK(labeled(scratch, path) == "0 1 1 0 2");
  CHECK(labeled(scratch, path, {"--threshold", "0"}) == "0 1 1 0 0");
  const Json values = Json::parse(succeeds({"label", path, "--values", "--json", "-", "--quiet"}));
  CHECK((values["components"][0]["value"] == 500 && values["components"][1]["value"] == -100));
  CHECK(rule_of(path) == "sample - 32768");
  const std::string labels = save_row(scratch / "labels.nrrd", "uint8", 5, std::string("\0\1\1\0\0", 5));
  CHECK(succeeds({"measure", labels, "--intensity", path, "--measure", "intensity_mean,intensity_median",
                  "--stats", "-", "--quiet"})
            .ends_with(",500,500\n"));
  const Json report =
      Json::parse(succeeds({"measure", labels, "--intensity", path, "--json", "-", "--quiet"}));
  CHECK(report["intensity"]["value_rule"] == "sample - 32768");
  CHECK(labeled(scratch,
                save_tiff(scratch / "half.tif", 8, SAMPLEFORMAT_UINT, {0, 2, 4},
                          "ImageJ=1.54f\ncf=0\nc0=-1.0\nc1=0.5\n", ""),
                {"--threshold", "0"}) == "0 0 1");
  const std::string none = save_tiff(scratch / "none.tif", 8, SAMPLEFORMAT_UINT, {0, 2},
                                     "ImageJ=1.54f\ncf=20\nc0=3.0\nc1=0.5\n", "");
  CHECK(rule_of(none).empty());
  const std::string curve = save_tiff(scratch / "curve.tif", 8, SAMPLEFORMAT_UINT, {0, 2},
                                      "ImageJ=1.54f\ncf=1\nc0=3.0\nc1=0.5\nc2=1\n", "");
  CHECK(gpuccl({"label", curve, "--json", "-"})
            .err.find("its calibration, function 1 of ImageJ, is not a straight line and is ignored") !=
        std::string::npos);
}

TEST_CASE("GDAL_NODATA is background") {
  const ScratchFolder scratch;
  const auto labels = [&](const std::string& path, const Words& words = {}) {
    return labeled(scratch, path, words);
  };
  const std::string bytes =
      save_tiff(scratch / "bytes.tif", 8, SAMPLEFORMAT_UINT, {255, 3, 255, 0}, "", "255");
  CHECK(labels(bytes) == "0 1 0 0");
  CHECK(labels(bytes, {"--threshold", "2", "--invert"}) == "0 0 0 1");
  CHECK(labels(bytes, {"--values", "--keep-values"}) == "0 3 0 0");
  CHECK(gpuccl({"label", bytes, "--json", "-"}).err.find("(255 is missing)") != std::string::npos);
  const auto bits = [](float value) { return std::uint64_t{std::bit_cast<std::uint32_t>(value)}; };
  CHECK(labels(save_tiff(scratch / "floats.tif", 32, SAMPLEFORMAT_IEEEFP,
                         {bits(-3.4028235e38F), bits(2), bits(0)}, "", "-3.40282346638528859e+38")) ==
        "0 1 0");
  CHECK(labels(save_tiff(scratch / "colors.tif", 8, SAMPLEFORMAT_UINT, {9, 9, 9, 9, 0, 9}, "", " 9 ", 3)) ==
        "0 1");
  CHECK(rule_of(save_tiff(scratch / "nan.tif", 8, SAMPLEFORMAT_UINT, {9}, "", "nan")).empty());
  fails({"label", save_tiff(scratch / "bad.tif", 8, SAMPLEFORMAT_UINT, {9}, "", "none"), "--json", "-"}, 65,
        "has the GDAL_NODATA 'none', which is not a number");
}

TEST_CASE("NaN is no foreground when the rule is inverted or has two thresholds") {
  const ScratchFolder scratch;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::string path =
      save_row(scratch / "in.nrrd", "float", 7, bytes_of<float>({1, kNan, 0, 0, 2, kNan, 5}));
  CHECK(labeled(scratch, path) == "1 0 0 0 2 0 3");
  CHECK(labeled(scratch, path, {"--invert"}) == "0 0 1 1 0 0 0");
  CHECK(labeled(scratch, path, {"--threshold", "1.5", "--invert"}) == "1 0 2 2 0 0 0");
  CHECK(labeled(scratch, path, {"--threshold", "0.5:1.5", "--invert"}) == "0 0 1 1 0 0 0");
  CHECK(labeled(scratch, path, {"--value", "2", "--invert"}) == "1 0 2 2 0 0 3");
  CHECK(gpuccl({"label", path, "--values", "--json", "-"}).err.find("some values are NaN") !=
        std::string::npos);
}

// 7015 and 6 as nibabel's scaling leaves them, next to what is background.
const std::string kNearIntegers = bytes_of<double>({7014.9999999, 5.9999999986, -1, 0.0005, 7015, 0});

TEST_CASE("every command reads near integers, negative values and NaN as the same labels") {
  const ScratchFolder scratch;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::string labels =
      save_row(scratch / "labels.nrrd", "ushort", 6, bytes_of<std::uint16_t>({7015, 6, 0, 0, 7015, 0}));
  const std::vector<std::string> same = {
      save_row(scratch / "double.nrrd", "double", 6, kNearIntegers),
      save_row(scratch / "float.nrrd", "float", 6, bytes_of<float>({7015.0005F, 6, kNan, -3, 7014.9995F, 0})),
      save_row(scratch / "short.nrrd", "short", 6, bytes_of<std::int16_t>({7015, 6, -1, -32768, 7015, 0})),
      save_row(scratch / "long.nrrd", "int64", 6, bytes_of<std::int64_t>({7015, 6, -1, INT64_MIN, 7015, 0}))};
  const auto table = [](const std::string& path) { return gpuccl({"measure", path, "--stats", "-"}).out; };
  for (const std::string& path : same) {
    CAPTURE(path);
    CHECK(table(path) == table(labels));
    CHECK(gpuccl({"match", path, labels, "--csv", "-"}).out ==
          gpuccl({"match", labels, labels, "--csv", "-"}).out);
    CHECK(gpuccl({"contacts", path}).out == gpuccl({"contacts", labels}).out);
    CHECK(gpuccl({"compare", path, labels}).out == "same labels\n");
    const std::string page = scratch / "page.html";
    CHECK(gpuccl({"view", path, "-o", page, "--overwrite"}).code == 0);
  }
  for (const Words& words : {Words{"measure", same[0], "--stats", "-"}, Words{"match", same[0], labels},
                             Words{"contacts", same[0]}, Words{"compare", same[0], labels},
                             Words{"view", same[0], "-o", scratch / "other.html"}}) {
    const std::string said = gpuccl(words).err;
    CAPTURE(words, said);
    CHECK(said.find("double.nrrd: values that are not integers are rounded") != std::string::npos);
    CHECK(said.find("double.nrrd: negative labels count as background") != std::string::npos);
  }
  // As labels of classes, whose negative values stay.
  const Json classes = Json::parse(gpuccl({"label", same[0], "--values", "--json", "-"}).out);
  CHECK((classes["components"][0]["value"] == 7015 && classes["components"][2]["value"] == -1));
}

TEST_CASE("labels of any numbers need --round") {
  const ScratchFolder scratch;
  const std::string real =
      save_row(scratch / "real.nrrd", "float", 4, bytes_of<float>({1.4F, 2.6F, 0.4F, 3}));
  const std::string labels = save_row(scratch / "labels.nrrd", "uint8", 4, std::string("\1\3\0\3", 4));
  for (const Words& words : {Words{"measure", real, "--stats", "-"}, Words{"match", real, labels},
                             Words{"contacts", real}, Words{"compare", real, labels}}) {
    CAPTURE(words);
    fails(words, 65, "which is not a label: labels are integers; round values with --round");
    const Words rounded = joined(words, {"--round"});
    Words of_labels = words;
    of_labels[1] = labels;
    CHECK(gpuccl(rounded).out == gpuccl(of_labels).out);
  }
  CHECK(gpuccl({"view", real, "--round", "-o", scratch / "page.html"}).code == 0);
  fails({"label", real, "--values", "--json", "-"}, 65, "or round values with --round");
  CHECK(labeled(scratch, real, {"--values", "--round", "--keep-values"}) == "1 3 0 3");
}

TEST_CASE("labels above 2^32 in floating point are exact in every command, or refused") {
  const ScratchFolder scratch;
  const std::string wide =
      save_row(scratch / "wide.nrrd", "double", 3, bytes_of<double>({4294967297, 9007199254740992, 0}));
  CHECK(gpuccl({"contacts", wide}).out.find("4294967297,9007199254740992,1") != std::string::npos);
  CHECK(gpuccl({"compare", wide, wide}).out == "same labels\n");
  CHECK(gpuccl({"measure", wide, "--stats", "-"}).out.find("\n4294967297,1") != std::string::npos);
  CHECK(gpuccl({"match", wide, wide, "--csv", "-"}).out.find("4294967297") != std::string::npos);
  const std::string skipped = save_row(scratch / "skipped.nrrd", "float", 2, bytes_of<float>({16777218, 1}));
  for (const Words& words : {Words{"contacts", skipped}, Words{"compare", skipped, skipped},
                             Words{"measure", skipped, "--stats", "-"}, Words{"match", skipped, skipped}})
    fails(words, 65, "float32 skips integers above 2^24; store labels as integers");
}

TEST_CASE("a color is the id of a label in every command") {
  const ScratchFolder scratch;
  const std::string colors = save_tiff(scratch / "colors.tif", 8, SAMPLEFORMAT_UINT,
                                       {0, 0, 1, 0, 0, 1, 1, 2, 3, 0, 0, 0}, "", "", 3);
  const std::string labels =
      save_row(scratch / "labels.nrrd", "uint", 4, bytes_of<std::uint32_t>({1, 1, 66051, 0}));
  CHECK(gpuccl({"measure", colors, "--stats", "-"}).out == gpuccl({"measure", labels, "--stats", "-"}).out);
  CHECK(gpuccl({"match", colors, labels, "--csv", "-"}).out ==
        gpuccl({"match", labels, labels, "--csv", "-"}).out);
  const Ended contacts = gpuccl({"contacts", colors});
  CHECK(contacts.out == gpuccl({"contacts", labels}).out);
  CHECK(contacts.err.find("blue; 'gpuccl measure FILE --channel N -o labels.tif' saves one") !=
        std::string::npos);
  CHECK(gpuccl({"compare", colors, labels}).out == "same labels\n");
  CHECK(labeled(scratch, colors, {"--values", "--keep-values"}) == "1 1 66051 0");
  CHECK(gpuccl({"measure", colors, "--stats", "-"})
            .err.find("each color is one value, 65536 red + 256 green + blue") != std::string::npos);
  const std::string wide =
      save_tiff(scratch / "wide.tif", 16, SAMPLEFORMAT_UINT, {1, 0, 0, 0, 0, 5}, "", "", 3);
  const Ended ended = gpuccl({"measure", wide, "--stats", "-"});
  CHECK(ended.out.find("\n4294967296,1") != std::string::npos);
  CHECK(ended.err.find("2^32 red + 2^16 green + blue") != std::string::npos);
  CHECK(gpuccl({"measure", wide, "--stats", "-", "--channel", "2"}).out.find("\n5,1") != std::string::npos);
}

TEST_CASE("a value of a palette is its index") {
  const ScratchFolder scratch;
  tests::PngToWrite palette;
  palette.width = 4;
  palette.height = 1;
  palette.bits = 8;
  palette.color_type = PNG_COLOR_TYPE_PALETTE;
  palette.palette.assign(3, {9, 9, 9});
  palette.samples = {1, 2, 2, 0};
  tests::write_png(scratch / "palette.png", palette);
  CHECK(labeled(scratch, scratch / "palette.png", {"--values", "--keep-values"}) == "1 2 2 0");
}

TEST_CASE("new values of --split-values are above all of the input, also of those that a filter drops") {
  const ScratchFolder scratch;
  const std::string path = save_row(scratch / "in.nrrd", "uint8", 8, std::string("\2\2\0\2\2\2\0\3", 8));
  CHECK(labeled(scratch, path, {"--values", "--split-values", "--min-size", "2"}) == "4 4 0 2 2 2 0 0");
  CHECK(labeled(scratch, path, {"--values", "--split-values"}) == "4 4 0 2 2 2 0 3");
  CHECK(labeled(scratch, path, {"--values", "--split-values", "--keep", "value == 2"}) == "4 4 0 2 2 2 0 0");
}

TEST_CASE("values of 64 bits are written compressed, and read back") {
  const ScratchFolder scratch;
  const std::string in = save_row(scratch / "in.nrrd", "uint64", 4,
                                  bytes_of<std::uint64_t>({720575940379283456, UINT64_MAX, 0, UINT64_MAX}));
  for (const std::string name : {"out.nii.gz", "out.nrrd", "out.mha", "out.tif"}) {
    CAPTURE(name);
    succeeds({"measure", in, "-o", scratch / name, "--quiet"});
    CHECK(succeeds({"compare", in, scratch / name}) == "same labels\n");
    const std::string rows = succeeds({"measure", scratch / name, "--stats", "-", "--quiet"});
    CHECK(rows.find("\n720575940379283456,1,0,0") != std::string::npos);
    CHECK(rows.find("\n18446744073709551615,2,1,0") != std::string::npos);
  }
}

}  // namespace
}  // namespace gpuccl
