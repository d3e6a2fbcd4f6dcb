#include <tiffio.h>

#include <algorithm>
#include <filesystem>

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

// What is written, and what is said.
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

TEST_CASE("the extension of the output is its format") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch);
  const std::string magic[][2] = {
      {"a.tif", "II"}, {"a.tiff", "II"}, {"a.png", "\x89PNG"}, {"a.npy", "\x93NUMPY"}};
  for (const auto& [name, start] : magic) {
    succeeds({"label", input, "-o", scratch / name});
    CHECK(read_file(scratch / name).starts_with(start));
    CHECK(labels_in(scratch / name) == "1 0 2/0 0 2");
  }
  fails({"label", input, "-o", scratch / "a.jpg"}, 64, "a.jpg: ");
  fails({"label", input, "-o", scratch / "a"}, 64, "/a: ");
}

TEST_CASE("--label-type sets the type of the samples") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), output = scratch / "out.tif";
  const auto bits = [&](const char* type) {
    succeeds({"label", input, "-o", output, "--label-type", type});
    CHECK(Json::parse(read_file(scratch / "out.json"))["labeling"]["label_type"] ==
          (std::string(type) == "auto" ? "u16" : type));
    return tiff_tag(output, TIFFTAG_BITSPERSAMPLE);
  };
  CHECK(bits("auto") == 16);
  CHECK(bits("u8") == 8);
  CHECK(bits("u16") == 16);
  CHECK(bits("u32") == 32);
}

TEST_CASE("labels that do not fit are refused, and an old output stays") {
  const ScratchFolder scratch;
  const std::string input = many_components(scratch);
  write_file(scratch / "out.tif", "old");
  write_file(scratch / "out.png", "old");
  fails({"label", input, "-o", scratch / "out.tif", "--label-type", "u16"}, 65, "out.tif: ");
  fails({"label", input, "-o", scratch / "out.png"}, 65, "out.png: ");
  fails({"label", input, "-o", scratch / "out.png", "--label-type", "u32"}, 64, "out.png: ");
  CHECK(read_file(scratch / "out.tif") == "old");
  CHECK(read_file(scratch / "out.png") == "old");
  CHECK(count_entries(scratch.path()) == 3);
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

TEST_CASE("--compress sets the compression of a TIFF") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch);
  const std::pair<const char*, int> schemes[] = {
      {"none", COMPRESSION_NONE}, {"lzw", COMPRESSION_LZW}, {"packbits", COMPRESSION_PACKBITS}};
  for (const auto& [name, scheme] : schemes) {
    succeeds({"label", input, "-o", scratch / "out.tif", "--compress", name});
    CHECK(tiff_tag(scratch / "out.tif", TIFFTAG_COMPRESSION) == scheme);
    CHECK(labels_in(scratch / "out.tif") == "1 0 2/0 0 2");
  }
  succeeds({"label", input, "-o", scratch / "out.tif", "--compress", "deflate"});
  succeeds({"label", input, "-o", scratch / "default.tif"});
  CHECK(read_file(scratch / "out.tif") == read_file(scratch / "default.tif"));
  if (::TIFFIsCODECConfigured(COMPRESSION_ZSTD) != 0) {
    succeeds({"label", input, "-o", scratch / "out.tif", "--compress", "zstd"});
    CHECK(tiff_tag(scratch / "out.tif", TIFFTAG_COMPRESSION) == COMPRESSION_ZSTD);
  }
  fails({"label", input, "-o", scratch / "out.png", "--compress", "lzw"}, 64, "TIFF");
}

TEST_CASE("--bigtiff asks for offsets of 64 bits") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), output = scratch / "out.tif";
  const auto version = [&] { return int{read_file(output).at(2)}; };
  succeeds({"label", input, "-o", output});
  CHECK(version() == 42);
  for (const char* given : {"auto", "no"}) {
    succeeds({"label", input, "-o", output, "--bigtiff", given});
    CHECK(version() == 42);
  }
  succeeds({"label", input, "-o", output, "--bigtiff", "yes"});
  CHECK(version() == 43);
  CHECK(labels_in(output) == "1 0 2/0 0 2");
  fails({"label", input, "-o", scratch / "out.png", "--bigtiff", "yes"}, 64, "TIFF");
  fails({"label", input, "--json", "-", "--bigtiff", "yes"}, 64, "need a label image");
}

