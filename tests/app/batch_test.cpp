#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <regex>

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/test.hpp"

// Several inputs in one process.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

/// Saves noise, of another seed for another name, and makes the folders it needs.
std::string add_image(const std::string& path, Extent extent = {40, 30, 1}) {
  fs::create_directories(fs::path(path).parent_path());
  const auto seed = static_cast<std::uint32_t>(std::hash<std::string>()(fs::path(path).filename().string()));
  return save(path, tests::random_image(extent, 0.4, 1, seed).view());
}

/// All regular files below a folder, by their names relative to it, with what they hold. Reports are left
/// out: they hold times.
std::map<std::string, std::string> files_below(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] =
          entry.path().extension() == ".json" ? "" : read_file(entry.path().string());
  return files;
}

std::set<std::string> names_below(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& [name, content] : files_below(folder)) names.insert(name);
  return names;
}

std::vector<Json> lines_of(const std::string& report) {
  std::vector<Json> lines;
  std::istringstream text(read_file(report));
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

/// The last line on standard error.
std::string summary(const Ended& ended) {
  const std::size_t end = ended.err.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t before = ended.err.rfind('\n', end);
  return ended.err.substr(before + 1, end - before);
}

TEST_CASE("names of outputs mirror those of inputs") {
  const ScratchFolder scratch;
  add_image(scratch / "in/page2.png");
  add_image(scratch / "in/page10.tif");
  add_image(scratch / "in/more/deep/a.b.png");
  add_image(scratch / "in/.hidden.png");
  add_image(scratch / "elsewhere/single.png");
  write_file(scratch / "in/notes.txt", "no image");
  const std::string out = scratch / "out/";

  const Ended flat = gpuccl({"label", scratch / "in", scratch / "elsewhere/single.png", "-o", out});
  CHECK(flat.code == 0);
  CHECK(names_below(out) == std::set<std::string>{"page2.tiff", "page2.json", "page10.tiff", "page10.json",
                                                  "single.tiff", "single.json"});
  CHECK(flat.err.find("in: 1 file skipped: not an image by its extension") != std::string::npos);
  CHECK(flat.err.find("1 folder ignored; add --recursive") != std::string::npos);
  CHECK(summary(flat) == "gpuccl: 3 of 3 labeled");

  // The folder of outputs lies in the folder of inputs and is no input.
  const std::string inside = scratch / "in/labels";
  const Words words = {
      "label", scratch / "in", "--recursive",       "-o",          inside + "/",       "--format",
      "npy",   "--json-dir",   scratch / "reports", "--stats-dir", scratch / "tables", "--quiet"};
  succeeds(words);
  succeeds(words);
  CHECK(names_below(inside) == std::set<std::string>{"page2.npy", "page10.npy", "more/deep/a.b.npy"});
  CHECK(names_below(scratch / "reports") ==
        std::set<std::string>{"page2.json", "page10.json", "more/deep/a.b.json"});
  // One table is enough to make a folder a batch.
  succeeds({"label", scratch / "in/more/deep", "--stats", scratch / "deep.csv", "--quiet"});
  CHECK(read_file(scratch / "deep.csv").starts_with("file,label,"));
  CHECK(names_below(scratch / "tables") ==
        std::set<std::string>{"page2.csv", "page10.csv", "more/deep/a.b.csv"});
}

TEST_CASE("a batch continues after failures, and its report lists the outcome of each input in order") {
  const ScratchFolder scratch;
  for (const char* name : {"1", "2", "3"}) add_image(scratch / (std::string("in/") + name + ".png"));
  write_file(scratch / "in/2a.png", "no image");
  write_file(scratch / "list", (scratch / "in") + "\r\n\n" + (scratch / "missing.png") + "\n");
  const Ended ended =
      gpuccl({"label", "@" + (scratch / "list"), "-o", scratch / "out/", "--report", scratch / "run.jsonl",
              "--stats", scratch / "all.csv", "--summary", scratch / "inputs.csv"});
  CHECK(ended.code == 1);
  CHECK(ended.err.find("gpuccl: " + (scratch / "in/2a.png") + ": is not in a supported format") !=
        std::string::npos);
  CHECK(ended.err.find("gpuccl: " + (scratch / "missing.png") + ": no such file") != std::string::npos);
  CHECK(summary(ended) == "gpuccl: 3 of 5 labeled, 2 failed: 1 bad data (65), 1 missing (66)");

  const std::vector<Json> report = lines_of(scratch / "run.jsonl");
  const std::vector<std::string> inputs = {"in/1.png", "in/2.png", "in/2a.png", "in/3.png", "missing.png"};
  const std::vector<int> codes = {0, 0, 65, 0, 66};
  REQUIRE(report.size() == inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CAPTURE(inputs[i]);
    CHECK(report[i].size() == 7);
    CHECK(report[i]["input"] == scratch / inputs[i]);
    CHECK(report[i]["code"] == codes[i]);
    CHECK(report[i]["status"] == (codes[i] == 0 ? "labeled" : "failed"));
    CHECK(report[i]["error"].is_string() == (codes[i] != 0));
    CHECK(report[i]["seconds"] >= 0);
    if (codes[i] == 0) {
      const Json own = Json::parse(read_file(scratch / ("out/" + inputs[i].substr(3, 1) + ".json")));
      CHECK(report[i]["components"] == own["labeling"]["components"]);
      CHECK(report[i]["device"] == "cpu");
    } else {
      CHECK(report[i]["components"].is_null());
      CHECK(report[i]["device"].is_null());
    }
  }
  std::istringstream of_inputs(read_file(scratch / "inputs.csv"));
  std::string line;
  std::getline(of_inputs, line);
  const auto cells = std::count(line.begin(), line.end(), ',');
  for (std::size_t i = 0; std::getline(of_inputs, line); ++i) {
    CHECK(line.starts_with(scratch / inputs.at(i) + ","));
    CHECK(line.find("labeled") == std::string::npos);
    if (codes[i] == 0) continue;
    CHECK(line.starts_with(scratch / inputs[i] + ",,,,,,,,,,,,,"));
    CHECK(line.find("failed: " + report[i]["error"].get<std::string>().substr(0, 12)) != std::string::npos);
    if (codes[i] == 66) CHECK(std::count(line.begin(), line.end(), ',') == cells);
  }
  std::istringstream table(read_file(scratch / "all.csv"));
  std::getline(table, line);
  CHECK(line ==
        "file,label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz,area_physical,cx_physical,cy_physical,cz_physical,unit");
  std::vector<std::string> order;
  for (std::map<std::string, std::uint64_t> rows; std::getline(table, line);) {
    const std::string file = line.substr(0, line.find(','));
    if (order.empty() || order.back() != file) order.push_back(file);
    CHECK(line.starts_with(file + "," + std::to_string(++rows[file]) + ","));
  }
  CHECK(order == std::vector<std::string>{scratch / "in/1.png", scratch / "in/2.png", scratch / "in/3.png"});

  // A table of an earlier run is not replaced by one without rows.
  const std::string before = read_file(scratch / "all.csv");
  const Ended failed = gpuccl({"label", scratch / "in/2a.png", scratch / "missing.png", "-o",
                               scratch / "out/", "--stats", scratch / "all.csv"});
  CHECK(failed.code == 1);
  CHECK(failed.err.find("all.csv: unchanged") != std::string::npos);
  CHECK(read_file(scratch / "all.csv") == before);

  // One class of failures is the class of the whole.
  CHECK(gpuccl({"label", scratch / "in", "-o", scratch / "out/"}).code == 65);
  CHECK(gpuccl({"label", scratch / "gone", scratch / "in/1.png", "-o", scratch / "out/"}).code == 66);
}

TEST_CASE("option --summary changes nothing for one input") {
  const ScratchFolder scratch;
  const std::string image = add_image(scratch / "a.png");
  succeeds({"label", image, "-o", scratch / "labels.npy", "--summary", scratch / "s.csv", "--quiet"});
  CHECK(names_below(scratch.path().string()) ==
        std::set<std::string>{"a.png", "labels.json", "labels.npy", "s.csv"});
  CHECK(succeeds({"label", image, "--summary", "-", "--quiet"}) == read_file(scratch / "s.csv"));
  std::filesystem::create_directory(scratch / "in");
  std::filesystem::copy(image, scratch / "in/a.png");
  std::string of_batch = succeeds({"label", scratch / "in", "--summary", "-", "--quiet"});
  of_batch.replace(of_batch.find("in/a.png"), 3, "");
  CHECK(of_batch == read_file(scratch / "s.csv"));
  fails({"label", image, "--stats", scratch / "t.csv", "--summary", scratch / "t.csv"}, 64, "two outputs");
  write_file(scratch / "mine.csv", "a,b\n");
  fails({"label", image, "-o", scratch / "t.npy", "--summary", scratch / "mine.csv"}, 73, "not a table");
  CHECK_FALSE(fs::exists(scratch / "t.npy"));
}

TEST_CASE("files of one stem fail, and the others of their folders are labeled") {
  const ScratchFolder scratch;
  for (const char* name : {"a.png", "a.tif", "b.png", "sub/a.png", "sub/c.png", "sub/c.tif"})
    add_image(scratch / ("in/" + std::string(name)));
  write_file(scratch / "in/sub/c.bmp", "not looked at");
  const Ended ended = gpuccl({"label", scratch / "in", "--recursive", "-o", scratch / "out/", "--report",
                              scratch / "run.jsonl", "--summary", scratch / "s.csv"});
  CHECK(ended.code == 64);
  CHECK(summary(ended) == "gpuccl: 2 of 7 labeled, 5 failed: wrong usage (64)");
  CHECK(ended.err.find("in/a.tif: has the same output as " + (scratch / "in/a.png")) != std::string::npos);
  CHECK(ended.err.find("in/a.png: has the same outputs as " + (scratch / "in/a.tif")) != std::string::npos);
  CHECK(names_below(scratch / "out") ==
        std::set<std::string>{"b.tiff", "b.json", "sub/a.tiff", "sub/a.json"});
  const std::string table = read_file(scratch / "s.csv");
  CHECK(std::count(table.begin(), table.end(), '\n') == 8);
  fails({"label", scratch / "in/a.png", scratch / "in/a.tif", "-o", scratch / "named/"}, 64, "same output");
  CHECK_FALSE(fs::exists(scratch / "named"));
}

TEST_CASE("option --dry-run lists inputs and outputs, and writes nothing") {
  const ScratchFolder scratch;
  for (const char* name : {"1", "2 b"}) add_image(scratch / (std::string("in/") + name + ".png"));
  const std::string in = scratch / "in/", out = scratch / "out/";
  const Words words = {"label",           in,         "-o", out, "--preview-dir", scratch / "seen",
                       "--skip-existing", "--dry-run"};
  const auto lines = [&](const std::string& first_end) {
    return in + "1.png -> " + out + "1.tiff " + scratch / "seen/1.png" + " " + out + "1.json" + first_end +
           "\n'" + in + "2 b.png' -> '" + out + "2 b.tiff' '" + scratch / "seen/2 b.png" + "' '" + out +
           "2 b.json'\n";
  };
  const std::set<std::string> before = names_below(scratch.path());
  CHECK(succeeds(words) == lines(""));
  CHECK(names_below(scratch.path()) == before);
  succeeds({"label", in + "1.png", "-o", out, "--preview-dir", scratch / "seen", "--quiet"});
  CHECK(succeeds(words) == lines(" (done before)"));

  const std::string one = scratch / "one.tiff", report = scratch / "one.json";
  CHECK(succeeds({"label", in + "1.png", "-o", one, "--dry-run"}) ==
        in + "1.png -> " + one + " " + report + "\n");
  CHECK_FALSE(fs::exists(one));
  const std::string movie = save_nrrd(scratch / "movie.nrrd", "uint8", "2 1 1 2", "\1\1\1\1");
  Words of_frames = {"label",          movie, "--frame", "all", "-o", scratch / "frames/", "--quiet",
                     "--skip-existing"};
  succeeds(of_frames);
  of_frames.emplace_back("--dry-run");
  const auto frame = [&](const std::string& number) {
    const std::string name = scratch / ("frames/movie-t000" + number);
    return movie + " --frame " + number + " -> " + name + ".nrrd " + name + ".json (done before)\n";
  };
  CHECK(succeeds(of_frames) == frame("0") + frame("1"));

  const std::string samples = add_image(scratch / "samples/1.png");
  CHECK(
      succeeds({"label", in + "1.png", "-o", one, "--intensity", samples, "--seeds", samples, "--dry-run"}) ==
      in + "1.png --intensity " + samples + " --seeds " + samples + " -> " + one + " " + report + "\n");
  // Joint outputs, in a folder that the run would make and in one that is missing.
  const Words joint = {"label", in, "-o", scratch / "new/", "--dry-run", "--stats", scratch / "new/all.csv"};
  CHECK(succeeds(joint).ends_with("\nall 2 inputs -> " + (scratch / "new/all.csv") + "\n"));
  CHECK(succeeds(joined(joint, {"--report", "-"})).find("run.jsonl") == std::string::npos);
  // Problems are found.
  const auto found = [&](const Words& more, int code, const std::string& problem) {
    const std::set<std::string> there = names_below(scratch.path());
    const Ended ended = gpuccl(joined({"label", "--dry-run"}, more));
    CAPTURE(problem, ended.err);
    CHECK(ended.code == code);
    CHECK(ended.err.find(problem) != std::string::npos);
    CHECK(names_below(scratch.path()) == there);
  };
  write_file(scratch / "foreign.csv", "name,size\n");
  write_file(scratch / "one.json", "{}");
  const std::string missing = scratch / "missing.png", foreign = scratch / "foreign.csv";
  found({missing, "-o", one}, 66, "missing.png: no such file");
  found({in + "1.png", missing, "-o", out}, 66, "missing.png: no such file");
  found({in + "1.png", "-o", one, "--intensity", missing}, 66, "missing.png: no such file");
  found({in + "1.png", "--stats", foreign}, 73, "foreign.csv: exists and is not a table");
  found({in, "-o", out, "--stats", foreign}, 73, "foreign.csv: exists and is not a table");
  found({in, "--summary", foreign}, 73, "foreign.csv: exists and is not a table");
  found({in + "1.png", "-o", one}, 73, "one.json: exists and is not a report");
  found({in + "1.png", "-o", scratch / "none/one.tiff"}, 73, "the folder does not exist");
  found({in, "-o", out, "--report", scratch / "none/run.jsonl"}, 73,
        "none/run.jsonl: cannot create: the folder");
  found({in, "-o", scratch / "one.json/sub/"}, 73, "cannot create the folder (not a directory)");
  write_file(scratch / "seen/2 b.csv", "name,size\n");
  found({in, "--stats-dir", scratch / "seen"}, 73, "2 b.csv: exists and is not a table");

  // A GPU that cannot be used fails each input that can be read, as in the run.
  const std::string absent = scratch / "absent.tif";
  for (const Words& more : {Words{in + "1.png"}, Words{in}, Words{in + "1.png", absent}, Words{absent}}) {
    Words run = joined({"label"}, more);
    run.insert(run.end(), {"-o", scratch / "gpu/", "--device", "cuda", "--stats", scratch / "gpu.csv"});
    const Ended dry = gpuccl(joined(run, {"--dry-run"})), wet = gpuccl(run);
    CAPTURE(dry.err, wet.err);
    CHECK(dry.code == wet.code);
    CHECK((dry.code == 0 || dry.err.find(" has no CUDA; use --device auto") != std::string::npos ||
           dry.err.find("no such file") != std::string::npos));
  }

  add_image(scratch / "in/1.tif");
  CHECK(gpuccl({"label", in, "-o", out, "--dry-run"}).code == 64);  // two inputs with one output
  fails({"label", in + "1.png", "-o", one, "--part", "1/2", "--parts-dir", scratch / "parts", "--dry-run"},
        64, "--part");
}

TEST_CASE("equal errors of a batch are one line with the number and the first paths") {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "in");
  for (int i = 10; i < 30; ++i) write_file(scratch / "in/" + std::to_string(i) + ".png", "no image");
  write_file(scratch / "in/50.png", "");
  const Words words = {"label", scratch / "in", "-o", scratch / "out/"};
  const Ended many = gpuccl(words);
  CHECK(many.code == 65);
  const std::string in = scratch / "in/";
  CHECK(std::count(many.err.begin(), many.err.end(), '\n') == 4);
  CHECK(many.err.find("gpuccl: " + in + "10.png: ") == 0);
  CHECK(many.err.find("the same for 19 more inputs (" + in + "11.png, " + in + "12.png, " + in +
                      "13.png, ...; --report FILE lists all): ") != std::string::npos);
  CHECK(many.err.find(in + "50.png: ") != std::string::npos);
  const Ended dry = gpuccl(joined(words, {"--dry-run"}));
  CHECK(dry.code == 65);
  CHECK(many.err.starts_with(dry.err));  // but for the last line, with the counts
  CHECK(std::count(dry.err.begin(), dry.err.end(), '\n') == 3);
  const Ended reported = gpuccl(joined(words, {"--report", scratch / "run.jsonl"}));
  CHECK(reported.err.find("13.png, ...): ") != std::string::npos);
  CHECK(lines_of(scratch / "run.jsonl").size() == 21);
  for (int i = 13; i < 30; ++i) fs::remove(scratch / "in/" + std::to_string(i) + ".png");
  CHECK(gpuccl(words).err.find("the same for 2 more inputs (" + in + "11.png, " + in + "12.png): ") !=
        std::string::npos);
}

