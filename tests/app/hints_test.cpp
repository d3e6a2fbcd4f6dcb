#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "binary.hpp"
#include "gpuccl/types.hpp"
#include "io/npy_bytes.hpp"
#include "io/read/reader.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/scratch_folder.hpp"
#include "support/tiff_file.hpp"

// Hints of a run whose result is probably not the intended one.
namespace gpuccl {
namespace {

/// The hints of `gpuccl label WORDS...`, which must be its warnings too, and silenced by --quiet.
Words hints_of(Words words) {
  words.insert(words.begin(), "label");
  words.insert(words.end(), {"--json", "-"});
  const Ended ended = gpuccl(words);
  CAPTURE(ended.err);
  REQUIRE(ended.code == 0);
  const Words hints = Json::parse(ended.out)["hints"];
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == static_cast<std::ptrdiff_t>(hints.size()));
  for (const std::string& hint : hints)
    CHECK(ended.err.find("warning: " + words[1] + ": " + hint) != std::string::npos);

  words.push_back("--quiet");
  const Ended quiet = gpuccl(words);
  CHECK(quiet.err == "");
  CHECK(Json::parse(quiet.out)["hints"] == Json(hints));
  return hints;
}

/// A gray image of a value for each pixel.
std::string save_gray_of(const std::string& path, int size, const std::function<int(int x, int y)>& value) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(size));
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) rows[static_cast<std::size_t>(y)].push_back(value(x, y));
  return save_gray(path, rows);
}

tests::TiffPageToWrite page_of(const std::string& path, const io::ReadOptions& options = {}) {
  const BitVolume image = io::read_image(path, options);
  tests::TiffPageToWrite page;
  page.width = static_cast<std::uint32_t>(image.extent().width);
  page.height = static_cast<std::uint32_t>(image.extent().height);
  page.samples = tests::samples_of<std::uint64_t>(image, 1, 0);
  return page;
}

TEST_CASE("dark text on white is hinted at, and the hint's remedy helps") {
  const std::string dark = source_file("data/page-g4.tif"), light = source_file("data/page.png");
  const Words of_paper = hints_of({dark});
  REQUIRE(of_paper.size() == 1);
  CHECK(has(of_paper[0], "more than 90 % is foreground"));
  CHECK(has(of_paper[0], "use --invert to label dark objects"));
  CHECK(!has(of_paper[0], "otsu"));  // two values have no threshold
  CHECK(hints_of({dark, "--invert"}).empty());

  CHECK(hints_of({light}).empty());
  const Words inverted = hints_of({light, "--invert"});
  REQUIRE(inverted.size() == 1);
  CHECK(has(inverted[0], "remove --invert"));
}

TEST_CASE("an image without foreground, and one of a single component, are hinted at") {
  const ScratchFolder scratch;
  CHECK(has(hints_of({save(scratch / "blank.png", BitVolume({64, 64, 1}).view())}).at(0),
            "nothing is foreground"));
  CHECK(hints_of({save(scratch / "small.png", BitVolume({64, 63, 1}).view())}).empty());
  BitVolume frame({100, 100, 1});
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < (y < 10 ? 40 : 90); ++x) frame.set(x, y, 0);
  CHECK(has(hints_of({save(scratch / "frame.png", frame.view())}).at(0),
            "one component covers more than 80 %"));
  CHECK(has(hints_of({scratch / "blank.png", "--invert"}).at(0), "remove --invert"));
}

TEST_CASE("a blank image gets a hint") {
  const ScratchFolder scratch;
  const std::string zeros = save(scratch / "zeros.png", BitVolume({64, 64, 1}).view()),
                    sevens = save_gray_of(scratch / "sevens.tif", 64, [](int, int) { return 7; });
  CHECK(hints_of({zeros}) == Words{"all pixels are 0, so nothing is foreground"});
  const Words same = {"all pixels have the same value, so nothing is foreground"};
  for (const std::string& flat : {zeros, sevens}) {
    CHECK(hints_of({flat, "--threshold", "otsu"}) == same);
    CHECK(has(hints_of({flat, "--threshold", "otsu", "--invert"}).at(0), "so every pixel is foreground"));
  }
}

