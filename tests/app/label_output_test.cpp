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

namespace fs = std::filesystem;

/// A folder with an image of two components, in.png.
struct Outputs : WorkFolder {
  Outputs() { save(*this / "in.png", tests::drawn(Words{"#.#", "..#"}).view()); }
  /// Replaces the image by one with more components than 16 bits can number.
  void use_many_components() const { save(*this / "in.png", tests::generated("dots", {512, 512, 1}).view()); }
  bool exists(const std::string& name) const { return fs::exists(*this / name); }
  std::size_t entries(const std::string& name = "") const { return count_entries(*this / name); }
  /// A shell does `script` here, in which `gpuccl` is the program.
  Ended shell(const std::string& script) const {
    Command shell = command("");
    shell.words = {"sh", "-c", "gpuccl() { \"$0\" \"$@\"; }; " + script, GPUCCL_PROGRAM};
    return run(shell);
  }
};

int tiff_tag(const std::string& path, std::uint32_t tag) {
  TIFF* tiff = ::TIFFOpen(path.c_str(), "r");
  REQUIRE(tiff != nullptr);
  std::uint16_t value = 0;
  ::TIFFGetFieldDefaulted(tiff, tag, &value);
  ::TIFFClose(tiff);
  return value;
}

TEST_CASE_METHOD(Outputs, "32-bit labels chosen by the program come with one warning") {
  use_many_components();
  const Ended ended = ends("label in.png -o out.tif", 0, {});
  CHECK(ended.err.starts_with("gpuccl: warning: out.tif: "));
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  CHECK(tiff_tag(*this / "out.tif", TIFFTAG_BITSPERSAMPLE) == 32);
  succeeds("label in.png -o out.tif --label-type u32");
  succeeds("label in.png -o out.npy");
}

TEST_CASE_METHOD(Outputs, "option --json names the report, - prints it, a device takes it") {
  succeeds("label in.png --json r.json");
  CHECK(entries() == 2);
  const Json report = Json::parse(read("r.json"));
  CHECK(report["labeling"]["components"] == 2);
  CHECK(succeeds("label in.png --json /dev/null") == "");
  CHECK(json("label in.png")["components"] == report["components"]);
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE_METHOD(Outputs, "outputs to a stream replace nothing") {
  const std::string table = succeeds("label in.png --stats -");
  CHECK(table.starts_with("label,area,"));
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"}) {
    CAPTURE(name);
    fs::remove(*this / "link");
    fs::create_symlink("/dev/stdout", *this / "link");
    write("log", "kept\n");
    const std::string label = "{ gpuccl label in.png --stats " + name + "; echo done; }";
    CHECK(shell(label + " >>log").code == 0);
    CHECK(read("log") == "kept\n" + table + "done\n");
    CHECK(shell(label + " | cat").out == table + "done\n");
  }
  CHECK(shell("gpuccl label in.png --json /dev/stdout >>log && head -n 1 log").out == "kept\n");
  // Two texts in one stream could not be told apart, by whatever names.
  for (const std::string name : {"-", "/dev/stdout", "/dev/fd/1"})
    CHECK(ends("label in.png --stats /dev/stdout --json " + name, 64, {"only one of -o, --json, --stats"})
              .out == "");
  // A label image cannot be a stream: where it goes is known when it is complete.
  CHECK(shell("gpuccl label in.png -o x.tif >>log").code == 0);
  fs::create_symlink("/dev/stdout", *this / "out.tif");
  const Ended image = shell("gpuccl label in.png -o out.tif >>log");
  CHECK(image.code == 73);
  CHECK(image.err.ends_with("out.tif: cannot create: is a stream, not a file\n"));
  CHECK(read("log").starts_with("kept\n"));
}

TEST_CASE_METHOD(Outputs, "a label image on standard output is the .npy file") {
  succeeds("label in.png -o l.npy");
  for (const char* more : {"", " --memory 1M", " --no-clobber --json r.json", " --overwrite --stats s.csv"})
    CHECK(succeeds("label in.png -o -" + std::string(more)) == read("l.npy"));
  CHECK(Json::parse(read("r.json"))["output"]["path"] == "-");
  write("bad.png", "no image");
  fails("label bad.png -o -", 65, "");
  fails("label in.png -o - --json -", 64, "only one of -o, --json");
  fails("label in.png in.png -o -", 64, "several inputs need an output folder");
  fails("label in.png -o - --part 1/2 --parts-dir p", 64, "cannot be an output");
  fails("label in.png -o - --compress lzw", 64, "--compress is for TIFF");
}