TEST_CASE("pages of time points are their slices; those of a TIFF are of the file") {
  const ScratchFolder scratch;
  const std::string movie = scratch / "movie.nrrd", tiff = scratch / "movie.tif";
  save_nrrd(movie, "uint8", "2 1 2 2", std::string("\1\0\1\1\0\1\0\0", 8));
  succeeds({"label", movie, "--frame", "all", "--page", "1", "-o", scratch / "out/", "--quiet"});
  for (const std::string frame : {"0", "1"}) {
    succeeds({"label", movie, "--frame", frame, "--page", "1", "-o", scratch / frame + ".nrrd", "--quiet"});
    CHECK(read_file(scratch / "out/movie-t000" + frame + ".nrrd") == read_file(scratch / frame + ".nrrd"));
  }
  succeeds({"label", add_image(scratch / "a.png"), "-o", tiff, "--quiet"});
  const Ended refused = gpuccl({"label", tiff, "--frame", "all", "--page", "0", "-o", scratch / "out/"});
  CHECK(refused.code == 65);
  CHECK(refused.err.find("--page numbers the pages of the file, over all channels and time points; leave out "
                         "--page or --frame") != std::string::npos);
}

TEST_CASE("option --skip-existing labels only missing outputs") {
  const ScratchFolder scratch;
  for (const char* name : {"1", "2", "3"}) add_image(scratch / (std::string("in/") + name + ".png"));
  const Words words = {"label",    scratch / "in",       "-o", scratch / "out/", "--skip-existing",
                       "--report", scratch / "run.jsonl"};
  CHECK(gpuccl(words).code == 0);
  const auto written = fs::last_write_time(scratch / "out/1.tiff");
  fs::remove(scratch / "out/2.json");
  fs::remove(scratch / "out/3.tiff");
  const Ended again = gpuccl(words);
  CHECK(again.code == 0);
  CHECK(summary(again) == "gpuccl: 2 of 3 labeled, 1 skipped");
  CHECK(fs::last_write_time(scratch / "out/1.tiff") == written);
  CHECK(names_below(scratch / "out").size() == 6);
  const std::vector<Json> lines = lines_of(scratch / "run.jsonl");
  CHECK(lines[0]["status"] == "skipped");
  CHECK(lines[0]["code"] == 0);
  CHECK(lines[0]["components"] == Json::parse(read_file(scratch / "out/1.json"))["labeling"]["components"]);
}