/// A floating-point image of 64 x 64 pixels, half of them 1, and these in the first row.
std::string float_image(const std::string& path, const std::vector<float>& first) {
  std::vector<float> samples(64 * 64);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i / 64 % 8 < 4 && i % 16 < 8 ? 1 : 0;
  std::copy(first.begin(), first.end(), samples.begin());
  return save_nrrd(path, "float", "64 64", tests::bytes_of(samples));
}

TEST_CASE("a component that covers most of a slice is hinted at") {
  const ScratchFolder scratch;
  tests::TiffPageToWrite page, dark;
  page.width = dark.width = page.height = dark.height = 64;
  page.bits = dark.bits = 8;
  page.samples.assign(64 * 64, 1), dark.samples.assign(64 * 64, 0);
  const std::string input = scratch / "in.tif";
  tests::write_tiff(input, {page, dark, dark});
  const Words slices = hints_of({input, "--per-slice"});
  REQUIRE(slices.size() == 1);
  CHECK(has(slices[0], "one component covers more than 80 % of a slice; use --invert"));
  CHECK(hints_of({input}).empty());
  CHECK(has(hints_of({input, "--page", "0"})[0], "is foreground"));
}

TEST_CASE("a channel of an image with one, and one threshold for all slices, are hinted at") {
  const ScratchFolder scratch;
  const std::string volume = scratch / "volume.nrrd", pages = scratch / "pages.tif";
  save_nrrd(volume, "uint8", "2 2 2", std::string("\1\0\3\0\7\0\1\2", 8));
  succeeds({"label", volume, "--values", "-o", pages, "--quiet"});
  CHECK(hints_of({volume, "--channel", "0"}) ==
        Words{"has one channel, so --channel 0 changes nothing; remove it"});
  CHECK(hints_of({pages, "--channel", "0"}) ==
        Words{"has one channel, so --channel 0 changes nothing; its pages are slices of a volume: --page N "
              "selects one, --per-slice labels each separately"});
  CHECK(hints_of({pages, "--page", "0"}).empty());
  CHECK(hints_of({pages}).empty());
  const Words one = {
      "--threshold otsu finds one threshold for all slices; with --page N it finds one for a "
      "slice"};
  CHECK(hints_of({pages, "--threshold", "otsu", "--per-slice"}) == one);
  CHECK(hints_of({pages, "--threshold", "otsu"}).empty());
  CHECK(hints_of({pages, "--threshold", "1", "--per-slice"}).empty());
}

TEST_CASE("NaN is hinted at, as background under every rule") {
  const ScratchFolder scratch;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string image = float_image(scratch / "nan.nrrd", {0, nan}),
                    without = float_image(scratch / "without.nrrd", {});
  const Words background = {"some values are NaN and count as background"};
  CHECK(hints_of({image}) == background);
  CHECK(hints_of({image, "--threshold", "0.5"}) == background);
  CHECK(hints_of({image, "--threshold", "otsu"}) == background);
  CHECK(hints_of({image, "--value", "1"}) == background);
  CHECK(hints_of({image, "--fill-holes", "3"}) == background);
  CHECK(hints_of({image, "--memory", "18K"}) == background);
  CHECK(hints_of({image, "--threshold", "0.5", "--invert"}) == background);
  CHECK(hints_of({image, "--values", "--delta", "0"}) == background);
  CHECK(hints_of({without, "--threshold", "0.5"}).empty());
}

/// The hints of the image, labeled by this number of tasks.
Words hints_of_parts(const ScratchFolder& scratch, const std::string& image, int parts,
                     const std::string& threshold = "") {
  const std::string folder = scratch / "parts", report = scratch / "report.json";
  std::filesystem::remove_all(folder);
  for (const bool is_first : {true, false}) {
    for (int part = 1; part <= parts; ++part) {
      Words words = {
          "label",   image,         "--json", report,   "--overwrite",
          "--quiet", "--parts-dir", folder,   "--part", std::to_string(part) + "/" + std::to_string(parts)};
      if (!threshold.empty()) words.insert(words.end(), {"--threshold", threshold});
      REQUIRE(gpuccl(words).code == 0);
    }
    REQUIRE(gpuccl({"join", folder, is_first ? "--quiet" : "--finish"}).code == 0);
  }
  return Json::parse(read_file(report))["hints"];
}

