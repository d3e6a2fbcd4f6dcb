// Parts in threads of one process read, label and write: the files of one part, byte for byte.

#include <atomic>
#include <random>

#include "app/binary.hpp"
#include "app/label/job.hpp"
#include "app/label/label_checks.hpp"
#include "app/options/command_line.hpp"
#include "app/options/option_words.hpp"
#include "io/parts/collectively.hpp"
#include "parts/saved_values.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

using namespace gpuccl;
using namespace gpuccl::app;
using namespace tests;

namespace {

LazyEngine on_cpu() { return {{.device = DeviceChoice::cpu}, nullptr}; }

LabelPaths outputs(const std::string& input, const std::string& base, const std::string& extension) {
  LabelPaths files;
  files.input = input;
  files.image = base + extension;
  files.stats = base + ".csv";
  files.contacts = base + "-contacts.csv";
  files.preview = base + "-preview.png";
  return files.with_defaults();
}

void label_in_parts_of_one_process(const LabelPaths& files, const LabelOptions& options, int parts) {
  run_parts(parts, [&](PartLink& link) {
    LazyEngine engine = on_cpu();
    label_file(link, files, options, engine);
  });
}

/// A report without what another run has otherwise: times, devices, names of outputs.
Json comparable(const std::string& path) {
  Json report = Json::parse(read_file(path));
  report.erase("timings_ms");
  report["labeling"].erase("device");
  for (const char* const file : {"output", "preview", "stats", "contacts"})
    if (!report[file].is_null()) report[file].erase("path");
  return report;
}

void expect_same_files(const ScratchFolder& scratch, const std::string& input, const std::string& extension,
                       const LabelOptions& options, std::initializer_list<int> all_parts) {
  LabelPaths whole = outputs(input, scratch / "whole", extension);
  whole.intensities = options.measure.intensities;
  LazyEngine engine = on_cpu();
  label_file(whole, options, engine);
  const std::string preview = read_file(whole.preview), image = read_tree(whole.image),
                    table = read_file(whole.stats), contacts = read_file(whole.contacts);
  const Json report = comparable(whole.json);
  for (const int parts : all_parts) {
    INFO(parts << " parts");
    LabelPaths files = outputs(input, scratch / "parts", extension);
    files.intensities = options.measure.intensities;
    label_in_parts_of_one_process(files, options, parts);
    REQUIRE((read_tree(files.image) == image));
    REQUIRE((read_file(files.preview) == preview));
    REQUIRE((read_file(files.stats) == table));
    REQUIRE((read_file(files.contacts) == contacts));
    REQUIRE(comparable(files.json) == report);
  }
}

LabelOptions quiet(std::optional<Connectivity> connectivity = std::nullopt) {
  LabelOptions options;
  options.quiet = true;
  options.output.file.sync = false;
  options.algorithm.connectivity = connectivity;
  return options;
}

/// Asks for measures, and for components by them, all in one case.
void measure_some(LabelOptions& options, std::mt19937& random) {
  const bool everything = random() % 2 == 0;
  for (const Measure& measure : measures())
    if (measure.group == MeasureGroup::shape ||
        (everything && (measure.group == MeasureGroup::border || measure.group == MeasureGroup::topology)))
      options.measure.wanted.set(static_cast<std::size_t>(measure.id));
  if (everything) options.measure.named.set(static_cast<std::size_t>(MeasureId::feret_diameter_max));
  options.measure.words = everything ? "shape,border,topology,feret_diameter_max" : "shape";
  if (random() % 2 == 0) options.selection.keep = parse_condition("border_sides < 2 and extent > 0.3");
  if (random() % 3 == 0) options.spacing = io::GivenSpacing{{0.5, 2, 3}, io::LengthUnit::unknown};
}

}  // namespace

