// OME-Zarr in and out, as users start the program.

#include <sys/wait.h>
#include <unistd.h>

#include "binary.hpp"
#include "support/read_labels.hpp"
#include "support/test.hpp"
#include "zarr_samples.hpp"

namespace gpuccl {
namespace {

namespace fs = std::filesystem;

struct Stores : WorkFolder {
  void add(const Words& names) const {
    for (const std::string& name : names) add_store(*this / name);
  }
  void works(const std::string& line) const { ends(line, 0, {}); }
  bool exists(const std::string& name) const { return fs::exists(*this / name); }
  std::size_t entries(const std::string& name = "") const { return count_entries(*this / name); }
  Label count(const std::string& name) const { return io::read_labels(*this / name).count(); }
  Json attributes(const std::string& name) const { return Json::parse(read(name + "/.zattrs")); }
  /// The contents of all files below a folder.
  std::map<std::string, std::string> files(const std::string& folder = "") const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(*this / folder))
      if (entry.is_regular_file()) all[entry.path().string()] = read_file(entry.path());
    return all;
  }
  /// Requires one line that contains `part`, and unchanged files.
  void refused(const std::string& line, int code, const std::string& part) const {
    const auto before = files();
    fails(line, code, part);
    CHECK(files() == before);
  }
};

TEST_CASE_METHOD(Stores, "a Zarr that is replaced takes nothing else with it") {
  add({"a.zarr"});
  works("label a.zarr -o s.zarr");
  refused("label s.zarr/0 -o s.zarr", 64, "");
  for (const char* more : {"--json s.zarr/r.json", "--stats s.zarr/t.csv", "--intensity s.zarr"})
    refused("label a.zarr -o s.zarr " + std::string(more), 64, "");
  refused("label a.zarr -o s.zarr --no-clobber", 73, "");
  write("s.zarr/note", "not of gpuccl");
  refused("label a.zarr -o s.zarr", 73, "'note'");
}

TEST_CASE_METHOD(Stores, "labels become a group of the image's own Zarr") {
  add({"cells.zarr"});
  const std::string group = "cells.zarr/labels/gpuccl",
                    words = "label cells.zarr -o cells.zarr/ -c 4 --stats table.csv";
  works(words);
  CHECK(count(group) == 2);
  CHECK(count("cells.zarr") == 1);
  CHECK(attributes("cells.zarr/labels")["labels"] == Json{"gpuccl"});
  CHECK(Json::parse(read("cells.json"))["output"]["path"] == group);
  CHECK(attributes(group + "/0") == Json::parse(R"({"_ARRAY_DIMENSIONS":["y","x"]})"));
  const auto before = files("cells.zarr");
  works(words);
  CHECK(files("cells.zarr") == before);
  CHECK(entries("cells.zarr/labels") == 3);  // nothing temporary is left
  // A run that fails leaves the old labels.
  refused("label cells.zarr -o cells.zarr --preview no/p.png", 73, "");
  refused("label cells.zarr -o cells.zarr --no-clobber", 73, "");
  write("cells.zarr/0/0.0", "short");
  refused("label cells.zarr -o cells.zarr", 65, "");
  write("cells.zarr/0/0.0", std::string(4, '\1'));
  fs::remove_all(*this / "cells.zarr/labels");
  refused("label cells.zarr -o cells.zarr --preview no/p.png", 73, "");
  CHECK(!exists("cells.zarr/labels"));
}

TEST_CASE_METHOD(Stores,
                 "labels of each channel and time point are a group of their own in the image's Zarr") {
  make_folders({"cells.zarr/0/0/0/0"});
  write("cells.zarr/.zgroup", R"({"zarr_format":2})");
  write("cells.zarr/.zattrs",
        R"({"multiscales":[{"version":"0.4","axes":["t","c","y","x"],"datasets":[{"path":"0"}]}],)"
        R"("omero":{"channels":[{"label":"a_b"},{"label":"a/b"},{"label":"c1"}]}})");
  write("cells.zarr/0/.zarray",
        R"({"zarr_format":2,"shape":[2,3,1,2],"chunks":[2,3,1,2],"dtype":"|u1","compressor":null,)"
        R"("fill_value":0,"dimension_separator":"/"})");
  write("cells.zarr/0/0/0/0/0", std::string("\1\0\0\0\1\0\1\1\1\1\1\1", 12));
  for (const auto& [options, name] : {std::pair("0 --frame 0", "-c0-t0"),
                                      {"1 --frame 0", "-c1-t0"},
                                      {"1 --frame 1", "-c1-t1"},
                                      {"a_b --frame 1", "-a_b-t1"},
                                      {"a/b --frame 1", "-a~2Fb-t1"},
                                      {"c1 --frame 1", "-~631-t1"}}) {
    works("label cells.zarr -o cells.zarr --quiet --channel " + std::string(options));
    CHECK(exists("cells.zarr/labels/gpuccl" + std::string(name)));
    CHECK(exists("cells.gpuccl" + std::string(name) + ".json"));
  }
  CHECK(entries("cells.zarr/labels") == 8);  // the others are still there, and metadata
  CHECK(count("cells.zarr/labels/gpuccl-c0-t0") == 1);
  CHECK(count("cells.zarr/labels/gpuccl-c1-t0") == 0);
}

