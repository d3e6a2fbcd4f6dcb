// gpuccl match.

#include <sys/resource.h>

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/test.hpp"

namespace gpuccl {
namespace {

using tests::bytes_of;

/// A label image of 6 x 2 pixels of the type and bytes given, as NRRD.
std::string label_file(const ScratchFolder& scratch, const std::string& name, const std::string& type,
                       const std::string& bytes, const std::string& sizes = "6 2") {
  return save_nrrd(scratch / name, type, sizes, bytes);
}

// Object 7 is found exactly, 9 by half, 3 not at all; 5 is predicted where nothing is.
const std::string kTruth{7, 7, 0, 9, 9, 0, 7, 7, 0, 9, 9, 3};
const std::string kPrediction{1, 1, 0, 2, 0, 5, 1, 1, 0, 2, 0, 0};

}  // namespace

TEST_CASE("objects are matched by IoU, and every overlap and every object alone has a row") {
  const ScratchFolder scratch;
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", kTruth);
  const std::string prediction = label_file(scratch, "prediction.nrrd", "uint8", kPrediction);
  CHECK(succeeds({"match", truth, prediction, "--csv", "-"}) ==
        "truth,prediction,truth_area,prediction_area,overlap,iou,dice,matched,truth_partners,"
        "prediction_partners\n"
        "7,1,4,4,4,1,1,1,1,1\n9,2,4,2,2,0.5,0.6666666666666666,1,1,1\n3,0,1,0,0,0,0,0,0,0\n"
        "0,5,0,1,0,0,0,0,0,0\n");
  const Json report =
      Json::parse(succeeds({"match", truth, prediction, "--threshold", "0.5,0.75", "--json", "-"}));
  const Json& total = report["total"];
  CHECK(total["objects"] == Json({{"truth", 3}, {"prediction", 3}}));
  CHECK(total["foreground"]["common"] == 6);
  CHECK(total["foreground"]["dice"] == 0.75);
  CHECK(total["detection"]["found"] == 2);
  CHECK(total["detection"]["without_overlap"] == 1);
  CHECK(total["detection"]["splits"] == 0);
  CHECK(total["detection"]["merges"] == 0);
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
    return Json::parse(
        gpuccl(joined({"match", mask, mask, "--json", "-"}, more)).out)["total"]["objects"]["truth"];
  };
  CHECK(objects({}) == 1);
  CHECK(objects({"--label"}) == 2);
  CHECK(objects({"--label", "-c", "4"}) == 3);
  fails({"match", mask, mask, "-c", "4"}, 64, "--label");
  CHECK(gpuccl({"match", mask, mask, "--label"}).err.empty());
  // Every probability above 0 would be foreground.
  const std::string probability =
      label_file(scratch, "probability.nrrd", "float", bytes_of<float>({0, 0.25F, 0.5F, 0.75F}), "2 2");
  CHECK(gpuccl({"match", probability, probability, "--label"}).err.find("has more than two values") !=
        std::string::npos);
}

TEST_CASE("labels are integers of up to 64 bits; other values are refused by name") {
  const ScratchFolder scratch;
  const std::string large =
      label_file(scratch, "large.nrrd", "uint64", bytes_of<std::uint64_t>({1, UINT64_MAX}), "2 1");
  CHECK(succeeds({"match", large, large, "--csv", "-"}).find("18446744073709551615,18446744073709551615,") !=
        std::string::npos);
  const std::string whole = label_file(scratch, "whole.nrrd", "double", bytes_of<double>({1, 3}), "2 1");
  CHECK(succeeds({"match", whole, large, "--csv", "-"}).find("\n3,18446744073709551615,1,1,1,") !=
        std::string::npos);
  fails({"match", large, label_file(scratch, "half.nrrd", "double", bytes_of<double>({1, 1.5}), "2 1")}, 65,
        "1.5");
}

TEST_CASE("sizes that differ, no objects and no overlap are one line each") {
  const ScratchFolder scratch;
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", kTruth);
  const std::string other = label_file(scratch, "other.nrrd", "uint8", kTruth, "2 6");
  fails({"match", truth, other}, 65, "is 2x6, but ");
  fails({"match", truth, scratch / "missing.tif"}, 66, "missing.tif");
  fails({"match", truth, truth, "--threshold", "0"}, 64, "above 0");
  fails({"match", truth, truth, "--threshold", "0.5,0.50"}, 64, "lists a threshold twice");
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
  CHECK(read_file(csv).find("\n1,7,7,4,4,4,1,1,1,1,1\n") != std::string::npos);
  CHECK(read_file(csv).find("\n2,9,2,4,2,2,0.5,") != std::string::npos);
  const Json report = Json::parse(read_file(json));
  CHECK(report["total"]["matching"][0]["true_positives"] == 5);
  REQUIRE(report["images"].size() == 2);
  CHECK(report["images"][1]["matching"][0]["true_positives"] == 2);

  write_file(scratch / "b/2.nrrd", "NRRD0004\ntype: uint8\n");
  label_file(scratch, "a/3.nrrd", "uint8", kTruth);
  const Ended broken = gpuccl({"match", scratch / "a", scratch / "b", "--csv", csv, "--json", json});
  CHECK(broken.code == 1);
  const Json failed = Json::parse(read_file(json))["failed"];
  REQUIRE(failed.size() == 2);
  CHECK((failed[0]["input"] == "3" && failed[0]["error"]["code"] == 66));
  CHECK((failed[1]["input"] == "2" && failed[1]["error"]["input"] == scratch / "b/2.nrrd"));
  CHECK(broken.err.find("3.nrrd: has no partner called '3'") != std::string::npos);
  CHECK(broken.err.find("b/2.nrrd: ") != std::string::npos);
  CHECK(broken.out.find("truth 3 objects") == 0);
  std::filesystem::create_directory(scratch / "c");
  write_file(scratch / "c/2.nrrd", "NRRD0004\ntype: uint8\n");
  const Ended none =
      gpuccl({"match", scratch / "a", scratch / "c", "--csv", csv, "--json", json, "--empty", "1"});
  CHECK(none.code == 1);
  CHECK(none.err.find("pairs.csv: unchanged, because no pair was matched") != std::string::npos);
  CHECK(Json::parse(read_file(json))["total"]["average_precision"].is_null());
  std::filesystem::create_directory(scratch / "empty");
  fails({"match", scratch / "empty", scratch / "empty"}, 66, "empty: contains no images");
  // Without predictions, every truth has a row.
  const Ended no_predictions =
      gpuccl({"match", scratch / "a", scratch / "empty", "--summary", "-", "--json", json});
  CHECK(no_predictions.code == 66);
  CHECK(no_predictions.err.find("empty: contains no images") != std::string::npos);
  CHECK(std::count(no_predictions.out.begin(), no_predictions.out.end(), '\n') > 1);
  fails({"match", scratch / "a", scratch / "nosuch"}, 66, "nosuch: no such folder");
  fails({"match", scratch / "a", csv}, 66, "pairs.csv: is no folder, but the other is");
}

