#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

#include <csignal>

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/test.hpp"

// Files and messages.
namespace gpuccl {
namespace {

std::string small_image(const ScratchFolder& scratch) {
  return save(scratch / "in.png", tests::drawn(Words{"#.#", "..#"}).view());
}

/// More components than 16 bits can number.
std::string many_components(const ScratchFolder& scratch) {
  return save(scratch / "in.png", tests::generated("dots", {512, 512, 1}).view());
}

int tiff_tag(const std::string& path, std::uint32_t tag) {
  TIFF* tiff = ::TIFFOpen(path.c_str(), "r");
  REQUIRE(tiff != nullptr);
  std::uint16_t value = 0;
  ::TIFFGetFieldDefaulted(tiff, tag, &value);
  ::TIFFClose(tiff);
  return value;
}

TEST_CASE("32-bit labels chosen by the program come with one warning") {
  const ScratchFolder scratch;
  const std::string input = many_components(scratch);
  const Ended ended = gpuccl({"label", input, "-o", scratch / "out.tif"});
  CHECK(ended.code == 0);
  CHECK(ended.err.starts_with("gpuccl: warning: " + scratch / "out.tif" + ": "));
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  CHECK(tiff_tag(scratch / "out.tif", TIFFTAG_BITSPERSAMPLE) == 32);
  succeeds({"label", input, "-o", scratch / "out.tif", "--label-type", "u32"});
  succeeds({"label", input, "-o", scratch / "out.npy"});
}

TEST_CASE("option --json names the report, - prints it, a device takes it") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch);
  succeeds({"label", input, "--json", scratch / "r.json"});
  CHECK(count_entries(scratch.path()) == 2);
  const Json report = Json::parse(read_file(scratch / "r.json"));
  CHECK(report["labeling"]["components"] == 2);
  CHECK(succeeds({"label", input, "--json", "/dev/null"}) == "");
  CHECK(Json::parse(succeeds({"label", input, "--json", "-"}))["components"] == report["components"]);
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

/// A shell does `script`, whose $1 is the program, $2 an input and $3 a folder.
Ended in_shell(const std::string& script, const std::string& input, const ScratchFolder& scratch) {
  Command command = gpuccl_command({});
  command.words = {"sh", "-c", script, "sh", GPUCCL_PROGRAM, input, scratch.path().string()};
  return run(command);
}

TEST_CASE("outputs to a stream replace nothing") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), table = succeeds({"label", input, "--stats", "-"});
  CHECK(table.starts_with("label,area,"));
  write_file(scratch / "log", "kept\n");
  for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "\"$3\"/link"}) {
    CAPTURE(name);
    std::filesystem::remove(scratch / "link");
    std::filesystem::create_symlink("/dev/stdout", scratch / "link");
    write_file(scratch / "log", "kept\n");
    const std::string label = "{ \"$1\" label \"$2\" --stats " + std::string(name) + "; echo done; }";
    CHECK(in_shell(label + " >>\"$3\"/log", input, scratch).code == 0);
    CHECK(read_file(scratch / "log") == "kept\n" + table + "done\n");
    CHECK(in_shell(label + " | cat", input, scratch).out == table + "done\n");
  }
  CHECK(
      in_shell("\"$1\" label \"$2\" --json /dev/stdout >>\"$3\"/log && head -n 1 \"$3\"/log", input, scratch)
          .out == "kept\n");
  // Two texts in one stream could not be told apart, by whatever names.
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1"}) {
    const Ended both = gpuccl({"label", input, "--stats", "/dev/stdout", "--json", name});
    CHECK(both.code == 64);
    CHECK(both.out == "");
    CHECK_THAT(both.err, tests::containing("only one of -o, --json, --stats"));
  }
  // A label image cannot be a stream: where it goes is known when it is complete.
  const Ended refused = in_shell("\"$1\" label \"$2\" -o \"$3\"/x.tif >>\"$3\"/log", input, scratch);
  CHECK(refused.code == 0);
  std::filesystem::create_symlink("/dev/stdout", scratch / "out.tif");
  const Ended image = in_shell("\"$1\" label \"$2\" -o \"$3\"/out.tif >>\"$3\"/log", input, scratch);
  CHECK(image.code == 73);
  CHECK(image.err.ends_with("out.tif: cannot create: is a stream, not a file\n"));
  CHECK(read_file(scratch / "log").starts_with("kept\n"));
}

