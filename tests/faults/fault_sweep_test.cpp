#include <cerrno>
#include <iostream>
#include <regex>

#include "app/binary.hpp"
#include "support/test.hpp"

// Every call to the system of a whole run fails once, and then from there on: nothing may be lost by it.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

using Codes = std::set<int>;

/// A kind of call, how it fails, and the exit codes that may have.
struct Fault {
  const char* call;
  std::string how;
  Codes codes;
};

std::vector<Fault> faults() {
  const auto code = [](int value) { return std::to_string(value); };
  return {
      // 0: a file with a name takes the place of one without; of a folder that is to be synced
      {"open", code(EIO), {0, 66, 73, 74}},
      {"open", code(ENOSPC), {0, 66, 73, 74}},
      {"open", code(EMFILE), {0, 66, 73, 74}},
      {"open", code(EINTR), {0, 66}},  // 66: of a folder that is listed, which is not ours to try again
      {"read", code(EIO), {0, 74}},    // 0: of what /proc says
      {"read", code(EINTR), {0}},
      {"read", "short", {0}},
      {"read", "short+", {0}},
      {"write", code(ENOSPC), {74}},
      {"write", code(ENOSPC) + "+", {74}},
      {"write", code(EIO), {74}},
      {"write", code(EDQUOT), {74}},
      {"write", code(EINTR), {0}},
      {"write", "short", {0}},
      {"write", "short+", {0}},
      {"sync", code(EIO), {0, 74}},  // 0: of the folder, when the file is safe
      {"sync", code(EINTR), {0}},
      {"sync", code(EINVAL), {0}},    // a file system that cannot
      {"close", code(EIO), {0, 74}},  // 0: of an input
      {"close", code(EINTR), {0}},
      {"link", code(ENOSPC), {74}},
      {"link", code(EACCES), {73}},
      {"rename", code(EIO), {74}},
      {"rename", code(EACCES), {73}},
      {"stat", code(EIO), {0, 64, 65, 66, 73, 74}},  // 65: a series of images that is taken for one
      {"mkdir", code(ENOSPC), {0, 74}},              // 0: the folder is there
      {"mkdir", code(EIO), {0, 74}},
      {"mkdir", code(ENOMEM), {0, 71}},
      {"mkdir", code(EACCES), {0, 73}},
      {"list", code(EIO), {0, 74}},  // 0: of a folder of /sys or /proc
      {"unlink", code(EIO), {0}},    // there is nothing to be done about it
      {"thread", code(EAGAIN), {0, 71}},
      {"thread", code(EAGAIN) + "+", {0, 71}},
  };
}

/// One command with what it reads and what it makes.
struct Scenario {
  const ScratchFolder scratch;
  Words words;
  std::vector<std::string> made;              // label images, tables, previews, and last the report
  std::map<std::string, std::string> right;   // what is in them, reports excepted: they hold times
  std::map<std::string, std::string> inputs;  // by path

  std::string add_input(const std::string& name, Extent extent) {
    const std::string path = scratch / name;
    fs::create_directories(fs::path(path).parent_path());
    save(path, tests::random_image(extent, 0.4, 1, 7).view());
    inputs[path] = read_file(path);
    return path;
  }

  void label(const Words& more) { make(joined({"label", "--quiet", "--threads", "2", "--overwrite"}, more)); }

  void make(const Words& all) {
    words = all;
    succeeds(words);
    for (const std::string& path : made) right[path] = read_file(path);
  }

  bool is_whole(const std::string& path, const std::string& content) const {
    return path.ends_with(".json") ? Json::accept(content) : content == right.at(path);
  }
};

void set_up(Scenario& scenario, const std::string& name) {
  const ScratchFolder& scratch = scenario.scratch;
  if (name == "page") {
    scenario.made = {scratch / "out.tiff", scratch / "out.png", scratch / "out.csv", scratch / "out.json"};
    scenario.label({scenario.add_input("in.png", {300, 200, 1}), "-o", scenario.made[0], "--preview",
                    scenario.made[1], "--stats", scenario.made[2]});
  } else if (name == "volume") {
    scenario.made = {scratch / "out.npy", scratch / "out.json"};
    scenario.label({scenario.add_input("in.tif", {90, 50, 20}), "-o", scenario.made[0]});
  } else if (name == "match") {
    scenario.made = {scratch / "pairs.csv", scratch / "scores.json"};
    const std::string image = scenario.add_input("in.png", {64, 40, 1});
    scenario.make({"match", image, image, "--label", "--csv", scenario.made[0], "--json", scenario.made[1],
                   "--overwrite"});
  } else if (name == "track") {
    for (const char* frame : {"in/1.png", "in/2.png", "in/3.png"}) scenario.add_input(frame, {64, 40, 1});
    scenario.made = {scratch / "out/1.tif", scratch / "out/2.tif", scratch / "out/3.tif",
                     scratch / "objects.csv", scratch / "tracks.json"};
    scenario.make({"match", "--track", scratch / "in", "--label", "-o", scratch / "out", "--csv",
                   scenario.made[3], "--json", scenario.made[4], "--overwrite"});
  } else {
    for (const char* slice : {"in/1.png", "in/2.png", "in/3.tif"}) scenario.add_input(slice, {64, 40, 1});
    scenario.made = {scratch / "out.tif", scratch / "out.json"};
    scenario.label({scratch / "in", "--stack", "-o", scenario.made[0], "--no-fsync"});
  }
}