TEST_CASE("grids that differ are a hint, options in messages are there") {
  const ScratchFolder scratch;
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", kTruth);
  const std::string other = save_nrrd(scratch / "other.nrrd", "uint8", "6 2", kTruth, "spacings: 2 3\n");
  save_nrrd(scratch / "same.nrrd", "uint8", "6 2", kTruth, "spacings: 4 3\n");
  CHECK(gpuccl({"match", truth, other}).err.empty());  // one has no spacing
  CHECK(gpuccl({"match", other, scratch / "same.nrrd"}).err.find("same.nrrd: has another spacing than ") !=
        std::string::npos);
  write_file(scratch / "colors.ppm", std::string("P6 6 2 255\n") + std::string(36, '\7'));
  CHECK(gpuccl({"match", scratch / "colors.ppm", scratch / "colors.ppm", "--channel", "1"}).code == 0);
}

TEST_CASE("names of predictions follow a pattern") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "a");
  std::filesystem::create_directories(scratch / "b");
  for (const std::string name : {"a/1.nrrd", "b/1_0000.nrrd", "b/1_0001.nrrd"})
    label_file(scratch, name, "uint8", kTruth);
  const auto with = [&](const std::string& pattern) {
    return gpuccl({"match", scratch / "a", scratch / "b", "--prediction-name", pattern, "--csv", "-"});
  };
  CHECK(with("*_0001").code == 0);
  CHECK(with("*_0001").out.find("\n1,7,7,4,4,4,1,1,1,1,1\n") != std::string::npos);
  CHECK(with("x*=*_0001").err.find("a/1.nrrd: has a name that does not match x*") != std::string::npos);
  CHECK(with("*_0002").err.find("has no partner called '1_0002'") != std::string::npos);
  fails({"match", scratch / "a", scratch / "b", "--prediction-name", "_0000"}, 64, "not a pattern");
  CHECK(gpuccl({"match", scratch / "a", scratch / "b"}).err.find("--prediction-name pairs other names") !=
        std::string::npos);
}

TEST_CASE("classes are scored one by one, each component an object") {
  const ScratchFolder scratch;
  // Class 1 has two pieces, of which one is found; one pixel of class 2 is taken for 1.
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", {1, 1, 0, 2, 2, 0, 0, 0, 0, 0, 0, 1});
  const std::string prediction =
      label_file(scratch, "prediction.nrrd", "uint8", {1, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0});
  const Json report =
      Json::parse(succeeds({"match", truth, prediction, "--per-value", "-c", "4", "--json", "-"}));
  REQUIRE(report["classes"].size() == 2);
  const Json &one = report["classes"][0], &two = report["classes"][1];
  CHECK(one["value"] == 1);
  CHECK(one["objects"] == Json({{"truth", 2}, {"prediction", 2}}));
  CHECK(one["matching"][0]["true_positives"] == 1);
  CHECK(one["foreground"]["dice"] == 2.0 * 2 / 6);
  CHECK(two["foreground"]["dice"] == 2.0 / 3);
  CHECK(two["matching"][0]["mean_matched_iou"] == 0.5);
  CHECK(report["total"]["matching"][0]["true_positives"] == 2);
  CHECK(report["class_mean"]["dice"] == (2.0 * 2 / 6 + 2.0 / 3) / 2);
  CHECK(succeeds({"match", truth, prediction, "--per-value", "-c", "4", "--csv", "-"}) ==
        "value,truth,prediction,truth_area,prediction_area,overlap,iou,dice,matched,"
        "truth_partners,prediction_partners\n"
        "1,1,1,2,2,2,1,1,1,1,1\n1,3,0,1,0,0,0,0,0,0,0\n1,0,2,0,1,0,0,0,0,0,0\n"
        "2,2,3,2,1,1,0.5,0.6666666666666666,1,1,1\n");
  fails({"match", truth, truth, "--per-value", "--label"}, 64, "cannot be combined");
}

/// Time points of 6 x 2 pixels: 7 goes on as 1, 9 splits into 3 and 5, and 5 ends.
const std::string kFrames[] = {{7, 7, 0, 9, 9, 9, 7, 7, 0, 9, 9, 9},
                               {1, 1, 0, 3, 0, 5, 1, 1, 0, 3, 0, 5},
                               {1, 1, 0, 3, 0, 0, 1, 1, 0, 3, 0, 0}};

TEST_CASE("objects are linked through time") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "series");
  for (std::size_t i = 0; i < 3; ++i)
    label_file(scratch, "series/" + std::to_string(i) + ".nrrd", "uint8", kFrames[i]);
  const std::string expected =
      "frame,label,track,area,cx,cy,cz,iou,begin,parent,end,into\n"
      "0,7,1,4,0.5,0.5,0,0,start,0,,0\n0,9,2,6,4,0.5,0,0,start,0,end,0\n"
      "1,1,1,4,0.5,0.5,0,1,,0,,0\n1,3,3,2,3,0.5,0,0,split,2,,0\n1,5,4,2,5,0.5,0,0,split,2,end,0\n"
      "2,1,1,4,0.5,0.5,0,1,,0,,0\n2,3,3,2,3,0.5,0,1,,0,,0\n";
  CHECK(succeeds({"match", "--track", scratch / "series", "--csv", "-", "-o", scratch / "tracks"}) ==
        expected);
  const Json report = Json::parse(succeeds({"match", "--track", scratch / "series", "--json", "-"}));
  CHECK(report["tracks"][3] == Json({{"track", 4}, {"begin", 1}, {"end", 1}, {"parent", 2}, {"into", 0}}));
  CHECK(report["splits"] == 2);
  // The label images of tracks are linked as they are; one file of all time points has the same tracks.
  CHECK(succeeds({"match", "--track", scratch / "tracks", "--csv", "-"})
            .find("\n1,4,4,2,5,0.5,0,0,split,2,end,0\n") != std::string::npos);
  const std::string series = scratch / "series.nrrd";
  const std::string kinds = "kinds: space space space time\n";
  save_nrrd(series, "uint8", "6 2 1 3", kFrames[0] + kFrames[1] + kFrames[2], kinds);
  CHECK(succeeds({"match", "--track", series, "--csv", "-"}) == expected);
  // Back in time, pieces merge.
  save_nrrd(series, "uint8", "6 2 1 2", kFrames[1] + kFrames[0], kinds);
  CHECK(succeeds({"match", "--track", series, "--csv", "-"}).find("\n0,5,3,2,5,0.5,0,0,start,0,merge,4\n") !=
        std::string::npos);
  // Pairs of time points.
  const std::string pairs = succeeds({"match", series, series, "--frame", "all", "--csv", "-"});
  CHECK(pairs.find("frame,truth,") == 0);
  CHECK(pairs.find("\n1,9,9,6,6,6,1,1,1,1,1\n") != std::string::npos);
}

