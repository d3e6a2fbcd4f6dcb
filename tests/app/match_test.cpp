// gpuccl match: files, tables and refusals. tests/python/test_match.py compares scores with definitions and
// other programs.

#include <sys/resource.h>

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/test.hpp"

namespace gpuccl {
namespace {

using tests::bytes_of;

// Object 7 is found exactly, 9 by half, 3 not at all; 5 is predicted where nothing is.
const std::string kTruth{7, 7, 0, 9, 9, 0, 7, 7, 0, 9, 9, 3};
const std::string kPrediction{1, 1, 0, 2, 0, 5, 1, 1, 0, 2, 0, 0};
// Rows of 8 pixels: nothing, the last pixel, an object that is found too long next to one that is missed.
const std::string kEmpty(8, '\0'), kLast{0, 0, 0, 0, 0, 0, 0, 1}, kOnes{1, 1, 1, 0, 0, 0, 0, 2},
    kLonger{1, 1, 1, 1, 1, 0, 0, 0};
const std::string kMovie = "kinds: space space space time\n";
constexpr const char* kPairs =
    "truth,prediction,truth_area,prediction_area,overlap,iou,dice,matched,truth_partners,prediction_partners";

struct Matching : WorkFolder {
  Matching() {
    nrrd("truth.nrrd", "6 2", kTruth);
    nrrd("prediction.nrrd", "6 2", kPrediction);
  }
  /// Returns the output of a command about both.
  std::string both(const std::string& more) const {
    return type("match truth.nrrd prediction.nrrd " + more).out;
  }
  /// Folders t and p with the images a and b of 8 pixels each.
  void make_rows(const std::string& truth_a, const std::string& found_a,
                 const std::string& b = kEmpty) const {
    make_folders({"t", "p"});
    nrrd("t/a.nrrd", "8 1", truth_a);
    nrrd("p/a.nrrd", "8 1", found_a);
    for (const char* name : {"t/b.nrrd", "p/b.nrrd"}) nrrd(name, "8 1", b);
  }
};

}  // namespace

TEST_CASE_METHOD(Matching, "every overlap and every object alone has a row; thresholds have columns") {
  CHECK(both("--csv -") == std::string(kPairs) +
                               "\n7,1,4,4,4,1,1,1,1,1\n9,2,4,2,2,0.5,0.6666666666666666,1,1,1\n" +
                               "3,0,1,0,0,0,0,0,0,0\n0,5,0,1,0,0,0,0,0,0\n");
  CHECK(both("").starts_with("truth 3 objects, prediction 3 objects"));
  const Json total = json("match truth.nrrd prediction.nrrd --threshold 0.5,0.75")["total"];
  CHECK(total["objects"] == Json({{"truth", 3}, {"prediction", 3}}));
  CHECK(total["foreground"]["dice"] == 0.75);
  CHECK(total["detection"]["found"] == 2);
  CHECK(total["matching"][0]["panoptic_quality"] == 0.5);
  CHECK(total["matching"][1]["accuracy"] == 0.2);
  CHECK(total["average_precision"] == 0.35);

  const std::string pairs = both("--threshold 0.5,0.75,1 --csv -"),
                    summary = both("--threshold 0.5,0.75,1 --summary -");
  CHECK(has(pairs, ",prediction_partners,matched_0.75,matched_1\n"));
  CHECK(has(pairs, "\n7,1,4,4,4,1,1,1,1,1,1,1\n"));
  CHECK(has(pairs, "\n9,2,4,2,2,0.5,0.6666666666666666,1,1,1,0,0\n"));
  CHECK(has(summary, ",panoptic_quality,true_positives_0.75,false_positives_0.75,"));
  const Json last = json("match truth.nrrd prediction.nrrd --threshold 1")["total"]["matching"][0];
  std::string fields;
  for (const char* name : {"true_positives", "false_positives", "false_negatives", "precision", "recall",
                           "f1", "panoptic_quality"})
    fields += "," + last[name].dump();
  CHECK(summary.ends_with(fields + "\n"));
}

TEST_CASE_METHOD(Matching, "masks are labeled first on demand") {
  nrrd("mask.nrrd", "6 2", {1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1});
  const auto objects = [&](const std::string& more) {
    return json("match mask.nrrd mask.nrrd " + more)["total"]["objects"]["truth"];
  };
  CHECK(objects("") == 1);
  CHECK(objects("--label") == 2);
  CHECK(objects("--label -c 4") == 3);
  CHECK(type("match mask.nrrd mask.nrrd --label").err.empty());
  fails("match mask.nrrd mask.nrrd -c 4", 64, "--label");
  // Every probability above 0 would be foreground.
  nrrd("probability.nrrd", "2 2", bytes_of<float>({0, 0.25F, 0.5F, 0.75F}), "float");
  ends("match probability.nrrd probability.nrrd --label", 0, {"has more than two values"});
  // A size is an area or a volume by the connectivity.
  nrrd("slice.nrrd", "6 2 1", {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1});
  for (const char* size : {"-c 6 --min-size 9um3", "-c 4 --min-size 5um2"})
    CHECK(json("match slice.nrrd slice.nrrd --label --spacing 1,1,2,um " +
               std::string(size))["total"]["objects"]["truth"] == 1);
}

TEST_CASE_METHOD(Matching, "labels are integers of up to 64 bits; other values are refused by name") {
  nrrd("large.nrrd", "2 1", bytes_of<std::uint64_t>({1, UINT64_MAX}), "uint64");
  nrrd("whole.nrrd", "2 1", bytes_of<double>({1, 3}), "double");
  nrrd("half.nrrd", "2 1", bytes_of<double>({1, 1.5}), "double");
  CHECK(has(succeeds("match large.nrrd large.nrrd --csv -"), "18446744073709551615,18446744073709551615,"));
  CHECK(has(succeeds("match whole.nrrd large.nrrd --csv -"), "\n3,18446744073709551615,1,1,1,"));
  fails("match large.nrrd half.nrrd", 65, "1.5");
}

TEST_CASE_METHOD(Matching, "impossible matches are one line each") {
  nrrd("other.nrrd", "2 6", kTruth);
  nrrd("empty.nrrd", "6 2", std::string(12, '\0'));
  nrrd("aside.nrrd", "6 2", {0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0});
  nrrd("volume.nrrd", "2 2 2", std::string(8, '\1'));
  make_folders({"folder"});
  const std::string same = "match truth.nrrd truth.nrrd ";
  for (const auto& [more, part] : {std::pair("--threshold 0", "above 0"),
                                   {"--threshold 0.5,0.50", "lists a threshold twice"},
                                   {"--csv - --json -", "standard output"},
                                   {"--csv - --summary -", "only one of"},
                                   {"--csv x.csv --json x.csv", ""},
                                   {"--per-value --label", "cannot be combined"},
                                   {"--recursive", "--recursive is for folders"},
                                   {"--empty 2", "'2' is not one of 0|1|skip"},
                                   {"--classes 3", "--classes is for --per-value; add it"},
                                   {"--per-value --classes 0", "'0' is not a list of integers above 0"},
                                   {"--tolerance 1", "add --distances"},
                                   {"--regions --tolerance 1", "add --distances"},
                                   {"--spacing 1,1", "add --distances or --regions"},
                                   {"-o folder", "-o is for --track"}})
    fails(same + more, 64, part);
  for (const char* size :
       {"x", "truth", "both=3", "3,truth=2", "truth=-1", "truth=2mm", "truth=3,truth=2mm2"})
    fails(same + "--min-size " + size, 64, "is not N, truth=N, prediction=N");
  for (const char* tolerance : {"-1", "2kg", "mm", "2mm2"})
    fails(same + "--distances --tolerance " + tolerance, 64, "is not a number of 0 or more");
  for (const char* more :
       {"--recursive", "--empty 1", "--summary -", "--min-size 2", "--distances", "--regions"})
    fails("match --track truth.nrrd " + std::string(more), 64, "not for --track");
  fails("match truth.nrrd other.nrrd", 65, "is 2x6, but ");
  fails("match truth.nrrd missing.tif", 66, "missing.tif");
  fails("match truth.nrrd", 64, "TRUTH and PREDICTION are needed");
  fails("match volume.nrrd volume.nrrd --distances --spacing 1,1", 64, "use --spacing X,Y,Z");
  fails("match folder folder", 66, "folder: contains no images");
  fails("match folder nosuch", 66, "nosuch: no such folder");
  fails("match folder truth.nrrd", 66, "truth.nrrd: is no folder, but the other is");
  ends("match truth.nrrd empty.nrrd", 0, {"contains no objects"});
  ends("match truth.nrrd aside.nrrd", 0, {"no object overlaps"});
}

TEST_CASE_METHOD(Matching, "two folders are matched by name, and a bad pair does not stop the others") {
  make_folders({"a", "b", "c", "empty"});
  for (const char* name : {"a/1.nrrd", "a/2.nrrd", "b/1.nrrd"}) nrrd(name, "6 2", kTruth);
  nrrd("b/2.nrrd", "6 2", kPrediction);
  CHECK(succeeds("match a b --csv pairs.csv --json scores.json").starts_with("2 pairs"));
  CHECK(has(read("pairs.csv"), "\n1,7,7,4,4,4,1,1,1,1,1\n"));
  CHECK(has(read("pairs.csv"), "\n2,9,2,4,2,2,0.5,"));
  const Json report = Json::parse(read("scores.json"));
  CHECK(report["total"]["matching"][0]["true_positives"] == 5);
  REQUIRE(report["images"].size() == 2);
  CHECK(report["images"][1]["matching"][0]["true_positives"] == 2);

  for (const char* name : {"b/2.nrrd", "c/2.nrrd"}) write(name, "NRRD0004\ntype: uint8\n");
  nrrd("a/3.nrrd", "6 2", kTruth);
  const Ended broken = ends("match a b --csv pairs.csv --json scores.json", 1,
                            {"3.nrrd: has no partner called '3'", "b/2.nrrd: "});
  CHECK(broken.out.starts_with("truth 3 objects"));
  const Json failed = Json::parse(read("scores.json"))["failed"];
  REQUIRE(failed.size() == 2);
  CHECK((failed[0]["input"] == "3" && failed[0]["error"]["code"] == 66));
  CHECK((failed[1]["input"] == "2" && failed[1]["error"]["input"] == "b/2.nrrd"));
  ends("match a c --csv pairs.csv --json scores.json --empty 1", 1,
       {"pairs.csv: unchanged, because no pair was matched"});
  CHECK(Json::parse(read("scores.json"))["total"]["average_precision"].is_null());
  // Without predictions, every truth has a row.
  const Ended none = ends("match a empty --summary - --json scores.json", 66, {"empty: contains no images"});
  CHECK(std::count(none.out.begin(), none.out.end(), '\n') > 1);

  // Names of predictions follow a pattern.
  for (const char* name : {"b/1_0000.nrrd", "b/1_0001.nrrd"}) nrrd(name, "6 2", kTruth);
  for (const char* name : {"a/2.nrrd", "a/3.nrrd", "b/1.nrrd", "b/2.nrrd"})
    std::filesystem::remove(*this / name);
  CHECK(has(succeeds("match a b --prediction-name *_0001 --csv -"), "\n1,7,7,4,4,4,1,1,1,1,1\n"));
  ends("match a b --prediction-name x*=*_0001", 66, {"a/1.nrrd: has a name that does not match x*"});
  ends("match a b --prediction-name *_0002", 66, {"has no partner called '1_0002'"});
  ends("match a b", 66, {"--prediction-name pairs other names"});
  fails("match a b --prediction-name _0000", 64, "not a pattern");
}

TEST_CASE_METHOD(Matching, "grids that differ are a hint, and a channel is selected") {
  nrrd("other.nrrd", "6 2", kTruth, "uint8", "spacings: 2 3\n");
  nrrd("same.nrrd", "6 2", kTruth, "uint8", "spacings: 4 3\n");
  CHECK(type("match truth.nrrd other.nrrd").err.empty());  // one has no spacing
  ends("match other.nrrd same.nrrd", 0, {"same.nrrd: has another spacing than "});
  // Values of two channels alternate.
  std::string values;
  for (std::size_t i = 0; i < kTruth.size(); ++i) values += {kTruth[i], kPrediction[i]};
  nrrd("both.nrrd", "2 6 1 2", values, "uint8", "kinds: vector domain domain domain\n");
  nrrd("one.nrrd", "6 1 2", kTruth);
  const auto scores = [&](const std::string& words) { return succeeds("match " + words + " --csv -"); };
  const std::string forth = scores("both.nrrd both.nrrd --channel truth=0,prediction=1");
  CHECK(has(forth, "\n9,2,4,2,2,0.5,"));
  CHECK(scores("both.nrrd both.nrrd --channel prediction=1,truth=0") == forth);
  CHECK(scores("one.nrrd both.nrrd --channel prediction=1") == forth);
  CHECK(has(scores("both.nrrd one.nrrd --channel truth=1"), "\n2,9,2,4,2,0.5,"));
  CHECK(has(scores("both.nrrd both.nrrd --channel 0"), "\n9,9,4,4,4,1,"));
  fails("match both.nrrd both.nrrd --channel truth=0,prediction=-1", 64, "'-1' is neither an integer");
}

TEST_CASE_METHOD(Matching, "classes are scored one by one, each component an object") {
  // Class 1 has two pieces, of which one is found; one pixel of class 2 is taken for 1.
  nrrd("truth.nrrd", "6 2", {1, 1, 0, 2, 2, 0, 0, 0, 0, 0, 0, 1});
  nrrd("prediction.nrrd", "6 2", {1, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0});
  CHECK(both("--per-value -c 4 --csv -") ==
        "value," + std::string(kPairs) +
            "\n1,1,1,2,2,2,1,1,1,1,1\n1,3,0,1,0,0,0,0,0,0,0\n1,0,2,0,1,0,0,0,0,0,0\n"
            "2,2,3,2,1,1,0.5,0.6666666666666666,1,1,1\n");
  const Json report = json("match truth.nrrd prediction.nrrd --per-value -c 4");
  REQUIRE(report["classes"].size() == 2);
  CHECK(report["classes"][0]["objects"] == Json({{"truth", 2}, {"prediction", 2}}));
  CHECK(report["class_mean"]["dice"] == (2.0 * 2 / 6 + 2.0 / 3) / 2);

  // Classes of --classes that an image lacks are in its report. Classes of other images are not, because the
  // report would grow with the square of their number.
  make_folders({"t", "p"});
  for (const std::string folder : {"t/", "p/"}) {
    nrrd(folder + "a.nrrd", "6 2", std::string(6, 1) + std::string(6, 0));
    nrrd(folder + "b.nrrd", "6 2", std::string(6, 2) + std::string(6, 0));
  }
  const Json own = json("match t p --per-value");
  CHECK(own["images"][0]["classes"].size() == 1);
  CHECK(own["images"][1]["classes"][0]["value"] == 2);
  CHECK(own["classes"].size() == 2);
  const auto with = [&](const std::string& more) {
    return json("match t p --per-value --classes 1,2,5 " + more);
  };
  const Json all = with("");
  for (const Json& image : {all["images"][0], all["images"][1], all}) {
    REQUIRE(image["classes"].size() == 3);
    CHECK(image["classes"][2]["objects"] == Json({{"truth", 0}, {"prediction", 0}}));
    CHECK(image["class_mean"]["dice"] == 1);
  }
  CHECK(all["images"][0]["classes"][0]["foreground"]["dice"] == 1);
  CHECK(all["images"][0]["classes"][1]["foreground"]["dice"].is_null());
  CHECK(with("--empty 1")["images"][0]["classes"][1]["foreground"]["dice"] == 1);
  CHECK(with("--empty skip")["images"][0]["classes"].size() == 1);
}

TEST_CASE_METHOD(Matching, "objects are linked through time") {
  // 7 goes on as 1, 9 splits into 3 and 5, and 5 ends.
  const std::string frames[] = {{7, 7, 0, 9, 9, 9, 7, 7, 0, 9, 9, 9},
                                {1, 1, 0, 3, 0, 5, 1, 1, 0, 3, 0, 5},
                                {1, 1, 0, 3, 0, 0, 1, 1, 0, 3, 0, 0}};
  const std::string header = "frame,label,track,area,cx,cy,cz,iou,begin,parent,end,into\n";
  make_folders({"series", "far", "short"});
  for (std::size_t i = 0; i < 3; ++i) nrrd("series/" + std::to_string(i) + ".nrrd", "6 2", frames[i]);
  const std::string expected =
      header +
      "0,7,1,4,0.5,0.5,0,0,start,0,,0\n0,9,2,6,4,0.5,0,0,start,0,end,0\n"
      "1,1,1,4,0.5,0.5,0,1,,0,,0\n1,3,3,2,3,0.5,0,0,split,2,,0\n1,5,4,2,5,0.5,0,0,split,2,end,0\n"
      "2,1,1,4,0.5,0.5,0,1,,0,,0\n2,3,3,2,3,0.5,0,1,,0,,0\n";
  CHECK(succeeds("match --track series --csv - -o tracks") == expected);
  const Json report = json("match --track series");
  CHECK(report["tracks"][3] == Json({{"track", 4}, {"begin", 1}, {"end", 1}, {"parent", 2}, {"into", 0}}));
  CHECK(report["splits"] == 2);
  // The label images of tracks are linked as they are; one file of all time points has the same tracks.
  CHECK(has(succeeds("match --track tracks --csv -"), "\n1,4,4,2,5,0.5,0,0,split,2,end,0\n"));
  nrrd("series.nrrd", "6 2 1 3", frames[0] + frames[1] + frames[2], "uint8", kMovie);
  CHECK(succeeds("match --track series.nrrd --csv -") == expected);
  // Back in time, pieces merge.
  nrrd("series.nrrd", "6 2 1 2", frames[1] + frames[0], "uint8", kMovie);
  CHECK(has(succeeds("match --track series.nrrd --csv -"), "\n0,5,3,2,5,0.5,0,0,start,0,merge,4\n"));
  const std::string pairs = succeeds("match series.nrrd series.nrrd --frame all --csv -");
  CHECK(pairs.starts_with("frame,truth,"));
  CHECK(has(pairs, "\n1,9,9,6,6,6,1,1,1,1,1\n"));

  // An object that moves far keeps its track.
  nrrd("far/0.nrrd", "8 1", {7, 7, 7, 7, 7, 0, 0, 0});
  nrrd("far/1.nrrd", "8 1", {0, 0, 1, 1, 1, 1, 1, 0});
  CHECK(succeeds("match --track far --csv -") ==
        header + "0,7,1,5,2,0,0,0,start,0,,0\n1,1,1,5,4,0,0,0.42857142857142855,,0,,0\n");
  CHECK(succeeds("match --track far") == "2 time points, 1 track, 0 splits, 0 merges\n");
  for (std::size_t i = 0; i < 3; ++i) {
    std::string row = kEmpty;
    row[3 * i] = 1;
    nrrd("short/" + std::to_string(i) + ".nrrd", "8 1", row);
  }
  ends("match --track short", 0, {"most tracks last one time point"});
}

TEST_CASE_METHOD(Matching, "impossible tracking is refused") {
  make_folders({"series", "none"});
  fails("match --track truth.nrrd", 65, "contains one time point; --track is for several; ");
  fails("match --track truth.nrrd -o tracks.tif", 64, "tracks.tif: is not a folder; --track writes");
  fails("match truth.nrrd --track truth.nrrd", 64, "one input");
  fails("match --track truth.nrrd --threshold 0.2,0.5", 64, "one --threshold");
  fails("match --track none", 66, "contains no images");
  nrrd("series/1.nrrd", "6 2", kTruth);
  nrrd("series/2.nrrd", "2 6", kTruth);
  fails("match --track series", 65, "all need the same size");
  fails("match --track series -o series", 64, "another one");
}

TEST_CASE_METHOD(Matching, "option --empty sets the scores of pairs without objects, or leaves them out") {
  make_rows(kEmpty, kEmpty, kLast);
  const auto f1 = [](const Json& report) { return report["matching"][0]["f1"]; };
  for (const Json& number : {Json(0), Json(1), Json()}) {
    CAPTURE(number);
    const std::string words = " --per-value" + (number.is_null() ? "" : " --empty " + number.dump());
    CHECK(type("match t/a.nrrd t/a.nrrd" + words).out ==
          "truth 0 objects, prediction 0 objects: " +
              (number.is_null() ? "no scores" : "all scores " + number.dump()) + "\n");
    const Json report = json("match t/a.nrrd t/a.nrrd" + words), total = report["total"];
    for (const char* name : {"f1", "recall", "panoptic_quality", "mean_true_iou"})
      CHECK(total["matching"][0][name] == number);
    CHECK(total["foreground"]["dice"] == number);
    CHECK(total["detection"]["sensitivity"] == number);
    CHECK(total["average_precision"] == number);
    for (const char* name : {"dice", "f1", "panoptic_quality"}) CHECK(report["class_mean"][name] == number);
    const Json folders = json("match t p" + words);
    CHECK(folders["images"].size() == 2);
    CHECK(f1(folders["images"][0]) == number);
    CHECK(f1(folders["total"]) == 1);  // counts are added up
  }
  const Json left = json("match t p --empty skip")["images"];
  CHECK(left.size() == 1);
  CHECK(left[0]["input"] == "b");
  // A pair with objects in one image has scores.
  for (const char* given : {"t/b.nrrd t/a.nrrd", "t/a.nrrd t/b.nrrd", "t/b.nrrd t/a.nrrd --empty 1",
                            "t/b.nrrd t/a.nrrd --empty skip"})
    CHECK(f1(json("match " + std::string(given))["total"]) == 0);
}

TEST_CASE_METHOD(Matching, "the summary has a row for each case and class, and the report ends with sums") {
  make_rows(kOnes, kLonger);
  const std::string columns =
      "truth,prediction,truth_pixels,prediction_pixels,common_pixels,dice,volume_difference,"
      "relative_volume_difference,found,sensitivity,without_overlap,overlap_precision,splits,merges,"
      "true_positives,false_positives,false_negatives,precision,recall,f1,panoptic_quality";
  const auto table = [&](const std::string& more) { return type("match t p --summary - " + more).out; };
  const std::string none = ",0,0,0,0,0,,0,,0,,0,,0,0,0,0,0,,,,";
  CHECK(table("--per-value --distances --tolerance 1") ==
        "input,value," + columns +
            ",hausdorff,hausdorff_95,assd,surface_dice,unit,error\n"
            "a,1,1,1,3,5,3,0.75,2,0.6666666666666666,1,1,0,1,0,0,1,0,0,1,1,1,0.6,2,1.7999999999999998,0.375,"
            "0.875,"
            "pixel,\na,2,1,0,1,0,0,0,-1,-1,0,0,0,0,0,0,0,0,1,0,0,0,0,,,,0,pixel,\nb,1" +
            none + ",,,,,pixel,\nb,2" + none + ",,,,,pixel,\n");
  const std::string of_a =
                        "a,2,1,4,5,3,0.6666666666666666,1,0.25,1,0.5,0,1,0,0,1,0,1,1,0.5,0.6666666666666666,"
                        "0.39999999999999997,\n",
                    header = "input," + columns + ",error\n";
  CHECK(table("") == header + of_a + "b" + none + ",\n");
  CHECK(table("--empty 1") == header + of_a + "b,0,0,0,0,0,1,0,,0,1,0,1,0,0,0,0,0,1,1,1,1,\n");
  CHECK(table("--empty skip") == header + of_a);
  // A class that a case lacks is empty, as a case without objects is.
  const auto rows = [&](const std::string& more) {
    std::string short_rows;
    std::istringstream lines(table("--per-value " + more));
    for (std::string line; std::getline(lines, line);) {
      Words cells;
      std::istringstream fields(line + ",");
      for (std::string field; std::getline(fields, field, ',');) cells.push_back(field);
      short_rows += cells[0] + cells[1] + ":" + cells[4] + ":" + cells[20] + " ";
    }
    return short_rows;
  };
  const std::string head = "inputvalue:truth_pixels:recall a";
  CHECK(rows("") == head + "1:3:1 a2:1:0 b1:0: b2:0: ");
  CHECK(rows("--empty 1") == head + "1:3:1 a2:1:0 b1:0:1 b2:0:1 ");
  CHECK(rows("--empty skip") == head + "1:3:1 a2:1:0 ");
  CHECK(rows("--classes 7,2") == head + "2:1:0 a7:0: b2:0: b7:0: ");
  CHECK(type("match t/a.nrrd p/a.nrrd --summary - --per-value --classes 3").out ==
        "value," + columns + "\n3" + none + "\n");
  const Json report = json("match t p");
  CHECK(report["total"]["foreground"]["volume_difference"] == 1);
  CHECK(report["images"][1]["foreground"]["relative_volume_difference"].is_null());
  for (const std::string option : {"--summary", "--csv", "--json"})
    for (int run = 0; run < 2; ++run)  // its own files are replaced
      CHECK(type("match t p --distances " + option + " " + option.substr(2)).code == 0);
  // Cases that fail have rows with the reason, in their place.
  nrrd("t/aa.nrrd", "2 1", {1, 0});
  write("t/c.nrrd", "NRRD");
  nrrd("p/c.nrrd", "2 1", {1, 0});
  const std::string failed = table(""), by_class = table("--per-value");
  CHECK(has(failed, of_a + "aa" + std::string(21, ',') + ","));
  CHECK(has(failed, "has no partner called 'aa'"));
  CHECK(has(failed, "b" + none + ",\nc" + std::string(22, ',')));
  for (const char* row : {"\na,2,", "\naa,1,,", "\naa,2,,", "\nb,1,", "\nb,2,", "\nc,1,,", "\nc,2,,"})
    CHECK(has(by_class, row));
}

TEST_CASE_METHOD(Matching, "photographs, maps of classes and of probability get a hint, objects do not") {
  std::string photograph, labels, classes, bump, objects;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      photograph += static_cast<char>(1 + ((y * 64 + x) * 37 + y * 11) % 100);
      labels += static_cast<char>(y / 8 * 8 + x / 8);
      classes += static_cast<char>(x % 8 < 4 && y % 8 < 4 ? 1 + (x / 8 + y / 8) % 3 : 0);
      const double square = std::pow(x - 20, 2) + std::pow(y - 30, 2);
      bump += static_cast<char>(std::max(0., 200 / (1 + std::exp((std::sqrt(square) - 10) / 2)) - 2));
      objects += static_cast<char>(y / 32 * 2 + x / 32 + 1);
    }
  for (const auto& [name, bytes] : {std::pair("gray", photograph),
                                    {"labels", labels},
                                    {"map", classes},
                                    {"probability", bump},
                                    {"objects", objects}})
    nrrd(std::string(name) + ".nrrd", "64 64", bytes);
  const std::string said = type("match labels.nrrd gray.nrrd").err,
                    by_value = type("match labels.nrrd gray.nrrd --per-value").err;
  CHECK(has(said, "gray.nrrd: its 100 values are spread over the image"));
  CHECK(has(by_value, "gray.nrrd: its 100 values have many connected pieces each, as in a probability map"));
  CHECK_FALSE(has(said + by_value, "labels.nrrd: its"));
  CHECK(type("match map.nrrd objects.nrrd").err ==
        "gpuccl: warning: map.nrrd: its 3 values have many connected pieces each, as classes have, and each "
        "value is one "
        "object; --per-value makes each piece an object\n");
  CHECK(type("match map.nrrd map.nrrd --per-value").err.empty());  // the remedy
  const std::string twice = type("match map.nrrd map.nrrd").err;
  CHECK(has(twice,
            "warning: the same for 1 more input (map.nrrd): its 3 values have many connected pieces each"));
  CHECK(std::count(twice.begin(), twice.end(), '\n') == 2);
  ends("match objects.nrrd probability.nrrd", 0, {"probability.nrrd: its "});
  CHECK(type("match objects.nrrd objects.nrrd").err.empty());
}

