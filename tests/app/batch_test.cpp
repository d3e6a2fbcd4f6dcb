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
using Names = std::set<std::string>;

/// The last line on standard error.
std::string summary(const Ended& ended) {
  const std::size_t end = ended.err.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t before = ended.err.rfind('\n', end);
  return ended.err.substr(before + 1, end - before);
}

struct Batch : WorkFolder {
  /// Saves noise, of another seed for another name, and makes the folders it needs.
  void add(const Words& names, Extent extent = {40, 30, 1}) const {
    for (const std::string& name : names) {
      const fs::path file = path() / name;
      fs::create_directories(file.parent_path());
      const auto seed = static_cast<std::uint32_t>(std::hash<std::string>()(file.filename().string()));
      save(file.string(), tests::random_image(extent, 0.4, 1, seed).view());
    }
  }
  /// All regular files below a folder.
  Names files(const std::string& folder = "") const {
    Names names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(*this / folder))
      if (entry.is_regular_file()) names.insert(fs::relative(entry.path(), *this / folder).string());
    return names;
  }
  std::vector<Json> lines(const std::string& report) const {
    std::vector<Json> found;
    std::istringstream text(read(report));
    for (std::string line; std::getline(text, line);) found.push_back(Json::parse(line));
    return found;
  }
  bool exists(const std::string& name) const { return fs::exists(*this / name); }
  void remove(const std::string& name) const { fs::remove_all(*this / name); }
  fs::file_time_type time(const std::string& name) const { return fs::last_write_time(*this / name); }
  void set_time(const std::string& name, fs::file_time_type time) const {
    fs::last_write_time(*this / name, time);
  }
  /// Requires that nothing is started: exit code 64 and no new file.
  void refused(const std::string& words, const std::string& part) const {
    const Names before = files();
    fails("label " + words, 64, part);
    CHECK(files() == before);
  }
  /// Starts a command that reads the pipe `fifo`, sends it the signal when it does, then gives it `bytes`.
  void signal_at(const std::string& fifo, const std::string& line, int signal,
                 const std::string& bytes) const {
    fs::remove(*this / fifo);
    REQUIRE(::mkfifo((*this / fifo).c_str(), 0600) == 0);
    const pid_t child = launch(command(line));
    std::ofstream pipe(*this / fifo, std::ios::binary);  // once it can be written to, inputs before are done
    ::kill(child, signal);
    pipe << bytes;
    pipe.close();
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == signal));
  }
};

TEST_CASE_METHOD(Batch, "names of outputs mirror those of inputs") {
  add({"in/page2.png", "in/page10.tif", "in/more/deep/a.b.png", "in/.hidden.png", "elsewhere/single.png"});
  write("in/notes.txt", "no image");
  const Ended flat =
      ends("label in elsewhere/single.png -o out/", 0,
           {"in: 1 file skipped: not an image by its extension", "1 folder ignored; add --recursive"});
  CHECK(files("out") ==
        Names{"page2.tiff", "page2.json", "page10.tiff", "page10.json", "single.tiff", "single.json"});
  CHECK(summary(flat) == "gpuccl: 3 of 3 labeled");
  // The folder of outputs lies in the folder of inputs and is no input.
  for (int run = 0; run < 2; ++run)
    succeeds("label in --recursive -o in/labels/ --format npy --json-dir reports --stats-dir tables --quiet");
  CHECK(files("in/labels") == Names{"page2.npy", "page10.npy", "more/deep/a.b.npy"});
  CHECK(files("reports") == Names{"page2.json", "page10.json", "more/deep/a.b.json"});
  CHECK(files("tables") == Names{"page2.csv", "page10.csv", "more/deep/a.b.csv"});
  // One table is enough to make a folder a batch.
  succeeds("label in/more/deep --stats deep.csv --quiet");
  CHECK(read("deep.csv").starts_with("file,label,"));
  // A batch keeps the reports that it writes, wherever they stand.
  add({"two/1.png", "two/sub/1.png"});
  for (int run = 0; run < 2; ++run) {
    succeeds("label two --recursive -o new/ --json-dir new/sub --quiet");
    CHECK(files("new") == Names{"1.tiff", "sub/1.tiff", "sub/1.json", "sub/sub/1.json"});
  }
}