TEST_CASE("a label image on standard output is the .npy file") {
  const ScratchFolder scratch;
  const std::string input =
      save(scratch / "in.png", tests::drawn(std::vector<std::string>{"#.##", "...#"}).view());
  succeeds({"label", input, "-o", scratch / "l.npy"});
  for (const Words& more :
       {Words{}, Words{"--memory", "1M"}, Words{"--no-clobber", "--json", scratch / "r.json"},
        Words{"--overwrite", "--stats", scratch / "s.csv"}}) {
    CHECK(succeeds(joined({"label", input, "-o", "-"}, more)) == read_file(scratch / "l.npy"));
  }
  CHECK(Json::parse(read_file(scratch / "r.json"))["output"]["path"] == "-");
  write_file(scratch / "bad.png", "no image");
  const Ended bad = gpuccl({"label", scratch / "bad.png", "-o", "-"});
  CHECK(bad.code == 65);
  CHECK(bad.out.empty());
  fails({"label", input, "-o", "-", "--json", "-"}, 64, "only one of -o, --json");
  fails({"label", input, input, "-o", "-"}, 64, "several inputs need an output folder");
  fails({"label", input, "-o", "-", "--part", "1/2", "--parts-dir", scratch / "p"}, 64,
        "cannot be an output");
  fails({"label", input, "-o", "-", "--compress", "lzw"}, 64, "--compress is for TIFF");
}

TEST_CASE("descriptors that are closed are not taken for outputs") {
  const ScratchFolder scratch;
  const std::string input = many_components(scratch);  // which is warned of
  succeeds({"label", input, "-o", scratch / "right.tif", "--quiet"});
  CHECK(in_shell("\"$1\" label \"$2\" -o \"$3\"/out.tif <&- >&- 2>&-", input, scratch).code == 0);
  CHECK((read_file(scratch / "out.tif") == read_file(scratch / "right.tif")));
  std::filesystem::remove(scratch / "out.tif");
  const Ended closed = in_shell("\"$1\" label \"$2\" -o \"$3\"/out.tif --quiet --json - >&-", input, scratch);
  CHECK(closed.code == 74);
  CHECK(closed.err == "gpuccl: standard output: cannot write: bad file descriptor\n");
  CHECK(!std::filesystem::exists(scratch / "out.tif"));
}

TEST_CASE("foreign JSON next to a label image is not replaced by a report by default") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), sidecar = "{\"pixel_size_um\": 0.25}";
  const std::string output = scratch / "out.tif", report = scratch / "out.json";
  for (const std::string& foreign : {sidecar, std::string(13, '\n') + sidecar,
                                     "// from the microscope\n" + sidecar, std::string("text")}) {
    write_file(report, foreign);
    fails({"label", input, "-o", output}, 73, "out.json: exists and is not a report of gpuccl");
    CHECK(read_file(report) == foreign);
    CHECK(!std::filesystem::exists(output));
  }
  write_file(report, sidecar);
  const Ended batch = gpuccl({"label", input, "-o", scratch.path().string() + "/", "--format", "npy"});
  CHECK(batch.code == 0);
  std::filesystem::copy_file(report, scratch / "in.json", std::filesystem::copy_options::overwrite_existing);
  CHECK(gpuccl({"label", input, "-o", scratch.path().string() + "/", "--format", "npy"}).code == 73);
  CHECK(read_file(scratch / "in.json") == sidecar);
  succeeds({"label", input, "-o", output, "--overwrite"});
  write_file(report, "");  // as mktemp leaves it
  succeeds({"label", input, "-o", output});
  write_file(report, sidecar);
  succeeds({"label", input, "-o", output, "--json", report});
  succeeds({"label", input, "-o", output});  // over a report of ours
  CHECK(Json::parse(read_file(report))["labeling"]["components"] == 2);
}

TEST_CASE("a report does not stay next to a label image of a later run") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), output = scratch / "out.tif", report = scratch / "out.json";
  const Words elsewhere[] = {{"--json", scratch / "other.json"},
                             {"--json", "-"},
                             {"--json", "/dev/null", "--stats", scratch / "t.csv"}};
  for (const Words& more : elsewhere) {
    const Words words = joined({"label", input, "-o", output, "-c", "4"}, more);
    CAPTURE(more.back());
    succeeds({"label", input, "-o", output});
    REQUIRE(std::filesystem::exists(report));
    Words fails = words;
    fails[1] = scratch / "missing.png";
    CHECK(gpuccl(fails).code == 66);
    CHECK(std::filesystem::exists(report));
    succeeds(words);
    CHECK(!std::filesystem::exists(report));
    // Files of other programs are kept.
    succeeds({"label", input, "--json", report});
    succeeds(words);
    CHECK(std::filesystem::exists(report));
    write_file(report, "{\"pixel_size_um\": 0.25}");
    succeeds(words);
    CHECK(read_file(report) == "{\"pixel_size_um\": 0.25}");
    std::filesystem::remove(report);
  }
  succeeds({"label", input, "-o", output, "--json", report});
  succeeds({"label", input, "-o", output, "--json", scratch.path().string() + "/./out.json", "-c", "4"});
  CHECK(Json::parse(read_file(report))["options"] == "-c 4");
}