TEST_CASE_METHOD(Stores, "groups of labels and arrays get no labels") {
  add({"a.zarr"});
  works("label a.zarr -o a.zarr");
  for (const auto& [words, part] :
       {std::pair("a.zarr/labels/gpuccl -o a.zarr/labels/gpuccl", "labels/gpuccl' is a group of labels"),
        {"a.zarr -o a.zarr/labels/gpuccl/labels/more --json r.json", "labels/gpuccl' is a group of labels"},
        {"a.zarr/0 -o a.zarr/0", "a.zarr/0' is an array"},
        {"a.zarr/0 -o a.zarr/0/labels/more", "a.zarr/0' is an array"}})
    refused("label " + std::string(words), 64, part);
}

TEST_CASE_METHOD(Stores, "scales of a Zarr have every second label, and replace each other") {
  save(*this / "in.tif", tests::random_image({301, 290, 9}, 0.3, 3, 5).view());
  works("label in.tif -o l.zarr --pyramid --chunks 100,70,4 --spacing 1,1,2,um");
  CHECK(entries("l.zarr") == 4);  // two documents, two scales
  works("label in.tif -o l.npy --quiet");
  const LabelImage all = io::read_labels(*this / "l.npy"), small = io::read_labels(*this / "l.zarr/1");
  REQUIRE(small.extent() == Extent{151, 145, 9});
  bool same = true;
  for (int z = 0; z < 9; ++z)
    for (int y = 0; y < 145; ++y)
      for (int x = 0; x < 151; ++x) same = same && small(x, y, z) == all(2 * x, 2 * y, z);
  CHECK(same);
  works("compare l.zarr l.npy");
  works("label in.tif -o l.zarr");
  CHECK(entries("l.zarr") == 3);
  save(*this / "large.tif", tests::random_image({517, 300, 70}, 0.3, 5, 6).view());
  fails("label large.tif -o l.zarr --chunks 100,64,7 --memory 1M", 71, "use fewer slices in --chunks");
}

TEST_CASE_METHOD(Stores, "only Zarrs of labels that gpuccl has written are replaced") {
  add({"cells.zarr", "other.zarr"});
  make_folders({"mine.zarr", "other.zarr/labels"});
  write("mine.zarr/notes.txt", "mine");
  write("file.zarr", "x");
  const auto before = files();
  for (const std::string target : {"other.zarr", "other.zarr/0"}) {
    const Ended ended = type("label cells.zarr --overwrite --json - -o " + target);
    CHECK((ended.code == 73 || ended.code == 64));
    CHECK(files() == before);
  }
  for (const char* target : {"mine.zarr", "file.zarr"})
    refused("label cells.zarr -o " + std::string(target), 73, "");
  fs::create_directory_symlink(*this / "elsewhere", *this / "other.zarr/labels/gpuccl");
  refused("label other.zarr -o other.zarr", 73, "");
  CHECK(!exists("elsewhere"));
  works("label cells.zarr -o new.zarr");
  works("label cells.zarr -o new.zarr --order size");
  CHECK(count("new.zarr") == 1);
}

TEST_CASE_METHOD(Stores, "a volume that the label image cannot hold is not read") {
  make_folders({"a.zarr"});
  write("a.zarr/.zarray",
        R"({"zarr_format":2,"shape":[2,2,2],"chunks":[2,2,2],"dtype":"|u1","fill_value":0,"order":"C",)"
        R"("filters":null,"compressor":{"id":"zlib","level":1}})");
  write("a.zarr/0.0.0", "no chunk");
  fails("label a.zarr -o o.tif", 65, "chunk 0.0.0 is damaged");
  fails("label a.zarr -o o.png", 65, "o.png: PNG can hold only one slice");
}

