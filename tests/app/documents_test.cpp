#include <regex>

#include "app/common/messages.hpp"
#include "binary.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

// README, docs/ and the man pages show what the program does: their commands run, their outputs are
// real.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// README and all pages in docs/.
std::vector<std::string> pages() {
  std::vector<std::string> found = {"README.md", "CONTRIBUTING.md"};
  const fs::path root = source_file("");
  for (const auto& file : fs::recursive_directory_iterator(root / "docs"))
    if (file.path().extension() == ".md") found.push_back(fs::relative(file.path(), root).generic_string());
  return found;
}

/// The blocks of a Markdown page that are fenced as `language`.
std::vector<std::string> blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> found;
  bool inside = false, wanted = false;
  for (const std::string& line : lines_of(read_file(source_file(page)))) {
    if (line.starts_with("```")) {
      inside = !inside;
      wanted = inside && line == "```" + language;
      if (wanted) found.emplace_back();
    } else if (wanted) {
      found.back() += line + "\n";
    }
  }
  return found;
}

/// A Markdown page without its blocks of code, where brackets are no links.
std::string prose(const std::string& page) {
  std::string text;
  bool inside = false;
  for (const std::string& line : lines_of(read_file(source_file(page)))) {
    const bool fence = line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("```");
    if (fence) inside = !inside;
    if (!inside && !fence) text += line + "\n";
  }
  return text;
}

std::string only_block(const std::string& page, const std::string& language) {
  const std::vector<std::string> found = blocks(page, language);
  REQUIRE(found.size() == 1);
  return found.front();
}

/// A folder with an input under every name that the documents use, and `gpuccl` first in the search path.
class Desk {
 public:
  Desk() {
    fs::create_directory(folder_ / "bin");
    fs::create_symlink(GPUCCL_PROGRAM, folder_ / "bin/gpuccl");
    // Where jq is not installed, its input goes through as it is.
    write_file(folder_ / "bin/without-jq", "#!/bin/sh\nexec cat\n");
    fs::permissions(folder_ / "bin/without-jq", fs::perms::owner_all);
    fs::create_symlink(source_file("data"), folder_ / "data");
    for (const char* name : {"page.png", "scans/page.png"}) copy("page.png", name);
    for (const char* name : {"scan.tif", "scans/1890/page.tif"}) copy("page-g4.tif", name);
    for (const char* name :
         {"cells.tif", "em.tif", "huge.tif", "mask.tif", "neurons.tif", "pages.tif", "stack.tif"})
      copy("cells.tif", name);
    for (const char* name : {"box.npy", "classes.nii.gz", "ct.nii.gz", "network.nii.gz", "em.ome.zarr"})
      succeeds({"label", source_file("data/cells.tif"), "--quiet", "-o", folder_ / name});
    for (const char* name : {"truth.tif", "cellpose_masks.tif", "truth-mask.nii.gz", "predicted-mask.nii.gz"})
      succeeds({"label", source_file("data/cells.tif"), "--quiet", "-o", folder_ / name});
    fs::create_directory(folder_ / "cp");
    for (const char* name : {"cp/one", "cp/two"}) {
      copy("cells.tif", name + std::string(".tif"));
      fs::copy(folder_ / "truth.tif", folder_ / name + "_cp_masks.tif");
    }
    for (const char* name : {"dapi.tif", "gfp.tif"}) fs::copy(source_file("data/cells.tif"), folder_ / name);
    for (const char* folder : {"labelsTs", "predicted", "frames"}) {
      fs::create_directory(folder_ / folder);
      fs::copy(folder_ / "truth-mask.nii.gz", folder_ / folder + "/case.nii.gz");
    }
    fs::copy(folder_ / "truth-mask.nii.gz", folder_ / "frames/next.nii.gz");
    tests::write_tiff(folder_ / "dish.tif",
                      {{.width = 3,
                        .height = 2,
                        .bits = 8,
                        .channels = 3,
                        .photometric = PHOTOMETRIC_RGB,
                        .samples = {0, 9, 0, 200, 9, 0, 0, 9, 0, 0, 9, 0, 200, 7, 0, 0, 9, 0},  // two stains
                        .more = {}}});
    tests::TiffPageToWrite point{.width = 2, .height = 1, .bits = 8, .samples = {0, 9}, .more = {}};
    point.more = [](TIFF* tiff) {
      TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, "ImageJ=1.53\nimages=2\nframes=2\n");
    };
    tests::write_tiff(folder_ / "movie.tif", {point, point});
    for (const char* folder : {"yacclab/tobacco800", "yacclab/xdocs", "yacclab3d/hilbert", "photographs"}) {
      fs::create_directories(folder_ / folder);
      const bool volume = std::string(folder) == "yacclab3d/hilbert";
      succeeds(
          {"generate", "blobs", "--size", volume ? "8x8x8" : "32x32", "-o", folder_ / folder + "/image.tif"});
      if (std::string(folder) != "photographs") write_file(folder_ / folder + "/files.txt", "image.tif\n");
    }
    for (const char* name : {"slices", "stack"})
      fs::copy(source_file("data/cells-slices"), folder_ / name, fs::copy_options::recursive);
    for (const char* name : {"a.tiff", "b.tiff"})
      succeeds({"label", source_file("data/page.png"), "--quiet", "-o", folder_ / name});
  }

  /// As typed into a shell that stands here.
  Ended type(const std::string& line) const {
    Command command;
    command.words = {"bash", "-c",
                     "set -o pipefail; cd '" + folder_.path().string() +
                         "'; PATH=$PWD/bin:$PATH; command -v jq >/dev/null || jq() { without-jq; }; " + line};
    command.environment = {{"CUDA_VISIBLE_DEVICES", ""}};
    return run(command);
  }

  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  void copy(const std::string& sample, const std::string& name) {
    fs::create_directories(fs::path(folder_ / name).parent_path());
    fs::copy(source_file("data/" + sample), folder_ / name);
  }

  ScratchFolder folder_;
};