TEST_CASE("the table of all components has those of inputs that --skip-existing leaves out") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "in");
  for (const char* name : {"a.png", "b.png"}) add_image(scratch / ("in/" + std::string(name)));
  save(scratch / "in/c.tif", tests::random_image({20, 15, 6}, 0.3, 3, 4).view());
  save(scratch / "in/d.png", BitVolume({5, 4, 1}).view());
  for (const Words& options :
       {Words{},
        Words{"--spacing", "0.5,0.25,3,um", "--measure", "extent,border_sides,cavities,inertia_tensor-0-1"},
        Words{"--values", "--measure", "width"}, Words{"--per-slice", "--min-size", "3"},
        Words{"--per-slice", "--spacing", "1,1,3,um"},
        Words{"--per-slice", "--page", "0", "--spacing", "1,1"}, Words{"--threshold", "otsu", "--invert"},
        Words{"--digits", "3", "--spacing", "0.37,0.21,3.3,um", "--measure", "extent"}}) {
    std::filesystem::remove_all(scratch / "out");
    Words words = joined({"label", scratch / "in", "-o", scratch / "out/", "--stats", scratch / "all.csv",
                          "--summary", scratch / "inputs.csv", "--quiet"},
                         options);
    succeeds(words);
    const std::string whole = read_file(scratch / "all.csv"), inputs = read_file(scratch / "inputs.csv");
    CHECK(inputs.find("d.png") != std::string::npos);
    std::filesystem::remove(scratch / "out/b.tiff");
    words.push_back("--skip-existing");
    for (int run = 0; run < 2; ++run) {
      succeeds(words);
      CHECK(read_file(scratch / "all.csv") == whole);
      CHECK(read_file(scratch / "inputs.csv") == inputs);
    }
  }
  fails({"label", scratch / "in", "--stats", scratch / "all.csv", "--skip-existing"}, 64, "from reports");
}