TEST_CASE_METHOD(Batch, "a batch continues after failures, and its report lists each input in order") {
  add({"in/1.png", "in/2.png", "in/3.png"});
  write("in/2a.png", "no image");
  write("list", "in\r\n\nmissing.png\n");
  const Ended ended =
      ends("label @list -o out/ --report run.jsonl --stats all.csv --summary inputs.csv", 1,
           {"gpuccl: in/2a.png: is not in a supported format", "gpuccl: missing.png: no such file"});
  CHECK(summary(ended) == "gpuccl: 3 of 5 labeled, 2 failed: 1 bad data (65), 1 missing (66)");

  const std::vector<Json> report = lines("run.jsonl");
  const Words inputs = {"in/1.png", "in/2.png", "in/2a.png", "in/3.png", "missing.png"};
  const std::vector<int> codes = {0, 0, 65, 0, 66};
  REQUIRE(report.size() == inputs.size());
  std::istringstream of_inputs(read("inputs.csv"));
  std::string line;
  std::getline(of_inputs, line);
  const auto cells = std::count(line.begin(), line.end(), ',');
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CAPTURE(inputs[i]);
    CHECK(report[i].size() == 7);
    CHECK(report[i]["input"] == inputs[i]);
    CHECK(report[i]["code"] == codes[i]);
    CHECK(report[i]["status"] == (codes[i] == 0 ? "labeled" : "failed"));
    CHECK(report[i]["seconds"] >= 0);
    REQUIRE(std::getline(of_inputs, line));
    CHECK(line.starts_with(inputs[i] + ","));
    CHECK_FALSE(has(line, "labeled"));
    if (codes[i] == 0) {
      const Json own = Json::parse(read("out/" + inputs[i].substr(3, 1) + ".json"));
      CHECK(report[i]["components"] == own["labeling"]["components"]);
      CHECK(report[i]["device"] == "cpu");
      CHECK(report[i]["error"].is_null());
      continue;
    }
    for (const char* field : {"components", "device"}) CHECK(report[i][field].is_null());
    CHECK(line.starts_with(inputs[i] + ",,,,,,,,,,,,,"));
    CHECK(has(line, "failed: " + report[i]["error"].get<std::string>().substr(0, 12)));
    if (codes[i] == 66) CHECK(std::count(line.begin(), line.end(), ',') == cells);
  }
  const std::string before = read("all.csv");
  std::istringstream table(before);
  std::getline(table, line);
  CHECK(line ==
        "file,label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz,area_physical,cx_physical,cy_physical,cz_physical,unit");
  Words order;
  for (std::map<std::string, std::uint64_t> rows; std::getline(table, line);) {
    const std::string file = line.substr(0, line.find(','));
    if (order.empty() || order.back() != file) order.push_back(file);
    CHECK(line.starts_with(file + "," + std::to_string(++rows[file]) + ","));
  }
  CHECK(order == Words{"in/1.png", "in/2.png", "in/3.png"});
  // A table of an earlier run is not replaced by one without rows.
  ends("label in/2a.png missing.png -o out/ --stats all.csv", 1, {"all.csv: unchanged"});
  CHECK(read("all.csv") == before);
  // One class of failures is the class of the whole.
  CHECK(type("label in -o out/").code == 65);
  CHECK(type("label gone in/1.png -o out/").code == 66);
}

TEST_CASE_METHOD(Batch, "option --summary changes nothing for one input") {
  add({"a.png", "in/a.png"});
  succeeds("label a.png -o labels.npy --summary s.csv --quiet");
  CHECK(files() == Names{"a.png", "in/a.png", "labels.json", "labels.npy", "s.csv"});
  CHECK(succeeds("label a.png --summary - --quiet") == read("s.csv"));
  std::string of_batch = succeeds("label in --summary - --quiet");
  of_batch.replace(of_batch.find("in/a.png"), 3, "");
  CHECK(of_batch == read("s.csv"));
  fails("label a.png --stats t.csv --summary t.csv", 64, "two outputs");
  write("mine.csv", "a,b\n");
  fails("label a.png -o t.npy --summary mine.csv", 73, "not an earlier version of this table");
  CHECK_FALSE(exists("t.npy"));
  // It has the area of the foreground and its fraction of the image.
  save_gray(*this / "a.tif", {{1, 1, 0, 0}, {0, 0, 0, 1}});
  const std::string rows = succeeds("label a.tif --summary -");
  CHECK(rows.starts_with("file,page,value,components,area,area_fraction,area_min,area_median,area_max,"));
  CHECK(has(rows, "a.tif,,,2,3,0.375,1,1.5,2,"));
}

TEST_CASE_METHOD(Batch, "files of one stem fail, and the others of their folders are labeled") {
  add({"in/a.png", "in/a.tif", "in/b.png", "in/sub/a.png", "in/sub/c.png", "in/sub/c.tif"});
  write("in/sub/c.bmp", "not looked at");
  const Ended ended =
      ends("label in --recursive -o out/ --report run.jsonl --summary s.csv", 64,
           {"in/a.tif: has the same output as in/a.png", "in/a.png: has the same outputs as in/a.tif"});
  CHECK(summary(ended) == "gpuccl: 2 of 7 labeled, 5 failed: wrong usage (64)");
  CHECK(files("out") == Names{"b.tiff", "b.json", "sub/a.tiff", "sub/a.json"});
  const std::string table = read("s.csv");
  CHECK(std::count(table.begin(), table.end(), '\n') == 8);
  fails("label in/a.png in/a.tif -o named/", 64, "same output");
  CHECK_FALSE(exists("named"));
}