TEST_CASE_METHOD(Outputs, "descriptors that are closed are not taken for outputs") {
  use_many_components();  // which is warned of
  succeeds("label in.png -o right.tif --quiet");
  CHECK(shell("gpuccl label in.png -o out.tif <&- >&- 2>&-").code == 0);
  CHECK((read("out.tif") == read("right.tif")));
  fs::remove(*this / "out.tif");
  const Ended closed = shell("gpuccl label in.png -o out.tif --quiet --json - >&-");
  CHECK(closed.code == 74);
  CHECK(closed.err == "gpuccl: standard output: cannot write: bad file descriptor\n");
  CHECK(!exists("out.tif"));
}

TEST_CASE_METHOD(Outputs, "foreign JSON next to a label image is not replaced by a report by default") {
  const std::string sidecar = "{\"pixel_size_um\": 0.25}", label = "label in.png -o out.tif";
  for (const std::string& foreign : {std::string(13, '\n') + sidecar, "// from the microscope\n" + sidecar,
                                     std::string("text"), sidecar}) {
    write("out.json", foreign);
    fails(label, 73, "out.json: exists and is not a report of gpuccl");
    CHECK(read("out.json") == foreign);
    CHECK(!exists("out.tif"));
  }
  CHECK(type("label in.png -o ./ --format npy").code == 0);
  write("in.json", sidecar);
  CHECK(type("label in.png -o ./ --format npy").code == 73);
  CHECK(read("in.json") == sidecar);
  succeeds(label + " --overwrite");
  write("out.json", "");  // as mktemp leaves it
  succeeds(label);
  write("out.json", sidecar);
  succeeds(label + " --json out.json");
  succeeds(label);  // over a report of ours
  CHECK(Json::parse(read("out.json"))["labeling"]["components"] == 2);
}

TEST_CASE_METHOD(Outputs, "a report does not stay next to a label image of a later run") {
  const std::string label = "label in.png -o out.tif", sidecar = "{\"pixel_size_um\": 0.25}";
  for (const std::string more : {"--json other.json", "--json -", "--json /dev/null --stats t.csv"}) {
    CAPTURE(more);
    succeeds(label);
    REQUIRE(exists("out.json"));
    CHECK(type("label missing.png -o out.tif -c 4 " + more).code == 66);
    CHECK(exists("out.json"));
    succeeds(label + " -c 4 " + more);
    CHECK(!exists("out.json"));
    // Files of other programs are kept.
    succeeds("label in.png --json out.json");
    succeeds(label + " -c 4 " + more);
    CHECK(exists("out.json"));
    write("out.json", sidecar);
    succeeds(label + " -c 4 " + more);
    CHECK(read("out.json") == sidecar);
    fs::remove(*this / "out.json");
  }
  succeeds(label + " --json out.json");
  succeeds(label + " --json ./out.json -c 4");
  CHECK(Json::parse(read("out.json"))["options"] == "-c 4");
}

TEST_CASE_METHOD(Outputs,
                 "a foreign table is not replaced, and text is not written to a name of another format") {
  write("t.csv", "name,weight\na,1\n");
  for (const char* more : {"", " --jobs 1"})
    fails("label in.png --stats t.csv" + std::string(more), 73,
          "t.csv: exists and is not an earlier version of this table; move it, or add --overwrite");
  CHECK(read("t.csv") == "name,weight\na,1\n");
  succeeds("label in.png --stats t.csv --overwrite");
  succeeds("label in.png --stats t.csv");  // over a table of ours
  CHECK(read("t.csv").starts_with("label,area,"));
  for (const std::string name : {"o.json", "o.XLSX", "o.parquet"})
    fails("label in.png --stats " + name, 64, "has the wrong extension; use .csv");
  fails("label in.png --json o.csv", 64, "has the wrong extension; use .json");
  succeeds("label in.png --stats table --json notes.txt");
  succeeds("label in.png --preview P.PNG");
}

TEST_CASE_METHOD(
    Outputs, "descriptors that the caller has not opened are refused, those that are open are written to") {
  succeeds("label in.png -o right.tif");
  // Any number that the label image gets while it has no name; a shell may have a 10 of its own.
  for (int descriptor = 3; descriptor < 10; ++descriptor)
    for (const std::string option : {"--json", "--stats"}) {
      CAPTURE(descriptor, option);
      // The caller of the tests may have left it open.
      const std::string number = std::to_string(descriptor);
      const Ended closed =
          shell("exec " + number + ">&-; gpuccl label in.png -o out.tif " + option + " /dev/fd/" + number);
      CHECK(closed.code == 73);
      CHECK(has(closed.err, "descriptor " + number + " cannot be written to"));
      CHECK(!exists("out.tif"));
    }
  CHECK(shell("gpuccl label in.png -o out.tif --json /dev/fd/5 --stats /dev/fd/6 5>report 6>table").code ==
        0);
  CHECK(read("out.tif") == read("right.tif"));
  CHECK(Json::parse(read("report"))["labeling"]["components"] == 2);
  CHECK(read("table").starts_with("label,area,"));
  const std::string batch = "gpuccl label in.png -o batch/ --report /dev/fd/5 --stats /dev/fd/6 --quiet ";
  CHECK(shell(batch).code == 73);
  CHECK(shell(batch + "5>lines").code == 73);
  CHECK(shell(batch + "5>lines 6>table").code == 0);
  CHECK(Json::parse(read("lines"))["status"] == "labeled");
  CHECK(read("table").starts_with("file,label,area,"));
}