TEST_CASE("an object that moves far keeps its track") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "series");
  label_file(scratch, "series/0.nrrd", "uint8", {7, 7, 7, 7, 7, 0, 0, 0}, "8 1");
  label_file(scratch, "series/1.nrrd", "uint8", {0, 0, 1, 1, 1, 1, 1, 0}, "8 1");
  CHECK(succeeds({"match", "--track", scratch / "series", "--csv", "-"}) ==
        "frame,label,track,area,cx,cy,cz,iou,begin,parent,end,into\n"
        "0,7,1,5,2,0,0,0,start,0,,0\n1,1,1,5,4,0,0,0.42857142857142855,,0,,0\n");
  CHECK(succeeds({"match", "--track", scratch / "series"}) == "2 time points, 1 track, 0 splits, 0 merges\n");
}

TEST_CASE("images without objects have no scores") {
  const ScratchFolder scratch;
  const std::string empty = label_file(scratch, "empty.nrrd", "uint8", std::string(8, '\0'), "8 1");
  const std::string one = label_file(scratch, "one.nrrd", "uint8", std::string(7, '\0') + '\1', "8 1");
  const Json both = Json::parse(gpuccl({"match", empty, empty, "--json", "-"}).out)["total"];
  for (const char* name : {"f1", "panoptic_quality", "precision", "recall", "accuracy"}) {
    CAPTURE(name);
    CHECK(both["matching"][0][name].is_null());
  }
  CHECK(both["foreground"]["dice"].is_null());
  CHECK(both["average_precision"].is_null());
  CHECK(both["matching"][0]["false_negatives"] == 0);
  // An object that is missed or invented is an error.
  for (const Words& words :
       {Words{"match", one, empty, "--json", "-"}, Words{"match", empty, one, "--json", "-"}}) {
    const Json scores = Json::parse(gpuccl(words).out)["total"];
    CHECK(scores["matching"][0]["f1"] == 0);
    CHECK(scores["matching"][0]["panoptic_quality"] == 0);
    CHECK(scores["foreground"]["dice"] == 0);
  }
}

TEST_CASE("option --empty sets the scores of pairs without objects, or leaves them out") {
  const ScratchFolder scratch;
  for (const char* folder : {"truth", "found"}) {
    std::filesystem::create_directories(scratch / folder);
    label_file(scratch, std::string(folder) + "/a.nrrd", "uint8", std::string(8, '\0'), "8 1");
    label_file(scratch, std::string(folder) + "/b.nrrd", "uint8", std::string(7, '\0') + '\1', "8 1");
  }
  const std::string empty = scratch / "truth/a.nrrd", one = scratch / "truth/b.nrrd";
  for (const Json& number : {Json(0), Json(1), Json()}) {
    CAPTURE(number);
    Words words = {"match", empty, empty, "--per-value"};
    if (!number.is_null()) words.insert(words.end(), {"--empty", number.dump()});
    const std::string scores = number.is_null() ? "no scores" : "all scores " + number.dump();
    CHECK(gpuccl(words).out == "truth 0 objects, prediction 0 objects: " + scores + "\n");
    words.insert(words.end(), {"--json", "-"});
    const Json report = Json::parse(gpuccl(words).out), total = report["total"];
    for (const char* name : {"f1", "recall", "panoptic_quality", "mean_true_iou"})
      CHECK(total["matching"][0][name] == number);
    CHECK(total["foreground"]["dice"] == number);
    CHECK(total["detection"]["sensitivity"] == number);
    CHECK(total["average_precision"] == number);
    for (const char* name : {"dice", "f1", "panoptic_quality"}) CHECK(report["class_mean"][name] == number);
    words[1] = scratch / "truth";
    words[2] = scratch / "found";
    const Json both = Json::parse(gpuccl(words).out);
    CHECK(both["images"].size() == 2);
    CHECK(both["images"][0]["matching"][0]["f1"] == number);
    CHECK(both["total"]["matching"][0]["f1"] == 1);  // counts are added up
  }
  const Words all = {"match", scratch / "truth", scratch / "found", "--empty", "skip", "--json", "-"};
  const Json left = Json::parse(gpuccl(all).out)["images"];
  CHECK(left.size() == 1);
  CHECK(left[0]["input"] == "b");
  // A pair with objects in one image has scores.
  for (const char* given : {"1", "skip"})
    CHECK(Json::parse(gpuccl({"match", one, empty, "--empty", given, "--json", "-"})
                          .out)["total"]["matching"][0]["f1"] == 0);
  fails({"match", one, one, "--empty", "2"}, 64, "'2' is not one of 0|1|skip");
  fails({"match", "--track", one, "--empty", "1"}, 64, "not for --track");
}

