// Parts in threads of one process: options that they refuse, and a part that fails.

#include <atomic>
#include <map>

#include "app/binary.hpp"
#include "app/label/job.hpp"
#include "app/label/label_checks.hpp"
#include "app/options/command_line.hpp"
#include "app/options/option_words.hpp"
#include "io/npy_bytes.hpp"
#include "io/parts/collectively.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

using namespace gpuccl;
using namespace gpuccl::app;
using namespace tests;

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
}

TEST_CASE("when a part fails, one says so, and the old files stay") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", random_image({300, 200, 8}, 0.02, 1, 5).view());
  LabelPaths files;
  files.input = input;
  files.image = scratch / "out.tiff";
  files.stats = scratch / "out.csv";
  files = files.with_defaults();
  write_file(files.image, "old");
  write_file(files.stats, "label,area,x0,y0,old");
  LabelOptions options;
  options.label_type = io::LabelType::u8;  // there are more
  std::atomic<int> said = 0, silent = 0;
  run_parts(3, [&](PartLink& link) {
    LazyEngine engine = {{.device = DeviceChoice::cpu}, nullptr};
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

TEST_CASE("new values of --split-values are the same for any number of parts") {
  const ScratchFolder scratch;
  for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
    std::string bytes;
    for (int i = 0; i < 12 * 10 * 9; ++i) {
      const std::uint64_t value = i * 2654435761U >> 8 & 3, stored = value == 0 ? 0 : base + value;
      bytes.append(reinterpret_cast<const char*>(&stored), sizeof stored);
    }
    LabelPaths files;
    files.input = scratch / "in.npy";
    write_file(files.input, npy("<u8", "(12, 10, 9)", bytes));
    LabelOptions options;
    options.values.by_values = options.values.split_values = true;
    options.selection.min_size = 2;
    options.output.file.overwrite = true;
    options.resolve();
    std::map<std::string, std::string> expected;
    for (const int parts : {1, 2, 3, 5}) {
      CAPTURE(base, parts);
      files.image = scratch / "out.npy";
      files.stats = scratch / "out.csv";
      files.contacts = scratch / "contacts.csv";
      files.preview = scratch / "out.png";
      run_parts(parts, [&](PartLink& link) {
        LazyEngine engine = {{.device = DeviceChoice::cpu}, nullptr};
        label_file(link, files, options, engine);
      });
      for (const std::string& path : {files.image, files.stats, files.contacts, files.preview}) {
        const std::string now = read_file(path);
        const auto [first, is_new] = expected.emplace(path, now);
        CHECK(first->second == now);
        CHECK_FALSE(now.empty());
      }
    }
  }
}