TEST_CASE_METHOD(Matching, "regions of true objects are scored in all outputs") {
  // The region of 1 begins at the left, that of 2 at x = 5; the pixel between 3 and 4 belongs to 3.
  make_rows(kOnes, kLonger);
  CHECK(succeeds("match t/a.nrrd p/a.nrrd --regions --csv -") ==
        std::string(kPairs) + ",region_dice\n1,1,3,5,3,0.6,0.75,1,1,1,0.75\n2,0,1,0,0,0,0,0,0,0,0\n");
  nrrd("tie.nrrd", "3 1", {3, 0, 4});
  nrrd("all.nrrd", "3 1", {8, 8, 8});
  CHECK(has(succeeds("match tie.nrrd all.nrrd --regions --csv -"), ",0.6666666666666666\n4,8,"));
  const std::string words = "match t/a.nrrd p/a.nrrd --regions --distances --tolerance 1 --spacing 2,2,1,mm ";
  CHECK(json(words)["total"]["regions"] == Json({{"count", 2},
                                                 {"dice", 0.375},
                                                 {"pairs", 1},
                                                 {"hausdorff", 4},
                                                 {"hausdorff_95", 3.5999999999999996},
                                                 {"assd", 0.75},
                                                 {"surface_dice", 0.375}}));
  const std::string summary = type(words + "--summary -").out;
  CHECK(has(summary,
            ",unit,region_dice,region_hausdorff,region_hausdorff_95,region_assd,region_surface_dice\n"));
  CHECK(summary.ends_with(",mm,0.375,4,3.5999999999999996,0.75,0.375\n"));
  CHECK(has(type(words).out, "2 regions of true objects: dice 0.3750 hausdorff 4.0000"));
  const Json classes = json(words + "--per-value")["classes"];
  CHECK(classes[0]["regions"]["dice"] == 0.75);
  CHECK(classes[1]["regions"]["dice"] == 0);
  // Images without true objects are one region if anything is predicted, or --empty sets a score.
  nrrd("t/c.nrrd", "8 1", kEmpty);
  nrrd("p/c.nrrd", "8 1", kLast);
  CHECK(json("match t p --regions")["total"]["regions"] == Json({{"count", 3}, {"dice", 0.25}}));
  CHECK(json("match t p --regions --empty 1")["total"]["regions"] == Json({{"count", 4}, {"dice", 0.4375}}));
}