TEST_CASE_METHOD(Batch, "option --dry-run lists inputs and outputs, and writes nothing") {
  add({"in/1.png", "in/2 b.png", "samples/1.png"});
  const std::string words = "label in/ -o out/ --preview-dir seen --skip-existing --dry-run";
  const auto list = [](const std::string& first_end) {
    return "in/1.png -> out/1.tiff seen/1.png out/1.json" + first_end +
           "\n'in/2 b.png' -> 'out/2 b.tiff' 'seen/2 b.png' 'out/2 b.json'\n";
  };
  const Names before = files();
  CHECK(succeeds(words) == list(""));
  CHECK(files() == before);
  succeeds("label in/1.png -o out/ --preview-dir seen --quiet");
  CHECK(succeeds(words) == list(" (done before)"));
  CHECK(succeeds("label in/1.png -o one.tiff --dry-run") == "in/1.png -> one.tiff one.json\n");
  CHECK_FALSE(exists("one.tiff"));
  nrrd("movie.nrrd", "2 1 1 2", "\1\1\1\1");
  const std::string of_frames = "label movie.nrrd --frame all -o frames/ --quiet --skip-existing";
  succeeds(of_frames);
  const auto frame = [](const std::string& number) {
    const std::string name = "frames/movie-t000" + number;
    return "movie.nrrd --frame " + number + " -> " + name + ".nrrd " + name + ".json (done before)\n";
  };
  CHECK(succeeds(of_frames + " --dry-run") == frame("0") + frame("1"));
  CHECK(succeeds("label in/1.png -o one.tiff --intensity samples/1.png --seeds samples/1.png --dry-run") ==
        "in/1.png --intensity samples/1.png --seeds samples/1.png -> one.tiff one.json\n");
  // Joint outputs, in a folder that the run would make and in one that is missing.
  const std::string joint = "label in/ -o new/ --dry-run --stats new/all.csv";
  CHECK(succeeds(joint).ends_with("\nall 2 inputs -> new/all.csv\n"));
  CHECK_FALSE(has(succeeds(joint + " --report -"), "run.jsonl"));
  // Problems are found.
  write("foreign.csv", "name,size\n");
  write("seen/2 b.csv", "name,size\n");
  write("one.json", "{}");
  const Names there = files();
  for (const auto& [more, code, problem] :
       {std::tuple("missing.png -o one.tiff", 66, "missing.png: no such file"),
        {"in/1.png missing.png -o out/", 66, "missing.png: no such file"},
        {"in/1.png -o one.tiff --intensity missing.png", 66, "missing.png: no such file"},
        {"in/1.png --stats foreign.csv", 73, "foreign.csv: exists and is not an earlier version"},
        {"in/ -o out/ --stats foreign.csv", 73, "foreign.csv: exists and is not an earlier version"},
        {"in/ --summary foreign.csv", 73, "foreign.csv: exists and is not an earlier version"},
        {"in/1.png -o one.tiff", 73, "one.json: exists and is not a report"},
        {"in/1.png -o none/one.tiff", 73, "the folder does not exist"},
        {"in/ -o out/ --report none/run.jsonl", 73, "none/run.jsonl: cannot create: the folder"},
        {"in/ -o one.json/sub/", 73, "cannot create the folder (not a directory)"},
        {"in/ --stats-dir seen", 73, "2 b.csv: exists and is not an earlier version"},
        {"in/1.png -o one.tiff --part 1/2 --parts-dir parts", 64, "--part"}}) {
    ends("label --dry-run " + std::string(more), code, {problem});
    CHECK(files() == there);
  }
  // A GPU that cannot be used fails each input that can be read, as in the run.
  for (const std::string more : {"in/1.png", "in/", "in/1.png absent.tif", "absent.tif"}) {
    const std::string run = "label " + more + " -o gpu/ --device cuda --stats gpu.csv";
    const Ended dry = type(run + " --dry-run"), wet = type(run);
    CAPTURE(dry.err, wet.err);
    CHECK(dry.code == wet.code);
    CHECK((dry.code == 0 || has(dry.err, " has no CUDA; use --device auto") || has(dry.err, "no such file")));
  }
  add({"in/1.tif"});
  CHECK(type("label in/ -o out/ --dry-run").code == 64);  // two inputs with one output
}

TEST_CASE_METHOD(Batch, "equal errors of a batch are one line with the number and the first paths") {
  make_folders({"in"});
  for (int i = 10; i < 30; ++i) write("in/" + std::to_string(i) + ".png", "no image");
  write("in/50.png", "");
  const Ended many =
      ends("label in -o out/", 65,
           {"the same for 19 more inputs (in/11.png, in/12.png, in/13.png, ...; --report FILE lists all): ",
            "in/50.png: "});
  CHECK(std::count(many.err.begin(), many.err.end(), '\n') == 4);
  CHECK(many.err.starts_with("gpuccl: in/10.png: "));
  const Ended dry = ends("label in -o out/ --dry-run", 65, {});
  CHECK(many.err.starts_with(dry.err));  // but for the last line, with the counts
  CHECK(std::count(dry.err.begin(), dry.err.end(), '\n') == 3);
  ends("label in -o out/ --report run.jsonl", 65, {"13.png, ...): "});
  CHECK(lines("run.jsonl").size() == 21);
  for (int i = 13; i < 30; ++i) remove("in/" + std::to_string(i) + ".png");
  ends("label in -o out/", 65, {"the same for 2 more inputs (in/11.png, in/12.png): "});
}

TEST_CASE_METHOD(Batch, "pages of time points are their slices; those of a TIFF are of the file") {
  nrrd("movie.nrrd", "2 1 2 2", std::string("\1\0\1\1\0\1\0\0", 8));
  succeeds("label movie.nrrd --frame all --page 1 -o out/ --quiet");
  for (const std::string frame : {"0", "1"}) {
    succeeds("label movie.nrrd --frame " + frame + " --page 1 -o " + frame + ".nrrd --quiet");
    CHECK(read("out/movie-t000" + frame + ".nrrd") == read(frame + ".nrrd"));
  }
  add({"a.png"});
  succeeds("label a.png -o movie.tif --quiet");
  ends("label movie.tif --frame all --page 0 -o out/", 65,
       {"--page numbers the pages of the file, over all channels and time points; leave out --page or "
        "--frame"});
}

TEST_CASE_METHOD(Batch, "option --skip-existing labels only missing outputs") {
  add({"in/1.png", "in/2.png", "in/3.png"});
  const std::string words = "label in -o out/ --skip-existing --report run.jsonl";
  CHECK(type(words).code == 0);
  const auto written = time("out/1.tiff");
  for (const char* name : {"out/2.json", "out/3.tiff"}) remove(name);
  CHECK(summary(ends(words, 0, {})) == "gpuccl: 2 of 3 labeled, 1 skipped");
  CHECK(time("out/1.tiff") == written);
  CHECK(files("out").size() == 6);
  const Json line = lines("run.jsonl")[0];
  CHECK(line["status"] == "skipped");
  CHECK(line["code"] == 0);
  CHECK(line["components"] == Json::parse(read("out/1.json"))["labeling"]["components"]);
}