TEST_CASE("parts of which each has two values give the hints of the whole") {
  const ScratchFolder scratch;
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const auto image_of = [&](const std::vector<std::array<float, 2>>& stripes) {
    std::vector<float> samples(120 * 64);
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = stripes[i / 64 * stripes.size() / 120][i % 8 < 3 ? 1 : 0];
    return save_nrrd(scratch / "in.nrrd", "float", "64 120", tests::bytes_of(samples));
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [stripes, has_more] : std::vector<std::pair<std::vector<std::array<float, 2>>, bool>>{
           {{{0, 1}, {0, 2}}, true},
           {{{0, 1}, {0, 1}}, false},
           {{{0, kInfinite}, {0, 1}}, true},
           {{{0, kInfinite}, {0, -kInfinite}}, true},
           {{{-0.0f, 1}, {0, 1}}, false},
           {{{0, 1}, {nan, 1}}, false},
           {{{0, 0}, {1, 1}, {2, 2}}, true}}) {
    const std::string image = image_of(stripes);
    const Words whole = Json::parse(gpuccl({"label", image, "--json", "-", "--quiet"}).out)["hints"];
    CAPTURE(stripes.size(), whole);
    CHECK(hints_of_parts(scratch, image, static_cast<int>(stripes.size())) == whole);
    CHECK((!whole.empty() && has(whole[0], "more than two values")) == has_more);
  }
}

TEST_CASE("a threshold of colors is hinted at, with the option that reads one") {
  const ScratchFolder scratch;
  tests::TiffPageToWrite page;
  page.width = page.height = 64;
  page.bits = 8;
  page.channels = 3;
  page.photometric = PHOTOMETRIC_RGB;
  for (std::size_t i = 0; i < 3 * 64 * 64; ++i)
    page.samples.push_back(i % 3 == 0 && i / 3 % 16 < 8 ? 255 : 0);
  const std::string image = scratch / "rgb.tif";
  tests::write_tiff(image, {page});
  const Words hint = {
      "has colors, which are compared by their brightness (luma); use --channel 0, 1 or 2 to read red, green "
      "or blue (any, if the image is gray)"};
  CHECK(hints_of({image, "--threshold", "50"}) == hint);
  CHECK(hints_of({image, "--threshold", "otsu"}) == hint);
  CHECK(hints_of({image}).empty());
  CHECK(hints_of({image, "--channel", "0", "--threshold", "50"}).empty());
  CHECK(
      has(hints_of({image, "--channel", "1", "--threshold", "50"}).at(0), "no value is above the threshold"));
}

TEST_CASE("a spacing without a unit is hinted at") {
  const std::string page = source_file("data/page.png");
  const Words hint = {
      "the spacing has no unit, so the column unit is empty; add one, as in --spacing 0.2,0.2,1,um"};
  CHECK(hints_of({page, "--spacing", "2,2", "--measure", "physical"}) == hint);
  CHECK(hints_of({page, "--spacing", "2,2"}).empty());
  CHECK(hints_of({page, "--spacing", "2,2,1,um", "--measure", "physical"}).empty());
}

TEST_CASE("a frame whose hole was filled gets a hint with a smaller limit") {
  const ScratchFolder scratch;
  BitVolume frame({100, 100, 1});
  for (int i = 3; i < 97; ++i)
    for (const int side : {3, 96}) {
      frame.set(i, side, 0);
      frame.set(side, i, 0);
    }
  const std::string image = save(scratch / "frame.png", frame.view());
  CHECK(hints_of({image}).empty());
  const Words hints = hints_of({image, "--fill-holes"});
  REQUIRE(hints.size() == 1);
  CHECK(has(hints[0], "including filled holes; use --fill-holes MAX"));
  CHECK(hints_of({image, "--fill-holes", "100"}).empty());
  const std::string solid = save(scratch / "solid.png", BitVolume({100, 100, 1}).view());
  CHECK(!has(hints_of({solid, "--invert", "--fill-holes"}).at(0), "filled"));
}