TEST_CASE_METHOD(Matching, "images larger than memory have the same scores and tables") {
  for (const char* words :
       {"0.2 --granularity 6 -o mask.tif --seed 1", "0.3 --granularity 5 -o other.tif --seed 2"})
    succeeds("generate random --size 300x300x120 --density " + std::string(words));
  succeeds("label mask.tif -o truth.tif --label-type u32 -c 6 --quiet");
  succeeds("label other.tif -o found.tif --label-type u32 -c 6 --quiet");
  for (const auto& [memory, words] : {std::pair("16M", "truth.tif found.tif"),
                                      {"16M", "truth.tif found.tif --min-size truth=100,prediction=50"},
                                      {"16M", "mask.tif other.tif --label -c 6"},
                                      {"16M", "mask.tif other.tif --per-value -c 6"},
                                      {"192M", "truth.tif found.tif --regions --distances --tolerance 2"}}) {
    const auto outputs = [&](const std::string& more) {
      const std::string said =
          succeeds("match " + std::string(words) + " --csv csv --summary summary --json json" + more);
      return said + read("csv") + read("summary") + read("json");
    };
    CHECK(outputs(" --memory " + std::string(memory)) == outputs(""));
  }
  fails("match truth.tif found.tif --memory 1K", 71, "truth.tif: ");
}