/// An experiment as small as it can be: of one image of 32x32 (8x8x8 for a connectivity of volumes), each
/// labeled once.
std::string shortened(std::string line) {
  const bool volume = std::regex_search(line, std::regex("-c (6|18|26)|x[0-9]+x"));
  const std::string size = volume ? "8x8x8" : "32x32";
  line = std::regex_replace(line, std::regex(" --(size|images|repetitions) [^ ]+"), "");
  line = std::regex_replace(line, std::regex(":0\\.01"), ":0.5");
  line = std::regex_replace(line, std::regex("--submit"), "--protocol tpds2024 --json");
  if (line.find("--dataset") == std::string::npos) line += " --size " + size;
  return line + " --images 1 --repetitions 1 --warm-up 0";
}

bool is_command(const std::string& line) {
  return std::regex_search(line, std::regex("(^|[|] (xargs .* )?)gpuccl ")) || line.starts_with("python3 ");
}

/// Runs commands of the program one after the other; how many there were.
std::size_t run_all(const std::vector<std::string>& lines) {
  const Desk desk;
  std::size_t count = 0;
  for (std::string line : lines) {
    if (!is_command(line)) continue;
    const bool bench = line.starts_with("gpuccl bench");
    line = line.substr(0, line.find("  #"));
    if (bench) line = shortened(line);
    CAPTURE(line);
    const Ended ended = desk.type(line);
    CAPTURE(ended.err);
    // Commands for GPUs end with 69 without one: a wrong option would have been refused before.
    const bool of_gpu = bench || line.find(" --gpus") != std::string::npos;
    CHECK((ended.code == 0 || (of_gpu && ended.code == 69)));
    ++count;
  }
  return count;
}

TEST_CASE("every command in README and docs/ runs") {
  std::size_t count = 0;
  for (const std::string& page : pages()) {
    std::vector<std::string> lines;
    for (const std::string& block : blocks(page, "sh"))
      for (const std::string& line : lines_of(block)) {
        CAPTURE(page, line);
        // Commands that are not run here are listed by their first word, so none is left out by mistake.
        CHECK((is_command(line) ||
               std::regex_search(
                   line, std::regex("^(sudo|mpirun|cmake|cpack|conda|module|cp|\\./dev|release/|#|$)"))));
        lines.push_back(line);
      }
    CAPTURE(page);
    count += run_all(lines);
  }
  CHECK(count > 20);
}