TEST_CASE("the summary has a row for each case and class, and the report ends with sums") {
  const ScratchFolder scratch;
  for (const char* folder : {"truth", "found"}) std::filesystem::create_directories(scratch / folder);
  label_file(scratch, "truth/a.nrrd", "uint8", {1, 1, 1, 0, 0, 0, 0, 2}, "8 1");
  label_file(scratch, "found/a.nrrd", "uint8", {1, 1, 1, 1, 1, 0, 0, 0}, "8 1");
  label_file(scratch, "truth/b.nrrd", "uint8", std::string(8, '\0'), "8 1");
  label_file(scratch, "found/b.nrrd", "uint8", std::string(8, '\0'), "8 1");
  const std::string columns =
      "truth,prediction,truth_pixels,prediction_pixels,common_pixels,dice,volume_difference,"
      "relative_volume_difference,found,sensitivity,without_overlap,overlap_precision,splits,merges,"
      "true_positives,false_positives,false_negatives,precision,recall,f1,panoptic_quality";
  const auto table = [&](const Words& more) {
    Words words = {"match", scratch / "truth", scratch / "found", "--summary", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return gpuccl(words).out;
  };
  const std::string none = ",0,0,0,0,0,,0,,0,,0,,0,0,0,0,0,,,,";
  CHECK(table({"--per-value", "--distances", "--tolerance", "1"}) ==
        "input,value," + columns +
            ",hausdorff,hausdorff_95,assd,surface_dice,unit,error\n"
            "a,1,1,1,3,5,3,0.75,2,0.6666666666666666,1,1,0,1,0,0,1,0,0,1,1,1,0.6,2,1.7999999999999998,0.375,"
            "0.875,"
            "pixel,\n"
            "a,2,1,0,1,0,0,0,-1,-1,0,0,0,0,0,0,0,0,1,0,0,0,0,,,,0,pixel,\nb,1" +
            none + ",,,,,pixel,\nb,2" + none + ",,,,,pixel,\n");
  const std::string of_a =
      "a,2,1,4,5,3,0.6666666666666666,1,0.25,1,0.5,0,1,0,0,1,0,1,1,0.5,0.6666666666666666,0."
      "39999999999999997,\n";
  const std::string header = "input," + columns + ",error\n";
  CHECK(table({}) == header + of_a + "b" + none + ",\n");
  CHECK(table({"--empty", "1"}) == header + of_a + "b,0,0,0,0,0,1,0,,0,1,0,1,0,0,0,0,0,1,1,1,1,\n");
  CHECK(table({"--empty", "skip"}) == header + of_a);
  // A class that a case lacks is empty, as a case without objects is.
  const auto rows = [&](Words more) {
    more.push_back("--per-value");
    std::string short_rows;
    std::istringstream lines(table(more));
    for (std::string line; std::getline(lines, line);) {
      Words cells;
      std::istringstream fields(line + ",");
      for (std::string field; std::getline(fields, field, ',');) cells.push_back(field);
      short_rows += cells[0] + cells[1] + ":" + cells[4] + ":" + cells[20] + " ";
    }
    return short_rows;
  };
  CHECK(rows({}) == "inputvalue:truth_pixels:recall a1:3:1 a2:1:0 b1:0: b2:0: ");
  CHECK(rows({"--empty", "1"}) == "inputvalue:truth_pixels:recall a1:3:1 a2:1:0 b1:0:1 b2:0:1 ");
  CHECK(rows({"--empty", "skip"}) == "inputvalue:truth_pixels:recall a1:3:1 a2:1:0 ");
  CHECK(rows({"--classes", "7,2"}) == "inputvalue:truth_pixels:recall a2:1:0 a7:0: b2:0: b7:0: ");
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words of_one = {"match", scratch / "truth/a.nrrd", scratch / "found/a.nrrd", "--summary", "-"};
  CHECK(gpuccl(with(of_one, {"--per-value", "--classes", "3"})).out ==
        "value," + columns + "\n3" + none + "\n");
  fails(with(of_one, {"--classes", "3"}), 64, "--classes is for --per-value; add it");
  fails(with(of_one, {"--per-value", "--classes", "0"}), 64, "'0' is not a list of integers above 0");
  // Cases that fail have rows with the reason, in their place.
  label_file(scratch, "truth/aa.nrrd", "uint8", {1, 0}, "2 1");
  write_file(scratch / "truth/c.nrrd", "NRRD");
  label_file(scratch, "found/c.nrrd", "uint8", {1, 0}, "2 1");
  const std::string failed = table({});
  CHECK(failed.find(of_a + "aa" + std::string(21, ',') + ",") != std::string::npos);
  CHECK(failed.find("has no partner called 'aa'") != std::string::npos);
  CHECK(failed.find("b" + none + ",\nc" + std::string(22, ',')) != std::string::npos);
  const std::string by_class = table({"--per-value"});
  for (const char* const row : {"\na,2,", "\naa,1,,", "\naa,2,,", "\nb,1,", "\nb,2,", "\nc,1,,", "\nc,2,,"})
    CHECK(by_class.find(row) != std::string::npos);
  std::filesystem::remove(scratch / "truth/aa.nrrd");
  std::filesystem::remove(scratch / "truth/c.nrrd");
  std::filesystem::remove(scratch / "found/c.nrrd");
  for (const char* const option : {"--summary", "--csv", "--json"})
    for (int run = 0; run < 2; ++run)  // its own files are replaced
      CHECK(gpuccl({"match", scratch / "truth", scratch / "found", "--distances", option,
                    scratch / (option + 2)})
                .code == 0);
  const Json report = Json::parse(gpuccl({"match", scratch / "truth", scratch / "found", "--json", "-"}).out);
  CHECK(report["total"]["foreground"]["volume_difference"] == 1);
  CHECK(report["images"][1]["foreground"]["relative_volume_difference"].is_null());
  fails({"match", scratch / "truth", scratch / "found", "--csv", "-", "--summary", "-"}, 64, "only one of");
  fails({"match", "--track", scratch / "truth", "--summary", "-"}, 64, "not for --track");
}

TEST_CASE("values that are spread as those of a photograph get a hint") {
  const ScratchFolder scratch;
  std::string photograph, objects;
  for (int i = 0; i < 64 * 64; ++i) {
    photograph += static_cast<char>(1 + (i * 37 + i / 64 * 11) % 100);
    objects += static_cast<char>(i / 64 / 8 * 8 + i % 64 / 8);
  }
  const std::string gray = label_file(scratch, "gray.nrrd", "uint8", photograph, "64 64");
  const std::string labels = label_file(scratch, "labels.nrrd", "uint8", objects, "64 64");
  const std::string said = gpuccl({"match", labels, gray}).err;
  CHECK(said.find("gray.nrrd: its 100 values are spread over the image") != std::string::npos);
  CHECK(said.find("labels.nrrd: its") == std::string::npos);
  const std::string by_value = gpuccl({"match", labels, gray, "--per-value"}).err;
  CHECK(by_value.find("gray.nrrd: its 100 values have many connected pieces each, as in a probability map") !=
        std::string::npos);
  CHECK(by_value.find("labels.nrrd: its") == std::string::npos);
}

TEST_CASE("class maps and probability maps get a hint, objects do not") {
  const ScratchFolder scratch;
  std::string classes, bump, objects;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      classes += static_cast<char>(x % 8 < 4 && y % 8 < 4 ? 1 + (x / 8 + y / 8) % 3 : 0);
      const double square = std::pow(x - 20, 2) + std::pow(y - 30, 2);
      bump += static_cast<char>(std::max(0., 200 / (1 + std::exp((std::sqrt(square) - 10) / 2)) - 2));
      objects += static_cast<char>(y / 32 * 2 + x / 32 + 1);
    }
  const std::string map = label_file(scratch, "classes.nrrd", "uint8", classes, "64 64");
  const std::string probability = label_file(scratch, "probability.nrrd", "uint8", bump, "64 64");
  const std::string labels = label_file(scratch, "objects.nrrd", "uint8", objects, "64 64");
  CHECK(gpuccl({"match", map, labels}).err ==
        "gpuccl: warning: " + map +
            ": its 3 values have many connected pieces each, as classes have, and each value is one object; "
            "--per-value makes each piece an object\n");
  CHECK(gpuccl({"match", map, map, "--per-value"}).err.empty());  // the remedy
  CHECK(gpuccl({"match", labels, probability}).err.find("probability.nrrd: its ") != std::string::npos);
  CHECK(gpuccl({"match", labels, labels}).err.empty());
}