TEST_CASE("tables are those of a fresh run if --skip-existing labels nothing and an input fails") {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "in");
  add_image(scratch / "in/a.png");
  add_image(scratch / "in/b.png");
  const auto run_to = [&](const std::string& out, const Words& more) {
    return gpuccl(joined({"label", scratch / "in", "-o", scratch / out + "/", "--stats",
                          scratch / out + ".csv", "--summary", scratch / out + "-inputs.csv", "--quiet"},
                         more));
  };
  CHECK(run_to("out", {}).code == 0);
  fs::remove(scratch / "in/b.png");
  std::ofstream(scratch / "in/c.png") << "no image";
  CHECK(run_to("out", {"--skip-existing"}).code == 65);
  CHECK(run_to("fresh", {}).code == 65);
  for (const char* table : {".csv", "-inputs.csv"})
    CHECK(read_file(scratch / "out" + table) == read_file(scratch / "fresh" + table));
}

TEST_CASE("the summary has the area of the foreground and its fraction of the image") {
  const ScratchFolder scratch;
  const std::string image = save_gray(scratch / "a.tif", {{1, 1, 0, 0}, {0, 0, 0, 1}});
  const std::string rows = succeeds({"label", image, "--summary", "-"});
  CHECK(rows.starts_with("file,page,value,components,area,area_fraction,area_min,area_median,area_max,"));
  CHECK(rows.find(image + ",,,2,3,0.375,1,1.5,2,") != std::string::npos);
}

TEST_CASE("one COCO of a folder has all images, also those that a run leaves out") {
  const ScratchFolder scratch;
  for (const char* name : {"a.png", "b.png", "deep/a.png"}) add_image(scratch / "in/" + name);
  write_file(scratch / "in/aa.png", "no image");
  save(scratch / "in/empty.png", BitVolume({5, 4, 1}).view());
  const std::string all = scratch / "all.json";
  const auto coco = [&](const Words& more, const std::string& out = "out/") {
    Words words = {"label", scratch / "in", "--recursive", "-o",          scratch / out, "-c",
                   "4",     "--outlines",   all,           "--overwrite", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    CHECK(gpuccl(words).code == 65);
    return read_file(all);
  };
  const std::string text = coco({"--threads", "1"});
  const Json found = Json::parse(text);
  Json images = Json::array();  // ids are places among all inputs, so they stay when aa.png is repaired
  for (const auto& [id, name] : {std::pair(1, "a.png"), {3, "b.png"}, {4, "empty.png"}, {5, "deep/a.png"}})
    images.push_back(
        {{"id", id}, {"width", id == 4 ? 5 : 40}, {"height", id == 4 ? 4 : 30}, {"file_name", name}});
  CHECK(found["images"] == images);
  CHECK(found["categories"] == Json::parse(R"([{"id":1,"name":"object"}])"));
  std::size_t at = 0;
  for (const auto& image : images) {
    const std::string path = scratch / "in/" + image["file_name"].get<std::string>(),
                      one = scratch / "one.json";
    succeeds({"label", path, "-c", "4", "--outlines", one, "--overwrite"});
    const Json alone = Json::parse(read_file(one));
    for (Json annotation : alone["annotations"]) {
      annotation["label"] = annotation["id"];
      annotation["id"] = at + 1;
      annotation["image_id"] = image["id"];
      CHECK(found["annotations"].at(at++) == annotation);
    }
  }
  CHECK(at == found["annotations"].size());
  CHECK(coco({"--threads", "4"}) == text);
  CHECK(coco({"--memory", "40M"}) == text);

  // Inputs that are left out have the annotations of their own files.
  const Words folder = {"--outlines-dir", scratch / "coco/", "--skip-existing"};
  CHECK(coco(folder) == text);
  CHECK(fs::exists(scratch / "coco/deep/a.coco.json"));
  fs::remove(scratch / "out/b.tiff");
  fs::remove(scratch / "coco/deep/a.coco.json");
  CHECK(coco(folder) == text);
  const auto time = fs::last_write_time(scratch / "out/a.tiff");
  CHECK(coco(folder) == text);
  CHECK(fs::last_write_time(scratch / "out/a.tiff") == time);
  add_image(scratch / "in/aa.png");
  succeeds({"label", scratch / "in", "--recursive", "-o", scratch / "out/", "-c", "4", "--outlines", all,
            "--outlines-dir", scratch / "coco/", "--skip-existing", "--quiet"});
  CHECK(Json::parse(read_file(all))["images"].size() == 5);

  fails({"label", scratch / "in", "-o", scratch / "out/", "--outlines", all, "--skip-existing"}, 64,
        "add --outlines-dir");
  fails({"label", scratch / "in", "--outlines", scratch / "all.geojson"}, 64,
        "GeoJSON is for one input; for several use --outlines-dir, or .json for COCO");
  write_file(all, "mine");
  fails({"label", scratch / "in", "--recursive", "--outlines", all}, 73,
        all + ": exists and was not written by gpuccl; move it, or add --overwrite");
  CHECK(succeeds({"label", scratch / "in", "--recursive", "--outlines", scratch / "new.json", "--dry-run"})
            .find("new.json") != std::string::npos);
  CHECK(!fs::exists(scratch / "new.json"));
}

TEST_CASE("a damaged report is refused where --skip-existing takes rows from it") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "in");
  save(scratch / "in/a.tif", tests::random_image({20, 15, 6}, 0.3, 3, 4).view());
  const Words words = {"label",   scratch / "in",      "-o",        scratch / "out/",      "--per-slice",
                       "--stats", scratch / "all.csv", "--summary", scratch / "inputs.csv"};
  REQUIRE(gpuccl(words).code == 0);
  const Words again = joined(words, {"--skip-existing"});
  const std::string report = scratch / "out/a.json", intact = read_file(report);
  const auto time = std::filesystem::last_write_time(report);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string damaged = intact;
    const std::size_t at = damaged.find(from);
    REQUIRE(at != std::string::npos);
    write_file(report, damaged.replace(at, from.size(), to));
    std::filesystem::last_write_time(report, time);
    return gpuccl(again);
  };
  const std::string row = intact.substr(intact.find("{\"label\":2,"),
                                        intact.find("{\"label\":3,") - intact.find("{\"label\":2,"));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {row, ""},
           {"\"depth\": 6", "\"depth\": 2147483647"},
           {"\"depth\": 6", "\"depth\": \"6\""},
           {"\"depth\": 6", "\"depth\": 0"},
           {"\"hints\": []", "\"hints\": [5]"},
           {"\"geometry\": null", "\"geometry\": {\"spacing\":[1]}"},
           {"\"bbox\":[", "\"bbox\":[0,0,900000000,0,0,0],\"box\":["}}) {
    const Ended ended = with(from, to);
    CHECK(ended.code == 65);
    CHECK(ended.err.find("gpuccl: " + report + ": ") == 0);
    CHECK(ended.err.find("; remove it, so that its input is labeled again\n") != std::string::npos);
  }
  std::filesystem::remove(report);
  CHECK(gpuccl(again).code == 0);
}