TEST_CASE("parts write the files of the whole, in every format and with every option") {
  const ScratchFolder scratch;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t most) { return static_cast<int>(random() % most); };
    const bool volume = below(3) > 0;
    const Extent extent{1 + below(70), 1 + below(40), volume ? 2 + below(12) : 1};
    const std::string input =
        save(scratch / "in.tif", random_image(extent, 0.1 + below(8) / 10.0, 1 + below(3), seed).view());
    LabelOptions options = quiet();
    options.algorithm.per_slice = volume && below(4) == 0;
    if (below(2) == 0)
      options.algorithm.connectivity =
          volume && !options.algorithm.per_slice
              ? std::vector{Connectivity::c6, Connectivity::c18, Connectivity::c26}[below(3)]
              : std::vector{Connectivity::c4, Connectivity::c8}[below(2)];
    if (below(3) == 0) options.selection.min_size = below(9);
    if (below(3) == 0) options.selection.largest = 1 + below(20);
    options.selection.clear_border = below(4) == 0;
    if (below(3) == 0) options.selection.order = LabelOrder::size;
    if (below(3) == 0) options.label_type = io::LabelType::u32;
    const bool tiff = below(4) > 0;
    if (tiff)
      options.compression = std::vector{io::Compression::none, io::Compression::deflate, io::Compression::lzw,
                                        io::Compression::packbits}[below(4)];
    if (tiff && below(3) == 0) options.big_tiff = io::BigTiff::yes;
    const bool fills = below(3) == 0;
    if (fills) options.fill_holes = below(2) == 0 ? std::uint64_t{1} + random() % 9 : kAllHoles;
    const bool periodic = !fills && below(4) == 0 && extent.width > 1 && extent.height > 1;
    if (periodic) {
      options.periodic = {below(2) == 0, below(2) == 0, volume && !options.algorithm.per_slice};
      if (options.periodic == PeriodicAxes{}) options.periodic[0] = true;
      if (below(2) == 0) options.selection.keep = parse_condition("wraps_x < 1");
      if (!options.periodic[0]) options.selection.keep = {};
      options.resolve();
    } else if (below(2) == 0) {
      measure_some(options, random);
    }
    INFO("seed " << seed << ", " << to_string(extent));
    expect_same_files(scratch, input, tiff ? ".tiff" : ".npy", options, {1, 2, 3, 1 + below(20)});
  }
}

TEST_CASE("parts write label images of every format as one process does") {
  const ScratchFolder scratch;
  const Extent extents[] = {{1300, 1100, 1}, {150, 130, 9}, {3, 2, 5}};
  for (const Extent& extent : extents) {
    const std::string input = save(scratch / "in.tif", random_image(extent, 0.2, 4, 11).view());
    for (const char* const extension :
         {".tif", ".png", ".npy", ".nii", ".nii.gz", ".nrrd", ".mha", ".zarr"}) {
      if (extension == std::string(".png") && extent.depth > 1) continue;
      INFO(to_string(extent) << extension);
      LabelOptions options = quiet();
      options.spacing = io::GivenSpacing{{0.5, 0.5, 2}, io::LengthUnit::um};
      expect_same_files(scratch, input, extension, options, {1, 2, 3, 4, 9});
      if (extension == std::string(".nrrd") || extension == std::string(".mha")) {
        options.compression = io::Compression::none;
        expect_same_files(scratch, input, extension, options, {3});
      }
      if (extension == std::string(".png")) continue;
      options.label_type = io::LabelType::u32;
      expect_same_files(scratch, input, extension, options, {4});
    }
  }
}

TEST_CASE("parts add labels to a store of Zarr 3, whose chunks are gzip") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", random_image({1300, 1100, 1}, 0.2, 4, 11).view());
  const std::string store = scratch / "cells.zarr";
  std::filesystem::create_directories(store);
  write_file(store + "/zarr.json", R"({"zarr_format":3,"node_type":"group"})");
  LabelPaths files;
  files.input = input;
  files.image = store + "/labels/cells";  // the metadata have the name
  LazyEngine engine = on_cpu();
  label_file(files, quiet(), engine);
  const std::string whole = read_tree(files.image);
  CHECK_THAT(whole, containing("0/c/1/1"));
  for (const int parts : {1, 2, 5}) {
    INFO(parts << " parts");
    std::filesystem::remove_all(store + "/labels");
    label_in_parts_of_one_process(files, quiet(), parts);
    CHECK((read_tree(files.image) == whole));
    CHECK_THAT(read_file(store + "/labels/zarr.json"), containing("\"cells\""));
  }
}

TEST_CASE("intensities are measured in parts as in the whole") {
  const ScratchFolder scratch;
  const struct { int bits, format; } kinds[] = {{8, 1}, {16, 2}, {32, 1}, {64, 1}, {32, 3}, {64, 3}};
  for (const Extent extent : {Extent{40, 30, 7}, Extent{50, 61, 1}})
    for (const auto& [bits, format] : kinds) {
      INFO(to_string(extent) << ", " << bits << " bits of kind " << format);
      const std::string input = save(scratch / "in.tif", random_image(extent, 0.4, 1, 3).view());
      LabelOptions options = quiet();
      options.measure.intensities = {save_values(scratch / "samples.tif", extent, bits, format, 5)};
      options.resolve();
      expect_same_files(scratch, input, ".npy", options, {1, 2, 5});
      options.selection.keep = parse_condition("intensity_mean > 0 and intensity_std > 0");
      options.selection.order = LabelOrder::size;
      expect_same_files(scratch, input, ".npy", options, {3});
    }
}