TEST_CASE_METHOD(Stores, "runs side by side into one Zarr leave the labels of all of them in its list") {
  add({"a.zarr"});
  write("a.zarr/.zmetadata", R"({"metadata":{},"zarr_consolidated_format":1})");
  constexpr int kRuns = 12;
  std::vector<pid_t> runs;
  for (int i = 0; i < kRuns; ++i)
    runs.push_back(launch(command("label a.zarr --json /dev/null -o a.zarr/labels/" + std::to_string(i))));
  for (const pid_t run : runs) {
    int status = 0;
    REQUIRE(::waitpid(run, &status, 0) == run);
    CHECK(status == 0);
  }
  CHECK(attributes("a.zarr/labels")["labels"].size() == kRuns);
  const Json metadata = Json::parse(read("a.zarr/.zmetadata"))["metadata"];
  for (int i = 0; i < kRuns; ++i)
    for (const char* key : {"/0/.zarray", "/0/.zattrs"})
      CHECK(metadata.contains("labels/" + std::to_string(i) + key));
}

TEST_CASE_METHOD(Stores, "a Zarr that is there may have any name") {
  for (const std::string name : {"cells", "store.n5"}) {
    add({name});
    for (const char* end : {"", "/"}) {
      works("label " + name + " --json /dev/null -o " + name + end);
      CHECK(count(name + "/labels/gpuccl") == 1);
      CHECK(entries(name) == 4);
    }
    fs::remove(*this / name + "/.zgroup");  // what old programs leave out
    works("label " + name + " --json /dev/null -o " + name);
  }
  CHECK(entries() == 2);
}

TEST_CASE_METHOD(Stores, "each group of labels of a Zarr has a report of its own, and a name in UTF-8") {
  add({"a.ome.zarr", "b.zarr"});
  for (const char* name : {"gpuccl", "nuclei", "cells.v2"})
    works("label a.ome.zarr -o a.ome.zarr/labels/" + std::string(name));
  for (const char* report : {"a.ome.json", "a.ome.nuclei.json", "a.ome.cells.json"}) CHECK(exists(report));
  refused("label b.zarr -o b.zarr/labels/\xff", 64, "UTF-8");
  works("label b.zarr -o 'b.zarr/labels/\"zellen\" \xc3\xa4\n'");
  CHECK(attributes("b.zarr/labels")["labels"][0] == "\"zellen\" \xc3\xa4\n");
}

TEST_CASE_METHOD(Stores,
                 "a Zarr without permission to write is replaced by its owner and refused to others") {
  if (::geteuid() != 0) return;  // who has one user can be no other
  constexpr ::uid_t kUser = 65534, kOther = 65533;
  add({"a.zarr"});
  fs::permissions(path(), fs::perms::all);
  Command as_user = command("label a.zarr -o l.zarr --json /dev/null");
  as_user.prepare = [in_folder = as_user.prepare] {
    in_folder();
    if (::setgid(kUser) != 0 || ::setuid(kUser) != 0) ::_exit(125);
  };
  CHECK(run(as_user).code == 0);
  const fs::perms read_only =
      fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec;
  for (const char* folder : {"l.zarr/0", "l.zarr"}) fs::permissions(*this / folder, read_only);
  const Ended again = run(as_user);
  CAPTURE(again.err);
  CHECK(again.code == 0);
  CHECK((fs::status(*this / "l.zarr").permissions() & fs::perms::owner_write) == fs::perms::none);
  CHECK(entries() == 2);  // nothing temporary

  REQUIRE(::chown((*this / "l.zarr/0").c_str(), kOther, kOther) == 0);
  const auto before = files("l.zarr");
  gpuccl::fails(as_user, 73, "another user");
  CHECK(files("l.zarr") == before);
  CHECK(entries() == 2);
}