TEST_CASE("more than two values without a threshold are hinted at") {
  const ScratchFolder scratch;
  const auto checks = [](int x, int y) { return (x / 8 + y / 8) % 2 * 200; };
  const std::string image = save_gray_of(scratch / "two.tif", 80, checks);
  CHECK(hints_of({image}).empty());
  save_gray_of(image, 80, [&](int x, int y) { return x == 43 && y == 40 ? 100 : checks(x, y); });
  const Words hints = hints_of({image});
  REQUIRE(hints.size() == 1);
  CHECK(has(hints[0],
            "set --threshold T or --threshold otsu for a grayscale image, --values or --value V for a "
            "segmentation"));
  CHECK(hints_of({image, "--threshold", "150"}).empty());
  CHECK(hints_of({image, "--threshold", "otsu"}).empty());
  CHECK(hints_of({image, "--value", "100"}).empty());
  CHECK(hints_of({image, "--memory", "10K"}) == hints);  // by slabs
}

TEST_CASE("the hint about more than two values says which are foreground, as the report does") {
  const ScratchFolder scratch;
  tests::TiffPageToWrite page;
  page.width = page.height = 80;
  page.bits = 8;
  const auto expect = [&](const Words& options, const std::string& rule, double share,
                          const std::string& what) {
    const std::string path = scratch / "in.tif";
    page.samples.clear();
    for (std::uint32_t i = 0; i < 80 * 80 * static_cast<std::uint32_t>(page.channels); ++i) {
      const std::uint32_t x = i / static_cast<std::uint32_t>(page.channels) % 80,
                          y = i / static_cast<std::uint32_t>(page.channels) / 80;
      page.samples.push_back((x / 8 + y / 8) % 2 == 0 ? 0 : x % 8 < 4 ? 5 : page.bits == 16 ? 65531 : 255);
    }
    tests::write_tiff(path, {page});
    Words words = {path, "--quiet"};
    words.insert(words.end(), options.begin(), options.end());
    CAPTURE(options, rule);
    const Json report = report_of(words);
    CHECK(report["input"]["foreground_rule"] == rule);
    CHECK(report["input"]["foreground"] == share);
    CHECK(has(report["hints"].at(0).get<std::string>(), "so every " + what + " is foreground"));
  };
  expect({}, "nonzero", 0.5, "nonzero pixel");
  expect({"--invert"}, "nonzero, inverted", 0.5, "pixel by the rule 'nonzero, inverted'");
  page.photometric = PHOTOMETRIC_MINISWHITE;
  expect({}, "nonzero after inversion (MinIsWhite)", 0.75,
         "pixel by the rule 'nonzero after inversion (MinIsWhite)'");
  expect({"--foreground", "raw"}, "nonzero as stored", 0.5, "pixel by the rule 'nonzero as stored'");
  page.photometric = PHOTOMETRIC_RGB;
  page.channels = 3;
  expect({}, "luma > 0", 0.5, "color with a luma above 0");
  page.bits = 16;  // 0, 5 and -5, which is not above 0
  page.sample_format = SAMPLEFORMAT_INT;
  expect({}, "luma > 0", 0.25, "color with a luma above 0");
  expect({"--invert"}, "luma > 0, inverted", 0.75, "pixel by the rule 'luma > 0, inverted'");
}

TEST_CASE("a threshold of otsu in noise without objects is hinted at, one between two peaks is not") {
  const ScratchFolder scratch;
  std::mt19937 random(3);
  std::normal_distribution<double> noise(100, 6);
  const auto hints_with = [&](int objects) {
    const auto value = [&](int x, int y) {
      return static_cast<int>(noise(random)) + (y < 10 * objects && y % 10 < 6 && x % 10 < 6 ? 80 : 0);
    };
    return hints_of({save_gray_of(scratch / "image.tif", 100, value), "--threshold", "otsu"});
  };
  REQUIRE(hints_with(0).size() == 1);
  CHECK(has(hints_with(0)[0], "divides the most frequent values, with no valley between two peaks"));
  CHECK(hints_of_parts(scratch, scratch / "image.tif", 2, "otsu").size() == 1);
  CHECK(hints_with(4).empty());
  CHECK(hints_of({source_file("data/page.png"), "--threshold", "otsu"}).empty());
}

