#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>

#include "app/bench/generate.hpp"
#include "binary.hpp"
#include "gpuccl/algorithms.hpp"
#include "io/npy_bytes.hpp"
#include "io/read/reader.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

// compare, generate, list, info.
namespace gpuccl {
namespace {

/// Output and exit code of `gpuccl compare`.
std::string compared(const Words& words) {
  const Ended ended = gpuccl(joined({"compare"}, words));
  CHECK(ended.err == "");
  return std::to_string(ended.code) + " " + ended.out;
}

TEST_CASE("compare tells how two label images differ, and where first") {
  const ScratchFolder scratch;
  const std::string image = save(scratch / "in.png", tests::drawn(Words{"#.##", "....", "##.#"}).view());
  const auto label = [&](const std::string& name, const Words& options) {
    succeeds(joined({"label", image, "-o", scratch / name}, options));
    return scratch / name;
  };
  const std::string a = label("a.tif", {}), b = label("b.npy", {}),
                    by_size = label("size.png", {"--order", "size"});
  const std::string larger = label("larger.tif", {"--min-size", "2"});
  const std::string other = save(scratch / "other.png", BitVolume({4, 4, 1}).view());

  CHECK(compared({a, b}) == "0 same labels\n");
  CHECK(compared({a, by_size}) == "1 same components, different numbers: first at (0, 0, 0): 1 and 3\n");
  CHECK(compared({a, by_size, "--partition"}).starts_with("0 same components"));
  CHECK(compared({a, larger}) ==
        "1 different foreground: 2 pixels, Dice coefficient 0.8, first at (0, 0, 0): 1 and 0\n");
  CHECK(compared({a, larger, "--partition"}).starts_with("1 "));
  CHECK(compared({a, other}) == "1 different sizes: 4x3 and 4x4\n");
  CHECK(compared({a, by_size, "--quiet"}) == "1 ");
  fails({"compare", a, scratch / "missing.tif"}, 66, "missing.tif: ");
  fails({"compare", a}, 64, "B is required");
}

TEST_CASE("compare takes labels of 64 bits, which mean the same in any samples") {
  const ScratchFolder scratch;
  const auto save_labels = [&](const std::string& name, const auto& values) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    return save_nrrd(scratch / name, "uint" + std::to_string(8 * sizeof(Value)), "4 1",
                     tests::bytes_of(values));
  };
  using Long = std::vector<std::uint64_t>;
  const std::string a = save_labels("a.nrrd", Long{0, 1ull << 40, 5, ~0ull});
  const std::string b = save_labels("b.nrrd", Long{0, 1ull << 41, 5, ~0ull});
  const std::string joined = save_labels("joined.nrrd", Long{0, 5, 5, ~0ull});
  const std::string narrow = save_labels("narrow.nrrd", std::vector<std::uint32_t>{0, 7, 5, 4294967295u});
  const std::string wide = save_labels("wide.nrrd", Long{0, 7, 5, 4294967295u});

  CHECK(compared({a, a}) == "0 same labels\n");
  CHECK(compared({narrow, wide}) == "0 same labels\n");
  CHECK(compared({a, b}) ==
        "1 same components, different numbers: first at (1, 0, 0): 1099511627776 and 2199023255552\n");
  CHECK(compared({a, narrow}) ==
        "1 same components, different numbers: first at (1, 0, 0): 1099511627776 and 7\n");
  CHECK(compared({a, joined}) == "1 different components: first at (2, 0, 0): 5 and 5\n");
}

TEST_CASE("labels are compared and shown and their contacts found in slabs as at once") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::random_image({300, 200, 40}, 0.4, 3, 5).view());
  const std::string page = save(scratch / "page.tif", tests::random_image({1500, 1200, 1}, 0.4, 3, 5).view());
  for (const auto& [image, name, other] :
       {std::tuple(input, "a.tif", "b.nii.gz"), {input, "c.zarr", "d.npy"}, {page, "e.png", "f.tif"}}) {
    const std::string a = scratch / name, b = scratch / other;
    CAPTURE(a, b);
    succeeds({"label", image, "-o", a, "--quiet", "-c", "6"});
    succeeds({"label", image, "-o", b, "--quiet", "-c", "26", "--min-size", "99"});
    const std::string differs = compared({a, b}), table = succeeds({"contacts", a});
    CHECK(differs.starts_with("1 different "));
    CHECK(std::count(table.begin(), table.end(), '\n') > 1000);
    succeeds({"view", a, "-o", scratch / "page.html"});
    const std::string shown = read_file(scratch / "page.html");
    succeeds({"view", a, "-o", scratch / "slabs.html", "--memory", "40M"});
    CHECK((read_file(scratch / "slabs.html") == shown));
    for (const char* const memory : {"6M", "20M"}) {
      CHECK(compared({a, b, "--memory", memory}) == differs);
      CHECK(compared({a, a, "--memory", memory}) == "0 same labels\n");
      CHECK(succeeds({"contacts", a, "--memory", memory}) == table);
    }
    fails({"compare", a, b, "--memory", "1K"}, 71, "the limit is");
    fails({"contacts", a, "--memory", "1K"}, 71, "the limit is");
    fails({"view", a, "-o", scratch / "slabs.html", "--memory", "1K"}, 71, "the limit is");
  }
}