Command failing(const Words& words, const Fault& fault, long first, const std::string& count) {
  Command command = gpuccl_command(words);
  command.environment.emplace_back("LD_PRELOAD", GPUCCL_FAIL_CALLS);
  command.environment.emplace_back("GPUCCL_FAIL",
                                   std::string(fault.call) + ":" + std::to_string(first) + ":" + fault.how);
  command.environment.emplace_back("GPUCCL_CALLS", count);
  return command;
}

long count_calls(const Scenario& scenario, const Fault& fault) {
  const ScratchFolder scratch;
  CHECK(run(failing(scenario.words, fault, 0, scratch / "calls")).code == 0);
  return std::stol(read_file(scratch / "calls"));
}

/// Requires the right message, exit code and files.
void check_ended(const Scenario& scenario, const Fault& fault, const Ended& ended) {
  CAPTURE(ended.code, ended.err);
  CHECK(ended.signal == 0);
  const auto lines = std::count(ended.err.begin(), ended.err.end(), '\n');
  if (ended.code == 0) {
    CHECK(fault.codes.contains(0));
    CHECK(ended.err == "");
  } else {
    CHECK(fault.codes.contains(ended.code));
    CHECK(lines == 1);
    CHECK(ended.err.starts_with("gpuccl: "));
    CHECK(ended.err.find(": \n") == std::string::npos);
  }
  for (const auto& [path, content] : scenario.inputs) CHECK(read_file(path) == content);
  std::size_t replaced = 0;
  for (const std::string& path : scenario.made) {
    CAPTURE(path);
    const std::string content = read_file(path);
    const bool whole = scenario.is_whole(path, content);
    CHECK((content == "old" || whole));
    if (whole) ++replaced;
  }
  // All are replaced or none; all, of a run that fails, only where a thread of oneTBB ends it after that.
  CHECK((replaced == 0 || replaced == scenario.made.size()));
  if (ended.code == 0) CHECK(replaced > 0);
  const bool was_done = ended.err.starts_with("gpuccl: standard output: ");  // which scores go to at the end
  if (ended.code != 0 && std::string(fault.call) != "thread") CHECK((replaced == 0 || was_done));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(scenario.scratch.path())) {
    if (!entry.path().filename().string().starts_with(".gpuccl-")) continue;
    CHECK(std::string(fault.call) == "unlink");  // which was of what has been replaced
    fs::remove(entry.path());
  }
}

/// Every `step`-th call fails.
long sweep(const Scenario& scenario, const Fault& fault, long step = 1) {
  const ScratchFolder scratch;
  const long calls = count_calls(scenario, fault);
  long injected = 0;
  for (long first = 1; first <= calls; first += step) {
    for (const std::string& path : scenario.made) write_file(path, "old");
    CAPTURE(fault.call, fault.how, first, calls);
    check_ended(scenario, fault, run(failing(scenario.words, fault, first, scratch / "calls")));
    ++injected;
  }
  return injected;
}

long sweep_all(const Words& names, long step) {
  long injected = 0;
  for (const std::string& name : names) {
    CAPTURE(name);
    Scenario scenario;
    set_up(scenario, name);
    for (const Fault& fault : faults()) injected += sweep(scenario, fault, step);
  }
  return injected;
}

TEST_CASE("if a call fails, old files stay or new ones are whole, and one line names the reason") {
  const long injected = sweep_all({"page", "match"}, 2) + sweep_all({"volume", "stack", "track"}, 10);
  std::cout << "faults injected into single runs: " << injected << "\n";
  CHECK(injected > 150);
}

TEST_CASE("if any call of any run fails", "[.long]") {
  std::cout << "faults injected into single runs: "
            << sweep_all({"page", "volume", "stack", "match", "track"}, 1) << "\n";
}

// 74: libraries do not always say why they cannot write.
const Fault kNoMemory = {"malloc", std::to_string(ENOMEM), {0, 71, 74}};

TEST_CASE("no memory at some call is no crash") {
  Scenario scenario;
  set_up(scenario, "page");
  const long injected = sweep(scenario, kNoMemory, 2);
  std::cout << "allocations that failed: " << injected << "\n";
}