TEST_CASE("each further threshold has its columns") {
  const ScratchFolder scratch;
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", kTruth);
  const std::string prediction = label_file(scratch, "prediction.nrrd", "uint8", kPrediction);
  const Words words = {"match", truth, prediction, "--threshold", "0.5,0.75,1"};
  const auto with = [&](const char* table) {
    Words all = words;
    all.insert(all.end(), {table, "-"});
    return succeeds(all);
  };
  const std::string pairs = with("--csv"), summary = with("--summary");
  CHECK(pairs.find(",prediction_partners,matched_0.75,matched_1\n") != std::string::npos);
  CHECK(pairs.find("\n7,1,4,4,4,1,1,1,1,1,1,1\n") != std::string::npos);
  CHECK(pairs.find("\n9,2,4,2,2,0.5,0.6666666666666666,1,1,1,0,0\n") != std::string::npos);
  CHECK(summary.find(",panoptic_quality,true_positives_0.75,false_positives_0.75,") != std::string::npos);
  const Json report = Json::parse(succeeds({"match", truth, prediction, "--threshold", "1", "--json", "-"}));
  const Json& last = report["total"]["matching"][0];
  CHECK(summary.ends_with("," + last["true_positives"].dump() + "," + last["false_positives"].dump() + "," +
                          last["false_negatives"].dump() + "," + last["precision"].dump() + "," +
                          last["recall"].dump() + "," + last["f1"].dump() + "," +
                          last["panoptic_quality"].dump() + "\n"));
}

TEST_CASE("regions of true objects are scored in all outputs") {
  const ScratchFolder scratch;
  for (const char* folder : {"truth", "found"}) std::filesystem::create_directories(scratch / folder);
  // The region of 1 begins at the left, that of 2 at x = 5; the pixel between 3 and 4 belongs to 3.
  const std::string truth = label_file(scratch, "truth/a.nrrd", "uint8", {1, 1, 1, 0, 0, 0, 0, 2}, "8 1");
  const std::string found = label_file(scratch, "found/a.nrrd", "uint8", {1, 1, 1, 1, 1, 0, 0, 0}, "8 1");
  CHECK(succeeds({"match", truth, found, "--regions", "--csv", "-"}) ==
        "truth,prediction,truth_area,prediction_area,overlap,iou,dice,matched,truth_partners,"
        "prediction_partners,region_dice\n1,1,3,5,3,0.6,0.75,1,1,1,0.75\n2,0,1,0,0,0,0,0,0,0,0\n");
  const std::string tie = label_file(scratch, "tie.nrrd", "uint8", {3, 0, 4}, "3 1");
  const std::string all = label_file(scratch, "all.nrrd", "uint8", {8, 8, 8}, "3 1");
  CHECK(succeeds({"match", tie, all, "--regions", "--csv", "-"}).find(",0.6666666666666666\n4,8,") !=
        std::string::npos);
  const Words words = {"match",       truth, found,       "--regions", "--distances",
                       "--tolerance", "1",   "--spacing", "2,2,1,mm"};
  const auto with = [&](const Words& more) {
    Words one = words;
    one.insert(one.end(), more.begin(), more.end());
    return gpuccl(one).out;
  };
  const Json regions = Json::parse(with({"--json", "-"}))["total"]["regions"];
  CHECK(regions == Json({{"count", 2},
                         {"dice", 0.375},
                         {"pairs", 1},
                         {"hausdorff", 4},
                         {"hausdorff_95", 3.5999999999999996},
                         {"assd", 0.75},
                         {"surface_dice", 0.375}}));
  CHECK(with({"--summary", "-"})
            .find(",unit,region_dice,region_hausdorff,region_hausdorff_95,region_assd,"
                  "region_surface_dice\n") != std::string::npos);
  CHECK(with({"--summary", "-"}).ends_with(",mm,0.375,4,3.5999999999999996,0.75,0.375\n"));
  CHECK(with({}).find("2 regions of true objects: dice 0.3750 hausdorff 4.0000") != std::string::npos);
  const Json classes = Json::parse(with({"--per-value", "--json", "-"}))["classes"];
  CHECK(classes[0]["regions"]["dice"] == 0.75);
  CHECK(classes[1]["regions"]["dice"] == 0);

  // Images without true objects are one region if anything is predicted, or --empty sets a score.
  const std::string empty(8, '\0');
  label_file(scratch, "truth/b.nrrd", "uint8", empty, "8 1");
  label_file(scratch, "found/b.nrrd", "uint8", empty, "8 1");
  label_file(scratch, "truth/c.nrrd", "uint8", empty, "8 1");
  label_file(scratch, "found/c.nrrd", "uint8", {0, 0, 9, 0, 0, 0, 0, 0}, "8 1");
  const auto total = [&](const Words& more) {
    Words folders = {"match", scratch / "truth", scratch / "found", "--regions", "--json", "-"};
    folders.insert(folders.end(), more.begin(), more.end());
    return Json::parse(gpuccl(folders).out)["total"]["regions"];
  };
  CHECK(total({}) == Json({{"count", 3}, {"dice", 0.25}}));
  CHECK(total({"--empty", "1"}) == Json({{"count", 4}, {"dice", 0.4375}}));
  fails({"match", "--track", truth, "--regions"}, 64, "not for --track");
  fails({"match", truth, found, "--spacing", "1,1"}, 64, "add --distances or --regions");
  fails({"match", truth, found, "--regions", "--tolerance", "1"}, 64, "add --distances");
}

TEST_CASE("images larger than memory have the same scores and tables") {
  const ScratchFolder scratch;
  const std::string mask = scratch / "mask.tif", truth = scratch / "truth.tif", found = scratch / "found.tif";
  succeeds({"generate", "random", "--size", "300x300x120", "--density", "0.2", "--granularity", "6", "-o",
            mask, "--seed", "1"});
  succeeds({"generate", "random", "--size", "300x300x120", "--density", "0.3", "--granularity", "5", "-o",
            scratch / "other.tif", "--seed", "2"});
  for (const auto& [from, to] : {std::pair(mask, truth), {scratch / "other.tif", found}})
    succeeds({"label", from, "-o", to, "--label-type", "u32", "-c", "6", "--quiet"});
  for (const Words& mode :
       {Words{truth, found, "--memory", "16M"},
        Words{truth, found, "--memory", "16M", "--min-size", "truth=100,prediction=50"},
        Words{mask, scratch / "other.tif", "--memory", "16M", "--label", "-c", "6"},
        Words{mask, scratch / "other.tif", "--memory", "16M", "--per-value", "-c", "6"},
        Words{truth, found, "--memory", "192M", "--regions", "--distances", "--tolerance", "2"}}) {
    const auto outputs = [&](const Words& options) {
      Words words = {"match"};
      words.insert(words.end(), options.begin(), options.end());
      for (const char* const table : {"--csv", "--summary", "--json"})
        words.insert(words.end(), {table, scratch / (table + 2)});
      std::string all = succeeds(words);
      for (const char* const table : {"csv", "summary", "json"}) all += read_file(scratch / table);
      return all;
    };
    Words at_once = mode;
    at_once.erase(at_once.begin() + 2, at_once.begin() + 4);
    CHECK(outputs(mode) == outputs(at_once));
  }
  fails({"match", truth, found, "--memory", "1K"}, 71, "truth.tif: ");
}

