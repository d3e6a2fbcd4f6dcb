// gpuccl-mpi as users start it: the files of gpuccl, byte for byte, or none.

#include "app/binary.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

/// `mpirun -n RANKS gpuccl-mpi label WORDS...`, where rank 1 does `first_of_1` before, in a shell. More ranks
/// than processors, and root, are welcome.
Command mpi_command(int ranks, const Words& words, const std::string& first_of_1 = "") {
  Command command;
  command.words = {GPUCCL_MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", std::to_string(ranks)};
  const Words shell = {"/bin/sh", "-c",
                       "if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then " +
                           (first_of_1.empty() ? std::string(":") : first_of_1) + "; fi; exec \"$0\" \"$@\"",
                       GPUCCL_MPI_PROGRAM, "label"};
  command.words.insert(command.words.end(), shell.begin(), shell.end());
  command.words.insert(command.words.end(), words.begin(), words.end());
  command.environment = {{"CUDA_VISIBLE_DEVICES", ""},
                         {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                         {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                         {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
                         {"OMPI_MCA_rmaps_base_oversubscribe", "1"}};
  return command;
}

/// Says so where the command is another than Open MPI's.
bool has_open_mpi() {
  Command command;
  command.words = {GPUCCL_MPIRUN, "--version"};
  const std::string version = run(command).out;  // mpirun (Open MPI), or of older ones mpiexec (OpenRTE)
  const bool found = version.find("(Open") != std::string::npos;
  if (!found) WARN("skipped: " GPUCCL_MPIRUN " is not Open MPI");
  return found;
}

/// Messages of the ranks, without those of mpirun.
std::vector<std::string> lines_of_ranks(const std::string& err) {
  std::vector<std::string> lines;
  std::istringstream text(err);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("gpuccl: ")) lines.push_back(line);
  return lines;
}

void expect_one_line(const Ended& ended, int code, const std::string& part) {
  INFO(ended.err);
  CHECK(ended.code == code);
  const std::vector<std::string> lines = lines_of_ranks(ended.err);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines.front(), containing(part));
}

/// Old files that a run which fails must leave alone.
struct OldFiles {
  ScratchFolder scratch;
  std::string input, image = scratch / "out.tiff", table = scratch / "out.csv";
  std::size_t entries;

  explicit OldFiles(Extent extent)
      : input(save(scratch / "in.tif", random_image(extent, 0.03, 1, 3).view())) {
    write_file(image, "old");
    write_file(table, "label,area,x0,y0,old");
    entries = count_entries(scratch.path());
  }
  Words words() const { return {input, "-o", image, "--stats", table, "--quiet"}; }
  void expect_old() const {
    CHECK(read_file(image) == "old");
    CHECK(read_file(table) == "label,area,x0,y0,old");
  }
  void expect_untouched() const {
    expect_old();
    CHECK(count_entries(scratch.path()) == entries);
  }
};

}  // namespace

TEST_CASE("ranks with different options are refused") {
  if (!has_open_mpi()) return;
  const OldFiles old({30, 20, 5});
  for (const Words& other : {Words{"-c", "6"}, Words{"--values"}, Words{"--help"}}) {
    CAPTURE(other.front());
    Words words = old.words();
    Command command = mpi_command(1, words);
    words.insert(words.end(), other.begin(), other.end());
    const Command second = mpi_command(2, words);
    command.words.push_back(":");
    command.words.insert(command.words.end(), second.words.begin() + 4, second.words.end());  // from -n on
    expect_one_line(run(command), 64, "the ranks have different options");
    old.expect_untouched();
  }
}

TEST_CASE("an error of all ranks is one line, with the exit code of gpuccl") {
  if (!has_open_mpi()) return;
  const OldFiles old({60, 50, 8});
  const auto expect = [&](const Words& words, int code, const std::string& part,
                          const std::string& first = "") {
    const Ended ended = run(mpi_command(3, words, first));
    expect_one_line(ended, code, part);
    old.expect_untouched();
  };
  expect({old.input}, 64, "nothing to write");
  expect({old.input, "-o", old.image, "--keep", "holes > 0"}, 64, "holes is measured in images");
  expect({old.scratch / "gone.tif", "-o", old.image}, 66, "gone.tif");
  expect({old.input, "-o", old.image, "--intensity", old.scratch / "gone.tif"}, 66, "gone.tif");
  expect({old.input, "-o", old.scratch / "no/out.tiff"}, 73, "folder does not exist");
  expect({old.input, "-o", old.image, "--label-type", "u8"}, 65, "labels do not fit u8");
  expect({old.input, "-o", old.image, "--device", "cuda"}, 69, "in.tif");
}

TEST_CASE("contacts that do not fit the memory of a rank are refused by all") {
  if (!has_open_mpi()) return;
  const ScratchFolder scratch;
  const std::string noise = save(scratch / "noise.tif", random_image({2000, 2000, 1}, 0.4, 1, 3).view()),
                    table = scratch / "table.csv";
  const Words words = {noise, "-c", "4", "--contacts", table, "--threads", "1", "--memory"};
  const auto with = [&](const std::string& memory) {
    Words all = words;
    all.push_back(memory);
    return run(mpi_command(2, all));
  };
  expect_one_line(with("64M"), 71, "has more contacts than fit into the remaining memory");
  CHECK_FALSE(std::filesystem::exists(table));
  CHECK(with("1G").code == 0);
  const std::string of_ranks = read_file(table);
  succeeds({"label", noise, "-c", "4", "--contacts", table, "--overwrite"});
  CHECK((read_file(table) == of_ranks));
}

TEST_CASE("one rank that cannot go on ends all, and the old files stay") {
  if (!has_open_mpi()) return;
  const OldFiles old({700, 600, 8});
  const auto expect = [&](const Words& words, const std::string& first, int code, const std::string& part) {
    const auto begin = std::chrono::steady_clock::now();
    const Ended ended = run(mpi_command(3, words, first));
    expect_one_line(ended, code, part);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    old.expect_untouched();
  };
  // A full disk, as a limit on the size of files, which leaves room for those of MPI in memory; another input
  // under the same name; no such file.
  Words uncompressed = old.words();
  uncompressed.insert(uncompressed.end(), {"--compress", "none", "--label-type", "u32"});
  expect(uncompressed, "ulimit -f 16384", 74, "out.tiff: cannot write");
  const ScratchFolder elsewhere;
  const std::string other = save(elsewhere / "in.tif", random_image({700, 600, 8}, 0.3, 1, 4).view());
  const auto with_input = [](const std::string& path) {
    return "shift 2; set -- label '" + path + "' \"$@\"";
  };
  expect(old.words(), with_input(other), 65, "is another file for part 1 than for part 0");
  expect(old.words(), with_input(elsewhere / "gone.tif"), 66, "gone.tif");

  // Samples of which one rank finds a slice cut off, when all have been united.
  const ScratchFolder samples;
  for (int z = 0; z < 8; ++z)
    save(samples / (std::to_string(z) + ".png"), random_image({700, 600, 1}, 0.3, 1, 4).view());
  const std::string last = samples / "7.png";
  write_file(last, read_file(last).substr(0, 3000));
  Words measured = old.words();
  measured.insert(measured.end(), {"--intensity", samples.path().string()});
  expect(measured, "", 65, "7.png");

  // Headers that are the same, of samples that are not of one time.
  const ScratchFolder here;
  for (const ScratchFolder* folder : {&here, &elsewhere}) {
    write_file(*folder / "v.nhdr",
               "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 4\nencoding: raw\ndata file: v.raw\n");
    write_file(*folder / "v.raw", std::string(16, '\1'));
  }
  std::filesystem::last_write_time(elsewhere / "v.nhdr", std::filesystem::last_write_time(here / "v.nhdr"));
  Words detached = old.words();
  std::replace(detached.begin(), detached.end(), old.input, here / "v.nhdr");
  const auto of_samples = std::filesystem::last_write_time(here / "v.raw");
  std::filesystem::last_write_time(elsewhere / "v.raw", of_samples + std::chrono::seconds(1));
  expect(detached, with_input(elsewhere / "v.nhdr"), 65, "is another file for part 1 than for part 0");
}