TEST_CASE_METHOD(Matching, "small objects of truth, prediction or both are left out") {
  const auto pairs = [&](const std::string& size) {
    const std::string text = both("--min-size " + size + " --csv -");
    return text.substr(text.find('\n') + 1);
  };
  CHECK(pairs("2") == "7,1,4,4,4,1,1,1,1,1\n9,2,4,2,2,0.5,0.6666666666666666,1,1,1\n");
  CHECK(pairs("truth=2") == pairs("2") + "0,5,0,1,0,0,0,0,0,0\n");
  CHECK(pairs("truth=2,prediction=3") == "7,1,4,4,4,1,1,1,1,1\n9,0,4,0,0,0,0,0,0,0\n");
  const Json report =
      json("match truth.nrrd prediction.nrrd --min-size prediction=2 --distances --per-value");
  CHECK(report["min_size"] == Json({{"truth", 0}, {"prediction", 2}}));
  CHECK(report["total"]["foreground"]["prediction"] == 6);
  CHECK(report["total"]["objects"] == Json({{"truth", 3}, {"prediction", 2}}));
  // Sizes with a unit are those of label: 2 pixels of 0.5 mm2 have 1 mm2.
  for (const char* size : {"truth=1mm2,prediction=3", "truth=1000000um2,prediction=3"})
    CHECK(pairs(std::string(size) + " --spacing 0.5,1,mm --json sizes.json") ==
          pairs("truth=2,prediction=3"));
  CHECK(Json::parse(read("sizes.json"))["min_size"] == Json({{"truth", "1000000um2"}, {"prediction", 3}}));
  CHECK(type("match truth.nrrd prediction.nrrd --spacing 0.5,1,mm --min-size 1mm3").code == 64);
  fails("match truth.nrrd prediction.nrrd --min-size 1mm2", 65, "has no spacing in a unit of length");
}

