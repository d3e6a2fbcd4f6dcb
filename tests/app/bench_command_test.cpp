#include <csignal>
#include <regex>

#include "binary.hpp"
#include "support/test.hpp"

// The bench command as a user starts it, on small images and with algorithms of the CPU.
namespace gpuccl {
namespace {

/// `gpuccl bench` that takes little time.
Words quick(const Words& more) {
  Words words = {"bench", "--device", "cpu", "--repetitions", "2", "--warm-up", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words small_random(const Words& more) {
  Words words = quick({"--size", "70x50", "--images", "2"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_CASE("bench prints machine, method and averages") {
  const std::string out = succeeds(small_random({"--densities", "0.3", "--granularities", "2"}));
  for (const char* part :
       {"gpuccl ", "  CPU: ", "  compiler: ", "- each image: 1 labeling to warm up, then 2",
        "- floor: ", "random 70x50, density 30.0 %, granularity 2 (8-connectivity, 2 images", "  runs ",
        "  flood-fill ", "  median ms  ", "  floor host-bits: "}) {
    CAPTURE(part);
    CHECK(out.find(part) != std::string::npos);
  }
}

TEST_CASE("bench writes JSON and a page") {
  const ScratchFolder scratch;
  const Words words = {"--test",          "density",
                       "--densities",     "0:1:0.5",
                       "--granularities", "1",
                       "--algo",          "runs,flood-fill",
                       "--json",          scratch / "it's;out.json",
                       "--report",        scratch / "deep/report"};
  succeeds(small_random(words));
  const Json json = Json::parse(read_file(scratch / "it's;out.json"));
  CHECK(json["test"] == "density");
  const std::string command = json["command"];
  CHECK(command.starts_with("gpuccl bench --device cpu"));
  CHECK(command.find("/it'\\''s;out.json' ") != std::string::npos);
  REQUIRE(json["results"].size() == 3);
  for (const Json& result : json["results"]) {
    REQUIRE(result["algorithms"].size() == 2);
    for (const Json& algorithm : result["algorithms"]) {
      CHECK(algorithm["images"] == 2);
      CHECK(algorithm["wrong"] == 0);
      const Json& total = algorithm["measures"][0];
      CHECK(total["name"] == "preallocated");
      CHECK(total["low_ms"].get<double>() <= total["median_ms"].get<double>());
      CHECK(total["median_ms"].get<double>() <= total["high_ms"].get<double>());
    }
  }
  CHECK(read_file(scratch / "deep/report/index.html").ends_with("</html>\n"));
  CHECK(count_entries(scratch / "deep/report") == 1);
}

TEST_CASE("steps name each phase, and every experiment ends well") {
  CHECK(succeeds(small_random({"--test", "steps", "--densities", "0.5", "--granularities", "1"}))
            .find("statistics") != std::string::npos);
  CHECK(succeeds(small_random({"--test", "granularity", "--granularities", "1:3"}))
            .find("  multiple of floor  ") != std::string::npos);
  CHECK(succeeds(small_random({"--test", "iterations", "--densities", "0.2,0.4"})).find("  launches\n") !=
        std::string::npos);
  CHECK(succeeds(
            quick({"--test", "size", "--size", "8x8,16x16x4", "--images", "1", "--rotate", "--threads", "1"}))
            .find("16x16x4") != std::string::npos);
  CHECK(succeeds(small_random({"--test", "host", "--densities", "0.5", "--granularities", "1"}))
            .find("run labels") != std::string::npos);
  CHECK(succeeds(small_random({"--test", "cca", "--densities", "0.5", "--granularities", "1"}))
            .find("- components: image to the number of components") != std::string::npos);
}

TEST_CASE("bench measures files: an image, a volume, folders of both") {
  const ScratchFolder scratch;
  const std::string out = succeeds(
      quick({"--algo", "runs", "--dataset", source_file("data/page.png"), "--dataset",
             source_file("data/cells.tif"), "--dataset", source_file("data/cells-slices"), "--images", "2"}));
  CHECK(out.find("page.png (8-connectivity, 1 image ") != std::string::npos);
  CHECK(out.find("cells.tif (26-connectivity, 1 image ") != std::string::npos);
  CHECK(out.find("cells-slices (8-connectivity, 2 images ") != std::string::npos);
  CHECK(succeeds(quick({"--algo", "runs", "--dataset", source_file("data/cells-slices"), "--stack"}))
            .find("cells-slices (26-connectivity, 1 image ") != std::string::npos);
}

TEST_CASE("a file that cannot be read is named, and the others are measured") {
  const ScratchFolder scratch;
  std::filesystem::copy_file(source_file("data/page.png"), scratch / "good.png");
  std::ofstream(scratch / "bad.png") << "no image";
  const Ended ended = gpuccl(quick({"--algo", "runs", "--dataset", scratch.path().string()}));
  CHECK(ended.code == 65);
  CHECK(ended.err.starts_with("gpuccl: " + (scratch / "bad.png") + ": "));
  CHECK(ended.out.find("1 image ") != std::string::npos);
}

TEST_CASE("without a GPU, the rest of a list is measured, and the exit code tells") {
  const ScratchFolder scratch;
  const Ended ended =
      gpuccl({"bench", "--algo", "bke,sauf", "--size", "8x8", "--images", "1", "--densities", "0.5",
              "--granularities", "1", "--repetitions", "1", "--json", scratch / "out.json"});
  CHECK(ended.code == 69);
  CHECK(ended.err.find("warning: not measured on a GPU (") != std::string::npos);
  CHECK(ended.err.find("): bke\n") != std::string::npos);
  CHECK(ended.out.find("\n  sauf ") != std::string::npos);
  const Json json = Json::parse(read_file(scratch / "out.json"));
  CHECK(json["not_measured"]["algorithms"] == Json::array({"bke"}));
  CHECK(json["results"][0]["algorithms"].size() == 1);
}

TEST_CASE("bench names the fastest algorithm, and those it does not measure") {
  const ScratchFolder scratch;
  std::filesystem::copy_file(source_file("data/page.png"), scratch / "image.png");
  std::filesystem::copy_file(source_file("data/cells.tif"), scratch / "volume.tif");
  const Ended ended = gpuccl(quick(
      {"--algo", "runs,sauf", "--dataset", scratch / "image.png", "--dataset", scratch / "volume.tif"}));
  CHECK(ended.code == 0);
  CHECK(ended.err ==
        "gpuccl: warning: sauf does not label 26-connectivity, so it was not measured on volumes\n");
  const std::string last = ended.out.substr(ended.out.rfind("\nfastest ") + 1);
  CHECK(std::regex_match(
      last, std::regex("fastest with 8-connectivity: (runs|sauf), [0-9.]+ times as fast as (runs|sauf) "
                       "\\(geometric mean over 1 image set\\)\n")));
  CHECK(gpuccl(quick({"--algo", "runs", "--size", "8x8"})).out.find("\nfastest ") == std::string::npos);
}

TEST_CASE("bench gives hints about the foreground of datasets, each once") {
  const ScratchFolder scratch;
  const BitVolume nothing({100, 100});
  save(scratch / "a.png", nothing.view());
  save(scratch / "b.png", nothing.view());
  const Ended ended = gpuccl(quick({"--algo", "runs", "--dataset", scratch.path().string()}));
  CHECK(ended.code == 0);
  const std::string hint = ".png: all pixels are 0, so nothing is foreground";
  const std::size_t at = ended.err.find(hint);
  REQUIRE(at != std::string::npos);
  CHECK(ended.err.find(hint, at + 1) == std::string::npos);
  CHECK(gpuccl(quick({"--algo", "runs", "--dataset", source_file("data/page.png")})).err.empty());
}

TEST_CASE("the protocol of TPDS 2024 times the allocation too, and shows minima") {
  const ScratchFolder scratch;
  const std::string out =
      succeeds(small_random({"--protocol", "tpds2024", "--densities", "0.5", "--granularities", "1", "--algo",
                             "runs,drag", "--json", scratch / "out.json"}));
  CHECK(out.find("- protocol tpds2024: ") != std::string::npos);
  CHECK(out.find("  min ms  ") != std::string::npos);
  const Json json = Json::parse(read_file(scratch / "out.json"));
  CHECK(json["protocol"] == "tpds2024");
  CHECK(json["results"][0]["algorithms"][1]["measures"][0]["name"] == "allocated");
  CHECK(json["results"][0]["algorithms"][1]["measures"].size() == 1);
  fails({"bench", "--protocol", "tpds2024", "--test", "steps"}, 64, "is for --test average");
  fails({"bench", "--protocol", "tpds2024", "--preallocated"}, 64, "cannot be combined with --preallocated");
  fails({"bench", "--protocol", "tpds2024", "-c", "4"}, 64, "is for 8-connectivity");
  fails({"bench", "--protocol", "tpds2020"}, 64, "tpds2024");
}

TEST_CASE("a submission is one experiment, whose parameters cannot be changed") {
  const ScratchFolder scratch;
  const std::string file = scratch / "mine.json";
  for (const Words& words : {Words{"--algo", "runs"},
                             {"--size", "64x64"},
                             {"--test", "steps"},
                             {"--densities", "0.5"},
                             {"--granularities", "1"},
                             {"--dataset", source_file("data/page.png")},
                             {"--images", "1"},
                             {"--repetitions", "1"},
                             {"--warm-up", "0"},
                             {"--time-limit", "1"},
                             {"--seed", "2"},
                             {"--rotate"},
                             {"--allocated"},
                             {"--preallocated"},
                             {"-c", "8"},
                             {"--protocol", "tpds2024"}}) {
    CAPTURE(words.front());
    Words all{"bench", "--submit", file};
    all.insert(all.end(), words.begin(), words.end());
    fails(all, 64, "--submit is an experiment of its own");
  }
  fails({"bench", "--submit", file, "--json", scratch / "b.json"}, 64, "leave out --json");
  fails({"bench", "--submit", "-"}, 64, "cannot go to standard output");
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a submission has all algorithms by the protocol of TPDS 2024", "[.long]") {
  const ScratchFolder scratch;
  succeeds({"bench", "--submit", scratch / "mine.json", "--device", "cpu"});
  const Json json = Json::parse(read_file(scratch / "mine.json"));
  CHECK(json["protocol"] == "tpds2024");
  CHECK(json["time_limit_s"] == 0.25);
  CHECK(json["results"].size() == 4);
  CHECK(json["results"][0]["size"] == Json::array({2048, 2048, 1}));
  CHECK(json["results"][0]["algorithms"].size() == 6);
}

/// Images of which one cannot be read, so that standard error says when the first dataset is through.
Words two_datasets(const ScratchFolder& scratch) {
  std::filesystem::create_directory(scratch / "many");
  std::ofstream(scratch / "many/0.png") << "no image";
  const std::string large =
      save(scratch / "many/1.png", tests::random_image({3000, 3000, 1}, 0.5, 1, 1).view());
  for (int i = 2; i < 20; ++i)
    std::filesystem::create_hard_link(large, scratch / ("many/" + std::to_string(i) + ".png"));
  return quick({"--algo", "runs,flood-fill", "--dataset", source_file("data/page.png"), "--dataset",
                scratch / "many", "--json", scratch / "out.json"});
}

TEST_CASE("Ctrl-C ends with the results so far, and bench says so") {
  const ScratchFolder scratch;
  const Ended ended = run_and_signal(gpuccl_command(two_datasets(scratch)), "0.png: ", SIGINT);
  CHECK(ended.signal == SIGINT);
  CHECK(ended.err.find("gpuccl: interrupted after ") != std::string::npos);
  CHECK(ended.err.ends_with(" of 21 images; completed measurements are written\n"));
  CHECK(ended.out.find("page.png (8-connectivity, 1 image ") != std::string::npos);
  const Json json = Json::parse(read_file(scratch / "out.json"));
  CHECK(json["complete"] == false);
  CHECK(json["incomplete"].get<std::string>().starts_with("interrupted after "));
  CHECK(json["results"][0]["algorithms"][0]["images"] == 1);
}

TEST_CASE("results are written as they come") {
  const ScratchFolder scratch;
  const Ended ended = run_and_signal(gpuccl_command(two_datasets(scratch)), "0.png: ", SIGKILL);
  CHECK(ended.signal == SIGKILL);
  CHECK(ended.out.find("page.png (8-connectivity, 1 image ") != std::string::npos);
  const Json json = Json::parse(read_file(scratch / "out.json"));
  CHECK(json["incomplete"] == "still running after 1 of 21 images");
  REQUIRE(json["results"].size() == 1);
  CHECK(json["results"][0]["dataset"] == "page.png");
}

TEST_CASE("impossible experiments are refused before anything is measured") {
  const ScratchFolder scratch;
  fails({"bench", "--algo", "nope"}, 64, "no algorithm 'nope'");
  fails({"bench", "--algo", "bke", "--size", "8x8"}, 69, "");
  fails({"bench", "--test", "iterations", "--algo", "ep,runs"}, 64, "runs does not iterate");
  fails({"bench", "--device", "cuda", "--size", "8x8"}, 69, "");
  const Ended without_gpu = gpuccl({"bench", "--device", "cuda", "--size", "8x8"});
  CHECK(without_gpu.out.empty());
  CHECK(std::count(without_gpu.err.begin(), without_gpu.err.end(), '\n') == 1);  // one problem, one line
  fails({"bench", "--device", "cpu", "-c", "8", "--size", "8x8x8"}, 64, "8-connectivity is for images");
  fails({"bench", "--test", "memory", "--device", "cpu"}, 64, "--test memory");
  fails({"bench", "--test", "work", "--device", "cpu"}, 64, "--test work counts work of a GPU");
  fails({"bench", "--test", "blocks", "--device", "cpu"}, 64, "--test blocks compares");
  fails({"bench", "--test", "blocks", "--algo", "ke"}, 64,
        "no other thread blocks for 'ke' but for all, dlp, c2fl");
  fails({"bench", "--test", "memory", "--algo", "runs"}, 64, "does not count for 'runs' but for all, np, ");
  fails({"bench", "--test", "memory", "--size", "8x8"}, 69, "");
  fails({"bench", "--test", "cca", "--allocated"}, 64, "--test cca makes no label image");
  fails({"bench", "--device", "cpu", "--algo", "sauf", "--size", "8x8x8", "--images", "1"}, 64,
        "nothing to measure");
  fails({"bench", "--json", "-"}, 64, "cannot go to standard output");
  fails({"bench", "--json", "out.csv"}, 64, "'out.csv' has the wrong extension; use .json");
  fails({"bench", "--densities", "50"}, 64, "'50' is not a list of densities");
  fails({"bench", "--size", "8"}, 64, "'8' is not a list of sizes");
  fails({"bench", "--test", "density", "--dataset", source_file("data")}, 64, "random images");
  fails({"bench", "--size", "8x8", "--dataset", source_file("data")}, 64, "--size");
  fails({"bench", "--device", "cpu", "--dataset", scratch / "gone"}, 66, "gone: ");
  fails({"bench", "--device", "cpu", "--size", "8x8", "--json", scratch / "no/such.json"}, 73, "such.json: ");
}

}  // namespace
}  // namespace gpuccl