TEST_CASE_METHOD(Batch, "tables have the rows of inputs that --skip-existing leaves out") {
  add({"in/a.png", "in/b.png"});
  add({"in/c.tif"}, {20, 15, 6});
  save(*this / "in/d.png", BitVolume({5, 4, 1}).view());
  const std::string words = "label in -o out/ --stats all.csv --summary inputs.csv --quiet ";
  for (const std::string options :
       {"", "--spacing 0.5,0.25,3,um --measure extent,border_sides,cavities,inertia_tensor-0-1",
        "--values --measure width", "--per-slice --min-size 3", "--per-slice --spacing 1,1,3,um",
        "--per-slice --page 0 --spacing 1,1", "--threshold otsu --invert",
        "--digits 3 --spacing 0.37,0.21,3.3,um --measure extent"}) {
    remove("out");
    succeeds(words + options);
    const std::string whole = read("all.csv"), inputs = read("inputs.csv");
    CHECK(has(inputs, "d.png"));
    remove("out/b.tiff");
    for (int run = 0; run < 2; ++run) {
      succeeds(words + options + " --skip-existing");
      CHECK(read("all.csv") == whole);
      CHECK(read("inputs.csv") == inputs);
    }
  }
  fails("label in --stats all.csv --skip-existing", 64, "from reports");
  // They are those of a fresh run if nothing is labeled and an input fails.
  remove("in/b.png");
  write("in/e.png", "no image");
  CHECK(type(words + "--digits 3 --skip-existing").code == 65);
  CHECK(type(words + "--digits 3 --skip-existing").code == 65);
  CHECK(type("label in -o fresh/ --stats fresh.csv --summary fresh-inputs.csv --digits 3 --quiet").code ==
        65);
  CHECK(read("all.csv") == read("fresh.csv"));
  CHECK(read("inputs.csv") == read("fresh-inputs.csv"));
}

TEST_CASE_METHOD(Batch, "one COCO of a folder has all images, also those that a run leaves out") {
  add({"in/a.png", "in/b.png", "in/deep/a.png"});
  write("in/aa.png", "no image");
  save(*this / "in/empty.png", BitVolume({5, 4, 1}).view());
  const std::string words = "label in --recursive -o out/ -c 4 --outlines all.json --quiet ";
  const auto coco = [&](const std::string& more) {
    CHECK(type(words + "--overwrite " + more).code == 65);
    return read("all.json");
  };
  const std::string text = coco("--threads 1");
  const Json found = Json::parse(text);
  Json images = Json::array();  // ids are places among all inputs, so they stay when aa.png is repaired
  for (const auto& [id, name] : {std::pair(1, "a.png"), {3, "b.png"}, {4, "empty.png"}, {5, "deep/a.png"}})
    images.push_back(
        {{"id", id}, {"width", id == 4 ? 5 : 40}, {"height", id == 4 ? 4 : 30}, {"file_name", name}});
  CHECK(found["images"] == images);
  CHECK(found["categories"] == Json::parse(R"([{"id":1,"name":"object"}])"));
  std::size_t at = 0;
  for (const auto& image : images) {
    succeeds("label in/" + image["file_name"].get<std::string>() + " -c 4 --outlines one.json --overwrite");
    const Json alone = Json::parse(read("one.json"));
    for (Json annotation : alone["annotations"]) {
      annotation["label"] = annotation["id"];
      annotation["id"] = at + 1;
      annotation["image_id"] = image["id"];
      CHECK(found["annotations"].at(at++) == annotation);
    }
  }
  CHECK(at == found["annotations"].size());
  CHECK(coco("--threads 4") == text);
  CHECK(coco("--memory 40M") == text);

  ends("label in/a.png in/deep/a.png --outlines all.json --overwrite", 64,
       {"has the same file_name in COCO as in/a.png: a.png; label the folder above"});
  CHECK(read("all.json") == text);

  // Inputs that are left out have the annotations of their own files.
  const std::string folder = "--outlines-dir coco/ --skip-existing";
  CHECK(coco(folder) == text);
  for (const char* name : {"out/b.tiff", "coco/deep/a.coco.json"}) {
    CHECK(exists(name));
    remove(name);
  }
  CHECK(coco(folder) == text);
  const auto written = time("out/a.tiff");
  CHECK(coco(folder) == text);
  CHECK(time("out/a.tiff") == written);
  add({"in/aa.png"});
  succeeds(words + folder);
  CHECK(Json::parse(read("all.json"))["images"].size() == 5);

  fails("label in -o out/ --outlines all.json --skip-existing", 64, "add --outlines-dir");
  fails("label in --outlines all.geojson", 64,
        "GeoJSON is for one input; for several use --outlines-dir, or .json for COCO");
  write("all.json", "mine");
  fails("label in --recursive --outlines all.json", 73,
        "all.json: exists and was not written by gpuccl; move it, or add --overwrite");
  CHECK(has(succeeds("label in --recursive --outlines new.json --dry-run"), "new.json"));
  CHECK(!exists("new.json"));
}