TEST_CASE("parts of images of values write the files of the whole") {
  const ScratchFolder scratch;
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t most) { return static_cast<int>(random() % most); };
    const bool volume = below(2) > 0;
    const Extent extent{1 + below(60), 1 + below(40), volume ? 2 + below(12) : 1};
    const int bits = std::vector{8, 16, 32}[below(3)];
    const int format = std::vector{SAMPLEFORMAT_UINT, SAMPLEFORMAT_INT,
                                   SAMPLEFORMAT_IEEEFP}[bits == 32 ? below(3) : below(2)];
    const std::string input = save_values(scratch / "in.tif", extent, bits, format, seed);
    LabelOptions options = quiet();
    options.values.by_values = true;
    const bool differ = below(3) == 0;  // the values of a component
    if (differ || format == SAMPLEFORMAT_IEEEFP) options.values.delta = differ ? 1 + below(2) : 0;
    options.algorithm.per_slice = volume && below(4) == 0;
    if (below(2) == 0)
      options.algorithm.connectivity = volume && !options.algorithm.per_slice
                                           ? std::vector{Connectivity::c6, Connectivity::c18}[below(2)]
                                           : Connectivity::c4;
    if (below(3) == 0) options.selection.min_size = below(9);
    if (below(2) == 0) options.selection.largest = 1 + below(9);
    options.values.per_value = !differ && options.selection.largest > 0 && below(2) == 0;
    options.selection.clear_border = below(4) == 0;
    if (below(3) == 0) options.selection.order = LabelOrder::size;
    if (below(3) == 0) {
      options.measure.wanted = measures_of(MeasureGroup::border);
      options.measure.wanted.set(static_cast<std::size_t>(MeasureId::axis_major_length));
      options.measure.words = "border,axis_major_length";
      options.selection.keep = parse_condition(differ ? "extent > 0.5" : "value != 2 or extent > 0.5");
    }
    options.values.keep_values = !differ && options.selection.order == LabelOrder::raster && below(2) == 0;
    INFO("seed " << seed << ", " << to_string(extent) << ", " << bits << " bits, format " << format);
    expect_same_files(scratch, input, below(3) == 0 ? ".npy" : ".tiff", options, {1, 2, 3, 1 + below(20)});
  }
}

TEST_CASE("a strip that several parts have rows of is the same") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", random_image({1500, 1300, 1}, 0.4, 3, 5).view());
  for (const io::Compression compression : {io::Compression::deflate, io::Compression::none}) {
    LabelOptions options = quiet();
    options.compression = compression;
    expect_same_files(scratch, input, ".tiff", options, {2, 5, 40});
  }
}

TEST_CASE("what holds nothing is labeled in parts, and so is one component of all") {
  const ScratchFolder scratch;
  for (const double density : {0.0, 1.0})
    expect_same_files(scratch, save(scratch / "in.tif", random_image({40, 30, 7}, density, 1, 1).view()),
                      ".tiff", quiet(), {1, 4, 9});
}