TEST_CASE("otsu of noise with few photons is hinted at, in every connectivity, and small objects are not") {
  const ScratchFolder scratch;
  std::mt19937 random(4);
  const auto hints_with = [&](double photons, int spots, const Words& options = {}, int slices = 1) {
    std::poisson_distribution<int> noise(photons);
    std::vector<std::uint8_t> samples(static_cast<std::size_t>(128 * 128 * slices));
    for (std::uint8_t& sample : samples) sample = static_cast<std::uint8_t>(noise(random));
    for (int i = 0; i < spots; ++i) {  // of 2 x 2 pixels
      const std::size_t at =
          static_cast<std::size_t>(i) * 4 % 124 + static_cast<std::size_t>(i * 4 / 124) * 512;
      for (const std::size_t pixel : {at, at + 1, at + 128, at + 129}) samples[pixel] = 200;
    }
    const std::string image =
        save_nrrd(scratch / "noise.nrrd", "uint8",
                  slices > 1 ? "128 128 " + std::to_string(slices) : "128 128", tests::bytes_of(samples));
    Words words = {image, "--threshold", "otsu"};
    words.insert(words.end(), options.begin(), options.end());
    return hints_of(words);
  };
  const std::string hint = "single pixels are as frequent as if the threshold of otsu divided noise";
  for (const double photons : {0.05, 0.3, 1.0, 3.0}) {
    CAPTURE(photons);
    for (const char* connectivity : {"4", "8"}) {
      const Words hints = hints_with(photons, 0, {"-c", connectivity});
      REQUIRE(hints.size() == 1);
      CHECK(has(hints[0], hint));
    }
    CHECK(hints_with(photons, 400).empty());
  }
  for (const char* connectivity : {"6", "18", "26"})
    CHECK(has(hints_with(0.1, 0, {"-c", connectivity}, 16).at(0), hint));
  CHECK(hints_of_parts(scratch, scratch / "noise.nrrd", 2, "otsu").size() == 1);
  CHECK(hints_with(1, 0, {"--min-size", "2"}).empty());  // the remedy
}

TEST_CASE("an image of which every pixel is foreground is hinted at") {
  const ScratchFolder scratch;
  const std::string image = save_gray(scratch / "full.tif", std::vector(64, std::vector(64, 255)));
  const std::string one = "all pixels have the same value, so ";
  CHECK(hints_of({image}) == Words{one + "every pixel is foreground; check the input"});
  CHECK(hints_of({image, "--values"}) == Words{one + "the image is one component; check the input"});
  CHECK(hints_of({image, "--value", "255"}) ==
        Words{"every pixel has a value of --value, so everything is foreground"});
  CHECK(hints_of({image, "--value", "1..255", "--invert"}) ==
        Words{"every pixel has a value of --value, so nothing is foreground"});
  CHECK(has(gpuccl({"measure", image, "--stats", "-"}).err, one + "the image is one component"));
  for (const Words& more : {Words{}, {"--label"}}) {
    Words words = {"match", image, image};
    words.insert(words.end(), more.begin(), more.end());
    CHECK(has(gpuccl(words).err, "full.tif: every pixel is foreground, so the image is one object"));
  }
  const std::string small = save_gray(scratch / "small.tif", {{255, 255}});
  CHECK(hints_of({small}).empty());
  CHECK_FALSE(has(gpuccl({"match", small, small}).err, "every pixel is foreground"));
}

