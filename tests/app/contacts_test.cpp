#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

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

TEST_CASE("contacts of a volume are counted by axis, edge and corner") {
  const ScratchFolder scratch;
  const std::string labels = label_file(scratch, "3 2 2", kVolume);
  CHECK(succeeds({"contacts", labels, "-c", "6"}) ==
        "label_a,label_b,faces_x,faces_y,faces_z,edges,corners\n"
        "1,2,1,0,1,0,0\n1,3,0,1,0,0,0\n2,3,1,1,1,0,0\n");
  CHECK(succeeds({"contacts", labels, "--per-slice"}) ==
        "label_a,label_b,faces_x,faces_y,edges\n1,2,1,0,1\n1,3,0,1,1\n2,3,1,1,2\n");
  const std::string all = succeeds({"contacts", labels});
  CHECK(all == succeeds({"contacts", labels, "-c", "26"}));
  CHECK(all.find("\n1,2,1,0,1,2,0\n") != std::string::npos);
  fails({"contacts", labels, "-c", "8"}, 64, "--per-slice");
  fails({"contacts", labels, "-c", "26", "--per-slice"}, 64, "use 4 or 8");
}

TEST_CASE("areas are in the unit of the file or of --spacing") {
  const ScratchFolder scratch;
  const std::string labels = label_file(scratch, "3 2 2", kVolume, "spacings: 2 3 5\n");
  const std::string given = succeeds({"contacts", labels, "-c", "6", "--spacing", "2,3,5,um"});
  // A face across x is of 3 by 5, one across y of 2 by 5, one across z of 2 by 3.
  CHECK(given ==
        "label_a,label_b,faces_x,faces_y,faces_z,edges,corners,area_physical,unit\n"
        "1,2,1,0,1,0,0,21,um\n1,3,0,1,0,0,0,10,um\n2,3,1,1,1,0,0,31,um\n");
  CHECK(succeeds({"contacts", labels, "-c", "6"}).find("\n1,2,1,0,1,0,0,21,") != std::string::npos);
  const std::string image = label_file(scratch, "3 2", kVolume.substr(0, 6), "spacings: 2 3\n");
  CHECK(succeeds({"contacts", image, "-c", "4", "--spacing", "2,3,mm"}) ==
        "label_a,label_b,faces_x,faces_y,edges,length_physical,unit\n"
        "1,2,1,0,0,3,mm\n1,3,0,1,0,2,mm\n2,3,1,0,0,3,mm\n");
}

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

TEST_CASE("contacts of a labeled image are those of its label image") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::random_image({60, 50, 9}, 0.4, 2, 5).view());
  succeeds({"label", input, "-c", "6", "--min-size", "3", "-o", scratch / "out.tif", "--contacts",
            scratch / "contacts.csv", "--memory", "1M"});
  const std::string table = read_file(scratch / "contacts.csv");
  CHECK(std::count(table.begin(), table.end(), '\n') > 10);
  CHECK(table == succeeds({"contacts", scratch / "out.tif", "-o", "-"}));
  CHECK(table == succeeds({"label", input, "-c", "6", "--min-size", "3", "--contacts", "-"}));
  CHECK(Json::parse(read_file(scratch / "out.json"))["contacts"]["bytes"] == table.size());
  const Ended none = gpuccl({"label", input, "--contacts", "-"});
  CHECK((none.code == 0 && std::count(none.out.begin(), none.out.end(), '\n') == 1));
  CHECK(none.err.find("components by 26-connectivity never touch") != std::string::npos);
  fails({"label", input, input, "-o", scratch / "out/", "--contacts", "c.csv"}, 64, "--contacts-dir");
  // Slices that are apart have the table of images.
  succeeds({"label", input, "--per-slice", "-c", "4", "--contacts", scratch / "slices.csv"});
  CHECK(read_file(scratch / "slices.csv") ==
        succeeds({"label", input, "--per-slice", "-c", "4", "--contacts", "-"}));
  CHECK(read_file(scratch / "slices.csv").starts_with("label_a,label_b,faces_x,faces_y,edges\n"));
}

TEST_CASE("contacts across periodic borders are those of the label image") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::random_image({60, 50, 9}, 0.4, 2, 5).view());
  const std::string table = succeeds({"label", input, "-o", scratch / "out.tif", "-c", "6", "--periodic",
                                      "x,y,z", "--min-size", "3", "--contacts", "-"});
  CHECK(table == succeeds({"contacts", scratch / "out.tif", "--periodic", "x,y,z"}));
  CHECK(table != succeeds({"contacts", scratch / "out.tif"}));
  fails({"contacts", scratch / "out.tif", "--periodic", "x,z", "--per-slice"}, 64, "z cannot be periodic");
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

TEST_CASE("labels of 64 bits have contacts as they are, in their order") {
  const ScratchFolder scratch;
  const std::string labels = scratch / "segments.nrrd";
  const auto save_long = [&](const std::vector<std::uint64_t>& values) {
    save_nrrd(labels, "uint64", "3 " + std::to_string(values.size() / 3), tests::bytes_of(values));
  };
  constexpr std::uint64_t kLarge = 720575940379283456, kLargest = ~std::uint64_t{0};
  save_long({kLargest, kLarge, kLarge, kLargest, 0, 7});
  CHECK(succeeds({"contacts", labels, "-c", "4"}) ==
        "label_a,label_b,faces_x,faces_y,edges\n7,720575940379283456,0,1,0\n"
        "720575940379283456,18446744073709551615,1,0,0\n");
  save_long({kLarge, kLarge, 0});
  CHECK(gpuccl({"contacts", labels}).err.find("no two labels touch") != std::string::npos);
  save_long({0, 1, 1});
  CHECK(gpuccl({"contacts", labels}).err.find("contains only label 1") != std::string::npos);
}

TEST_CASE("an image without several labels gets a hint, one of no labels is refused") {
  const ScratchFolder scratch;
  const auto hint = [&](const std::string& values) {
    const Ended ended = gpuccl({"contacts", label_file(scratch, "2 2", values)});
    CHECK(ended.code == 0);
    CHECK(ended.out == "label_a,label_b,faces_x,faces_y,edges\n");
    return ended.err;
  };
  CHECK(hint(std::string(4, '\0')).find("contains no label; number the components") != std::string::npos);
  CHECK(hint(std::string{1, 0, 1, 1}).find("contains only label 1") != std::string::npos);
  CHECK(hint(std::string{7, 0, 0, 7}).find("no two labels touch; components with") != std::string::npos);
  fails({"contacts", save_nrrd(scratch / "half.nrrd", "float", "1 1", tests::bytes_of<float>({0.5F}))}, 65,
        "contains the value 0.5, which is not a label");
}

}  // namespace gpuccl