TEST_CASE("option --skip-existing repeats inputs labeled with other options") {
  const ScratchFolder scratch;
  for (const char* name : {"1", "2"}) add_image(scratch / (std::string("in/") + name + ".png"));
  const auto label = [&](const Words& more) {
    return summary(
        gpuccl(joined({"label", scratch / "in", "-o", scratch / "out/", "--skip-existing"}, more)));
  };
  const std::string all = "gpuccl: 2 of 2 labeled", none = "gpuccl: 0 of 2 labeled, 2 skipped";
  const Words other[] = {{"--invert"},
                         {"--threshold", "0.5"},
                         {"-c", "4"},
                         {"--value", "1,2"},
                         {"--min-size", "3"},
                         {"--order", "size"},
                         {"--label-type", "u32"},
                         {"--compress", "none"},
                         {"--clear-border"},
                         {"--bigtiff", "yes"}};
  CHECK(label({}) == all);
  CHECK(label({"--threads", "1", "--no-fsync"}) == none);  // which decide nothing
  for (const Words& options : other) {
    CAPTURE(options.front());
    CHECK(label(options) == all);
    CHECK(label(options) == none);
  }
  CHECK(label({}) == all);
  CHECK(Json::parse(read_file(scratch / "out/1.json"))["options"] == "");
  CHECK(label({"--min-size", "2", "-c", "4"}) == all);
  CHECK(Json::parse(read_file(scratch / "out/1.json"))["options"] == "-c 4 --min-size 2");
}

TEST_CASE("option --skip-existing repeats inputs that are not of the reported run") {
  const ScratchFolder scratch;
  add_image(scratch / "in/1.png");
  add_image(scratch / "other/1.png", {41, 31, 1});
  const std::string image = scratch / "out/1.tiff", report = scratch / "out/1.json";
  const auto label = [&](const Words& more, const char* folder = "in") {
    return summary(gpuccl(joined({"label", scratch / folder, "-o", scratch / "out/"}, more)));
  };
  const auto is_done = [&](Words more = {}, const char* folder = "in") {
    more.push_back("--skip-existing");
    const std::string said = label(more, folder);
    if (said == "gpuccl: 0 of 1 labeled, 1 skipped") return true;
    CHECK(said == "gpuccl: 1 of 1 labeled");
    return false;
  };
  label({});
  CHECK(is_done());
  const std::string right = read_file(image), seen = scratch / "seen", tables = scratch / "tables";

  label({"-c", "4", "--json-dir", scratch / "reports"});
  CHECK(!fs::exists(report));
  CHECK(read_file(image) != right);
  CHECK(!is_done());
  CHECK(read_file(image) == right);
  // Files that another run has put where the report's run wrote nothing.
  const Words folders[] = {{"--preview-dir", seen}, {"--stats-dir", tables}, {"--format", "npy"}};
  for (const Words& more : folders) {
    CAPTURE(more.front());
    const Words elsewhere = joined({"-c", "4", "--json-dir", scratch / "reports"}, more);
    label({});
    label(elsewhere);
    CHECK(!is_done(more));
    CHECK(is_done(more));
  }
  label({"--preview-dir", seen, "--stats-dir", tables});
  CHECK(is_done());  // needs less than was made
  for (const std::string& output : {image, scratch / "seen/1.png", scratch / "tables/1.csv"}) {
    CAPTURE(output);
    const Words all = {"--preview-dir", seen, "--stats-dir", tables};
    fs::resize_file(output, fs::file_size(output) - 1);
    fs::last_write_time(output, fs::last_write_time(report));
    CHECK(!is_done(all));
    fs::last_write_time(output, fs::last_write_time(report) + std::chrono::seconds(1));
    CHECK(!is_done(all));  // written after the report
    CHECK(is_done(all));
  }
  for (const int kept : {0, 300, static_cast<int>(fs::file_size(report)) - 1}) {
    CAPTURE(kept);
    fs::resize_file(report, static_cast<std::uintmax_t>(kept));
    CHECK(!is_done());
    CHECK(is_done());
  }
  CHECK(!is_done({"--overwrite"}, "other"));  // else labels of another input are not replaced
  CHECK(is_done({}, "other"));
  // Another input under the same path: of another size, or newer than the report.
  const std::string input = scratch / "other/1.png";
  const auto time = fs::last_write_time(input);
  add_image(input, {200, 31, 1});
  fs::last_write_time(input, time);
  CHECK(!is_done({}, "other"));
  CHECK(is_done({}, "other"));
  fs::last_write_time(input, fs::last_write_time(report) + std::chrono::seconds(1));
  CHECK(!is_done({}, "other"));
  // Another file of the same size, older than the report, with another time or with the same time.
  fs::last_write_time(input, time);
  CHECK(!is_done({}, "other"));
  CHECK(is_done({}, "other"));
  for (const auto later : {std::chrono::nanoseconds(1), std::chrono::nanoseconds(0)}) {
    fs::copy_file(input, scratch / "replacement.png");
    fs::last_write_time(scratch / "replacement.png", fs::last_write_time(input) + later);
    fs::rename(scratch / "replacement.png", input);
    CHECK(!is_done({}, "other"));
    CHECK(is_done({}, "other"));
  }
  fs::last_write_time(input, time + std::chrono::nanoseconds(2));
  CHECK(!is_done({}, "other"));
  CHECK(is_done({}, "other"));
}

TEST_CASE("a batch keeps the reports that it writes, wherever they stand") {
  const ScratchFolder scratch;
  add_image(scratch / "in/1.png");
  add_image(scratch / "in/sub/1.png");
  const Words words = {"label",          scratch / "in", "--recursive",       "-o",
                       scratch / "out/", "--json-dir",   scratch / "out/sub", "--quiet"};
  for (int i = 0; i < 2; ++i) {
    succeeds(words);
    CHECK(names_below(scratch / "out") ==
          std::set<std::string>{"1.tiff", "sub/1.tiff", "sub/1.json", "sub/sub/1.json"});
  }
}