TEST_CASE("a foreign table is not replaced, and text is not written to a name of another format") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), table = scratch / "t.csv";
  write_file(table, "name,weight\na,1\n");
  fails({"label", input, "--stats", table}, 73,
        "t.csv: exists and is not a table of gpuccl; move it, or add --overwrite");
  const Ended batch = gpuccl({"label", input, "--stats", table, "--jobs", "1"});
  CHECK(batch.code == 73);
  CHECK(batch.err.find("t.csv: exists and is not a table of gpuccl") != std::string::npos);
  CHECK(read_file(table) == "name,weight\na,1\n");
  succeeds({"label", input, "--stats", table, "--overwrite"});
  succeeds({"label", input, "--stats", table});  // over a table of ours
  CHECK(read_file(table).starts_with("label,area,"));
  for (const char* name : {"o.json", "o.XLSX", "o.parquet"})
    fails({"label", input, "--stats", scratch / name}, 64, "has the wrong extension; use .csv");
  fails({"label", input, "--json", scratch / "o.csv"}, 64, "has the wrong extension; use .json");
  succeeds({"label", input, "--stats", scratch / "table", "--json", scratch / "notes.txt"});
  succeeds({"label", input, "--preview", scratch / "P.PNG"});
}

TEST_CASE("descriptors that the caller has not opened are refused, those that are open are written to") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), right = scratch / "right.tif";
  succeeds({"label", input, "-o", right});
  // Any number that the label image gets while it has no name; a shell may have a 10 of its own.
  for (int descriptor = 3; descriptor < 10; ++descriptor)
    for (const std::string option : {"--json", "--stats"}) {
      CAPTURE(descriptor, option);
      // The caller of the tests may have left it open.
      const std::string number = std::to_string(descriptor), close = "exec " + number + ">&-; ";
      const Ended closed = in_shell(
          close + "\"$1\" label \"$2\" -o \"$3\"/out.tif " + option + " /dev/fd/" + number, input, scratch);
      CHECK(closed.code == 73);
      CHECK(closed.err.find("descriptor " + number + " cannot be written to") != std::string::npos);
      CHECK(!std::filesystem::exists(scratch / "out.tif"));
    }
  const std::string both = "\"$1\" label \"$2\" -o \"$3\"/out.tif --json /dev/fd/5 --stats /dev/fd/6 ";
  CHECK(in_shell(both + "5>\"$3\"/report 6>\"$3\"/table", input, scratch).code == 0);
  CHECK(read_file(scratch / "out.tif") == read_file(right));
  CHECK(Json::parse(read_file(scratch / "report"))["labeling"]["components"] == 2);
  CHECK(read_file(scratch / "table").starts_with("label,area,"));
  const std::string batch =
      "\"$1\" label \"$2\" -o \"$3\"/batch/ --report /dev/fd/5 --stats /dev/fd/6 --quiet ";
  CHECK(in_shell(batch, input, scratch).code == 73);
  CHECK(in_shell(batch + "5>\"$3\"/lines", input, scratch).code == 73);
  CHECK(in_shell(batch + "5>\"$3\"/lines 6>\"$3\"/table", input, scratch).code == 0);
  CHECK(Json::parse(read_file(scratch / "lines"))["status"] == "labeled");
  CHECK(read_file(scratch / "table").starts_with("file,label,area,"));
}

TEST_CASE("a folder in the place of an output or of a default report is refused") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch);
  REQUIRE(::mkfifo((scratch / "out.json").c_str(), 0600) == 0);
  fails({"label", input, "-o", scratch / "out.tif"}, 73, "out.json: cannot create: is not a regular file");
  std::filesystem::create_directory(scratch / "out");
  for (const char* name : {"in.tiff", "in.json", "in.csv", "in.png"})
    for (const std::string target : {"/proc/self/fd/5", "/dev/stdout", "../out.json"}) {
      CAPTURE(name, target);
      std::filesystem::create_symlink(target, scratch / "out/" + name);
      const Ended ended = in_shell(
          "\"$1\" label \"$2\" -o \"$3\"/out/ --stats-dir \"$3\"/out --preview-dir \"$3\"/out 5>\"$3\"/five",
          input, scratch);
      CHECK(ended.code == 73);
      CHECK(ended.out == "");
      CHECK(read_file(scratch / "five") == "");
      CHECK(count_entries(scratch / "out") == 1);
      std::filesystem::remove(scratch / "out/" + name);
    }
}