TEST_CASE("label images that end too early give one error and no output") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::random_image({300, 200, 40}, 0.4, 1, 5).view());
  for (const char* const name : {"a.tif", "a.npy", "a.nii", "a.nii.gz", "a.nrrd", "a.mha"}) {
    const std::string whole = scratch / name, cut = scratch / "cut-" + name;
    succeeds({"label", input, "-o", whole, "--quiet"});
    const std::string bytes = read_file(whole);
    write_file(cut, bytes.substr(0, bytes.size() / 4 * 3));
    for (const char* const memory : {"2M", "1G"}) {
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

TEST_CASE("generate draws every kind as the library does, and refuses options of other kinds") {
  const ScratchFolder scratch;
  GenerateOptions options;
  options.extent = {70, 64, 1};
  options.order = 2;
  options.density = 0.3;
  options.granularity = 2;
  options.seed = 9;
  const std::map<std::string, std::string> all = {
      {"order", "2"}, {"density", "0.3"}, {"granularity", "2"}, {"seed", "9"}};
  for (const GenerateKind& kind : generate_kinds()) {
    CAPTURE(kind.name);
    options.kind = kind.name;
    const std::string path = scratch / (kind.name + ".png");
    Words words = {"generate", kind.name, "--size", "70x64", "-o", path};
    for (const auto& [name, value] : all) {
      if (std::count(kind.options.begin(), kind.options.end(), name) > 0)
        words.insert(words.end(), {"--" + name, value});
      else
        fails({"generate", kind.name, "--" + name, value, "-o", path}, 64,
              "--" + name + " is for " + (name == "order" ? "hilbert" : "random, blobs"));
    }
    CHECK(succeeds(words) == "");
    const BitVolume read = io::read_image(path, {}), expected = generate(options);
    CHECK(count_foreground(read.view()) > 0);
    CHECK(std::equal(read.row(0), read.row(64), expected.row(0), expected.row(64)));
  }
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

TEST_CASE("list prints the table of algorithms in 80 columns, the name first") {
  std::istringstream lines(succeeds({"list"}));
  const Json json = Json::parse(succeeds({"list", "--json"}));
  REQUIRE(json.size() == algorithms().size());
  for (const Algorithm& algorithm : algorithms()) {
    std::string line;
    std::getline(lines, line);
    CHECK(line.starts_with(algorithm.name + "  "));
    CHECK(line.ends_with((algorithm.device == DeviceKind::cuda ? "  cuda  " : "  cpu   ") + algorithm.title));
    CHECK(line.size() <= 80);
  }
  CHECK(json[0] ==
        Json::parse(R"({"name":"runs","title":")" + algorithms()[0].title +
                    R"(","connectivities":[4,8,6,18,26],"device":"cpu","paper":null,"phases":null})"));
  CHECK(succeeds({"list", "--markdown"}).find("\n| `runs` | ") != std::string::npos);
  fails({"list", "--json", "--markdown"}, 64, "excludes");
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
