// gpuccl match.

#include <filesystem>
#include <string>

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/scratch_folder.hpp"

namespace gpuccl {
namespace {

/// A label image of 6 x 2 pixels of the type and bytes given, as NRRD.
std::string label_file(const ScratchFolder& scratch, const std::string& name, const std::string& type,
                       const std::string& bytes, const std::string& sizes = "6 2") {
  const std::string path = scratch / name;
  write_file(path, "NRRD0004\ntype: " + type + "\ndimension: 2\nsizes: " + sizes +
                       "\nendian: little\nencoding: raw\n\n" + bytes);
  return path;
}

// Object 7 is found exactly, 9 by half, 3 not at all; 5 is predicted where nothing is.
const std::string kTruth{7, 7, 0, 9, 9, 0, 7, 7, 0, 9, 9, 3};
const std::string kPrediction{1, 1, 0, 2, 0, 5, 1, 1, 0, 2, 0, 0};

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

}  // namespace

TEST_CASE("objects are matched by IoU, and every overlap and every object alone has a row") {
  const ScratchFolder scratch;
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", kTruth);
  const std::string prediction = label_file(scratch, "prediction.nrrd", "uint8", kPrediction);
  CHECK(succeeds({"match", truth, prediction, "--csv", "-"}) ==
        "truth,prediction,truth_area,prediction_area,overlap,iou,dice,matched\n"
        "7,1,4,4,4,1,1,1\n9,2,4,2,2,0.5,0.6666666666666666,1\n3,,1,,0,0,0,0\n,5,,1,0,0,0,0\n");
  const Json report =
      Json::parse(succeeds({"match", truth, prediction, "--threshold", "0.5,0.75", "--json", "-"}));
  const Json& total = report["total"];
  CHECK(total["objects"] == Json({{"truth", 3}, {"prediction", 3}}));
  CHECK(total["foreground"]["common"] == 6);
  CHECK(total["foreground"]["dice"] == 0.75);
  CHECK(total["detection"]["found"] == 2);
  CHECK(total["detection"]["without_overlap"] == 1);
  REQUIRE(total["matching"].size() == 2);
  CHECK(total["matching"][0]["true_positives"] == 2);
  CHECK(total["matching"][0]["mean_matched_iou"] == 0.75);
  CHECK(total["matching"][0]["panoptic_quality"] == 0.5);
  CHECK(total["matching"][1]["true_positives"] == 1);
  CHECK(total["matching"][1]["false_positives"] == 2);
  CHECK(total["matching"][1]["accuracy"] == 0.2);
  CHECK(total["average_precision"] == 0.35);
  CHECK(succeeds({"match", truth, prediction}).find("truth 3 objects, prediction 3 objects") == 0);
}

TEST_CASE("masks are labeled first on demand") {
  const ScratchFolder scratch;
  const std::string mask = label_file(scratch, "mask.nrrd", "uint8", {1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1});
  const auto objects = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"match", mask, mask, "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(gpuccl(words).out)["total"]["objects"]["truth"];
  };
  CHECK(objects({}) == 1);
  CHECK(objects({"--label"}) == 2);
  CHECK(objects({"--label", "-c", "4"}) == 3);
  fails({"match", mask, mask, "-c", "4"}, 64, "--label");
}

TEST_CASE("labels are integers of up to 64 bits; other values are refused by name") {
  const ScratchFolder scratch;
  const std::string large =
      label_file(scratch, "large.nrrd", "uint64", bytes_of<std::uint64_t>({1, UINT64_MAX}), "2 1");
  CHECK(succeeds({"match", large, large, "--csv", "-"}).find("18446744073709551615,18446744073709551615,") !=
        std::string::npos);
  const std::string whole = label_file(scratch, "whole.nrrd", "double", bytes_of({1.0, 3.0}), "2 1");
  CHECK(succeeds({"match", whole, large, "--csv", "-"}).find("\n3,18446744073709551615,1,1,1,") !=
        std::string::npos);
  fails({"match", large, label_file(scratch, "half.nrrd", "double", bytes_of({1.0, 1.5}), "2 1")}, 65, "1.5");
  fails({"match", large, label_file(scratch, "minus.nrrd", "short", bytes_of<short>({1, -2}), "2 1")}, 65,
        "-2");
}

TEST_CASE("sizes that differ, no objects and no overlap are one line each") {
  const ScratchFolder scratch;
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", kTruth);
  const std::string other = label_file(scratch, "other.nrrd", "uint8", kTruth, "2 6");
  fails({"match", truth, other}, 65, "is 2x6, but ");
  fails({"match", truth, scratch / "missing.tif"}, 66, "missing.tif");
  fails({"match", truth, truth, "--threshold", "0"}, 64, "above 0");
  fails({"match", truth, truth, "--csv", "-", "--json", "-"}, 64, "standard output");
  fails({"match", truth, truth, "--csv", truth + ".csv", "--json", truth + ".csv"}, 64, "");
  const std::string empty = label_file(scratch, "empty.nrrd", "uint8", std::string(12, '\0'));
  CHECK(gpuccl({"match", truth, empty}).err.find("contains no objects") != std::string::npos);
  const std::string aside = label_file(scratch, "aside.nrrd", "uint8", {0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0});
  CHECK(gpuccl({"match", truth, aside}).err.find("no object overlaps") != std::string::npos);
}

TEST_CASE("two folders are matched by name, and a bad pair does not stop the others") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "a");
  std::filesystem::create_directories(scratch / "b");
  for (const std::string name : {"a/1.nrrd", "a/2.nrrd", "b/1.nrrd"})
    label_file(scratch, name, "uint8", kTruth);
  label_file(scratch, "b/2.nrrd", "uint8", kPrediction);
  const std::string csv = scratch / "pairs.csv", json = scratch / "scores.json";
  CHECK(succeeds({"match", scratch / "a", scratch / "b", "--csv", csv, "--json", json}).find("2 pairs") == 0);
  CHECK(read_file(csv).find("\n1,7,7,4,4,4,1,1,1\n") != std::string::npos);
  CHECK(read_file(csv).find("\n2,9,2,4,2,2,0.5,") != std::string::npos);
  const Json report = Json::parse(read_file(json));
  CHECK(report["total"]["matching"][0]["true_positives"] == 5);
  REQUIRE(report["images"].size() == 2);
  CHECK(report["images"][1]["matching"][0]["true_positives"] == 2);

  write_file(scratch / "b/2.nrrd", "NRRD0004\ntype: uint8\n");
  label_file(scratch, "a/3.nrrd", "uint8", kTruth);
  const Ended broken = gpuccl({"match", scratch / "a", scratch / "b", "--csv", csv});
  CHECK(broken.code == 1);
  CHECK(broken.err.find("3.nrrd: has no partner called '3'") != std::string::npos);
  CHECK(broken.err.find("b/2.nrrd: ") != std::string::npos);
  CHECK(broken.out.find("truth 3 objects") == 0);
}

TEST_CASE("a run in which every pair fails leaves an older table as it was") {
  const ScratchFolder scratch;
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", kTruth), csv = scratch / "pairs.csv";
  succeeds({"match", truth, truth, "--csv", csv});
  const std::string before = read_file(csv);
  fails({"match", truth, scratch / "missing.nrrd", "--csv", csv}, 66, "missing.nrrd");
  CHECK(read_file(csv) == before);
  write_file(scratch / "foreign.csv", "name,value\n");
  fails({"match", truth, truth, "--csv", scratch / "foreign.csv"}, 73, "--overwrite");
  succeeds({"match", truth, truth, "--csv", scratch / "foreign.csv", "--overwrite"});
}

}  // namespace gpuccl