TEST_CASE_METHOD(
    Matching, "distances between surfaces are in the unit of the spacing, for images, classes and matches") {
  make_rows(kOnes, kLonger);
  const std::string words = "match t/a.nrrd p/a.nrrd --distances --spacing 2,2,1,mm --tolerance ";
  CHECK(succeeds(words + "2 --csv -") ==
        std::string(kPairs) +
            ",hausdorff,hausdorff_95,assd,surface_dice,unit\n1,1,3,5,3,0.6,0.75,1,1,1,4,"
            "3.5999999999999996,0.75,0.875,mm\n2,0,1,0,0,0,0,0,0,0,,,,,mm\n");
  const Json report = json(words + "2"), distances = report["total"]["distances"];
  CHECK(report["unit"] == "mm");
  CHECK(report["tolerance"] == 2);
  CHECK(distances["matches"] == Json({{"pairs", 1},
                                      {"hausdorff", 4},
                                      {"hausdorff_95", 3.5999999999999996},
                                      {"assd", 0.75},
                                      {"surface_dice", 0.875}}));
  CHECK(distances["foreground"]["hausdorff"] == 6);
  CHECK(distances["foreground"]["assd"] == 12.0 / 9);
  CHECK(distances["foreground"]["surface_dice"] == 7.0 / 9);
  CHECK(has(type(words + "2").out, "surfaces of the foreground in mm: hausdorff 6.0000"));
  // A tolerance with a unit of its own is that length in the unit of the images.
  const Json same = json(words + "2000um");
  CHECK(same["tolerance"] == "2000um");
  CHECK(same["total"]["distances"] == distances);
  fails("match t/a.nrrd p/a.nrrd --distances --tolerance 500nm", 64,
        "t/a.nrrd: has no unit of length, which --tolerance 500nm needs; set it with --spacing");

  // The predicted class 2 has no surface. Means are over classes and images.
  const Json classes = json(words + "2 --per-value"), mean = classes["total"]["distances"]["class_mean"];
  CHECK(classes["classes"][1]["distances"]["foreground"] == Json({{"pairs", 0},
                                                                  {"hausdorff", nullptr},
                                                                  {"hausdorff_95", nullptr},
                                                                  {"assd", nullptr},
                                                                  {"surface_dice", 0}}));
  CHECK(mean["hausdorff"] == 4);
  CHECK(mean["surface_dice"] == 0.4375);
  CHECK(!classes["total"]["distances"].contains("foreground"));
  CHECK(has(type(words + "2 --per-value").out, "surfaces of classes, on average in mm: hausdorff 4.0000"));
  const Json images = json("match t p --distances --tolerance 1 --empty 1");
  CHECK(images["unit"] == "pixel");
  CHECK(images["images"][1]["distances"]["foreground"]["hausdorff"].is_null());
  CHECK(images["images"][1]["distances"]["foreground"]["surface_dice"] == 1);
  CHECK(images["total"]["distances"]["foreground"]["surface_dice"] == (1 + 7.0 / 9) / 2);
  CHECK(images["failed"].empty());
  // Images of different units have one each, and their means have none.
  nrrd("t/b.nrrd", "8 1", kEmpty, "uint8",
       "space dimension: 2\nspace directions: (2,0) (0,2)\nspace units: \"um\" \"um\"\n");
  ends("match t p --distances", 0, {"means of distances mix units"});
  const Json units = json("match t p --distances");
  CHECK(units["unit"].is_null());
  CHECK((units["images"][0]["unit"] == "pixel" && units["images"][1]["unit"] == "um"));
}