TEST_CASE("small objects of truth, prediction or both are left out") {
  const ScratchFolder scratch;
  const std::string truth = label_file(scratch, "truth.nrrd", "uint8", kTruth);
  const std::string prediction = label_file(scratch, "prediction.nrrd", "uint8", kPrediction);
  const auto pairs = [&](const std::string& size) {
    const std::string text = succeeds({"match", truth, prediction, "--min-size", size, "--csv", "-"});
    return text.substr(text.find('\n') + 1);
  };
  CHECK(pairs("2") == "7,1,4,4,4,1,1,1,1,1\n9,2,4,2,2,0.5,0.6666666666666666,1,1,1\n");
  CHECK(pairs("truth=2") == pairs("2") + "0,5,0,1,0,0,0,0,0,0\n");
  CHECK(pairs("truth=2,prediction=3") == "7,1,4,4,4,1,1,1,1,1\n9,0,4,0,0,0,0,0,0,0\n");
  const Words words = {"match",  truth, prediction,    "--min-size", "prediction=2",
                       "--json", "-",   "--distances", "--per-value"};
  const Json report = Json::parse(gpuccl(words).out);
  CHECK(report["min_size"] == Json({{"truth", 0}, {"prediction", 2}}));
  CHECK(report["total"]["foreground"]["prediction"] == 6);
  CHECK(report["total"]["objects"] == Json({{"truth", 3}, {"prediction", 2}}));
  // Sizes with a unit are those of label: 2 pixels of 0.5 mm2 have 1 mm2.
  const auto physical = [&](const std::string& size) {
    return gpuccl({"match", truth, prediction, "--spacing", "0.5,1,mm", "--min-size", size, "--csv", "-",
                   "--json", scratch / "sizes.json"});
  };
  for (const char* const size : {"truth=1mm2,prediction=3", "truth=1000000um2,prediction=3"})
    CHECK(physical(size).out ==
          gpuccl({"match", truth, prediction, "--min-size", "truth=2,prediction=3", "--csv", "-"}).out);
  CHECK(Json::parse(read_file(scratch / "sizes.json"))["min_size"] ==
        Json({{"truth", "1000000um2"}, {"prediction", 3}}));
  CHECK(physical("1mm3").code == 64);
  fails({"match", truth, prediction, "--min-size", "1mm2"}, 65, "has no spacing in a unit of length");
  for (const char* wrong :
       {"x", "truth", "both=3", "3,truth=2", "truth=-1", "truth=2mm", "truth=3,truth=2mm2"})
    fails({"match", truth, prediction, "--min-size", wrong}, 64, "is not N, truth=N, prediction=N");
  fails({"match", "--track", truth, "--min-size", "2"}, 64, "not for --track");
}