TEST_CASE("an image without 0 is hinted at, as the background is a value") {
  const ScratchFolder scratch;
  const auto bars = [](int background, int value) {
    return [=](int x, int y) { return (y == 10 || y == 50) && x >= 10 && x < 20 ? value : background; };
  };
  const std::string image = save_gray_of(scratch / "ilastik.tif", 100, bars(1, 2));
  REQUIRE(hints_of({image}).size() == 1);
  CHECK(has(hints_of({image})[0], "no pixel is 0, so every pixel is foreground; use --value V"));
  CHECK(hints_of({image, "--value", "2"}).empty());
  REQUIRE(hints_of({image, "--values"}).size() == 1);
  CHECK(has(hints_of({image, "--values"})[0], "leave it out with --keep 'value != 1'"));
  CHECK(hints_of({image, "--values", "--keep", "value != 1"}).empty());
  const std::string measured = gpuccl({"measure", image, "--stats", "-"}).err;
  CHECK(has(measured, "leave it out with --keep 'label != 1'"));
  CHECK(gpuccl({"measure", image, "--keep", "label != 1", "--stats", "-"}).err == "");
  CHECK(has(gpuccl({"match", image, image, "--per-value"}).err,
            "where it is 1; score the other class with --per-value --classes 2"));
  CHECK_FALSE(has(gpuccl({"match", image, image, "--label"}).err, "no pixel is 0"));
  const Ended scored = gpuccl({"match", image, image, "--per-value", "--classes", "2"});
  CHECK(has(scored.out, "truth 2 objects, prediction 2 objects"));
  CHECK(scored.err == "");
  // No value is called the background if 1 does not occur, or is not around the others.
  const std::string others = save_gray_of(scratch / "others.tif", 100, bars(7, 9));
  CHECK(hints_of({others, "--values"}).empty());
  CHECK(has(gpuccl({"match", others, others, "--per-value"}).err,
            "leave it out with --per-value --classes 7, or 9 if the background is 7"));
  const std::string halves =
      save_gray_of(scratch / "halves.tif", 100, [](int x, int) { return x < 50 ? 1 : 2; });
  CHECK(hints_of({halves, "--values"}).empty());
}

TEST_CASE("values that are rounded to 0 are warned of") {
  const ScratchFolder scratch;
  const auto warnings = [&](const std::vector<float>& samples) {
    const std::string image = scratch / "soft.npy";
    write_file(image, tests::npy("<f4", "(1, 4)", tests::bytes_of(samples)));
    return gpuccl({"measure", image, "--round", "--stats", "-"}).err;
  };
  CHECK(has(warnings({0, 1, 0.4F, 2}), "values that are rounded to 0 become background"));
  CHECK(!has(warnings({0, 1, 0.6F, 2}), "become background"));
  CHECK(!has(warnings({0, 1, 1e-9F, 2}), "become background"));
}

TEST_CASE("a value that no element has is hinted at") {
  const ScratchFolder scratch;
  const std::string image = save_gray(scratch / "small.tif", {{1, 2, 3}});
  const Words one = {"no pixel has the value of --value"};
  CHECK(hints_of({image, "--value", "4"}) == one);
  const std::string beyond = "; values of 8 bits are at most 255";
  CHECK(hints_of({image, "--value", "300", "--invert"}) == Words{one[0] + beyond});
  CHECK(hints_of({image, "--value", "256..300"}) ==
        Words{"no pixel has one of the values of --value" + beyond});
  const std::string bits = save(scratch / "bits.png", tests::random_image({9, 5, 1}, 0.5, 1, 1).view());
  CHECK(hints_of({bits, "--value", "255"}) == Words{one[0] + "; the values of 1 bit are 0 and 1"});
  CHECK(hints_of({bits, "--value", "1"}).empty());
  const std::string floats = scratch / "floats.npy";
  write_file(floats, tests::npy("<f4", "(1, 2)", tests::bytes_of(std::vector<float>{1, 2})));
  CHECK(hints_of({floats, "--value", "1e9"}) == one);
  for (const char* values : {"4,5", "4..5"})
    CHECK(hints_of({image, "--value", values}) == Words{"no pixel has one of the values of --value"});
  CHECK(hints_of({image, "--value", "1,4"}).empty());
}