TEST_CASE_METHOD(Matching, "trees of folders are matched, and time points with images") {
  make_folders({"t/day1", "t/day2", "p/day1", "p/day2", "stills", "movie.ome.zarr/0"});
  for (const std::string day : {"day1", "day2"}) {
    nrrd("t/" + day + "/a.nrrd", "6 2", kTruth);
    nrrd("p/" + day + "/a_p.nrrd", "6 2", kPrediction);
  }
  fails("match t p", 66, "t: contains no images; add --recursive to search its folders");
  const std::string rows = succeeds("match t p --recursive --prediction-name *_p --summary -");
  CHECK(has(rows, "\nday1/a,3,3,"));
  CHECK(has(rows, "\nday2/a,3,3,"));

  nrrd("movie.nrrd", "6 1 2 2", kTruth + kPrediction, "uint8", kMovie);
  for (const char* name : {"stills/f9.nrrd", "stills/f10.nrrd"}) nrrd(name, "6 1 2", kTruth);
  fails("match movie.nrrd stills", 66,
        "movie.nrrd: is no folder, but the other is; --frame all matches its time points with the images");
  const std::string inside = source_file("tests/io/hdf5/cf.h5") + ":/movie";
  fails("match stills " + inside, 66, inside + ": is no folder, but the other is; --frame all matches");
  const std::string forth = succeeds("match stills movie.nrrd --frame all --csv -"),
                    back = succeeds("match movie.nrrd stills --frame all --csv -");
  CHECK(forth.starts_with("frame," + std::string(kPairs)));
  CHECK(has(forth, "\n0,9,9,4,4,4,1,"));
  CHECK(has(forth, "\n1,9,2,4,2,2,0.5,"));
  CHECK(has(back, "\n1,2,9,2,4,2,0.5,"));
  // A store is a movie on either side.
  write("movie.ome.zarr/.zgroup", R"({"zarr_format":2})");
  write("movie.ome.zarr/.zattrs",
        R"({"multiscales":[{"version":"0.4","axes":["t","z","y","x"],"datasets":[{"path":"0"}]}]})");
  write(
      "movie.ome.zarr/0/.zarray",
      R"({"zarr_format":2,"shape":[2,2,1,6],"chunks":[2,2,1,6],"dtype":"|u1","compressor":null,"fill_value":0})");
  write("movie.ome.zarr/0/0.0.0.0", kTruth + kPrediction);
  CHECK(succeeds("match stills movie.ome.zarr --frame all --csv -") == forth);
  CHECK(succeeds("match movie.ome.zarr stills --frame all --csv -") == back);
  nrrd("stills/f11.nrrd", "6 1 2", kTruth);
  fails("match movie.nrrd stills --frame all", 65, "stills: has 3 time points, but movie.nrrd has 2");
}