TEST_CASE("distances between surfaces are in the unit of the spacing, for images, classes and matches") {
  const ScratchFolder scratch;
  for (const char* folder : {"truth", "found"}) std::filesystem::create_directories(scratch / folder);
  const std::string truth = label_file(scratch, "truth/a.nrrd", "uint8", {1, 1, 1, 0, 0, 0, 0, 2}, "8 1");
  const std::string found = label_file(scratch, "found/a.nrrd", "uint8", {1, 1, 1, 1, 1, 0, 0, 0}, "8 1");
  const Words words = {"match", truth, found, "--distances", "--spacing", "2,2,1,mm", "--tolerance", "2"};
  const auto with = [](Words all, const Words& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  CHECK(succeeds(with(words, {"--csv", "-"})) ==
        "truth,prediction,truth_area,prediction_area,overlap,iou,dice,matched,truth_partners,"
        "prediction_partners,hausdorff,hausdorff_95,assd,surface_dice,unit\n1,1,3,5,3,0.6,0.75,1,1,1,4,"
        "3.5999999999999996,0.75,0.875,mm\n2,0,1,0,0,0,0,0,0,0,,,,,mm\n");
  const Json report = Json::parse(gpuccl(with(words, {"--json", "-"})).out);
  CHECK(report["unit"] == "mm");
  CHECK(report["tolerance"] == 2);
  // A tolerance with a unit of its own is that length in the unit of the images.
  Words other = words;
  other.back() = "2000um";
  other.insert(other.end(), {"--json", "-"});
  Json same = Json::parse(succeeds(other));
  CHECK(same["tolerance"] == "2000um");
  CHECK(same["total"]["distances"] == report["total"]["distances"]);
  other = {"match", truth, found, "--distances", "--tolerance", "500nm"};
  fails(other, 64, truth + ": has no unit of length, which --tolerance 500nm needs; set it with --spacing");
  const Json& distances = report["total"]["distances"];
  CHECK(distances["matches"] == Json({{"pairs", 1},
                                      {"hausdorff", 4},
                                      {"hausdorff_95", 3.5999999999999996},
                                      {"assd", 0.75},
                                      {"surface_dice", 0.875}}));
  CHECK(distances["foreground"]["hausdorff"] == 6);
  CHECK(distances["foreground"]["assd"] == 12.0 / 9);
  CHECK(distances["foreground"]["surface_dice"] == 7.0 / 9);
  CHECK(gpuccl(words).out.find("surfaces of the foreground in mm: hausdorff 6.0000") != std::string::npos);

  // The predicted class 2 has no surface. Means are over classes and images.
  const Json classes = Json::parse(gpuccl(with(words, {"--per-value", "--json", "-"})).out);
  CHECK(classes["classes"][1]["distances"]["foreground"] == Json({{"pairs", 0},
                                                                  {"hausdorff", nullptr},
                                                                  {"hausdorff_95", nullptr},
                                                                  {"assd", nullptr},
                                                                  {"surface_dice", 0}}));
  CHECK(classes["total"]["distances"]["class_mean"]["hausdorff"] == 4);
  CHECK(classes["total"]["distances"]["class_mean"]["surface_dice"] == 0.4375);
  CHECK(!classes["total"]["distances"].contains("foreground"));
  CHECK(gpuccl(with(words, {"--per-value"}))
            .out.find("surfaces of classes, on average in mm: hausdorff 4.0000") != std::string::npos);
  const std::string empty(8, '\0');
  label_file(scratch, "truth/b.nrrd", "uint8", empty, "8 1");
  label_file(scratch, "found/b.nrrd", "uint8", empty, "8 1");
  const Json images = Json::parse(gpuccl({"match", scratch / "truth", scratch / "found", "--distances",
                                          "--tolerance", "1", "--empty", "1", "--json", "-"})
                                      .out);
  CHECK(images["unit"] == "pixel");
  CHECK(images["images"][1]["distances"]["foreground"]["hausdorff"].is_null());
  CHECK(images["images"][1]["distances"]["foreground"]["surface_dice"] == 1);
  CHECK(images["total"]["distances"]["foreground"]["surface_dice"] == (1 + 7.0 / 9) / 2);
  CHECK(images["failed"].empty());
  // Images of different units have one each, and their means have none.
  std::string with_unit = read_file(scratch / "truth/b.nrrd");
  with_unit.insert(with_unit.find("encoding"),
                   "space dimension: 2\nspace directions: (2,0) (0,2)\nspace units: \"um\" \"um\"\n");
  write_file(scratch / "truth/b.nrrd", with_unit);
  const Ended mixed = gpuccl({"match", scratch / "truth", scratch / "found", "--distances", "--json", "-"});
  CHECK(mixed.err.find("means of distances mix units") != std::string::npos);
  const Json units = Json::parse(mixed.out);
  CHECK(units["unit"].is_null());
  CHECK((units["images"][0]["unit"] == "pixel" && units["images"][1]["unit"] == "um"));

  fails({"match", truth, found, "--tolerance", "1"}, 64, "add --distances");
  fails({"match", truth, found, "--spacing", "1,1"}, 64, "add --distances");
  for (const char* wrong : {"-1", "2kg", "mm", "2mm2"})
    fails({"match", truth, found, "--distances", "--tolerance", wrong}, 64, "is not a number of 0 or more");
  fails({"match", "--track", scratch / "truth", "--distances"}, 64, "not for --track");
  const std::string volume = label_file(scratch, "volume.nrrd", "uint8", {1, 1, 1, 1, 1, 1, 1, 1}, "2 2 2");
  fails({"match", volume, volume, "--distances", "--spacing", "1,1"}, 64, "use --spacing X,Y,Z");
}

TEST_CASE("trees of folders, movies and folders, and channels of each image are matched") {
  const ScratchFolder scratch;
  for (const char* folder : {"t/day1", "t/day2", "p/day1", "p/day2", "stills"})
    std::filesystem::create_directories(scratch / folder);
  for (const char* day : {"day1", "day2"}) {
    label_file(scratch, std::string("t/") + day + "/a.nrrd", "uint8", kTruth);
    label_file(scratch, std::string("p/") + day + "/a_p.nrrd", "uint8", kPrediction);
  }
  const std::string truth = scratch / "t", prediction = scratch / "p";
  fails({"match", truth, prediction}, 66,
        truth + ": contains no images; add --recursive to search its folders");
  const std::string rows =
      succeeds({"match", truth, prediction, "--recursive", "--prediction-name", "*_p", "--summary", "-"});
  CHECK(rows.find("\nday1/a,3,3,") != std::string::npos);
  CHECK(rows.find("\nday2/a,3,3,") != std::string::npos);
  const std::string one = scratch / "t/day1/a.nrrd", other = scratch / "p/day1/a_p.nrrd";
  fails({"match", one, other, "--recursive"}, 64, "--recursive is for folders");
  fails({"match", "--track", truth, "--recursive"}, 64, "not for --track");

  // Time points against images, either way.
  const std::string movie = save_nrrd(scratch / "movie.nrrd", "uint8", "6 1 2 2", kTruth + kPrediction,
                                      "kinds: space space space time\n");
  label_file(scratch, "stills/f9.nrrd", "uint8", kTruth, "6 1 2");
  label_file(scratch, "stills/f10.nrrd", "uint8", kTruth, "6 1 2");
  const std::string stills = scratch / "stills";
  fails({"match", movie, stills}, 66,
        movie + ": is no folder, but the other is; --frame all matches its time points with the images");
  const std::string inside = source_file("tests/io/hdf5/cf.h5") + ":/movie";
  fails({"match", stills, inside}, 66, inside + ": is no folder, but the other is; --frame all matches");
  const std::string pairs = "frame,truth,prediction,truth_area,prediction_area,overlap,iou,";
  const std::string forth = succeeds({"match", stills, movie, "--frame", "all", "--csv", "-"});
  CHECK(forth.starts_with(pairs));
  CHECK(forth.find("\n0,9,9,4,4,4,1,") != std::string::npos);
  CHECK(forth.find("\n1,9,2,4,2,2,0.5,") != std::string::npos);
  const std::string back = succeeds({"match", movie, stills, "--frame", "all", "--csv", "-"});
  CHECK(back.find("\n1,2,9,2,4,2,0.5,") != std::string::npos);
  // A store is a movie on either side.
  const std::string store = scratch / "movie.ome.zarr";
  std::filesystem::create_directories(store + "/0");
  write_file(store + "/.zgroup", R"({"zarr_format":2})");
  write_file(
      store + "/.zattrs",
      R"({"multiscales":[{"version":"0.4","axes":[{"name":"t","type":"time"},{"name":"z","type":"space"},)"
      R"({"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[{"path":"0"}]}]})");
  write_file(store + "/0/.zarray",
             R"({"zarr_format":2,"shape":[2,2,1,6],"chunks":[2,2,1,6],"dtype":"|u1","compressor":null,)"
             R"("fill_value":0,"order":"C","filters":null})");
  write_file(store + "/0/0.0.0.0", kTruth + kPrediction);
  CHECK(succeeds({"match", stills, store, "--frame", "all", "--csv", "-"}) == forth);
  CHECK(succeeds({"match", store, stills, "--frame", "all", "--csv", "-"}) == back);
  label_file(scratch, "stills/f11.nrrd", "uint8", kTruth, "6 1 2");
  fails({"match", movie, stills, "--frame", "all"}, 65,
        stills + ": has 3 time points, but " + movie + " has 2");

  // Values of two channels alternate.
  std::string both;
  for (std::size_t i = 0; i < kTruth.size(); ++i) both += {kTruth[i], kPrediction[i]};
  const std::string channels =
      save_nrrd(scratch / "both.nrrd", "uint8", "2 6 1 2", both, "kinds: vector domain domain domain\n");
  const auto scores = [&](const std::string& of) {
    return succeeds({"match", channels, channels, "--channel", of, "--csv", "-"});
  };
  CHECK(scores("truth=0,prediction=1").find("\n9,2,4,2,2,0.5,") != std::string::npos);
  CHECK(scores("truth=1,prediction=0").find("\n2,9,2,4,2,0.5,") != std::string::npos);
  CHECK(scores("prediction=1,truth=0") == scores("truth=0,prediction=1"));
  CHECK(succeeds({"match", channels, scratch / "stills/f9.nrrd", "--channel", "truth=1", "--csv", "-"})
            .find("\n2,9,2,4,2,0.5,") != std::string::npos);
  CHECK(succeeds({"match", scratch / "stills/f9.nrrd", channels, "--channel", "prediction=1", "--csv", "-"})
            .find("\n9,2,4,2,2,0.5,") != std::string::npos);
  CHECK(scores("0").find("\n9,9,4,4,4,1,") != std::string::npos);
  fails({"match", channels, channels, "--channel", "truth=0,prediction=-1"}, 64,
        "'-1' is neither an integer");
}