TEST_CASE_METHOD(Batch, "a damaged report is refused where --skip-existing takes rows from it") {
  add({"in/a.tif"}, {20, 15, 6});
  const std::string words = "label in -o out/ --per-slice --stats all.csv --summary inputs.csv";
  REQUIRE(type(words).code == 0);
  const std::string intact = read("out/a.json");
  const auto written = time("out/a.json");
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
    std::string damaged = intact;
    const std::size_t at = damaged.find(from);
    REQUIRE(at != std::string::npos);
    write("out/a.json", damaged.replace(at, from.size(), to));
    set_time("out/a.json", written);
    const Ended ended =
        ends(words + " --skip-existing", 65, {"; remove it, so that its input is labeled again\n"});
    CHECK(ended.err.starts_with("gpuccl: out/a.json: "));
  }
  remove("out/a.json");
  CHECK(type(words + " --skip-existing").code == 0);
}

TEST_CASE_METHOD(Batch, "option --skip-existing repeats inputs labeled with other options") {
  add({"in/1.png", "in/2.png"});
  const auto label = [&](const std::string& more) {
    return summary(type("label in -o out/ --skip-existing " + more));
  };
  const std::string all = "gpuccl: 2 of 2 labeled", none = "gpuccl: 0 of 2 labeled, 2 skipped";
  CHECK(label("") == all);
  CHECK(label("--threads 1 --no-fsync") == none);  // which decide nothing
  for (const char* options :
       {"--invert", "--threshold 0.5", "-c 4", "--value 1,2", "--min-size 3", "--order size",
        "--label-type u32", "--compress none", "--clear-border", "--bigtiff yes"}) {
    CAPTURE(options);
    CHECK(label(options) == all);
    CHECK(label(options) == none);
  }
  CHECK(label("") == all);
  CHECK(Json::parse(read("out/1.json"))["options"] == "");
  CHECK(label("--min-size 2 -c 4") == all);
  CHECK(Json::parse(read("out/1.json"))["options"] == "-c 4 --min-size 2");
}

TEST_CASE_METHOD(Batch, "option --skip-existing repeats inputs that are not of the reported run") {
  add({"in/1.png"});
  add({"other/1.png"}, {41, 31, 1});
  const std::string image = "out/1.tiff", report = "out/1.json";
  const auto label = [&](const std::string& more, const std::string& folder = "in") {
    return summary(type("label " + folder + " -o out/ " + more));
  };
  const auto is_done = [&](const std::string& more = "", const std::string& folder = "in") {
    const std::string said = label("--skip-existing " + more, folder);
    if (said == "gpuccl: 0 of 1 labeled, 1 skipped") return true;
    CHECK(said == "gpuccl: 1 of 1 labeled");
    return false;
  };
  label("");
  CHECK(is_done());
  const std::string right = read(image), elsewhere = "-c 4 --json-dir reports ";
  label(elsewhere);
  CHECK(!exists(report));
  CHECK(read(image) != right);
  CHECK(!is_done());
  CHECK(read(image) == right);
  // Files that another run has put where the report's run wrote nothing.
  for (const std::string more : {"--preview-dir seen", "--stats-dir tables", "--format npy"}) {
    CAPTURE(more);
    label("");
    label(elsewhere + more);
    CHECK(!is_done(more));
    CHECK(is_done(more));
  }
  const std::string all = "--preview-dir seen --stats-dir tables";
  label(all);
  CHECK(is_done());  // needs less than was made
  for (const std::string output : {"out/1.tiff", "seen/1.png", "tables/1.csv"}) {
    CAPTURE(output);
    fs::resize_file(*this / output, fs::file_size(*this / output) - 1);
    set_time(output, time(report));
    CHECK(!is_done(all));
    set_time(output, time(report) + std::chrono::seconds(1));
    CHECK(!is_done(all));  // written after the report
    CHECK(is_done(all));
  }
  for (const std::uintmax_t kept :
       {std::uintmax_t{0}, std::uintmax_t{300}, fs::file_size(*this / report) - 1}) {
    CAPTURE(kept);
    fs::resize_file(*this / report, kept);
    CHECK(!is_done());
    CHECK(is_done());
  }
  CHECK(!is_done("--overwrite", "other"));  // else labels of another input are not replaced
  CHECK(is_done("", "other"));
  // Another input under the same path: of another size, newer than the report, or of the same size and older,
  // with another time or with the same time.
  const std::string input = "other/1.png";
  const auto first = time(input);
  const auto replace = [&](std::chrono::nanoseconds later) {
    fs::copy_file(*this / input, *this / "replacement.png");
    set_time("replacement.png", time(input) + later);
    fs::rename(*this / "replacement.png", *this / input);
  };
  const std::function<void()> changes[] = {[&] {
                                             add({input}, {200, 31, 1});
                                             set_time(input, first);
                                           },
                                           [&] { set_time(input, time(report) + std::chrono::seconds(1)); },
                                           [&] { set_time(input, first); },
                                           [&] { replace(std::chrono::nanoseconds(1)); },
                                           [&] { replace(std::chrono::nanoseconds(0)); },
                                           [&] { set_time(input, first + std::chrono::nanoseconds(2)); }};
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    CAPTURE(i);
    changes[i]();
    CHECK(!is_done("", "other"));
    if (i != 1) CHECK(is_done("", "other"));  // a newer one is labeled each time
  }
}

