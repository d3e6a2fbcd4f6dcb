#include "app/bench/plan.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::bench;
namespace fs = std::filesystem;

namespace {

void copy_page(const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy_file("data/page.png", to);
}

void copy_slices(const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy("data/cells-slices", to, fs::copy_options::recursive);
}

std::vector<std::string> file_names(const ImageSet& set) {
  std::vector<std::string> names;
  for (const Input& input : set.inputs) names.push_back(fs::path(input.name).filename().string());
  return names;
}

}  // namespace

TEST_CASE("a folder of images is searched with its subfolders, in natural order") {
  const ScratchFolder folder;
  copy_page(folder / "scans/page10.png");
  copy_page(folder / "scans/page9.PNG");
  copy_page(folder / "scans/more/cover.png");
  std::ofstream(folder / "scans/readme.txt") << "no image\n";

  const std::vector<ImageSet> datasets = read_datasets(folder / "scans/", {}, {});
  REQUIRE(datasets.size() == 1);
  CHECK(datasets[0].dataset == "scans");
  CHECK_FALSE(datasets[0].extent.has_value());
  CHECK(file_names(datasets[0]) == std::vector<std::string>{"cover.png", "page9.PNG", "page10.png"});
  CHECK(datasets[0].inputs[0].load().extent().depth == 1);
}

TEST_CASE("the list of a YACCLAB dataset gives images and their order") {
  const ScratchFolder folder;
  copy_page(folder / "fingerprints/a.png");
  copy_page(folder / "fingerprints/b.png");
  copy_page(folder / "fingerprints/unlisted.png");
  std::ofstream(folder / "fingerprints/files.txt") << "\xef\xbb\xbf"
                                                      "b.png\r\na.png  \r\n\n";

  const std::vector<ImageSet> datasets = read_datasets(folder / "fingerprints", {}, {});
  REQUIRE(datasets.size() == 1);
  CHECK(file_names(datasets[0]) == std::vector<std::string>{"b.png", "a.png"});
  CHECK(datasets[0].inputs[1].load().extent().width > 1);
}

TEST_CASE("folders named in the list are volumes") {
  const ScratchFolder folder;
  copy_slices(folder / "mri/patient1");
  copy_slices(folder / "mri/patient2");
  std::ofstream(folder / "mri/files.txt") << "patient1\npatient2\n";

  const std::vector<ImageSet> datasets = read_datasets(folder / "mri", {}, {});
  REQUIRE(datasets.size() == 1);
  REQUIRE(datasets[0].inputs.size() == 2);
  CHECK(datasets[0].inputs[1].load().extent().depth == 12);
}

TEST_CASE("a folder of YACCLAB datasets is one dataset for each, and one of the images next to them") {
  const ScratchFolder folder;
  copy_page(folder / "yacclab/loose.png");
  copy_page(folder / "yacclab/2d/hamlet/a.png");
  std::ofstream(folder / "yacclab/2d/hamlet/files.txt") << "a.png\n";
  copy_slices(folder / "yacclab/3d/oasis/v");
  std::ofstream(folder / "yacclab/3d/oasis/files.txt") << "v\n";

  const std::vector<ImageSet> datasets = read_datasets(folder / "yacclab", {}, {});
  REQUIRE(datasets.size() == 3);
  CHECK(datasets[0].dataset == "yacclab");
  CHECK(datasets[1].dataset == "hamlet");
  CHECK(datasets[2].dataset == "oasis");
}

TEST_CASE("a missing or empty folder is not a dataset") {
  const ScratchFolder folder;
  CHECK_THROWS_AS(read_datasets(folder / "nothing", {}, {}), Error);
  CHECK_THROWS_AS(read_datasets(folder.path().string(), {}, {}), Error);
  std::ofstream(folder / "files.txt") << "\n";
  CHECK_THROWS_AS(read_datasets(folder.path().string(), {}, {}), Error);
}

TEST_CASE("a listed file that is missing is found out when it is loaded") {
  const ScratchFolder folder;
  std::ofstream(folder / "files.txt") << "gone.png\n";
  const std::vector<ImageSet> datasets = read_datasets(folder.path().string(), {}, {});
  REQUIRE(datasets.size() == 1);
  CHECK_THROWS_AS(datasets[0].inputs[0].load(), Error);
}