TEST_CASE("classes of --classes that an image lacks are in its report") {
  const ScratchFolder scratch;
  for (const char* folder : {"t", "p"}) std::filesystem::create_directories(scratch / folder);
  for (const char* folder : {"t/", "p/"}) {
    label_file(scratch, std::string(folder) + "a.nrrd", "uint8", std::string(6, 1) + std::string(6, 0));
    label_file(scratch, std::string(folder) + "b.nrrd", "uint8", std::string(6, 2) + std::string(6, 0));
  }
  const Words words = {"match", scratch / "t", scratch / "p", "--per-value", "--json", "-"};
  const auto report = [&](const Words& more) {
    return Json::parse(succeeds(joined(joined(words, {"--classes", "1,2,5"}), more)));
  };
  // Classes of other images are not, because the report would grow with the square of their number.
  const Json own = Json::parse(succeeds(words));
  CHECK(own["images"][0]["classes"].size() == 1);
  CHECK(own["images"][1]["classes"][0]["value"] == 2);
  CHECK(own["classes"].size() == 2);
  const Json all = report({});
  for (const Json& image : {all["images"][0], all["images"][1], all}) {
    REQUIRE(image["classes"].size() == 3);
    CHECK(image["classes"][0]["value"] == 1);
    CHECK(image["classes"][2]["objects"] == Json({{"truth", 0}, {"prediction", 0}}));
    CHECK(image["class_mean"]["dice"] == 1);
  }
  CHECK(all["images"][0]["classes"][0]["foreground"]["dice"] == 1);
  CHECK(all["images"][0]["classes"][1]["foreground"]["dice"].is_null());
  CHECK(report({"--empty", "1"})["images"][0]["classes"][1]["foreground"]["dice"] == 1);
  CHECK(report({"--empty", "skip"})["images"][0]["classes"].size() == 1);
}

TEST_CASE("a size of objects is an area or a volume by the connectivity") {
  const ScratchFolder scratch;
  const std::string slice =
      label_file(scratch, "slice.nrrd", "uint8", {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1}, "6 2 1");
  const auto objects = [&](const Words& more) {
    return Json::parse(
        succeeds(joined({"match", slice, slice, "--label", "--spacing", "1,1,2,um", "--json", "-"},
                        more)))["total"]["objects"]["truth"];
  };
  CHECK(objects({"-c", "6", "--min-size", "9um3"}) == 1);
  CHECK(objects({"-c", "4", "--min-size", "5um2"}) == 1);
}

TEST_CASE("tracks of one time point are hinted at") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "series");
  for (int frame = 0; frame < 3; ++frame) {
    std::string row(8, '\0');
    row[static_cast<std::size_t>(3 * frame)] = 1;
    label_file(scratch, "series/" + std::to_string(frame) + ".nrrd", "uint8", row, "8 1");
  }
  const Ended ended = gpuccl({"match", "--track", scratch / "series"});
  CHECK(ended.code == 0);
  CHECK(ended.err.find("most tracks last one time point") != std::string::npos);
}

TEST_CASE("impossible tracking is refused") {
  const ScratchFolder scratch;
  const std::string image = label_file(scratch, "image.nrrd", "uint8", kTruth);
  fails({"match", "--track", image}, 65, "contains one time point; --track is for several; ");
  fails({"match", "--track", image, "-o", scratch / "tracks.tif"}, 64,
        "tracks.tif: is not a folder; --track writes");
  fails({"match", image}, 64, "TRUTH and PREDICTION are needed");
  fails({"match", image, image, "-o", scratch / "tracks"}, 64, "-o is for --track");
  fails({"match", image, "--track", image}, 64, "one input");
  fails({"match", "--track", image, "--threshold", "0.2,0.5"}, 64, "one --threshold");
  std::filesystem::create_directories(scratch / "series");
  fails({"match", "--track", scratch / "series"}, 66, "contains no images");
  label_file(scratch, "series/1.nrrd", "uint8", kTruth);
  label_file(scratch, "series/2.nrrd", "uint8", kTruth, "2 6");
  fails({"match", "--track", scratch / "series"}, 65, "all need the same size");
  fails({"match", "--track", scratch / "series", "-o", scratch / "series"}, 64, "another one");
}

TEST_CASE("of two files with one name but for the extension none is chosen") {
  const ScratchFolder scratch;
  for (const char* folder : {"truth", "prediction", "series"})
    std::filesystem::create_directories(scratch / folder);
  for (const char* name : {"truth/a.nrrd", "truth/b.nrrd", "prediction/a.nrrd", "prediction/b.nrrd",
                           "series/a.nrrd", "series/b.nrrd"})
    label_file(scratch, name, "uint8", kTruth);
  const auto copy = [&](const char* from, const char* to) {
    std::filesystem::copy_file(scratch / from, scratch / to);
  };
  copy("truth/a.nrrd", "prediction/a.mha");
  const Ended ended = gpuccl({"match", scratch / "truth", scratch / "prediction", "--csv", "-"});
  CHECK(ended.code == 64);
  CHECK(ended.err.find("prediction/a.nrrd: differs from " + (scratch / "prediction/a.mha") +
                       " only in the extension") != std::string::npos);
  CHECK(ended.out.find("\na,") == std::string::npos);
  CHECK(ended.out.find("\nb,7,7,") != std::string::npos);
  // Others of the folder may have such names.
  copy("truth/a.nrrd", "prediction/a_x.nrrd");
  copy("truth/b.nrrd", "prediction/b_x.nrrd");
  succeeds({"match", scratch / "truth", scratch / "prediction", "--prediction-name", "*_x", "--csv", "-"});
  // Two time points would have one output.
  copy("truth/b.nrrd", "series/b.mha");
  fails({"match", "--track", scratch / "series", "-o", scratch / "tracks"}, 64, "only in the extension");
  CHECK(!std::filesystem::exists(scratch / "tracks/a.tif"));
}

TEST_CASE("a table that cannot be written as a whole does not replace an older one") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "labels");
  label_file(scratch, "labels/a.nrrd", "uint8", kTruth);
  std::string many(16 * 15, '\0');
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<char>(i + 1);
  label_file(scratch, "labels/b.nrrd", "uint8", many, "16 15");
  const std::string csv = scratch / "pairs.csv", report = scratch / "scores.json";
  write_file(csv, "older");
  write_file(report, "older");
  Command command = gpuccl_command(
      {"match", scratch / "labels", scratch / "labels", "--csv", csv, "--json", report, "--overwrite"});
  command.prepare = [] {
    const rlimit few = {2048, 2048};  // more than the first pair takes
    ::setrlimit(RLIMIT_FSIZE, &few);
  };
  const Ended ended = run(command);
  CHECK(ended.code == 74);
  CHECK(ended.err == "gpuccl: " + csv + ": cannot write: file too large\n");
  CHECK(read_file(csv) == "older");
  CHECK(read_file(report) == "older");
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