TEST_CASE_METHOD(Batch, "after a signal, report and table list finished work") {
  add({"1.png", "3.png"});
  signal_at("2.png", "label 1.png 2.png 3.png -o out/ --jobs 1 --report run.jsonl --stats all.csv --quiet",
            SIGINT, read("1.png"));
  const std::vector<Json> found = lines("run.jsonl");
  REQUIRE(found.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(found[i]["status"] == (i < 2 ? "labeled" : "not started"));
  CHECK(has(read("all.csv"), "\n1.png,1,"));
  CHECK_FALSE(has(read("all.csv"), "3.png"));
  CHECK(files("out") == Names{"1.tiff", "1.json", "2.tiff", "2.json"});
}

TEST_CASE_METHOD(Batch,
                 "a batch that is ended does not replace a joint table, which a repeated run completes") {
  add({"1.png", "2.png", "3.png"});
  const std::string words =
      "label 1.png 2.png 3.png -o out/ --stats all.csv --summary inputs.csv --jobs 1 --quiet";
  succeeds(words);
  const std::string table = read("all.csv"), inputs = read("inputs.csv"), image = read("2.png");
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    CAPTURE(signal);
    signal_at("2.png", words, signal, image);
    CHECK(read("all.csv") == table);
    CHECK(read("inputs.csv") == inputs);
  }
  remove("2.png");
  write("2.png", image);
  succeeds(words + " --skip-existing");
  CHECK(read("all.csv") == table);
  CHECK(read("inputs.csv") == inputs);

  remove("inputs.csv");  // without an older table there is one of what was done
  write("2.png", "no image");
  ends(words + " --fail-fast", 65, {"all.csv: unchanged, because the run was stopped; repeat it"});
  CHECK(read("all.csv") == table);
  CHECK(has(read("inputs.csv"), "3.png,,,,,,,,,,,,,not started\n"));
}

TEST_CASE_METHOD(Batch, "the labels of another input of the same name are not replaced") {
  add({"vol1/page.png", "vol2/page.png", "3.png"});
  succeeds("label vol1/page.png -o out/ --quiet");
  const std::string before = read("out/page.tiff"), second = "label vol2/page.png -o out/ --quiet";
  fails(second, 73,
        "out/page.json: is the report of another input, vol1/page.png; use one output folder for each folder "
        "of inputs, "
        "or add --overwrite");
  fails(second + " --dry-run", 73, "is the report of another input");
  CHECK(read("out/page.tiff") == before);
  succeeds("label vol1/../vol1/page.png -o out/ --quiet");  // the same input
  succeeds("label vol2/page.png -o out2/ --quiet");
  succeeds(second + " --overwrite");
  remove("vol2/page.png");  // whose labels may then be replaced
  succeeds("label vol1/page.png -o out/ --quiet");
  // cell.tif and cell.tiff would share cell.json.
  for (const char* name : {"cell.tif", "cell.tiff"})
    succeeds("label vol1/page.png --quiet -o " + std::string(name));
  fails("label 3.png -o cell.npy --quiet", 73, "cell.json: is the report of another label image, cell.tiff");
  succeeds("label 3.png -o cell.npy --quiet --json third.json");
  succeeds("label 3.png -o cell.tiff --quiet");
}

TEST_CASE_METHOD(Batch, "a signal ends a batch that waits for a reader of its report") {
  add({"in/1.png"});
  REQUIRE(::mkfifo((*this / "report").c_str(), 0600) == 0);
  const pid_t child = launch(command("label in -o out/ --report report"));
  const std::string waiting_in_open = std::to_string(SYS_openat) + " ";
  while (!read_file("/proc/" + std::to_string(child) + "/syscall").starts_with(waiting_in_open))
    std::this_thread::yield();
  ::kill(child, SIGINT);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
}

TEST_CASE_METHOD(Batch, "a joint table needs a folder for temporary files; an empty TMPDIR is as none") {
  add({"in/1.png"});
  const auto with = [&](const std::string& folder, const std::string& line) {
    Command typed = command(line);
    typed.environment.emplace_back("TMPDIR", folder);
    return typed;
  };
  gpuccl::fails(
      with(*this / "none", "label in --stats t.csv"), 73,
      "none: cannot create a temporary file (no such file or directory); set TMPDIR to another folder");
  CHECK(files("in") == Names{"1.png"});
  CHECK(!exists("t.csv"));
  for (const char* const folder : {"", "/tmp"}) {
    CHECK(run(with(folder, "label in --stats t.csv")).code == 0);
    CHECK(exists("t.csv"));
    remove("t.csv");
    CHECK(run(with(folder, "label in/1.png -o -")).out.starts_with("\x93NUMPY"));
  }
}

TEST_CASE_METHOD(Batch, "a list names its files a line each, or ends each by a NUL") {
  add({"in/a.png", "in/b\nc.png"});
  write("lines", "\xef\xbb\xbfin/a.png\r\n\n");  // after a byte order mark
  write("nuls", std::string("in/a.png\0in/b\nc.png\0", 20));
  CHECK(summary(type("label @lines -o one/")) == "gpuccl: 1 of 1 labeled");
  CHECK(summary(type("label @nuls -o two/")) == "gpuccl: 2 of 2 labeled");
  CHECK(files("two") == Names{"a.tiff", "a.json", "b\nc.tiff", "b\nc.json"});
}

TEST_CASE_METHOD(Batch, "files of a folder that are left out are reported") {
  add({"in/a.png", "st/over.png", "st/v/1.png", "st/v/2.png"});
  fs::create_directory_symlink("../in", *this / "in/link");
  write("st/v/3.gif", "x");
  ends("label in --recursive -o out/", 0, {"in: 1 link to folders ignored\n"});
  ends("label st --stack --recursive -o out/", 0,
       {"st: 1 folder ignored, because the folder also contains images"});
  // Reports and tables of images, also of this run, are not counted.
  for (const char* name : {"in/a.json", "in/a.csv", "in/all.csv", "in/notes.txt"}) write(name, "label,area");
  ends("label in --stats in/all.csv --overwrite -o out/", 0,
       {"in: 1 file skipped: not an image by its extension (notes.txt)\n"});
  for (const char* more : {"", " --jobs 2"})
    ends("label st/v --stack -o out/" + std::string(more), 0,
         {"v: 1 file skipped: not an image by its extension (3.gif)\n"});
  for (const char* name : {"in/10.jp2", "in/9.jp2", "in/b.pdf"}) write(name, "x");
  ends("label in --overwrite -o out/", 0,
       {"in: 5 files skipped: not images by their extensions (9.jp2, 10.jp2, all.csv, ...)\n"});
}