TEST_CASE("after a signal, report and table list finished work") {
  const ScratchFolder scratch;
  const std::string first = add_image(scratch / "1.png"), last = add_image(scratch / "3.png");
  REQUIRE(::mkfifo((scratch / "2.png").c_str(), 0600) == 0);
  const pid_t child =
      launch(gpuccl_command({"label", first, scratch / "2.png", last, "-o", scratch / "out/", "--jobs", "1",
                             "--report", scratch / "run.jsonl", "--stats", scratch / "all.csv", "--quiet"}));
  // The second input is waited for: once it can be written to, the first is done.
  std::ofstream pipe(scratch / "2.png", std::ios::binary);
  ::kill(child, SIGINT);
  pipe << read_file(first);
  pipe.close();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
  const std::vector<Json> lines = lines_of(scratch / "run.jsonl");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["status"] == "labeled");
  CHECK(lines[1]["status"] == "labeled");
  CHECK(lines[2]["status"] == "not started");
  const std::string table = read_file(scratch / "all.csv");
  CHECK(table.find("\n" + first + ",1,") != std::string::npos);
  CHECK(table.find(last) == std::string::npos);
  CHECK(names_below(scratch / "out") == std::set<std::string>{"1.tiff", "1.json", "2.tiff", "2.json"});
}

TEST_CASE("a batch that is ended does not replace a joint table, which a repeated run completes") {
  const ScratchFolder scratch;
  const std::string first = add_image(scratch / "1.png"), second = add_image(scratch / "2.png"),
                    last = add_image(scratch / "3.png");
  const Words words = {"label",     first,
                       second,      last,
                       "-o",        scratch / "out/",
                       "--stats",   scratch / "all.csv",
                       "--summary", scratch / "inputs.csv",
                       "--jobs",    "1",
                       "--quiet"};
  succeeds(words);
  const std::string table = read_file(scratch / "all.csv"), inputs = read_file(scratch / "inputs.csv");
  const std::string image = read_file(second);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    CAPTURE(signal);
    fs::remove(second);
    REQUIRE(::mkfifo(second.c_str(), 0600) == 0);
    Command command = gpuccl_command(words);
    const pid_t child = launch(command);
    std::ofstream pipe(second, std::ios::binary);  // once it can be written to, the first is done
    ::kill(child, signal);
    pipe << image;
    pipe.close();
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == signal));
    CHECK(read_file(scratch / "all.csv") == table);
    CHECK(read_file(scratch / "inputs.csv") == inputs);
  }
  fs::remove(second);
  write_file(second, image);
  succeeds(joined(words, {"--skip-existing"}));
  CHECK(read_file(scratch / "all.csv") == table);
  CHECK(read_file(scratch / "inputs.csv") == inputs);

  fs::remove(scratch / "inputs.csv");  // without an older table there is one of what was done
  write_file(second, "no image");
  const Ended failed = gpuccl(joined(words, {"--fail-fast"}));
  CHECK(failed.code == 65);
  CHECK(failed.err.find("all.csv: unchanged, because the run was stopped; repeat it") != std::string::npos);
  CHECK(read_file(scratch / "all.csv") == table);
  CHECK(read_file(scratch / "inputs.csv").find(last + ",,,,,,,,,,,,,not started\n") != std::string::npos);
}

TEST_CASE("the labels of another input of the same name are not replaced") {
  const ScratchFolder scratch;
  const std::string one = add_image(scratch / "vol1/page.png"), other = add_image(scratch / "vol2/page.png");
  const std::string out = scratch / "out/";
  succeeds({"label", one, "-o", out, "--quiet"});
  const std::string before = read_file(out + "page.tiff");
  const Words second = {"label", other, "-o", out, "--quiet"};
  fails(second, 73,
        "out/page.json: is the report of another input, " + one +
            "; use one output folder for each folder of inputs, or add --overwrite");
  fails(joined(second, {"--dry-run"}), 73, "is the report of another input");
  CHECK(read_file(out + "page.tiff") == before);
  succeeds({"label", scratch / "vol1/../vol1/page.png", "-o", out, "--quiet"});  // the same input
  succeeds({"label", other, "-o", scratch / "out2/", "--quiet"});
  succeeds(joined(second, {"--overwrite"}));
  fs::remove(other);  // whose labels may then be replaced
  succeeds({"label", one, "-o", out, "--quiet"});

  // cell.tif and cell.tiff would share cell.json.
  const std::string third = add_image(scratch / "3.png");
  succeeds({"label", one, "-o", scratch / "cell.tif", "--quiet"});
  succeeds({"label", one, "-o", scratch / "cell.tiff", "--quiet"});
  const Words shared = {"label", third, "-o", scratch / "cell.npy", "--quiet"};
  fails(shared, 73, "cell.json: is the report of another label image, " + (scratch / "cell.tiff"));
  succeeds(joined(shared, {"--json", scratch / "third.json"}));
  succeeds({"label", third, "-o", scratch / "cell.tiff", "--quiet"});
}

TEST_CASE("a signal ends a batch that waits for a reader of its report") {
  const ScratchFolder scratch;
  add_image(scratch / "in/1.png");
  REQUIRE(::mkfifo((scratch / "report").c_str(), 0600) == 0);
  const pid_t child = launch(
      gpuccl_command({"label", scratch / "in", "-o", scratch / "out/", "--report", scratch / "report"}));
  const std::string waiting_in_open = std::to_string(SYS_openat) + " ";
  while (!read_file("/proc/" + std::to_string(child) + "/syscall").starts_with(waiting_in_open))
    std::this_thread::yield();
  ::kill(child, SIGINT);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
}

TEST_CASE("without a folder for temporary files no joint table is begun") {
  const ScratchFolder scratch;
  add_image(scratch / "in/1.png");
  Command command = gpuccl_command({"label", scratch / "in", "--stats", scratch / "t.csv"});
  command.environment.emplace_back("TMPDIR", scratch / "none");
  fails(command, 73,
        "none: cannot create a temporary file (no such file or directory); set TMPDIR to another folder");
  CHECK(names_below(scratch / "in") == std::set<std::string>{"1.png"});
  CHECK(!fs::exists(scratch / "t.csv"));
}

TEST_CASE("an empty TMPDIR is as none") {
  const ScratchFolder scratch;
  const std::string image = add_image(scratch / "in/1.png");
  for (const char* const folder : {"", "/tmp"}) {
    Command command = gpuccl_command({"label", scratch / "in", "--stats", scratch / "t.csv"});
    command.environment.emplace_back("TMPDIR", folder);
    CHECK(run(command).code == 0);
    CHECK(fs::exists(scratch / "t.csv"));
    fs::remove(scratch / "t.csv");
    Command to_stream = gpuccl_command({"label", image, "-o", "-"});
    to_stream.environment.emplace_back("TMPDIR", folder);
    CHECK(run(to_stream).out.starts_with("\x93NUMPY"));
  }
}

