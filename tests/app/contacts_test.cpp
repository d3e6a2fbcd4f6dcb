#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/test.hpp"

// gpuccl contacts.
namespace gpuccl {
namespace {

/// A label image of 8 bits as NRRD, with `space` as further lines of its header.
std::string label_file(const ScratchFolder& scratch, const std::string& sizes, const std::string& values,
                       const std::string& space = "") {
  return save_nrrd(scratch / "labels.nrrd", "uint8", sizes, values, space);
}

// Two slices of 3 x 2.
const std::string kVolume{1, 1, 2, 0, 3, 2, 2, 0, 0, 3, 3, 3};

}  // namespace

TEST_CASE("a table of contacts replaces its like, and nothing else") {
  const ScratchFolder scratch;
  const std::string labels = label_file(scratch, "3 2 2", kVolume);
  const std::string table = scratch / "contacts.csv";
  succeeds({"contacts", labels, "-o", table});
  const std::string first = read_file(table);
  CHECK(first == succeeds({"contacts", labels}));
  succeeds({"contacts", labels, "-o", table, "-c", "6"});
  CHECK(read_file(table) != first);
  fails({"contacts", labels, "-o", table, "--no-clobber"}, 73, "exists");
  write_file(table, "patient,age\n");
  fails({"contacts", labels, "-o", table}, 73, "is not a table of gpuccl; move it, or add --overwrite");
  CHECK(read_file(table) == "patient,age\n");
  succeeds({"contacts", labels, "-o", table, "--overwrite"});
  CHECK(read_file(table) == first);
  fails({"contacts", labels, "-o", labels, "--overwrite"}, 64, "image");
  fails({"contacts", labels, "-o", scratch / "no/contacts.csv"}, 73, "folder does not exist");
  fails({"contacts", scratch / "gone.tif"}, 66, "gone.tif");
  CHECK(read_file(labels).size() > kVolume.size());
}

TEST_CASE("each input of a batch has its own table of contacts") {
  const ScratchFolder scratch;
  const std::string folder = scratch / "in/";
  std::filesystem::create_directories(folder);
  Words inputs;
  for (const int seed : {1, 2, 3})
    inputs.push_back(save(folder + std::to_string(seed) + ".tif",
                          tests::random_image({70, 40, 1}, 0.4, 1, static_cast<std::uint32_t>(seed)).view()));
  const auto label = [&](const Words& more) {
    return gpuccl(joined(
        {"label", folder, "-c", "4", "-o", scratch / "out/", "--contacts-dir", scratch / "tables/"}, more));
  };
  CHECK(label({}).code == 0);
  for (const int seed : {1, 2, 3}) {
    const std::string name = std::to_string(seed), table = read_file(scratch / "tables/" + name + ".csv");
    CHECK(std::count(table.begin(), table.end(), '\n') > 10);
    CHECK(table == succeeds({"label", folder + name + ".tif", "-c", "4", "--contacts", "-"}));
    CHECK(Json::parse(read_file(scratch / "out/" + name + ".json"))["contacts"]["bytes"] == table.size());
  }
  CHECK(label({"--skip-existing"}).err.find("3 skipped") != std::string::npos);
  std::filesystem::remove(scratch / "tables/2.csv");
  CHECK(label({"--skip-existing"}).err.find("2 skipped") != std::string::npos);
  std::filesystem::resize_file(scratch / "tables/1.csv", 40);
  CHECK(label({"--skip-existing"}).err.find("2 skipped") != std::string::npos);
  CHECK(read_file(scratch / "tables/1.csv").size() > 40);
  CHECK(label({"--stats-dir", scratch / "tables/"}).err.find("is the name of two outputs of") !=
        std::string::npos);
  fails({"label", folder, "--contacts-dir", folder + "1.tif"}, 73, "is not a folder");
  succeeds({"label", folder, "-c", "4", "--contacts-dir", scratch / "only/", "--quiet"});
  CHECK(std::filesystem::exists(scratch / "only/3.csv"));
}

TEST_CASE("an image without several labels gets a hint, one of no labels is refused") {
  const ScratchFolder scratch;
  const auto hint = [&](const std::string& values) {
    const Ended ended = gpuccl({"contacts", label_file(scratch, "2 2", values)});
    CHECK(ended.code == 0);
    CHECK(ended.out == "label_a,label_b,faces_x,faces_y,edges\n");
    return ended.err;
  };
  CHECK(hint(std::string(4, '\0')).find("every value is 0") != std::string::npos);
  CHECK(hint(std::string{1, 0, 1, 1}).find("contains only label 1") != std::string::npos);
  CHECK(hint(std::string{7, 0, 0, 7}).find("no two labels touch; components with") != std::string::npos);
  fails({"contacts", save_nrrd(scratch / "half.nrrd", "float", "1 1", tests::bytes_of<float>({0.5F}))}, 65,
        "contains the value 0.5, which is not a label");
}

}  // namespace gpuccl
