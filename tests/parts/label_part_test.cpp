// Parts in threads of one process read, label and write: the files of one part, byte for byte.

#include <atomic>

#include "app/binary.hpp"
#include "app/label/job.hpp"
#include "app/label/label_checks.hpp"
#include "app/options/command_line.hpp"
#include "app/options/option_words.hpp"
#include "io/parts/collectively.hpp"
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

}  // namespace

TEST_CASE("a strip that several parts have rows of is the same") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", random_image({1500, 1300, 1}, 0.4, 3, 5).view());
  for (const io::Compression compression : {io::Compression::deflate, io::Compression::none}) {
    LabelOptions options = quiet();
    options.compression = compression;
    expect_same_files(scratch, input, ".tiff", options, {2, 5, 40});
  }
}

TEST_CASE("blank images, and images of one component, are labeled in parts") {
  const ScratchFolder scratch;
  for (const double density : {0.0, 1.0})
    expect_same_files(scratch, save(scratch / "in.tif", random_image({40, 30, 7}, density, 1, 1).view()),
                      ".tiff", quiet(), {1, 4, 9});
}

TEST_CASE("options that parts do not support are refused") {
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

TEST_CASE("measures that the input does not have are refused in parts, once") {
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