TEST_CASE_METHOD(Batch, "label images of earlier runs among scans are named") {
  add({"in/a.png", "in/more/b.png"});
  succeeds("label in --recursive -o in/run1/ --quiet");
  succeeds("label in/a.png --json in/a.json -o out.tiff");  // the report of a scan is not of its labels
  const Ended second =
      ends("label in --recursive -o in/run2/", 0,
           {"2 inputs are label images of an earlier run (in/run1/a.tiff, ...); keep outputs "
            "in a folder outside of the inputs\n"});
  CHECK(summary(second) == "gpuccl: 4 of 4 labeled");
  for (const char* const command :
       {"label in/run1 --recursive -o out/", "label in in/run1/more/b.tiff -o named/",
        "label in --recursive --values -o values/"})
    CHECK(type(command).err.find("earlier run") == std::string::npos);
  write("in/run1/a.tiff", read("in/run1/a.tiff") + "x");  // another file of that name
  ends("label in --recursive -o in/run3/", 0,
       {"5 inputs are label images of an earlier run (in/run1/more/b.tiff, ...)"});
}

TEST_CASE_METHOD(Batch, "lists and folders that give no input are said to") {
  make_folders({"empty", "outer/inner"});
  write("none.txt", "\n\n");
  for (const char* quiet : {"", " --quiet"})
    fails("label empty -o out/" + std::string(quiet), 66, "empty: contains no .png, .tif,");
  fails("label outer -o out/", 66, " file; add --recursive to search its folders");
  fails("label @none.txt -o out/", 66, "none.txt: names no input");
  fails("label @gone.txt -o out/", 66, "gone.txt: cannot open the list of inputs (no such");
  fails("label @empty -o out/", 66, "empty: cannot open the list of inputs (is a dir");
}

TEST_CASE_METHOD(Batch, "the report and the table of a batch can be read while they grow") {
  add({"in/1.png", "in/2.png", "in/3.png"});
  const Ended report = ends("label in -o out/ --report -", 0, {});
  CHECK(report.err == "gpuccl: 3 of 3 labeled\n");
  write("run.jsonl", report.out);
  CHECK(lines("run.jsonl").size() == 3);
  succeeds("label in --stats t.csv --quiet");
  CHECK(succeeds("label in --stats - --quiet") == read("t.csv"));
  CHECK(files("out").size() == 6);
  Command full = command("label in -o out/ --report -");
  full.output = "/dev/full";
  const Ended ended = run(full);
  CHECK(ended.code == 74);
  CHECK(has(ended.err, "gpuccl: standard output: cannot write: no space left on device\n"));
  CHECK(summary(ended) == "gpuccl: 3 of 3 labeled, no report or table (74)");
}

#ifndef __SANITIZE_ADDRESS__  // which takes memory of its own
TEST_CASE_METHOD(Batch, "option --memory bounds a batch, however many jobs there are") {
  for (const char* name : {"1", "2", "3", "4", "5", "6", "7", "8"})
    add({"in/" + std::string(name) + ".png"}, {2500, 2500, 1});
  const Ended ended = ends("label in -o out/ --memory 20M --jobs 32 --quiet --no-fsync", 0, {});
  CHECK(ended.peak_kib < (20 + 64) * 1024);
}
#endif

TEST_CASE_METHOD(Batch, "a folder of folders of slices is a batch of volumes") {
  add({"in/v.1/s1.png", "in/v.1/s2.png", "in/v.1/s10.png", "in/w/s1.png", "in/deep/x/s1.png",
       "in/deep/x/s2.png"});
  const Ended flat = ends("label in --stack -o flat/", 65, {});  // "deep" holds no slices
  CHECK(summary(flat) == "gpuccl: 2 of 3 labeled, 1 failed: bad data (65)");
  succeeds("label in --stack --recursive -o all/ --quiet");
  CHECK(files("all") == Names{"v.1.tiff", "v.1.json", "w.tiff", "w.json", "deep/x.tiff", "deep/x.json"});
  CHECK(Json::parse(read("all/v.1.json"))["input"]["depth"] == 3);
  // One stack into a folder is called like its own.
  succeeds("label in/w --stack -o one/ --quiet");
  CHECK(files("one") == Names{"w.tiff", "w.json"});
}