TEST_CASE_METHOD(Outputs, "a folder in the place of an output or of a default report is refused") {
  REQUIRE(::mkfifo((*this / "out.json").c_str(), 0600) == 0);
  fails("label in.png -o out.tif", 73, "out.json: cannot create: is not a regular file");
  make_folders({"out"});
  for (const std::string name : {"out/in.tiff", "out/in.json", "out/in.csv", "out/in.png"})
    for (const std::string target : {"/proc/self/fd/5", "/dev/stdout", "../out.json"}) {
      CAPTURE(name, target);
      fs::create_symlink(target, *this / name);
      const Ended ended = shell("gpuccl label in.png -o out/ --stats-dir out --preview-dir out 5>five");
      CHECK(ended.code == 73);
      CHECK(ended.out == "");
      CHECK(read("five") == "");
      CHECK(entries("out") == 1);
      fs::remove(*this / name);
    }
}

TEST_CASE_METHOD(Outputs,
                 "a pipe whose reader has gone ends the program by SIGPIPE, silently and before any file") {
  for (const char* words : {"label in.png -o out.tif --stats -", "label in.png -o out.tif --json -", "list",
                            "label in.png --stats - --jobs 1"}) {
    Command piped = command(words);
    piped.prepare = [in_folder = piped.prepare] {
      in_folder();
      int pipe[2];
      if (::pipe(pipe) != 0 || ::dup2(pipe[1], STDOUT_FILENO) < 0) ::_exit(125);
      ::close(pipe[0]);
      ::close(pipe[1]);
    };
    const Ended ended = run(piped);
    CAPTURE(words);
    CHECK(ended.signal == SIGPIPE);
    CHECK(ended.err == "");
    CHECK(entries() == 1);
  }
}

TEST_CASE_METHOD(
    Outputs, "option --progress shows the current step, a terminal one line that sums up, --quiet neither") {
  CHECK(ends("label in.png -o out.tif --progress", 0, {}).err ==
        "gpuccl: in.png: reading\ngpuccl: in.png: labeling\ngpuccl: in.png: writing\n");
  const Words words = {"label", *this / "in.png", "-o", *this / "out.tif"};
  const std::string said = said_on_terminal(words);
  CHECK(said.starts_with("gpuccl: " + *this / "in.png" + ": 2 components (8-connectivity, runs on "));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  CHECK(said_on_terminal(joined(words, {"--quiet"})) == "");
  CHECK(has(said_on_terminal(joined(words, {"--progress"})), "\r\x1b[K"));
}

TEST_CASE_METHOD(Outputs,
                 "memory for outlines is that of one large component, however many threads there are") {
  // A comb of 60,000 runs, and 600 dots. Outlines of 256 components are made at a time.
  std::string pixels(600, '\1');
  for (int y = 0; y < 204; ++y)
    for (int x = 0; x < 600; ++x) pixels += static_cast<char>(y == 200 || y == 202 ? 0 : x % 2);
  write("comb.pgm", "P5 600 205 1\n" + pixels);
  for (const char* threads : {"1", "8"})
    succeeds("label comb.pgm --outlines comb.geojson --memory 40M --quiet --threads " + std::string(threads));
}

TEST_CASE_METHOD(Outputs, "outlines replace only outlines of gpuccl, and a report is named as one") {
  succeeds("label in.png -o o.tif --quiet");
  fails("label in.png --outlines o.json --quiet", 73,
        "o.json: exists and is a report of gpuccl; set another name with --outlines, or add --overwrite");
  fails("label in.png -o o.tif --outlines o.json --quiet", 64,
        "o.json: is the name of two outputs, --outlines and the report of -o; set another one with --json");
  CHECK(Json::parse(read("o.json"))["output"]["path"] == "o.tif");
  for (const std::string name : {"mine.geojson", "mine.json"}) {
    CAPTURE(name);
    const std::string mine = R"({"type":"FeatureCollection","features":[]})";
    write(name, mine);
    const std::string words = "label in.png --quiet --outlines " + name;
    fails(words, 73, "was not written by gpuccl; move it, or add --overwrite");
    CHECK(read(name) == mine);
    succeeds(words + " --overwrite");
    CHECK(read(name).size() > mine.size());
    succeeds(words);
  }
}

}  // namespace
}  // namespace gpuccl
