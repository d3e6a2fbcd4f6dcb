#include "app/bench/generate.hpp"
#include "binary.hpp"
#include "gpuccl/algorithms.hpp"
#include "io/npy_bytes.hpp"
#include "io/read/reader.hpp"
#include "support/test.hpp"

// compare, generate, list, info.
namespace gpuccl {
namespace {

TEST_CASE("label images that end too early give one error and no output") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::random_image({300, 200, 40}, 0.4, 1, 5).view());
  for (const char* const name : {"a.tif", "a.npy", "a.nii", "a.nii.gz", "a.nrrd", "a.mha"}) {
    const std::string whole = scratch / name, cut = scratch / "cut-" + name;
    succeeds({"label", input, "-o", whole, "--quiet"});
    const std::string bytes = read_file(whole);
    write_file(cut, bytes.substr(0, bytes.size() / 4 * 3));
    for (const char* const memory : {"8M", "1G"}) {
      CAPTURE(name, memory);
      fails({"compare", whole, cut, "--memory", memory}, 65, cut + ": ");
      fails({"compare", cut, whole, "--memory", memory}, 65, cut + ": ");
      fails({"contacts", cut, "-o", scratch / "out.csv", "--memory", memory}, 65, cut + ": ");
      CHECK(gpuccl({"contacts", cut, "--memory", memory}).out == "");
      fails({"view", cut, "-o", scratch / "out.html", "--memory", memory}, 65, cut + ": ");
    }
  }
  CHECK(!std::filesystem::exists(scratch / "out.csv"));
  CHECK(!std::filesystem::exists(scratch / "out.html"));
}

TEST_CASE("generate writes volumes and refuses nonsense") {
  const ScratchFolder scratch;
  succeeds({"generate", "checkerboard", "--size", "5x4x3", "-o", scratch / "v.tif", "--no-fsync"});
  const Json report = report_of({scratch / "v.tif", "-c", "6"});
  CHECK(report["input"]["depth"] == 3);
  CHECK(report["labeling"]["components"] == 30);
  fails({"generate", "checkerboard", "-o", scratch / "v.tif", "--no-clobber"}, 73, "v.tif: ");
  fails({"generate", "checkerboard", "--size", "5x4x3", "-o", scratch / "v.png"}, 64, "v.png: ");
  for (const char* size : {"5", "0x5", "5x5x5x5", "axb", "5x", "99999999999x1", "-5x5"})
    fails({"generate", "dots", "--size", size, "-o", scratch / "x.png"}, 64, "is not a size such as");
  fails({"generate", "dots", "-o", scratch / "x.jpg"}, 64,
        "x.jpg: has the wrong extension for a binary image; use .tiff, .tif or .png");
  fails({"generate", "dust", "-o", scratch / "x.png"}, 64, "'dust' is not one of random|");
  fails({"generate", "random", "--density", "2", "-o", scratch / "x.png"}, 64, "density");
  fails({"generate", "random", "-o", scratch / "none/x.png"}, 73, "none/x.png: ");
  CHECK(count_entries(scratch.path()) == 1);
}

TEST_CASE("every algorithm listed is one that --algo takes") {
  const ScratchFolder scratch;
  const std::string image = save(scratch / "in.tif", tests::drawn(Slices{{"#.#"}, {"#.."}}).view());
  for (const Json& algorithm : Json::parse(succeeds({"list", "--json"})))
    for (const int connectivity : algorithm["connectivities"]) {
      Words words = {"label",           image,       "--quiet",
                     "--json",          "/dev/null", "--algo",
                     algorithm["name"], "-c",        std::to_string(connectivity)};
      if (connectivity == 4 || connectivity == 8) words.push_back("--per-slice");
      succeeds(words);
    }
}

TEST_CASE("info names version, libraries and devices") {
  const std::string info = succeeds({"info"});
  for (const char* name :
       {"gpuccl ", "commit ", "compiler ", "libpng ", "libtiff ", "libdeflate ", "ISA-L ", "oneTBB ",
        "CLI11 ", "nlohmann/json ", "reads ", "writes ", "CPU ", "threads ", "CUDA "})
    CHECK(("\n" + info).find(std::string("\n") + name) != std::string::npos);
  const std::string version = info.substr(info.find_first_not_of(' ', 6), info.find('\n') - 16);
  CHECK(succeeds({"--version"}).starts_with("gpuccl " + version));

  std::string names, names_of_json;
  std::istringstream lines(info);
  for (std::string line; std::getline(lines, line);)
    names += line.substr(0, line.find_last_not_of(' ', 15) + 1) + "\n";
  const auto json = nlohmann::ordered_json::parse(succeeds({"info", "--json"}));
  for (const auto& [name, value] : json.items()) names_of_json += name.substr(0, 16) + "\n";
  CHECK(names_of_json == names);
  CHECK(json["gpuccl"] == version);
  CHECK(json["threads"].is_number_integer());
}

}  // namespace
}  // namespace gpuccl