TEST_CASE_METHOD(Batch, "contradictory options are refused before anything starts") {
  add({"in/a.png", "in/b.png", "in/sub/a.tif"});
  fs::create_hard_link(*this / "in/a.png", *this / "a.txt");
  write("list.txt", "in/a.png\n");
  write("dash", "-\nin/a.png\n");
  make_folders({"empty"});
  fs::create_directory_symlink("out", *this / "link");
  const std::string two = "in/a.png in/b.png ";
  for (const auto& [words, part] :
       {std::pair("in/a.png in/b.png in/a.png -o out/",
                  "has the same output as in/a.png: out/a.tiff; name it once"),
        {"in -o in/ --format png", "output and input are the same file"},
        {"in -o out/ --report a.txt", "output and input are the same file"},
        {"@list.txt -o out/ --report list.txt", "list.txt: output and input are the same file"},
        {"@list.txt -o out/ --stats list.txt", "list.txt: output and input are the same file"},
        {"@dash -o out/", "dash: contains '-', but standard input is one image"},
        {"@ -o out/", "'@' needs the name of a list"},
        // A folder that is not there yet has as many names as one that is.
        {"in -o out/ --report sub/../out/a.json", "has the same output"},
        {"in -o out/ --stats link/both --report out/both", "has the same output"},
        {"in -o out/ --report out/a.json", "has the same output"},
        {"in -o out/ --report x --stats x", "has the same output"},
        {"in/a.png - -o out/", "standard input"}})
    refused(words, part);
  for (const auto& [words, part] : {std::pair("-o labels.tif", "whose name ends in /"),
                                    {"", "nothing to write"},
                                    {"-o out/ --json -", "--json-dir"},
                                    {"-o out/ --preview p.png", "--preview"},
                                    {"-o out/ --keep-going --fail-fast", "--fail-fast"},
                                    {"--skip-existing --summary t.csv", "from reports"},
                                    {"-o out/ --format jpeg", "jpeg"},
                                    {"-o out/ --format npy --compress lzw", "--compress"},
                                    {"-o out/ --jobs 0", "--jobs"}})
    refused(two + words, part);
  fails("label @none -o out/", 66, "none: ");
  fails("label " + two + "-o in/a.png/", 73, "a.png/: cannot create");
  fails("label " + two + "-o out/ --report none/r", 73, "none/r: ");
  CHECK(type("label empty -o out/").code == 66);
}

TEST_CASE_METHOD(Batch, "label images are not written to where the next run looks for inputs") {
  add({"in/a.png", "in/sub/b.png", "stacks/s/1.png", "tifs/a.tif"});
  const std::string next = "would be an input of the next run";
  refused("in -o in/", "in/a.tiff: " + next);
  refused("in -o in/ --recursive", next);
  refused("in -o in/ --format npy", "in/a.npy: " + next);
  refused("in/sub in -o in/sub/../../in/", next);
  refused("tifs -o out/ --preview-dir tifs", next);
  refused("stacks --stack -o stacks/", "s.tiff: " + next);
  // Files given by name, or in a folder of outputs inside, are not inputs of the next run.
  for (int run = 0; run < 2; ++run) {
    succeeds("label in -o in/labels/ --json-dir in --quiet");
    succeeds("label in/a.png -o in/labels/../ --quiet");
    remove("in/a.tiff");
  }
}

TEST_CASE_METHOD(Batch, "progress has rate and time left: one changing line on a terminal, lines elsewhere") {
  for (int i = 0; i < 12; ++i) add({"in/" + std::to_string(i) + ".png"}, {2600, 2600, 1});
  const std::string said = said_on_terminal(
      {"label", *this / "in", "-o", *this / "out/", "--threads", "1", "--jobs", "1", "--label-type", "u32"});
  CAPTURE(said);
  CHECK(std::regex_search(said, std::regex("\r\x1b\\[Kgpuccl: \\d+ of 12, [0-9.]+/s, \\d+ s left")));
  CHECK(said.ends_with("\r\x1b[Kgpuccl: 12 of 12 labeled\r\n"));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);

  // Every file gives the same warning.
  const std::string warning = "warning: out/0.tiff: more than 65535 labels ",
                    others = "warning: the same for 11 more inputs: more than 65535 labels ";
  const Ended ended = ends("label in -o out/ --threads 1 --jobs 1 --progress", 0, {warning, others});
  CHECK(ended.err.ends_with("gpuccl: 12 of 12 labeled\n"));
  CHECK(ended.err.find('\r') == std::string::npos);
  CHECK(ended.err.find(warning) < ended.err.find(others));
}

TEST_CASE_METHOD(Batch, "a condition on inputs of different units is hinted at") {
  for (const std::string unit : {"nm", "um", "mm"})
    nrrd(unit + ".nrrd", "2 2", std::string(4, '\1'), "uint8",
         "spacings: 2 2\nunits: \"" + unit + "\" \"" + unit + "\"\n");
  const std::string hint = "has another unit of length than inputs before";
  const Ended ended = ends("label nm.nrrd um.nrrd mm.nrrd --keep 'area_physical>1' --stats a.csv", 0,
                           {"um.nrrd: " + hint, "the same for 1 more input: " + hint});
  CHECK(!has(ended.err, "nm.nrrd: " + hint));
  for (const std::string line : {"nm.nrrd um.nrrd --keep area>1", "nm.nrrd um.nrrd --min-size 1um2"})
    CHECK(!has(type("label " + line + " --stats a.csv").err, hint));
}

TEST_CASE_METHOD(Batch, "an unreadable folder of outputs fails every input, and says why") {
  add({"in/a.png", "in/b.png"});
  // /proc takes no file of anybody, not even root's.
  CHECK(summary(ends("label in -o /proc/self/", 73, {})) ==
        "gpuccl: 0 of 2 labeled, 2 failed: cannot create (73)");
}

TEST_CASE_METHOD(Batch, "little memory and few descriptors make a batch slower, not fail") {
  for (int i = 0; i < 20; ++i) add({"in/" + std::to_string(i) + ".png"}, {600, 500, 1});
  Command limited = command("label in -o out/ --memory 1M --quiet");
  limited.prepare = [in_folder = limited.prepare] {
    in_folder();
    const rlimit few{40, 40};
    ::setrlimit(RLIMIT_NOFILE, &few);
  };
  const Ended ended = run(limited);
  CHECK(ended.err == "");
  CHECK(ended.code == 0);
  CHECK(files("out").size() == 40);
}

}  // namespace
}  // namespace gpuccl