TEST_CASE("every example of the man pages runs") {
  std::size_t count = 0;
  for (const auto& file : fs::directory_iterator(source_file("man"))) {
    if (file.path().extension() != ".1" || file.path().stem() == "gpuccl-mpi") continue;  // needs MPI
    CAPTURE(file.path().string());
    const std::string typed = std::regex_replace(read_file(file.path()), std::regex(R"(\\\(aq)"), "'");
    const std::string page = std::regex_replace(typed, std::regex(R"(\\-)"), "-");
    std::size_t from = page.find("\n.SH EXAMPLES\n");
    if (from == std::string::npos) continue;
    const std::string examples = page.substr(from, page.find("\n.SH ", from + 1) - from);
    std::vector<std::string> lines;
    for (const std::string& line : lines_of(examples))
      if (!line.empty() && line[0] != '.') {
        CHECK(is_command(line));
        lines.push_back(line);
      }
    CHECK(!lines.empty());
    count += run_all(lines);
  }
  CHECK(count > 15);
}

/// Whether all of `part` stands in `whole`: of an object the members that it shows, of an array the first
/// elements.
bool shows(const Json& part, const Json& whole) {
  if (part.is_object())
    return whole.is_object() &&
           std::all_of(part.items().begin(), part.items().end(), [&](const auto& member) {
             return whole.contains(member.key()) && shows(member.value(), whole[member.key()]);
           });
  if (part.is_array())
    return whole.is_array() && part.size() <= whole.size() &&
           std::equal(part.begin(), part.end(), whole.begin(), shows);
  return part == whole;
}

/// Runs the commands of `page` at a new desk.
void type_commands(const Desk& desk, const std::string& page) {
  for (const std::string& block : blocks(page, "sh"))
    for (const std::string& line : lines_of(block)) {
      CAPTURE(page, line);
      if (is_command(line)) REQUIRE(desk.type(line.substr(0, line.find("  #"))).code == 0);
    }
}

TEST_CASE("docs/outputs.md shows a real report, README a real table") {
  const Desk desk;
  type_commands(desk, "docs/outputs.md");
  const Json shown = Json::parse(only_block("docs/outputs.md", "json"));
  const Json report = Json::parse(read_file(desk / "cells.json"));
  CAPTURE(shown.dump(), report.dump());
  CHECK(shown["labeling"]["components"] == 48);
  CHECK(shows(shown, report));

  const std::string table = only_block("README.md", "csv");
  CHECK(lines_of(table).size() == 3);
  for (const std::string& block : blocks("README.md", "sh"))
    for (const std::string& line : lines_of(block))
      if (line.find("cells.csv") != std::string::npos) REQUIRE(desk.type(line).code == 0);
  CHECK(read_file(desk / "cells.csv").starts_with(table));
}

TEST_CASE("the tables in docs/ are real, and their Python prints the output shown") {
  for (const std::string page : {"docs/quickstart.md", "docs/measures.md"}) {
    CAPTURE(page);
    const Desk desk;
    type_commands(desk, page);
    if (page == "docs/measures.md") CHECK(read_file(desk / "ten.csv").starts_with(only_block(page, "csv")));
    const std::vector<std::string> programs = blocks(page, "python"), printed = blocks(page, "text");
    REQUIRE(!programs.empty());
    REQUIRE(programs.size() == printed.size());
    if (desk.type("python3 -c 'import pandas'").code != 0) {
      WARN("skipped: there is no pandas");
      continue;
    }
    for (std::size_t i = 0; i < programs.size(); ++i) {
      write_file(desk / "read.py", programs[i]);
      const Ended ended = desk.type("python3 read.py");
      CAPTURE(i, ended.err);
      CHECK(ended.out == printed[i]);
    }
  }
}