TEST_CASE("a pipe whose reader has gone ends the program by SIGPIPE, without a word and before any file") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), out = scratch / "out.tif";
  const auto ends = [&](const Words& words) {
    Command command = gpuccl_command(words);
    command.prepare = [] {
      int pipe[2];
      if (::pipe(pipe) != 0 || ::dup2(pipe[1], STDOUT_FILENO) < 0) ::_exit(125);
      ::close(pipe[0]);
      ::close(pipe[1]);
    };
    const Ended ended = run(command);
    CAPTURE(words.back());
    CHECK(ended.signal == SIGPIPE);
    CHECK(ended.err == "");
    CHECK(count_entries(scratch.path()) == 1);
  };
  ends({"label", input, "-o", out, "--stats", "-"});
  ends({"label", input, "-o", out, "--json", "-"});
  ends({"list"});
  ends({"label", input, "--stats", "-", "--jobs", "1"});
}

TEST_CASE("option --progress shows the current step") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch);
  const Ended ended = gpuccl({"label", input, "-o", scratch / "out.tif", "--progress"});
  CHECK(ended.code == 0);
  CHECK(ended.err ==
        "gpuccl: " + input + ": reading\ngpuccl: " + input + ": labeling\ngpuccl: " + input + ": writing\n");
}

TEST_CASE("on a terminal one line sums up; --quiet silences it") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch);
  const std::string said = said_on_terminal({"label", input, "-o", scratch / "out.tif"});
  CHECK(said.starts_with("gpuccl: " + input + ": 2 components (8-connectivity, runs on "));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  CHECK(said_on_terminal({"label", input, "-o", scratch / "out.tif", "--quiet"}) == "");
  CHECK(said_on_terminal({"label", input, "-o", scratch / "out.tif", "--progress"}).find("\r\x1b[K") !=
        std::string::npos);
}

TEST_CASE("memory for outlines is that of one large component, however many threads there are") {
  // A comb of 60,000 runs, and 600 dots. Outlines of 256 components are made at a time.
  constexpr std::size_t kWidth = 600, kTeeth = 200;
  std::string pixels(kWidth, '\1');
  const auto add_row = [&](bool is_background) {
    for (std::size_t x = 0; x < kWidth; ++x) pixels += static_cast<char>(is_background ? 0 : x % 2);
  };
  for (std::size_t i = 0; i < kTeeth; ++i) add_row(false);
  for (const bool is_background : {true, false, true, false}) add_row(is_background);
  const ScratchFolder scratch;
  const std::string input = scratch / "comb.pgm";
  write_file(input, "P5 600 205 1\n" + pixels);
  for (const char* threads : {"1", "8"})
    succeeds({"label", input, "--outlines", scratch / "comb.geojson", "--memory", "40M", "--threads", threads,
              "--quiet"});
}

TEST_CASE("a report that would be replaced by outlines is named as one") {
  const ScratchFolder scratch;
  const std::string input = source_file("data/page.png"), path = scratch / "o.json";
  succeeds({"label", input, "-o", scratch / "o.tif", "--quiet"});
  fails({"label", input, "--outlines", path, "--quiet"}, 73,
        "o.json: exists and is a report of gpuccl; set another name with --outlines, or add --overwrite");
  fails({"label", input, "-o", scratch / "o.tif", "--outlines", path, "--quiet"}, 64,
        "o.json: is the name of two outputs, --outlines and the report of -o; set another one with --json");
  CHECK(Json::parse(read_file(path))["output"]["path"] == scratch / "o.tif");
}

TEST_CASE("outlines that gpuccl did not write stay, and others are replaced") {
  const ScratchFolder scratch;
  for (const std::string name : {"mine.geojson", "mine.json"}) {
    CAPTURE(name);
    const std::string path = scratch / name;
    write_file(path, R"({"type":"FeatureCollection","features":[]})");
    const Words words = {"label", source_file("data/page.png"), "--outlines", path, "--quiet"};
    fails(words, 73, "was not written by gpuccl; move it, or add --overwrite");
    CHECK(read_file(path).size() == 42);  // as it was
    succeeds(joined(words, {"--overwrite"}));
    CHECK(read_file(path).size() > 42);
    succeeds(words);
  }
}

}  // namespace
}  // namespace gpuccl
