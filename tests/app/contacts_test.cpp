#include "binary.hpp"
#include "support/test.hpp"

// Tables of contacts of a batch. tests/golden has those of gpuccl contacts.
namespace gpuccl {

TEST_CASE("each input of a batch has its own table of contacts") {
  const WorkFolder folder;
  folder.make_folders({"in"});
  for (const std::uint32_t seed : {1u, 2u, 3u})
    save(folder / "in/" + std::to_string(seed) + ".tif",
         tests::random_image({70, 40, 1}, 0.4, 1, seed).view());
  const std::string label = "label in/ -c 4 -o out/ --contacts-dir tables/";
  folder.ends(label, 0, {});
  for (const std::string name : {"1", "2", "3"}) {
    const std::string table = folder.read("tables/" + name + ".csv");
    CHECK(std::count(table.begin(), table.end(), '\n') > 10);
    CHECK(table == folder.succeeds("label in/" + name + ".tif -c 4 --contacts -"));
    CHECK(Json::parse(folder.read("out/" + name + ".json"))["contacts"]["bytes"] == table.size());
  }
  folder.ends(label + " --skip-existing", 0, {"3 skipped"});
  std::filesystem::remove(folder / "tables/2.csv");
  folder.ends(label + " --skip-existing", 0, {"2 skipped"});
  std::filesystem::resize_file(folder / "tables/1.csv", 40);
  folder.ends(label + " --skip-existing", 0, {"2 skipped"});
  CHECK(folder.read("tables/1.csv").size() > 40);
  folder.ends(label + " --stats-dir tables/", 64, {"is the name of two outputs of"});
  folder.fails("label in/ --contacts-dir in/1.tif", 73, "is not a folder");
  folder.succeeds("label in/ -c 4 --contacts-dir only/ --quiet");
  CHECK(std::filesystem::exists(folder / "only/3.csv"));
}

}  // namespace gpuccl