TEST_CASE_METHOD(Matching, "of two files with one name but for the extension none is chosen") {
  make_folders({"t", "p", "series"});
  for (const char* name : {"t/a", "t/b", "p/a", "p/b", "series/a", "series/b"})
    nrrd(std::string(name) + ".nrrd", "6 2", kTruth);
  for (const char* name : {"p/a.mha", "series/b.mha"})
    std::filesystem::copy_file(*this / "t/a.nrrd", *this / name);
  const Ended ended = ends("match t p --csv -", 64, {"p/a.nrrd: differs from p/a.mha only in the extension"});
  CHECK_FALSE(has(ended.out, "\na,"));
  CHECK(has(ended.out, "\nb,7,7,"));
  for (const char* name : {"p/a_x.nrrd", "p/b_x.nrrd"}) nrrd(name, "6 2", kTruth);
  succeeds("match t p --prediction-name *_x --csv -");  // others of the folder may have such names
  // Two time points would have one output.
  fails("match --track series -o tracks", 64, "only in the extension");
  CHECK(!std::filesystem::exists(*this / "tracks/a.tif"));
}

TEST_CASE_METHOD(Matching, "older tables stay if one cannot be written as a whole, or if every pair fails") {
  make_folders({"labels"});
  nrrd("labels/a.nrrd", "6 2", kTruth);
  std::string many(16 * 15, '\0');
  std::iota(many.begin(), many.end(), '\1');
  nrrd("labels/b.nrrd", "16 15", many);
  write("pairs.csv", "older");
  write("scores.json", "older");
  Command limited = command("match labels labels --csv pairs.csv --json scores.json --overwrite");
  limited.prepare = [in_folder = limited.prepare] {
    in_folder();
    const rlimit few = {2048, 2048};  // more than the first pair takes
    ::setrlimit(RLIMIT_FSIZE, &few);
  };
  const Ended ended = run(limited);
  CHECK(ended.code == 74);
  CHECK(ended.err == "gpuccl: pairs.csv: cannot write: file too large\n");
  CHECK(read("pairs.csv") == "older");
  CHECK(read("scores.json") == "older");

  succeeds("match truth.nrrd truth.nrrd --csv own.csv");
  const std::string before = read("own.csv");
  fails("match truth.nrrd missing.nrrd --csv own.csv", 66, "missing.nrrd");
  CHECK(read("own.csv") == before);
  fails("match truth.nrrd truth.nrrd --csv pairs.csv", 73, "--overwrite");
  succeeds("match truth.nrrd truth.nrrd --csv pairs.csv --overwrite");
}

}  // namespace gpuccl