TEST_CASE("a list names its files a line each, or ends each by a NUL") {
  const ScratchFolder scratch;
  const std::string plain = add_image(scratch / "in/a.png"), odd = add_image(scratch / "in/b\nc.png");
  write_file(scratch / "lines", "\xef\xbb\xbf" + plain + "\r\n\n");  // after a byte order mark
  CHECK(summary(gpuccl({"label", "@" + (scratch / "lines"), "-o", scratch / "one/"})) ==
        "gpuccl: 1 of 1 labeled");
  write_file(scratch / "nuls", plain + std::string(1, '\0') + odd + std::string(1, '\0'));
  CHECK(summary(gpuccl({"label", "@" + (scratch / "nuls"), "-o", scratch / "two/"})) ==
        "gpuccl: 2 of 2 labeled");
  CHECK(names_below(scratch / "two") == std::set<std::string>{"a.tiff", "a.json", "b\nc.tiff", "b\nc.json"});
}

TEST_CASE("files of a folder that are left out are reported") {
  const ScratchFolder scratch;
  for (const char* image : {"in/a.png", "st/over.png", "st/v/1.png", "st/v/2.png"})
    add_image(scratch / image);
  fs::create_directory_symlink("../in", scratch / "in/link");
  write_file(scratch / "st/v/3.gif", "x");
  const auto warned = [&](Words words, const std::string& line) {
    words.insert(words.end(), {"-o", scratch / "out/"});
    const Ended ended = gpuccl(words);
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    CHECK(ended.err.find(line) != std::string::npos);
  };
  warned({"label", scratch / "in", "--recursive"}, "in: 1 link to folders ignored\n");
  warned({"label", scratch / "st", "--stack", "--recursive"},
         "st: 1 folder ignored, because the folder also contains images");
  // Reports and tables of images, also of this run, are not counted.
  for (const char* name : {"in/a.json", "in/a.csv", "in/all.csv", "in/notes.txt"})
    write_file(scratch / name, "label,area");
  warned({"label", scratch / "in", "--stats", scratch / "in/all.csv", "--overwrite"},
         "in: 1 file skipped: not an image by its extension (notes.txt)\n");
  warned({"label", scratch / "st/v", "--stack"},
         "v: 1 file skipped: not an image by its extension (3.gif)\n");
  warned({"label", scratch / "st/v", "--stack", "--jobs", "2"}, "1 file skipped: not an image");
  for (const char* name : {"in/10.jp2", "in/9.jp2", "in/b.pdf"}) write_file(scratch / name, "x");
  warned({"label", scratch / "in", "--overwrite"},
         "in: 5 files skipped: not images by their extensions (9.jp2, 10.jp2, all.csv, ...)\n");
}

TEST_CASE("lists and folders that give no input are said to") {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "empty");
  write_file(scratch / "none.txt", "\n\n");
  const std::string out = scratch / "out/";
  fails({"label", scratch / "empty", "-o", out, "--quiet"}, 66, "empty: contains no .png, .tif,");
  fails({"label", scratch / "empty", "-o", out}, 66, "empty: contains no .png, .tif,");
  fs::create_directories(scratch / "outer/inner");
  fails({"label", scratch / "outer", "-o", out}, 66, " file; add --recursive to search its folders");
  fails({"label", "@" + (scratch / "none.txt"), "-o", out}, 66, "none.txt: names no input");
  fails({"label", "@" + (scratch / "gone.txt"), "-o", out}, 66,
        "gone.txt: cannot open the list of inputs (no such");
  fails({"label", "@" + (scratch / "empty"), "-o", out}, 66,
        "empty: cannot open the list of inputs (is a dir");
}

TEST_CASE("the report and the table of a batch can be read while they grow") {
  const ScratchFolder scratch;
  for (const char* image : {"in/1.png", "in/2.png", "in/3.png"}) add_image(scratch / image);
  const Ended report = gpuccl({"label", scratch / "in", "-o", scratch / "out/", "--report", "-"});
  CHECK(report.code == 0);
  CHECK(report.err == "gpuccl: 3 of 3 labeled\n");
  write_file(scratch / "run.jsonl", report.out);
  CHECK(lines_of(scratch / "run.jsonl").size() == 3);
  succeeds({"label", scratch / "in", "--stats", scratch / "t.csv", "--quiet"});
  CHECK(succeeds({"label", scratch / "in", "--stats", "-", "--quiet"}) == read_file(scratch / "t.csv"));
  CHECK(names_below(scratch / "out").size() == 6);

  Command full = gpuccl_command({"label", scratch / "in", "-o", scratch / "out/", "--report", "-"});
  full.output = "/dev/full";
  const Ended ended = run(full);
  CHECK(ended.code == 74);
  CHECK(ended.err.find("gpuccl: standard output: cannot write: no space left on device\n") !=
        std::string::npos);
  CHECK(summary(ended) == "gpuccl: 3 of 3 labeled, no report or table (74)");
}

#ifndef __SANITIZE_ADDRESS__  // which takes memory of its own
TEST_CASE("option --memory bounds a batch, however many jobs there are") {
  const ScratchFolder scratch;
  for (const char* image : {"1", "2", "3", "4", "5", "6", "7", "8"})
    add_image(scratch / "in/" + image + ".png", {2500, 2500, 1});
  Command command = gpuccl_command({"label", scratch / "in", "-o", scratch / "out/", "--memory", "20M",
                                    "--jobs", "32", "--quiet", "--no-fsync"});
  const Ended ended = run(command);
  CHECK(ended.code == 0);
  CHECK(ended.peak_kib < (20 + 64) * 1024);
}
#endif

TEST_CASE("a folder of folders of slices is a batch of volumes") {
  const ScratchFolder scratch;
  for (const char* slice : {"v.1/s1", "v.1/s2", "v.1/s10", "w/s1", "deep/x/s1", "deep/x/s2"})
    add_image(scratch / (std::string("in/") + slice + ".png"));
  const Ended flat = gpuccl({"label", scratch / "in", "--stack", "-o", scratch / "flat/"});
  CHECK(flat.code == 65);  // "deep" holds no slices
  CHECK(summary(flat) == "gpuccl: 2 of 3 labeled, 1 failed: bad data (65)");
  succeeds({"label", scratch / "in", "--stack", "--recursive", "-o", scratch / "all/", "--quiet"});
  CHECK(names_below(scratch / "all") ==
        std::set<std::string>{"v.1.tiff", "v.1.json", "w.tiff", "w.json", "deep/x.tiff", "deep/x.json"});
  CHECK(Json::parse(read_file(scratch / "all/v.1.json"))["input"]["depth"] == 3);
  // One stack into a folder is called like its own.
  succeeds({"label", scratch / "in/w", "--stack", "-o", scratch / "one/", "--quiet"});
  CHECK(names_below(scratch / "one") == std::set<std::string>{"w.tiff", "w.json"});
}

/// Requires that nothing is started: exit code 64 and no new file.
void refused(const ScratchFolder& scratch, Words words, const std::string& part) {
  words.insert(words.begin(), "label");
  const std::set<std::string> before = names_below(scratch.path().string());
  fails(words, 64, part);
  CHECK(names_below(scratch.path().string()) == before);
}