TEST_CASE("no memory at any call is no crash", "[.long]") {
  long injected = 0;
  for (const char* name : {"page", "volume", "stack"}) {
    Scenario scenario;
    set_up(scenario, name);
    injected += sweep(scenario, kNoMemory);
    injected += sweep(scenario, {"malloc", kNoMemory.how + "+", {71, 74}});
  }
  std::cout << "allocations that failed: " << injected << "\n";
}

/// A batch of four, in which the call fails for one of them, which one is not known: the others are done.
struct BatchScenario {
  static constexpr int kInputs = 4;
  const ScratchFolder scratch;
  std::map<std::string, std::string> right;
  const std::string out = scratch / "out", report = scratch / "run.jsonl";
  Words words = {"label", scratch / "in", "-o",   out + "/",      "--jobs",
                 "2",     "--report",     report, "--keep-going", "--overwrite"};

  BatchScenario() {
    fs::create_directory(scratch / "in");
    for (int i = 0; i < kInputs; ++i)
      save(scratch / ("in/" + std::to_string(i) + ".png"),
           tests::random_image({120, 80 + i, 1}, 0.4, 1, static_cast<std::uint32_t>(i)).view());
    REQUIRE(gpuccl(words).code == 0);
    for (int i = 0; i < kInputs; ++i) right[name(i)] = read_file(name(i) + ".tiff");
  }

  std::string name(int i) const { return out + "/" + std::to_string(i); }

  void check_ended(const Fault& fault, const Ended& ended) const {
    CAPTURE(ended.code, ended.err);
    CHECK(ended.signal == 0);
    CHECK((ended.code == 0 || fault.codes.contains(ended.code)));
    for (const fs::directory_entry& entry : fs::directory_iterator(scratch.path()))
      CHECK(!entry.path().filename().string().starts_with(".gpuccl-"));
    int done = 0;
    for (int i = 0; i < kInputs; ++i) {
      const std::string image = read_file(name(i) + ".tiff"), json = read_file(name(i) + ".json");
      if (json == "old") {
        CHECK(image == "old");
        continue;
      }
      CHECK(Json::accept(json));
      CHECK(image == right.at(name(i)));
      ++done;
    }
    const std::string lines = read_file(report);
    if (ended.code == 0) {
      CHECK(done == kInputs);
      CHECK(ended.err == "gpuccl: 4 of 4 labeled\n");
      return;
    }
    // A line for each failure, or for several with the same reason, and the count, unless the batch did not
    // begin or the folder could not be read.
    std::smatch counts;
    const std::regex summary(
        "gpuccl: (\\d) of (\\d) labeled(?:, (\\d) failed: .*?\\))?(, no report or table \\(\\d+\\))?\n");
    const long messages = std::count(ended.err.begin(), ended.err.end(), '\n');
    if (!std::regex_search(ended.err, counts, summary)) {
      CHECK(messages == 1);
      return;
    }
    int failed = counts[3].matched ? std::stoi(counts[3]) : 0;
    std::smatch same;
    if (std::regex_search(ended.err, same, std::regex("the same for (\\d) more inputs? ")))
      failed -= std::stoi(same[1]) - 1;
    CHECK(messages == 1 + failed + (counts[4].matched ? 1 : 0));
    if (counts[2] != "4") return;
    CHECK(done >= std::stoi(counts[1]));
    if (lines != "old") CHECK(std::count(lines.begin(), lines.end(), '\n') == kInputs);
  }
};

long sweep_batch(long step) {
  const BatchScenario scenario;
  const ScratchFolder scratch;
  long injected = 0;
  for (const Fault& fault : faults()) {
    const std::string count = scratch / "calls";
    REQUIRE(run(failing(scenario.words, fault, 0, count)).code == 0);
    const long calls = std::stol(read_file(count));
    for (long first = 1; first <= calls; first += step) {
      for (int i = 0; i < BatchScenario::kInputs; ++i) {
        write_file(scenario.name(i) + ".tiff", "old");
        write_file(scenario.name(i) + ".json", "old");
      }
      write_file(scenario.report, "old");
      CAPTURE(fault.call, fault.how, first, calls);
      scenario.check_ended(fault, run(failing(scenario.words, fault, first, count)));
      ++injected;
    }
  }
  return injected;
}

TEST_CASE("if a call of a batch fails, the other inputs are done") {
  const long injected = sweep_batch(8);
  std::cout << "faults injected into a batch: " << injected << "\n";
  CHECK(injected > 50);
}

TEST_CASE("if any call of a batch fails", "[.long]") {
  std::cout << "faults injected into a batch: " << sweep_batch(1) << "\n";
}

}  // namespace
}  // namespace gpuccl