TEST_CASE("the script for SLURM in docs/ labels an image") {
  const Desk desk;
  std::string script;
  for (const std::string& block : blocks("docs/large-data.md", "bash"))
    if (block.starts_with("#!")) script = std::regex_replace(block, std::regex("\nN=[0-9]+\n"), "\nN=4\n");
  REQUIRE(script.find("\nN=4\n") != std::string::npos);
  // Runs a job at once, an array task by task.
  write_file(desk / "bin/sbatch", R"(#!/bin/bash
for word; do
  case $word in
    --array=*) tasks=${word#--array=1-} ;;
    --wrap=*) wrap=${word#--wrap=} ;;
    --dependency=*) after=$word ;;
  esac
done
touch jobs
before=$(wc -l < jobs)  # each job waits for the one before
[ "$before" = 0 ] || [ "${after:-}" = "--dependency=afterok:$before" ] || exit 1
if [ -n "${tasks:-}" ]; then
  for SLURM_ARRAY_TASK_ID in $(seq "$tasks"); do export SLURM_ARRAY_TASK_ID; bash -c "$wrap" >&2 || exit; done
else
  bash -c "$wrap" >&2 || exit
fi
echo job >> jobs
wc -l < jobs
)");
  fs::permissions(desk / "bin/sbatch", fs::perms::owner_all);
  // The table of rounds; a round too many changes nothing.
  const std::tuple<const char*, int, bool> runs[] = {{"", 1, true},
                                                     {"", 2, true},
                                                     {" --measure shape", 1, false},
                                                     {" --measure shape", 2, true},
                                                     {" --fill-holes", 1, false},
                                                     {" --fill-holes", 2, true},
                                                     {" --fill-holes --keep 'area > 9'", 3, true}};
  for (const auto& [options, rounds, is_enough] : runs) {
    CAPTURE(options, rounds);
    std::string with =
        std::regex_replace(script, std::regex("\nROUNDS=1 "), "\nROUNDS=" + std::to_string(rounds) + " ");
    with.insert(with.find(" -o labels.tiff"), options);
    write_file(desk / "submit.sh", with);
    fs::remove_all(desk / "parts");
    fs::remove(desk / "jobs");
    const Ended ended = desk.type("bash submit.sh");
    CAPTURE(ended.err);
    CHECK((ended.code == 0) == is_enough);
    if (!is_enough) {
      const std::string remedy =
          std::string(options) == " --fill-holes"
              ? "run gpuccl join without --finish first"
              : "measuring needs another round: run every --part again, then gpuccl join parts";
      CHECK(ended.err.find("parts/joined: is missing; " + remedy + "\n") != std::string::npos);
      continue;
    }
    REQUIRE(desk.type("gpuccl label huge.tif -o one.tiff --stats one.csv" + std::string(options)).code == 0);
    CHECK(read_file(desk / "labels.tiff") == read_file(desk / "one.tiff"));
    CHECK(read_file(desk / "components.csv") == read_file(desk / "one.csv"));
  }
}

TEST_CASE("the programs in docs/ are those that are built against the installed library") {
  const auto check = [](const std::string& page, const std::string& folder, const std::string& program) {
    CHECK(only_block(page, "cpp") == read_file(source_file(folder + program)));
    const std::string build = read_file(source_file(folder + "CMakeLists.txt"));
    for (const std::string& line : lines_of(only_block(page, "cmake"))) {
      CAPTURE(line);
      CHECK(build.find(line + "\n") != std::string::npos);
    }
  };
  check("docs/library.md", "examples/", "label.cpp");
  check("docs/gpu.md", "tests/install/device_consumer/", "device.cpp");
}

TEST_CASE("the table of algorithms in docs/ is the one that list prints") {
  const std::string page = read_file(source_file("docs/algorithms.md"));
  const std::string begin = "<!-- algorithms -->\n", end = "<!-- end of algorithms -->\n";
  const std::size_t from = page.find(begin), to = page.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  CHECK(page.substr(from + begin.size(), to - from - begin.size()) == succeeds({"list", "--markdown"}));
}