TEST_CASE("measuring a photograph is hinted at, and measuring objects is not") {
  const ScratchFolder scratch;
  const auto hints_of_measuring = [&](int size, const auto& value) {
    const std::string image = save_gray_of(scratch / "image.tif", size, value);
    return Json::parse(succeeds({"measure", image, "--json", "-", "--quiet"}))["hints"].dump();
  };
  std::mt19937 random(5);
  const auto photograph = [&](int x, int y) {
    return 128 + static_cast<int>(60 * std::sin(x / 9.0) + 40 * std::cos(y / 7.0)) +
           static_cast<int>(random() % 9);
  };
  const std::string hint = "as in a photograph";
  CHECK(has(hints_of_measuring(200, photograph), hint));
  CHECK(!has(hints_of_measuring(20, photograph), hint));
  CHECK(!has(hints_of_measuring(200, [](int x, int y) { return 1 + x / 14 + y / 14 * 15; }), hint));  // cells
  CHECK(!has(hints_of_measuring(200, [](int x, int) { return x / 7; }), hint));  // strips
  CHECK(!has(hints_of_measuring(200, [&](int, int) { return static_cast<int>(random() % 20); }),
             hint));  // classes
}

TEST_CASE("a threshold beyond all values is hinted at, and --invert is not its remedy") {
  const ScratchFolder scratch;
  const std::string image = save_gray_of(scratch / "gray.tif", 80,
                                         [](int x, int y) { return (x / 8 + y / 8) % 2 == 0 ? 10 : 200; });
  const Words none =
                  {"no value is above the threshold; use a lower --threshold or --threshold otsu to separate "
                   "dark from light"},
              all = {
                  "every value is above the threshold; use a higher --threshold or --threshold otsu to "
                  "separate dark from light"};
  CHECK(hints_of({image, "--threshold", "300"}) == none);
  CHECK(hints_of({image, "--threshold", "300", "--invert"}) == none);
  CHECK(hints_of({image, "--threshold", "-1"}) == all);
  CHECK(hints_of({image, "--threshold", "-1", "--invert"}) == all);
  CHECK(hints_of({image, "--threshold", "100"}).empty());
  // Where some values are on the other side, either remedy may be meant.
  save_gray_of(image, 80, [](int, int y) { return y == 0 ? 0 : 200; });
  const Words most = hints_of({image, "--threshold", "100"});
  REQUIRE(most.size() == 1);
  CHECK(has(most[0], "use --invert to label dark objects, --threshold otsu"));
}

TEST_CASE("pages of a scan that become a volume are hinted at, slices that are called so are not") {
  const ScratchFolder scratch;
  io::ReadOptions dark;
  dark.foreground.invert = true;
  tests::TiffPageToWrite page = page_of(source_file("data/page-g4.tif"), dark);
  page.compression = COMPRESSION_CCITTFAX4;
  const std::string scan = scratch / "scan.tif";
  tests::write_tiff(scan, {page, page});
  const Words hints = hints_of({scan});
  REQUIRE(hints.size() == 1);
  CHECK(has(hints[0], "--per-slice"));
  CHECK(hints_of({scan, "--per-slice"}).empty());

  tests::TiffPageToWrite gray = page;
  gray.bits = 8;
  gray.compression = COMPRESSION_NONE;
  const auto with_resolution = [](float dots, int unit) {
    return [=](TIFF* tiff) {
      TIFFSetField(tiff, TIFFTAG_XRESOLUTION, dots);
      TIFFSetField(tiff, TIFFTAG_YRESOLUTION, dots);
      TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, unit);
    };
  };
  const auto gray_hints = [&](float dots, int unit) {
    gray.more = with_resolution(dots, unit);
    tests::write_tiff(scan, {gray, gray});
    return hints_of({scan});
  };
  CHECK(gray_hints(300, RESUNIT_INCH) == hints);
  CHECK(gray_hints(72, RESUNIT_INCH).empty());
  CHECK(gray_hints(300, RESUNIT_NONE).empty());
  CHECK(gray_hints(25400, RESUNIT_INCH).empty());

  for (const char* description : {"ImageJ=1.53t\nimages=2\nslices=2\n", "{\"shape\": [2, 1754, 1240]}"}) {
    page.more = [=](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description); };
    tests::write_tiff(scan, {page, page});
    CHECK(hints_of({scan}).empty());
  }
  CHECK(hints_of({source_file("data/cells.tif")}).empty());
  CHECK(hints_of({source_file("data/cells-slices"), "--stack"}).empty());
}