TEST_CASE("what parts cannot do is refused") {
  const auto refused = [](const Words& words) {
    LabelOptions options;
    CommandLine line("gpuccl-mpi", "", "");
    const app::Command command = line.add_command("label", "");
    options.add_for_parts(command);
    command.on_run([&options] {
      options.resolve();
      check_for_parts(options);
      return 0;
    });
    Words all = {"label", "in.tif"};
    all.insert(all.end(), words.begin(), words.end());
    try {
      line.parse(all).run();
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage;
    }
    return false;
  };
  for (const char* const image : {"out.jpg", "out/", "-"}) CHECK(refused({"-o", image}));
  for (const char* const image : {"out.png", "out.nii", "out.nii.gz", "out.nrrd", "out.mha", "out.zarr"})
    CHECK_FALSE(refused({"-o", image}));
  CHECK(refused({"-o", "out.nii.gz", "--compress", "none"}));
  CHECK(refused({"-o", "out.png", "--label-type", "u32"}));
  for (const Words& words : {Words{},
                             {"more.tif"},
                             {"--stats", "-"},
                             {"--contacts", "-"},
                             {"--json", "-"},
                             {"--fill-holes", "--periodic", "x"},
                             {"--fill-holes", "--values"},
                             {"--keep", "area >"},
                             {"--keep", "value > 3"},
                             {"--intensity", "-"},
                             {"--measure", "intensity"},
                             {"--intensity-frame", "1"},
                             {"--values", "--measure", "tunnels"},
                             {"--preview", "p.tif"},
                             {"--periodic", "x", "--measure", "shape"},
                             {"--values", "--delta", "1", "--periodic", "x"},
                             {"--values", "--delta", "1", "--keep-values"},
                             {"--delta", "0"},
                             {"--keep-values"},
                             {"--values", "--per-value"},
                             {"--values", "--threshold", "3"},
                             {"--label-type", "u8"},
                             {"--recursive"},
                             {"--jobs", "2"},
                             {"--progress"},
                             {"--min-size", "3", "--max-size", "2"},
                             {"-c", "26", "--per-slice"}}) {
    INFO((words.empty() ? "" : words.front()));
    Words with_output = words;
    if (!words.empty() && words.front() != "--label-type")
      with_output.insert(with_output.end(), {"-o", "out.tif"});
    CHECK(refused(with_output));
  }
  CHECK_FALSE(refused({"-o", "out.tif", "--spacing", "1,2,um", "--value", "3", "--bigtiff", "yes"}));
  CHECK_FALSE(refused({"-o", "out.tif", "--fill-holes", "7"}));
  CHECK_FALSE(refused({"-o", "out.tif", "--channel", "1", "--frame", "2", "--memory", "1G"}));
  CHECK_FALSE(refused({"-o", "out.tif", "--intensity", "samples.tif", "--intensity-channel", "1"}));
  CHECK_FALSE(refused({"-o", "out.tif", "--intensity", "samples.tif", "--keep", "intensity_mean > 3"}));
  CHECK_FALSE(
      refused({"-o", "out.tif", "--periodic", "x,y", "--keep", "wraps_x = 0", "--contacts", "c.csv"}));
  CHECK_FALSE(refused({"-o", "out.tif", "--measure", "all", "--keep", "holes = 0"}));
  CHECK_FALSE(refused({"-o", "out.tif", "--values", "--delta", "0", "--per-value", "--largest", "2"}));
  CHECK_FALSE(refused({"-o", "out.tif", "--values", "--delta", "1", "--contacts", "c.csv"}));
  CHECK_FALSE(refused({"-o", "out.tif", "--values", "--measure", "perimeter"}));
}

TEST_CASE("components are selected by cavities and tunnels in parts, when small holes were filled too") {
  const ScratchFolder scratch;
  for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
    INFO(static_cast<int>(connectivity) << "-connectivity");
    const std::string input = save(scratch / "in.tif", random_shells({50, 40, 21}, 7).view());
    LabelOptions options = quiet(connectivity);
    options.selection.keep = parse_condition("tunnels > 0 or cavities > 0");
    options.selection.order = LabelOrder::size;
    expect_same_files(scratch, input, ".tiff", options, {1, 2, 7, 30});
    options.fill_holes = 3;
    options.measure.wanted = measures_of(MeasureGroup::topology);
    options.measure.words = "topology";
    expect_same_files(scratch, input, ".npy", options, {3});
  }
}

TEST_CASE("what such an input has no measure of is refused in parts, which is said once") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", random_image({30, 20, 8}, 0.5, 1, 5).view());
  LabelOptions options = quiet();
  options.selection.keep = parse_condition("holes > 0");
  std::atomic<int> said = 0;
  run_parts(3, [&](PartLink& link) {
    LazyEngine engine = on_cpu();
    try {
      label_file(link, outputs(input, scratch / "out", ".tiff"), options, engine);
    } catch (const io::PartFailed& failed) {
      CHECK(failed.code() == ErrorCode::usage);
      if (failed.thrown()) ++said;
    }
  });
  CHECK(said == 1);
  CHECK(count_entries(scratch.path()) == 1);
}

TEST_CASE("when a part fails, one says so, and the old files stay") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", random_image({300, 200, 8}, 0.02, 1, 5).view());
  const LabelPaths files = outputs(input, scratch / "out", ".tiff");
  write_file(files.image, "old");
  write_file(files.stats, "label,area,x0,y0,old");
  LabelOptions options = quiet();
  options.label_type = io::LabelType::u8;  // there are more
  std::atomic<int> said = 0, silent = 0;
  run_parts(3, [&](PartLink& link) {
    LazyEngine engine = on_cpu();
    try {
      label_file(link, files, options, engine);
    } catch (const io::PartFailed& failed) {
      CHECK(failed.code() == ErrorCode::data);
      ++(failed.thrown() ? said : silent);
    }
  });
  CHECK(said == 1);
  CHECK(silent == 2);
  CHECK(read_file(files.image) == "old");
  CHECK(read_file(files.stats) == "label,area,x0,y0,old");
  CHECK(count_entries(scratch.path()) == 3);
}