TEST_CASE_METHOD(Stores, "a plate of OME-Zarr stands for its images") {
  // An image in the well A1 and two in B12.
  add({"plate.zarr/A/1/0", "plate.zarr/B/12/0", "plate.zarr/B/12/1"});
  write("plate.zarr/.zattrs", R"({"plate":{"wells":[{"path":"A/1"},{"path":"B/12"}]}})");
  write("plate.zarr/A/1/.zattrs", R"({"well":{"images":[{"path":"0"}]}})");
  write("plate.zarr/B/12/.zattrs", R"({"well":{"images":[{"path":"0"},{"path":"1"}]}})");
  works("label plate.zarr -o out/ --view pages/ --stats all.csv");
  for (const std::string name : {"plate-A1-0", "plate-B12-0", "plate-B12-1"}) {
    CHECK(exists("out/" + name + ".tiff"));
    CHECK(exists("pages/" + name + ".html"));
  }
  CHECK(has(read("all.csv"), "plate.zarr/B/12/1,1,"));
  works("label plate.zarr/B/12 -o well/");
  CHECK(entries("well") == 4);
  // Another plate has the image of each well.
  const auto measured = [](const std::string& intensity) {
    return "label plate.zarr --intensity " + intensity +
           " --seeds plate.zarr --measure intensity_max --stats - --quiet -o measured/";
  };
  CHECK(has(ends(measured("plate.zarr"), 0, {}).out, "plate.zarr/B/12/1,1,"));
  fs::copy(*this / "plate.zarr", *this / "other.zarr", fs::copy_options::recursive);
  fs::remove_all(*this / "other.zarr/B");
  const Ended lacks = type(measured("other.zarr"));
  CHECK(has(lacks.err, "has no intensity image; missing: other.zarr/B/12/0"));
  CHECK(lacks.code != 0);
  const std::string many =
      "is a plate or well of many images; name one of them, as in plate.zarr/A/1/0 or plate.ozx:/A/1/0; "
      "'gpuccl label' and 'gpuccl measure' read all of them with -o FOLDER/ or --recursive";
  for (const char* one : {"label plate.zarr -o one.tif", "measure plate.zarr --stats one.csv",
                          "match plate.zarr plate.zarr", "view plate.zarr -o one.html"})
    fails(one, 65, many);
  CHECK(has(type("label plate.zarr/B/12/0 plate.zarr/A/1/0 -o out/").err,
            "or give a folder that contains both and --recursive"));
}

TEST_CASE_METHOD(Stores, "a damaged well of a plate fails, and others are labeled") {
  add({"plate.zarr/A/1/0", "plate.zarr/B/1/0", "secret.zarr"});
  const std::string wells = R"({"plate":{"wells":[{"path":"A/1"},{"path":"B/1"}]}})",
                    images = R"({"well":{"images":[{"path":"0"}]}})", plate = "plate.zarr/.zattrs",
                    well = "plate.zarr/B/1/.zattrs";
  write("plate.zarr/A/1/.zattrs", images);
  const auto check = [&](int code, const std::string& problem, std::size_t outputs = 2) {
    fs::remove_all(*this / "out");
    ends("label plate.zarr -o out/", code, {problem});
    CHECK(entries("out") == outputs);
    CHECK(exists("out/plate-A1-0.tiff"));
  };
  write(plate, wells);
  fs::remove(*this / well);
  check(66, "plate.zarr/B/1: is a well without a list of images, or is missing");
  for (const char* damage : {"{", "[1]"}) {
    write(well, damage);
    check(65, "plate.zarr/B/1: ");
  }
  // No path leads out of the plate.
  const std::string outside = "/../../../../secret.zarr";
  for (const std::string& path : {"0" + outside, "." + outside, outside, ".." + outside, std::string(".."),
                                  std::string("0/.."), std::string(), *this / "secret.zarr"}) {
    write(well, R"({"well":{"images":[{"path":")" + path + R"("},{"path":"0"}]}})");
    check(65, "plate.zarr/B/1: lists '" + path + "', which is not a path inside of it", 4);
  }
  write(well, images);
  for (const std::string path : {"..", "a/../../x", "/x", "B/1/", "./B/1"}) {
    write(plate, R"({"plate":{"wells":[{"path":"A/1"},{"path":")" + path + R"("}]}})");
    check(65, "plate.zarr: lists '" + path + "'");
  }
  write(plate, wells);
  fs::remove_all(*this / "plate.zarr/B/1/0");
  fs::create_directory_symlink(*this / "secret.zarr", *this / "plate.zarr/B/1/0");
  check(65, "plate.zarr/B/1/0: ");
}

TEST_CASE_METHOD(Stores, "a folder of Zarrs is a batch, into Zarrs as well") {
  add({"in/1.zarr", "in/2.ome.zarr", "in/sub/3.zarr"});
  const std::string words = "label in --recursive -o out/ --format zarr --skip-existing";
  works(words);
  CHECK(count("out/2.ome.zarr") == 1);
  CHECK(count("out/sub/3.zarr") == 1);
  ends(words, 0, {"3 skipped"});
  const std::string table = type("label in/1.zarr in/2.ome.zarr --stats -").out;
  CHECK(std::count(table.begin(), table.end(), '\n') == 3);
}

}  // namespace
}  // namespace gpuccl