TEST_CASE_METHOD(WorkFolder,
                 "axes that are not perpendicular are hinted at, and sizes are those of the affine") {
  const std::string fields = "space directions: (2,0,0) (0,3,0) (0,3,4)\n";
  nrrd("tilted.nrrd", "2 2 2", std::string(8, '\1'), "uint8",
       fields + "space: LPS\nspace units: \"mm\" \"mm\" \"mm\"\n");
  write("tilted.mha",
        "NDims = 3\nDimSize = 2 2 2\nElementSpacing = 2 3 5\nTransformMatrix = 1 0 0 0 1 0 0 .6 .8\n"
        "DistanceUnits = mm\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n" +
            std::string(8, '\1'));
  for (const std::string name : {"tilted.nrrd", "tilted.mha"}) {
    const Ended ended = ends("label " + name + " --measure physical --min-size 0.192ml --json -", 0,
                             {name + ": its axes are not perpendicular", "resample"});
    const Json component = Json::parse(ended.out).at("components").at(0);
    CHECK(component["area_physical"].get<double>() == Approx(8 * 24.0));
    CHECK(component["equivalent_diameter_area_physical"].get<double>() ==
          Approx(std::cbrt(6 / 3.14159265358979 * 192)));
    ends("match --distances " + name + " " + name, 0, {"its axes are not perpendicular"});
    CHECK(type("label " + name + " --per-slice --json -").err.empty());  // x and y are
    CHECK(
        Json::parse(type("label " + name + " --min-size 193mm3 --json - --quiet").out)["components"].empty());
  }
}

TEST_CASE_METHOD(WorkFolder, "a spacing without a unit is hinted at in a table") {
  nrrd("a.nrrd", "2 2", std::string(4, '\1'));
  nrrd("mm.nrrd", "2 2", std::string(4, '\1'), "uint8", "spacings: 2 2\nunits: \"mm\" \"mm\"\n");
  ends("label a.nrrd --spacing 2,2 --stats a.csv", 0,
       {"the spacing has no unit, so the column unit is empty"});
  CHECK(type("label a.nrrd --spacing 2,2,um --stats a.csv").err.empty());
  CHECK(type("label mm.nrrd --spacing 3,3 --stats a.csv").err.empty());
  CHECK(type("label a.nrrd --spacing 2,2 -o a.tif").err.empty());
}

TEST_CASE_METHOD(WorkFolder, "a size in milliliters is a volume") {
  nrrd("cm.nrrd", "2 2 2", std::string(8, '\1'), "uint8", "spacings: 2 3 5\nunits: \"mm\" \"mm\" \"mm\"\n");
  const auto count = [&](const std::string& size) {
    return json("label cm.nrrd --min-size " + size).at("components").size();
  };
  CHECK(count("0.24ml") == 1);
  CHECK(count("0.24mL") == 1);
  CHECK(count("0.25ml") == 0);
  fails("label cm.nrrd --min-size ml --json -", 64, "is neither an integer nor a size");
}

TEST_CASE_METHOD(WorkFolder, "images on another grid are hinted at by every command that matches them") {
  nrrd("a.nrrd", "2 2", std::string(4, '\1'), "uint8", "spacings: 2 2\n");
  nrrd("b.nrrd", "2 2", std::string(4, '\1'), "uint8", "spacings: 3 2\n");
  const Words by_index = {"has another spacing", "by index, not by position"};
  for (const std::string line :
       {"compare a.nrrd b.nrrd", "match a.nrrd b.nrrd", "view a.nrrd --image b.nrrd -o a.html",
        "label a.nrrd --seeds b.nrrd -o a.tif", "measure a.nrrd --seeds b.nrrd -o a.tif"})
    ends(line, 0, by_index);
  for (const std::string line :
       {"compare --quiet a.nrrd b.nrrd", "view a.nrrd --image b.nrrd -o a.html --spacing 1,1",
        "label a.nrrd --seeds b.nrrd -o a.tif --spacing 1,1"})
    CHECK(type(line).err.empty());
}

}  // namespace
}  // namespace gpuccl