TEST_CASE("exit codes in docs/ and in the man page are those of the program") {
  std::set<std::string> codes = {"0", "1"};
  for (int i = 0; i <= static_cast<int>(ErrorCode::temporary); ++i)
    codes.insert(std::to_string(app::exit_code(static_cast<ErrorCode>(i))));
  const auto found = [](const std::string& text, const std::string& pattern) {
    std::set<std::string> numbers;
    const std::regex number(pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
      numbers.insert((*at)[1]);
    return numbers;
  };
  CHECK(found(read_file(source_file("docs/outputs.md")), "\n[|] ([0-9]+) [|]") == codes);
  CHECK(found(read_file(source_file("man/gpuccl.1")), "[.]TP\n[.]B ([0-9]+)\n") == codes);
}

TEST_CASE("CITATION.cff names this version") {
  const std::string version = succeeds({"--version"});
  const std::string number = std::regex_replace(version, std::regex("gpuccl ([0-9.]+)[^]*"), "$1");
  CHECK(read_file(source_file("CITATION.cff")).find("\nversion: " + number + "\n") != std::string::npos);
}

TEST_CASE("links of README and docs/ lead to files") {
  for (const std::string& page : pages()) {
    const std::string text = prose(page);
    std::size_t links = 0;
    const std::regex link(R"re((\]\(|src="|href=")([^)"# ]+))re");
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[2];
      if (target.starts_with("http")) continue;
      CAPTURE(page, target);
      CHECK(fs::exists(fs::path(source_file(page)).parent_path() / target));
      ++links;
    }
    CAPTURE(page);
    CHECK(links > 0);
    const std::regex path("`((app|io|lib|tests|docs|data)/[^` *]*)`");
    for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at) {
      CAPTURE(at->str());
      CHECK(fs::exists(source_file((*at)[1])));
    }
  }
}

TEST_CASE("README's packages are those that ./dev installs") {
  const std::string readme = read_file(source_file("README.md"));
  const std::string installed = read_file(source_file("release/setup.sh"));
  std::smatch line;
  REQUIRE(std::regex_search(readme, line, std::regex("sudo apt install ([^\n]+)")));
  const std::string list = line[1];
  CHECK(read_file(source_file("docs/install.md")).find("sudo apt install " + list + "\n") !=
        std::string::npos);
  const std::regex package("[a-z0-9+-]+");
  std::set<std::string> named;
  for (std::sregex_iterator at(list.begin(), list.end(), package), end; at != end; ++at) {
    CAPTURE(at->str());
    CHECK(installed.find(at->str()) != std::string::npos);
    named.insert(at->str());
  }
  const std::regex library("\\blib[a-z0-9]+-dev\\b");
  for (std::sregex_iterator at(installed.begin(), installed.end(), library), end; at != end; ++at) {
    CAPTURE(at->str());
    CHECK(named.contains(at->str()));
  }
}

TEST_CASE("README and docs/ name scripts, commands of ./dev and presets that exist") {
  const std::string dev = read_file(source_file("dev"));
  const Json presets = Json::parse(read_file(source_file("CMakePresets.json")));
  std::size_t commands = 0;
  for (const std::string& page : pages()) {
    const std::string text = read_file(source_file(page));
    const std::regex command("[`\n][.]/dev ([a-z0-9]+)( --[a-z]+)?"), preset("cmake --preset ([a-z-]+)"),
        script("[` \n](release/[a-z]+|tests/[a-z0-9]+/run[.]sh)");
    for (std::sregex_iterator at(text.begin(), text.end(), script), end; at != end; ++at, ++commands) {
      CAPTURE(page, at->str());
      CHECK(fs::exists(source_file((*at)[1])));
    }
    for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at, ++commands) {
      CAPTURE(page, at->str());
      CHECK(dev.find("\n  '" + (*at)[1].str() + ' ') != std::string::npos);
      CHECK(dev.find((*at)[2]) != std::string::npos);
    }
    for (std::sregex_iterator at(text.begin(), text.end(), preset), end; at != end; ++at, ++commands) {
      CAPTURE(page, at->str());
      CHECK(std::any_of(presets["configurePresets"].begin(), presets["configurePresets"].end(),
                        [&](const Json& known) { return known["name"] == (*at)[1].str(); }));
    }
  }
  CHECK(commands > 5);
}

}  // namespace
}  // namespace gpuccl
