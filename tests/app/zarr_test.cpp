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

void succeeds(Words words) {
  const Ended ended = gpuccl(words);
  CAPTURE(words, ended.err);
  REQUIRE(ended.code == 0);
}

std::string all_files(const std::string& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      lines.push_back(fs::relative(entry.path(), folder).string() + ":" + read_file(entry.path()) + "\n");
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

TEST_CASE("a Zarr that is replaced takes nothing else with it") {
  const ScratchFolder scratch;
  const std::string input = add_store(scratch / "a.zarr"), labels = scratch / "s.zarr";
  succeeds({"label", input, "-o", labels});
  const std::string before = all_files(labels);
  const std::pair<Words, int> refused[] = {
      {{"label", labels + "/0", "-o", labels}, 64},
      {{"label", input, "-o", labels, "--json", labels + "/r.json"}, 64},
      {{"label", input, "-o", labels, "--stats", labels + "/t.csv"}, 64},
      {{"label", input, "-o", labels, "--intensity", labels}, 64},
      {{"label", input, "-o", labels, "--no-clobber"}, 73},
  };
  for (const auto& [words, code] : refused) {
    const Ended ended = gpuccl(words);
    CAPTURE(words, ended.err);
    CHECK(ended.code == code);
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
    CHECK(all_files(labels) == before);
  }
  write_file(labels + "/note", "not of gpuccl");
  const Ended ended = gpuccl({"label", input, "-o", labels});
  CHECK(ended.code == 73);
  CHECK(ended.err.find("'note'") != std::string::npos);
  CHECK(read_file(labels + "/note") == "not of gpuccl");
}

TEST_CASE("labels become a group of the image's own Zarr") {
  const ScratchFolder scratch;
  const std::string store = add_store(scratch / "cells.zarr"), group = store + "/labels/gpuccl";
  const Words words = {"label", store, "-o", store + "/", "-c", "4", "--stats", scratch / "table.csv"};
  succeeds(words);
  CHECK(io::read_labels(group).count() == 2);
  CHECK(io::read_labels(store).count() == 1);
  CHECK(Json::parse(read_file(store + "/labels/.zattrs"))["labels"] == Json{"gpuccl"});
  CHECK(Json::parse(read_file(scratch / "cells.json"))["output"]["path"] == group);
  CHECK(Json::parse(read_file(group + "/0/.zattrs")) == Json::parse(R"({"_ARRAY_DIMENSIONS":["y","x"]})"));
  const std::string before = all_files(store);
  succeeds(words);
  CHECK(all_files(store) == before);
  CHECK(count_entries(store + "/labels") == 3);  // nothing temporary is left

  // A run that fails leaves the old labels.
  CHECK(gpuccl({"label", store, "-o", store, "--preview", scratch / "no/p.png"}).code == 73);
  CHECK(gpuccl({"label", store, "-o", store, "--no-clobber"}).code == 73);
  CHECK(all_files(store) == before);
  write_file(store + "/0/0.0", "short");
  CHECK(gpuccl({"label", store, "-o", store}).code == 65);
  write_file(store + "/0/0.0", std::string(4, '\1'));
  CHECK(all_files(store) == before);
  fs::remove_all(store + "/labels");
  CHECK(gpuccl({"label", store, "-o", store, "--preview", scratch / "no/p.png"}).code == 73);
  CHECK(!fs::exists(store + "/labels"));
}

TEST_CASE("labels of each channel and time point are a group of their own in the image's Zarr") {
  const ScratchFolder scratch;
  const std::string store = scratch / "cells.zarr";
  fs::create_directories(store + "/0");
  write_file(store + "/.zgroup", R"({"zarr_format":2})");
  write_file(store + "/.zattrs",
             R"({"multiscales":[{"version":"0.4","axes":["t","c","y","x"],"datasets":[{"path":"0"}]}],)"
             R"("omero":{"channels":[{"label":"a_b"},{"label":"a/b"},{"label":"c1"}]}})");
  write_file(store + "/0/.zarray",
             R"({"zarr_format":2,"shape":[2,3,1,2],"chunks":[2,3,1,2],"dtype":"|u1","compressor":null,)"
             R"("fill_value":0,"dimension_separator":"/"})");
  fs::create_directories(store + "/0/0/0/0");
  write_file(store + "/0/0/0/0/0", std::string("\1\0\0\0\1\0\1\1\1\1\1\1", 12));
  const std::pair<Words, std::string> groups[] = {
      {{"--channel", "0", "--frame", "0"}, "-c0-t0"},      {{"--channel", "1", "--frame", "0"}, "-c1-t0"},
      {{"--channel", "1", "--frame", "1"}, "-c1-t1"},      {{"--channel", "a_b", "--frame", "1"}, "-a_b-t1"},
      {{"--channel", "a/b", "--frame", "1"}, "-a~2Fb-t1"}, {{"--channel", "c1", "--frame", "1"}, "-~631-t1"}};
  for (const auto& [options, name] : groups) {
    succeeds(joined({"label", store, "-o", store, "--quiet"}, options));
    CHECK(fs::exists(store + "/labels/gpuccl" + name));
    CHECK(fs::exists(scratch / "cells.gpuccl" + name + ".json"));
  }
  CHECK(count_entries(store + "/labels") == 8);  // the others are still there, and metadata
  CHECK(io::read_labels(store + "/labels/gpuccl-c0-t0").count() == 1);
  CHECK(io::read_labels(store + "/labels/gpuccl-c1-t0").count() == 0);
}

TEST_CASE("groups of labels and arrays get no labels") {
  const ScratchFolder scratch;
  const std::string store = add_store(scratch / "a.zarr");
  succeeds({"label", store, "-o", store});
  const std::string before = all_files(scratch.path().string());
  const std::string group = store + "/labels/gpuccl", array = store + "/0";
  const std::pair<Words, const char*> refused[] = {
      {{"label", group, "-o", group}, "labels/gpuccl' is a group of labels"},
      {{"label", store, "-o", group + "/labels/more", "--json", scratch / "r.json"},
       "labels/gpuccl' is a group of labels"},
      {{"label", array, "-o", array}, "a.zarr/0' is an array"},
      {{"label", array, "-o", array + "/labels/more"}, "a.zarr/0' is an array"}};
  for (const auto& [words, part] : refused) {
    const Ended ended = gpuccl(words);
    CAPTURE(words, ended.err);
    CHECK(ended.code == 64);
    CHECK(ended.err.find(part) != std::string::npos);
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
    CHECK(all_files(scratch.path().string()) == before);
  }
}

TEST_CASE("scales of a Zarr have every second label, and replace each other") {
  const ScratchFolder scratch;
  const BitVolume image = tests::random_image({301, 290, 9}, 0.3, 3, 5);
  const std::string input = save(scratch / "in.tif", image.view()), labels = scratch / "l.zarr";
  succeeds({"label", input, "-o", labels, "--pyramid", "--chunks", "100,70,4", "--spacing", "1,1,2,um"});
  CHECK(count_entries(labels) == 4);  // two documents, two scales
  succeeds({"label", input, "-o", scratch / "l.npy", "--quiet"});
  const LabelImage all = io::read_labels(scratch / "l.npy"), small = io::read_labels(labels + "/1");
  REQUIRE(small.extent() == Extent{151, 145, 9});
  bool same = true;
  for (int z = 0; z < 9; ++z)
    for (int y = 0; y < 145; ++y)
      for (int x = 0; x < 151; ++x) same = same && small(x, y, z) == all(2 * x, 2 * y, z);
  CHECK(same);
  succeeds({"compare", labels, scratch / "l.npy"});
  succeeds({"label", input, "-o", labels});
  CHECK(count_entries(labels) == 3);
  const std::string large =
      save(scratch / "large.tif", tests::random_image({517, 300, 70}, 0.3, 5, 6).view());
  fails({"label", large, "-o", labels, "--chunks", "100,64,7", "--memory", "1M"}, 71,
        "use fewer slices in --chunks");
}

TEST_CASE("only Zarrs of labels that gpuccl has written are replaced") {
  const ScratchFolder scratch;
  const std::string store = add_store(scratch / "cells.zarr"), other = add_store(scratch / "other.zarr");
  for (const std::string& target : {other, other + "/0"}) {
    const Ended ended = gpuccl({"label", store, "-o", target, "--overwrite", "--json", "-"});
    CHECK((ended.code == 73 || ended.code == 64));
    CHECK(all_files(other) == all_files(store));
  }
  fs::create_directories(scratch.path() / "mine.zarr");
  write_file(scratch / "mine.zarr/notes.txt", "mine");
  CHECK(gpuccl({"label", store, "-o", scratch / "mine.zarr"}).code == 73);
  CHECK(read_file(scratch / "mine.zarr/notes.txt") == "mine");
  succeeds({"label", store, "-o", scratch / "new.zarr"});
  succeeds({"label", store, "-o", scratch / "new.zarr", "--order", "size"});
  CHECK(io::read_labels(scratch / "new.zarr").count() == 1);
  fs::create_directory(fs::path(other) / "labels");
  fs::create_directory_symlink(scratch / "elsewhere", other + "/labels/gpuccl");
  CHECK(gpuccl({"label", other, "-o", other}).code == 73);
  CHECK(!fs::exists(scratch / "elsewhere"));
  write_file(scratch / "file.zarr", "x");
  CHECK(gpuccl({"label", store, "-o", scratch / "file.zarr"}).code == 73);
}

TEST_CASE("a volume that the label image cannot hold is not read") {
  const ScratchFolder scratch;
  const std::string store = scratch / "a.zarr";
  fs::create_directory(store);
  write_file(store + "/.zarray",
             R"({"zarr_format":2,"shape":[2,2,2],"chunks":[2,2,2],"dtype":"|u1","fill_value":0,"order":"C",)"
             R"("filters":null,"compressor":{"id":"zlib","level":1}})");
  write_file(store + "/0.0.0", "no chunk");
  fails({"label", store, "-o", scratch / "o.tif"}, 65, "chunk 0.0.0 is damaged");
  fails({"label", store, "-o", scratch / "o.png"}, 65, "o.png: PNG can hold only one slice");
}

TEST_CASE("runs side by side into one Zarr leave the labels of all of them in its list") {
  const ScratchFolder scratch;
  const std::string store = add_store(scratch / "a.zarr");
  write_file(store + "/.zmetadata", R"({"metadata":{},"zarr_consolidated_format":1})");
  constexpr int kRuns = 12;
  std::vector<pid_t> runs;
  for (int i = 0; i < kRuns; ++i)
    runs.push_back(launch(gpuccl_command(
        {"label", store, "-o", store + "/labels/" + std::to_string(i), "--json", "/dev/null"})));
  for (const pid_t run : runs) {
    int status = 0;
    REQUIRE(::waitpid(run, &status, 0) == run);
    CHECK(status == 0);
  }
  CHECK(Json::parse(read_file(store + "/labels/.zattrs"))["labels"].size() == kRuns);
  const Json metadata = Json::parse(read_file(store + "/.zmetadata"))["metadata"];
  for (int i = 0; i < kRuns; ++i)
    for (const char* key : {"/0/.zarray", "/0/.zattrs"})
      CHECK(metadata.contains("labels/" + std::to_string(i) + key));
}

TEST_CASE("a Zarr that is there may have any name") {
  const ScratchFolder scratch;
  for (const char* name : {"cells", "store.n5"}) {
    const std::string store = add_store(scratch / name);
    for (const std::string& output : {store, store + "/"}) {
      succeeds({"label", store, "-o", output, "--json", "/dev/null"});
      CHECK(io::read_labels(store + "/labels/gpuccl").count() == 1);
      CHECK(count_entries(store) == 4);
    }
    fs::remove(store + "/.zgroup");  // what old programs leave out
    succeeds({"label", store, "-o", store, "--json", "/dev/null"});
  }
  CHECK(count_entries(scratch.path()) == 2);
}

TEST_CASE("each group of labels of a Zarr has a report of its own") {
  const ScratchFolder scratch;
  const std::string store = add_store(scratch / "a.ome.zarr");
  for (const char* name : {"gpuccl", "nuclei", "cells.v2"})
    succeeds({"label", store, "-o", store + "/labels/" + name});
  for (const char* report : {"a.ome.json", "a.ome.nuclei.json", "a.ome.cells.json"})
    CHECK(fs::exists(scratch / report));
}

TEST_CASE("the name of labels in a Zarr is UTF-8") {
  const ScratchFolder scratch;
  const std::string store = add_store(scratch / "a.zarr");
  const Ended ended = gpuccl({"label", store, "-o", store + "/labels/\xff"});
  CHECK(ended.code == 64);
  CHECK(ended.err.find("UTF-8") != std::string::npos);
  CHECK(!fs::exists(store + "/labels"));
  succeeds({"label", store, "-o", store + "/labels/\"zellen\" \xc3\xa4\n"});
  CHECK(Json::parse(read_file(store + "/labels/.zattrs"))["labels"][0] == "\"zellen\" \xc3\xa4\n");
}

TEST_CASE("a Zarr without permission to write is replaced by its owner and refused to others") {
  if (::geteuid() != 0) return;  // who has one user can be no other
  constexpr ::uid_t kUser = 65534, kOther = 65533;
  const ScratchFolder scratch;
  const std::string store = add_store(scratch / "a.zarr"), labels = scratch / "l.zarr";
  fs::permissions(scratch.path(), fs::perms::all);
  const auto as_user = [](const Words& words) {
    Command command = gpuccl_command(words);
    command.prepare = [] {
      if (::setgid(kUser) != 0 || ::setuid(kUser) != 0) ::_exit(125);
    };
    return run(command);
  };
  const Words words = {"label", store, "-o", labels, "--json", "/dev/null"};
  CHECK(as_user(words).code == 0);
  const fs::perms read_only =
      fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec;
  for (const std::string& folder : {labels + "/0", labels}) fs::permissions(folder, read_only);
  const Ended again = as_user(words);
  CAPTURE(again.err);
  CHECK(again.code == 0);
  CHECK((fs::status(labels).permissions() & fs::perms::owner_write) == fs::perms::none);
  CHECK(count_entries(scratch.path()) == 2);  // nothing temporary

  REQUIRE(::chown((labels + "/0").c_str(), kOther, kOther) == 0);
  const std::string before = all_files(labels);
  const Ended refused = as_user(words);
  CHECK(refused.code == 73);
  CHECK(refused.err.find("another user") != std::string::npos);
  CHECK(all_files(labels) == before);
  CHECK(count_entries(scratch.path()) == 2);
}

/// A plate with an image in the well A1 and two in B12.
static std::string add_plate(const std::string& plate) {
  for (const char* image : {"/A/1/0", "/B/12/0", "/B/12/1"}) add_store(plate + image);
  write_file(plate + "/.zattrs", R"({"plate":{"wells":[{"path":"A/1"},{"path":"B/12"}]}})");
  write_file(plate + "/A/1/.zattrs", R"({"well":{"images":[{"path":"0"}]}})");
  write_file(plate + "/B/12/.zattrs", R"({"well":{"images":[{"path":"0"},{"path":"1"}]}})");
  return plate;
}

TEST_CASE("a plate of OME-Zarr stands for its images") {
  const ScratchFolder scratch;
  const std::string plate = add_plate(scratch / "plate.zarr");
  const std::string out = scratch / "out/";
  const Words words = {
      "label", plate, "-o", out, "--view", scratch / "pages/", "--stats", scratch / "all.csv"};
  succeeds(words);
  for (const char* name : {"plate-A1-0", "plate-B12-0", "plate-B12-1"}) {
    CHECK(fs::exists(out + name + ".tiff"));
    CHECK(fs::exists(scratch / "pages/" + name + ".html"));
  }
  CHECK(read_file(scratch / "all.csv").find(plate + "/B/12/1,1,") != std::string::npos);
  succeeds({"label", plate + "/B/12", "-o", scratch / "well/"});
  CHECK(count_entries(scratch / "well") == 4);
  // Another plate has the image of each well.
  const Words measured = {"label",   plate,       "--intensity",        plate,     "--seeds",
                          plate,     "--measure", "intensity_max",      "--stats", "-",
                          "--quiet", "-o",        scratch / "measured/"};
  const Ended table = gpuccl(measured);
  CHECK(table.code == 0);
  CHECK(table.out.find(plate + "/B/12/1,1,") != std::string::npos);
  const std::string other = scratch / "other.zarr";
  fs::copy(plate, other, fs::copy_options::recursive);
  fs::remove_all(other + "/B");
  Words lacking = measured;
  lacking[3] = other;
  const Ended lacks = gpuccl(lacking);
  CHECK(lacks.err.find("has no intensity image; missing: " + other + "/B/12/0") != std::string::npos);
  CHECK(lacks.code != 0);
  const std::string many =
      "is a plate or well of many images; name one of them, as in plate.zarr/A/1/0 or plate.ozx:/A/1/0; "
      "'gpuccl "
      "label' "
      "and 'gpuccl measure' read all of them with -o FOLDER/ or --recursive";
  for (const Words& one : {Words{"label", plate, "-o", scratch / "one.tif"},
                           {"measure", plate, "--stats", scratch / "one.csv"},
                           {"match", plate, plate},
                           {"view", plate, "-o", scratch / "one.html"}})
    fails(one, 65, many);
  const Ended twice = gpuccl({"label", plate + "/B/12/0", plate + "/A/1/0", "-o", out});
  CHECK(twice.err.find("or give a folder that contains both and --recursive") != std::string::npos);
}

TEST_CASE("a damaged well of a plate fails, and others are labeled") {
  const ScratchFolder scratch;
  const std::string plate = scratch / "plate.zarr", out = scratch / "out/";
  for (const char* image : {"/plate.zarr/A/1/0", "/plate.zarr/B/1/0", "/secret.zarr"})
    add_store(scratch.path().string() + image);
  const std::string wells = R"({"plate":{"wells":[{"path":"A/1"},{"path":"B/1"}]}})";
  const std::string images = R"({"well":{"images":[{"path":"0"}]}})";
  write_file(plate + "/A/1/.zattrs", images);
  const auto check = [&](int code, const std::string& problem, std::size_t outputs = 2) {
    fs::remove_all(out);
    const Ended ended = gpuccl({"label", plate, "-o", out});
    CAPTURE(ended.err);
    CHECK(ended.code == code);
    CHECK(ended.err.find(problem) != std::string::npos);
    CHECK(count_entries(out) == outputs);
    CHECK(fs::exists(out + "plate-A1-0.tiff"));
  };
  write_file(plate + "/.zattrs", wells);
  fs::remove(plate + "/B/1/.zattrs");
  check(66, plate + "/B/1: is a well without a list of images, or is missing");
  for (const char* damage : {"{", "[1]"}) {
    write_file(plate + "/B/1/.zattrs", damage);
    check(65, plate + "/B/1: ");
  }
  // No path leads out of the plate.
  const std::string outside = "/../../../../secret.zarr";
  for (const std::string& path :
       {"0" + outside, "." + outside, outside, std::string("..") + outside, std::string(".."),
        std::string("0/.."), std::string(), scratch / "secret.zarr"}) {
    write_file(plate + "/B/1/.zattrs", R"({"well":{"images":[{"path":")" + path + R"("},{"path":"0"}]}})");
    check(65, plate + "/B/1: lists '" + path + "', which is not a path inside of it", 4);
  }
  write_file(plate + "/B/1/.zattrs", images);
  for (const char* path : {"..", "a/../../x", "/x", "B/1/", "./B/1"}) {
    write_file(plate + "/.zattrs",
               R"({"plate":{"wells":[{"path":"A/1"},{"path":")" + std::string(path) + R"("}]}})");
    check(65, plate + ": lists '" + path + "'");
  }
  write_file(plate + "/.zattrs", wells);
  fs::remove_all(plate + "/B/1/0");
  fs::create_directory_symlink(scratch / "secret.zarr", plate + "/B/1/0");
  check(65, plate + "/B/1/0: ");
}

TEST_CASE("a folder of Zarrs is a batch, into Zarrs as well") {
  const ScratchFolder scratch;
  for (const char* name : {"in/1.zarr", "in/2.ome.zarr", "in/sub/3.zarr"}) add_store(scratch / name);
  const Words words = {"label",          scratch / "in", "--recursive", "-o",
                       scratch / "out/", "--format",     "zarr",        "--skip-existing"};
  succeeds(words);
  CHECK(io::read_labels(scratch / "out/2.ome.zarr").count() == 1);
  CHECK(io::read_labels(scratch / "out/sub/3.zarr").count() == 1);
  CHECK(gpuccl(words).err.find("3 skipped") != std::string::npos);
  const Ended table = gpuccl({"label", scratch / "in/1.zarr", scratch / "in/2.ome.zarr", "--stats", "-"});
  CHECK(std::count(table.out.begin(), table.out.end(), '\n') == 3);
}

}  // namespace
}  // namespace gpuccl