TEST_CASE("contradictory options are refused before anything starts") {
  const ScratchFolder scratch;
  const std::string a = add_image(scratch / "in/a.png"), b = add_image(scratch / "in/b.png");
  add_image(scratch / "in/sub/a.tif");
  const std::string in = scratch / "in", out = scratch / "out/";
  refused(scratch, {a, b, a, "-o", out}, "has the same output as " + a + ": " + out + "a.tiff; name it once");
  refused(scratch, {in, "-o", in + "/", "--format", "png"}, "output and input are the same file");
  fs::create_hard_link(a, scratch / "a.txt");
  refused(scratch, {in, "-o", out, "--report", scratch / "a.txt"}, "output and input are the same file");
  const std::string list = scratch / "list.txt";
  write_file(list, a + "\n");
  for (const char* text : {"--report", "--stats"})
    refused(scratch, {"@" + list, "-o", out, text, list}, "list.txt: output and input are the same file");
  write_file(scratch / "dash", "-\n" + a + "\n");
  refused(scratch, {"@" + (scratch / "dash"), "-o", out},
          "dash: contains '-', but standard input is one image");
  refused(scratch, {"@", "-o", out}, "'@' needs the name of a list");
  // A folder that is not there yet has as many names as one that is.
  refused(scratch, {in, "-o", out, "--report", scratch / "sub/../out/a.json"}, "has the same output");
  fs::create_directory_symlink("out", scratch / "link");
  refused(scratch, {in, "-o", out, "--stats", scratch / "link/both", "--report", out + "both"},
          "has the same output");
  refused(scratch, {in, "-o", out, "--report", out + "a.json"}, "has the same output");
  refused(scratch, {in, "-o", out, "--report", scratch / "x", "--stats", scratch / "x"},
          "has the same output");
  refused(scratch, {a, b, "-o", scratch / "labels.tif"}, "whose name ends in /");
  refused(scratch, {a, b}, "nothing to write");
  refused(scratch, {a, b, "-o", out, "--json", "-"}, "--json-dir");
  refused(scratch, {a, b, "-o", out, "--preview", scratch / "p.png"}, "--preview");
  refused(scratch, {a, "-", "-o", out}, "standard input");
  refused(scratch, {a, b, "-o", out, "--keep-going", "--fail-fast"}, "--fail-fast");
  refused(scratch, {a, b, "--skip-existing", "--summary", scratch / "t.csv"}, "from reports");
  refused(scratch, {a, b, "-o", out, "--format", "jpeg"}, "jpeg");
  refused(scratch, {a, b, "-o", out, "--format", "npy", "--compress", "lzw"}, "--compress");
  refused(scratch, {a, b, "-o", out, "--jobs", "0"}, "--jobs");
  fails({"label", "@" + (scratch / "none"), "-o", out}, 66, "none: ");
  fails({"label", a, b, "-o", a + "/"}, 73, "a.png/: cannot create");
  fails({"label", a, b, "-o", out, "--report", scratch / "none/r"}, 73, "none/r: ");
  fs::create_directory(scratch / "empty");
  CHECK(gpuccl({"label", scratch / "empty", "-o", out}).code == 66);
}

TEST_CASE("label images are not written to where the next run looks for inputs") {
  const ScratchFolder scratch;
  const std::string a = add_image(scratch / "in/a.png");
  add_image(scratch / "in/sub/b.png");
  add_image(scratch / "stacks/s/1.png");
  const std::string in = scratch / "in", next = "would be an input of the next run", other = scratch / "out/";
  refused(scratch, {in, "-o", in + "/"}, in + "/a.tiff: " + next);
  refused(scratch, {in, "-o", in + "/", "--recursive"}, next);
  refused(scratch, {in, "-o", in + "/", "--format", "npy"}, in + "/a.npy: " + next);
  refused(scratch, {in + "/sub", in, "-o", in + "/sub/../../in/"}, next);
  add_image(scratch / "tifs/a.tif");
  refused(scratch, {scratch / "tifs", "-o", other, "--preview-dir", scratch / "tifs"}, next);
  refused(scratch, {scratch / "stacks", "--stack", "-o", scratch / "stacks/"}, "s.tiff: " + next);
  // Files given by name, or in a folder of outputs inside, are not inputs of the next run.
  for (int run = 0; run < 2; ++run) {
    succeeds({"label", in, "-o", in + "/labels/", "--json-dir", in, "--quiet"});
    succeeds({"label", a, "-o", in + "/labels/../", "--quiet"});
    fs::remove(in + "/a.tiff");
  }
}

TEST_CASE("progress has rate and time left: one changing line on a terminal, lines elsewhere") {
  const ScratchFolder scratch;
  for (int i = 0; i < 12; ++i) add_image(scratch / ("in/" + std::to_string(i) + ".png"), {2600, 2600, 1});
  const Words words = {"label", scratch / "in", "-o", scratch / "out/", "--threads", "1", "--jobs", "1"};
  const std::string said = said_on_terminal(joined(words, {"--label-type", "u32"}));
  CAPTURE(said);
  const std::regex changing("\r\x1b\\[Kgpuccl: \\d+ of 12, [0-9.]+/s, \\d+ s left");
  CHECK(std::regex_search(said, changing));
  CHECK(said.ends_with("\r\x1b[Kgpuccl: 12 of 12 labeled\r\n"));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);

  const Ended ended = gpuccl(joined(words, {"--progress"}));
  CHECK(ended.err.ends_with("gpuccl: 12 of 12 labeled\n"));
  CHECK(ended.err.find('\r') == std::string::npos);
  // Every file gives the same warning.
  const std::size_t first =
      ended.err.find("warning: " + (scratch / "out/0.tiff") + ": more than 65535 labels ");
  const std::size_t others = ended.err.find("warning: the same for 11 more inputs: more than 65535 labels ");
  CHECK(first < others);
  CHECK(others != std::string::npos);
}

TEST_CASE("an unreadable folder of outputs fails every input, and says why") {
  const ScratchFolder scratch;
  add_image(scratch / "in/a.png");
  add_image(scratch / "in/b.png");
  // /proc takes no file of anybody, not even root's.
  const Ended ended = gpuccl({"label", scratch / "in", "-o", "/proc/self/"});
  CHECK(ended.code == 73);
  CHECK(summary(ended) == "gpuccl: 0 of 2 labeled, 2 failed: cannot create (73)");
}

TEST_CASE("little memory and few descriptors make a batch slower, not fail") {
  const ScratchFolder scratch;
  for (int i = 0; i < 20; ++i) add_image(scratch / ("in/" + std::to_string(i) + ".png"), {600, 500, 1});
  Command command =
      gpuccl_command({"label", scratch / "in", "-o", scratch / "out/", "--memory", "1M", "--quiet"});
  command.prepare = [] {
    const rlimit few{40, 40};
    ::setrlimit(RLIMIT_NOFILE, &few);
  };
  const Ended ended = run(command);
  CHECK(ended.err == "");
  CHECK(ended.code == 0);
  CHECK(names_below(scratch / "out").size() == 40);
}

}  // namespace
}  // namespace gpuccl