TEST_CASE("--stats writes a table, --preview a picture, also without a label image") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch);
  CHECK(succeeds({"label", input, "--stats", scratch / "t.csv", "--preview", scratch / "p.png"}) == "");
  CHECK(count_entries(scratch.path()) == 3);
  const std::string table = read_file(scratch / "t.csv");
  CHECK(table.starts_with("label,area,x0,y0,x1,y1,cx,cy\n1,1,0,0,0,0,0,0\n2,2,2,0,2,1,2,0.5\n"));
  CHECK(read_file(scratch / "p.png").starts_with("\x89PNG"));
  succeeds({"label", input, "--preview", scratch / "p.PNG"});
  CHECK(read_file(scratch / "p.PNG") == read_file(scratch / "p.png"));
  fails({"label", input, "--preview", scratch / "p.jpg"}, 64, "p.jpg: ");
}

TEST_CASE("--json names the report, - prints it, a device takes it") {
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

TEST_CASE("what goes to a stream is written to it, and replaces nothing") {
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
  // A label image cannot be a stream: where it goes is known when it is complete.
  const Ended refused = in_shell("\"$1\" label \"$2\" -o \"$3\"/x.tif >>\"$3\"/log", input, scratch);
  CHECK(refused.code == 0);
  std::filesystem::create_symlink("/dev/stdout", scratch / "out.tif");
  const Ended image = in_shell("\"$1\" label \"$2\" -o \"$3\"/out.tif >>\"$3\"/log", input, scratch);
  CHECK(image.code == 73);
  CHECK(image.err.ends_with("out.tif: cannot create: is a stream, not a file\n"));
  CHECK(read_file(scratch / "log").starts_with("kept\n"));
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

TEST_CASE("somebody else's JSON beside a label image is not replaced by a report nobody asked for") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch), sidecar = "{\"pixel_size_um\": 0.25}";
  const std::string output = scratch / "out.tif", report = scratch / "out.json";
  write_file(report, sidecar);
  fails({"label", input, "-o", output}, 73, "out.json: exists and is no report of gpuccl");
  CHECK(read_file(report) == sidecar);
  CHECK(!std::filesystem::exists(output));
  const Ended batch = gpuccl({"label", input, "-o", scratch.path().string() + "/", "--format", "npy"});
  CHECK(batch.code == 0);
  std::filesystem::copy_file(report, scratch / "in.json", std::filesystem::copy_options::overwrite_existing);
  CHECK(gpuccl({"label", input, "-o", scratch.path().string() + "/", "--format", "npy"}).code == 73);
  CHECK(read_file(scratch / "in.json") == sidecar);
  succeeds({"label", input, "-o", output, "--json", report});
  succeeds({"label", input, "-o", output});  // over a report of ours
  CHECK(Json::parse(read_file(report))["labeling"]["components"] == 2);
}

TEST_CASE("--no-clobber keeps what is there, --overwrite does not") {
  const ScratchFolder scratch;
  const std::string input = small_image(scratch);
  write_file(scratch / "out.json", "old");
  fails({"label", input, "-o", scratch / "out.tif", "--no-clobber"}, 73, "out.json: exists");
  CHECK(read_file(scratch / "out.json") == "old");
  CHECK(count_entries(scratch.path()) == 2);
  succeeds({"label", input, "-o", scratch / "out.tif", "--overwrite"});
  CHECK(read_file(scratch / "out.json") != "old");
  succeeds({"label", input, "-o", scratch / "new.tif", "--no-clobber", "--no-fsync"});
  CHECK(read_file(scratch / "new.tif") == read_file(scratch / "out.tif"));
  fails({"label", input, "-o", scratch / "out.tif", "--no-clobber", "--overwrite"}, 64, "excludes");
}

TEST_CASE("--progress says what is being done") {
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

}  // namespace
}  // namespace gpuccl
