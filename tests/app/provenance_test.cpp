// Reports prove the labels by a fingerprint, and list the files that were read.

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "binary.hpp"
#include "io/files/weighted_sum.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/nifti_file.hpp"
#include "support/scratch_folder.hpp"
#include "zarr_samples.hpp"

namespace gpuccl {
namespace {

namespace fs = std::filesystem;

Json label(Words words) {
  words.insert(words.begin(), "label");
  words.insert(words.end(), {"--json", "-", "--quiet", "--no-fsync"});
  return Json::parse(succeeds(words));
}

std::string fingerprint_of(const Words& words) { return label(words)["output"]["fingerprint"]; }

std::string printed(const std::string& image) {
  const std::string line = succeeds({"verify", "--print", image});
  CHECK(line == line.substr(0, 16) + "  " + image + "\n");
  return line.substr(0, 16);
}

TEST_CASE("a fingerprint does not depend on format, type and compression") {
  const ScratchFolder scratch;
  const std::string volume = save(scratch / "volume.tif", tests::random_image({70, 50, 9}, 0.3, 1, 5).view()),
                    page = save(scratch / "page.png", tests::random_image({701, 503, 1}, 0.3, 3, 5).view());
  for (const std::string& input : {volume, page}) {
    std::set<std::string> found;
    const auto add = [&](const std::string& name, const Words& more) {
      CAPTURE(input, name, more);
      Words words = {input, "-o", scratch / name, "--overwrite"};
      words.insert(words.end(), more.begin(), more.end());
      const std::string fingerprint = fingerprint_of(words);
      CHECK(fingerprint == printed(scratch / name));
      found.insert(fingerprint);
    };
    for (const char* const extension : {"tif", "npy", "nii", "nii.gz", "nrrd", "mha", "zarr"})
      for (const char* const type : {"u16", "u32"})
        add(std::string("labels.") + extension, {"--label-type", type});
    for (const char* const compression : {"none", "deflate", "lzw", "packbits"})
      add("labels.tif", {"--compress", compression});
    for (const char* const extension : {"nrrd", "mha"})
      add(std::string("labels.") + extension, {"--compress", "none"});
    if (input == page) add("labels.png", {});
    CHECK(found.size() == 1);
  }
}

TEST_CASE("a fingerprint does not depend on threads, slabs, tasks and batches") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::generated("blobs", {300, 200, 60}).view());
  const std::string whole = fingerprint_of({input, "-o", scratch / "whole.tif"});
  CHECK(whole == fingerprint_of({input, "-o", scratch / "one.nii.gz", "--threads", "1"}));
  CHECK(whole == fingerprint_of({input, "-o", scratch / "slabs.tif", "--memory", "1M"}));
  CHECK(whole == fingerprint_of({input, "-o", scratch / "slabs.npy", "--memory", "1M"}));
  succeeds({"label", input, "-o", scratch / "out/", "--quiet"});
  const auto reported = [](const std::string& report) {
    return Json::parse(read_file(report))["output"]["fingerprint"].get<std::string>();
  };
  CHECK(whole == reported(scratch / "out/in.json"));
  for (const char* const name : {"tasks.tif", "tasks.zarr", "tasks.npy"}) {
    const std::string parts = scratch / "parts", output = scratch / name;
    const auto run_parts = [&] {
      for (const char* const part : {"1/3", "2/3", "3/3"})
        succeeds({"label", input, "-o", output, "--part", part, "--parts-dir", parts});
    };
    run_parts();
    succeeds({"join", parts});
    run_parts();
    succeeds({"join", parts, "--finish"});
    CHECK(whole == reported(fs::path(output).replace_extension(".json")));
    CHECK(whole == printed(output));
    fs::remove_all(parts);
  }
  succeeds({"measure", scratch / "whole.tif", "-o", scratch / "measured.nrrd"});
  CHECK(whole == reported(scratch / "measured.json"));
}

TEST_CASE("tasks label their parts in slabs if memory is short") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::random_image({3000, 3000, 1}, 0.4, 1, 5).view()),
                    parts = scratch / "parts";
  const auto run_parts = [&] {
    for (const char* const part : {"1/2", "2/2"})
      succeeds({"label", input, "-c", "4", "-o", scratch / "out.tif", "--memory", "32M", "--no-fsync",
                "--part", part, "--parts-dir", parts});
  };
  run_parts();
  succeeds({"join", parts});
  run_parts();
  succeeds({"join", parts, "--finish", "--quiet"});
  CHECK(fingerprint_of({input, "-c", "4", "-o", scratch / "whole.tif"}) == printed(scratch / "out.tif"));
}

TEST_CASE("a fingerprint is of values if these are written") {
  const ScratchFolder scratch;
  const auto npy = [&](const std::string& type, std::string samples) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (1, 4), }";
    header.resize(117, ' ');
    write_file(scratch / "in.npy",
               "\x93NUMPY\x01" + std::string(1, '\0') + "v" + std::string(1, '\0') + header + "\n" + samples);
    Words words = {scratch / "in.npy", "--values", "--keep-values", "-o", scratch / "out.tif", "--overwrite"};
    if (type == "<f4") words.insert(words.end(), {"--delta", "0"});
    const std::string fingerprint = fingerprint_of(words);
    CHECK(fingerprint == printed(scratch / "out.tif"));
    CHECK(fingerprint == printed(scratch / "in.npy"));
    return fingerprint;
  };
  using namespace std::string_literals;
  const std::string bytes = npy("|i1", "\xfe\xfe\0\x05"s);
  CHECK(bytes == npy("<i2", "\xfe\xff\xfe\xff\0\0\x05\0"s));
  CHECK(bytes == npy("<f4", "\0\0\0\xc0\0\0\0\xc0\0\0\0\0\0\0\xa0\x40"s));
  CHECK(bytes != npy("|u1", "\xfe\xfe\0\x05"s));
  CHECK(bytes != npy("<f4", "\0\0\0\xc0\0\0\0\xc0\0\0\0\0\0\0\xa1\x40"s));
}

TEST_CASE("a checksum is that of the bytes, by a definition of its own") {
  const auto checksum = [](const std::string& text) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::uint64_t word = i / 4, byte = static_cast<unsigned char>(text[i]);
      const std::uint64_t weight = io::mix(word % 1024 ^ io::kFirstMix, io::kSecondMix) >> 33 | 1;
      sum += (byte << i % 4 * 8) * weight * (io::mix(io::kFirstMix, word / 1024 ^ io::kSecondMix) | 1);
    }
    return io::hex_of(io::mix(sum ^ io::kFirstMix, text.size() ^ io::kSecondMix));
  };
  const ScratchFolder scratch;
  for (const std::size_t size : {0, 1, 3, 4, 5, 63, 4095, 4096, 4097, 10001}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 256 * 3 + 200);
    write_file(scratch / "file", text);
    CHECK(io::checksum_of_file(scratch / "file") == checksum(text));
    for (const std::size_t step : {1, 7, 4096}) {  // in pieces, the last one first
      io::ByteSum sum;
      for (std::size_t at = (size + step - 1) / step * step; at > 0; at -= step)
        sum.add(at - step, text.data() + at - step, std::min(step, size - (at - step)));
      CHECK(sum.text(size) == checksum(text));
    }
  }
}

TEST_CASE("tables of tasks have the checksums that they have of one process") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::random_image({60, 40, 9}, 0.4, 1, 3).view());
  const auto words = [&](const std::string& name) {
    return Words{input,
                 "-c",
                 "6",
                 "-o",
                 scratch / name + ".tif",
                 "--stats",
                 scratch / name + ".csv",
                 "--contacts",
                 scratch / name + "-contacts.csv",
                 "--quiet"};
  };
  const Json whole = label(words("whole"));
  for (const char* const part : {"1/2", "2/2", "", "1/2", "2/2"}) {
    Words task = words("tasks");
    task.insert(task.begin(), "label");
    task.insert(task.end(), {"--part", part, "--parts-dir", scratch / "parts"});
    succeeds(*part == '\0' ? Words{"join", scratch / "parts"} : task);
  }
  succeeds({"join", scratch / "parts", "--finish", "--quiet"});
  const Json tasks = Json::parse(read_file(scratch / "tasks.json"));
  for (const char* const table : {"stats", "contacts"})
    CHECK(tasks[table]["checksum"] == whole[table]["checksum"]);
  CHECK_THAT(succeeds({"verify", scratch / "tasks.json"}),
             tests::containing("tasks-contacts.csv: content agrees with the report\n"));
}

/// A label image with its report and tables.
struct Labeling {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({60, 40, 1}, 0.4, 1, 3).view()),
                    folder = scratch / "results", image = folder + "/out.tif", report = folder + "/out.json",
                    table = folder + "/out.csv";

  Labeling() {
    fs::create_directory(folder);
    succeeds({"label", input, "-o", image, "--stats", table, "--preview", folder + "/out.png"});
  }
};

TEST_CASE("gpuccl verify finds files that have changed") {
  const Labeling made;
  CHECK(succeeds({"verify", made.report}) == made.image + ": labels agree with the report\n" + made.folder +
                                                 "/out.png: content agrees with the report\n" + made.table +
                                                 ": content agrees with the report\n");
  CHECK(succeeds({"verify", made.report, "--quiet"}).empty());

  // Another file gets the same labels.
  succeeds({"measure", made.image, "-o", made.scratch / "again.tif", "--compress", "none"});
  fs::copy_file(made.scratch / "again.tif", made.image, fs::copy_options::overwrite_existing);
  succeeds({"verify", made.report});

  const std::string bytes = read_file(made.image);
  const auto verified = [&] {
    const Ended ended = gpuccl({"verify", made.report});
    CHECK(ended.err == "");
    CHECK(ended.code == 1);
    return ended.out;
  };
  succeeds({"label", made.input, "-o", made.scratch / "other.tif", "-c", "4"});
  fs::copy_file(made.scratch / "other.tif", made.image, fs::copy_options::overwrite_existing);
  CHECK_THAT(verified(), tests::containing("out.tif: labels differ from the report\n"));
  CHECK(gpuccl({"verify", made.report, "--quiet"}).code == 1);
  write_file(made.image, bytes);
  succeeds({"verify", made.report});
  const std::string table = read_file(made.table);
  write_file(made.table, table + "x");
  CHECK_THAT(verified(), tests::containing(" bytes instead of "));
  write_file(made.table, table);
  for (const std::string& path : {made.table, made.folder + "/out.png"}) {
    const std::string right = read_file(path);
    for (std::size_t at = 0; at < right.size(); at += 1 + right.size() / 50) {
      std::string wrong = right;
      wrong[at] = static_cast<char>(wrong[at] ^ 1);
      write_file(path, wrong);
      CHECK_THAT(verified(), tests::containing(path + ": content differs from the report\n"));
    }
    write_file(path, right);
  }
  fs::remove(made.table);
  CHECK_THAT(verified(), tests::containing("out.csv: is missing\n"));
  fs::remove(made.image);
  CHECK_THAT(verified(), tests::containing("out.tif: is missing\n"));
}

TEST_CASE("gpuccl verify checks tables and outlines of runs without a label image") {
  const Labeling made;
  const std::string report = made.folder + "/alone.json", table = made.folder + "/alone.csv";
  succeeds({"label", made.input, "--json", report, "--stats", table});
  CHECK(succeeds({"verify", report}) == table + ": content agrees with the report\n");
  write_file(table, "");
  CHECK(gpuccl({"verify", report}).code == 1);
}

TEST_CASE("gpuccl verify reads reports that were formatted anew") {
  const Labeling made;
  const std::string lines = succeeds({"verify", made.report}), text = read_file(made.report);
  std::string with_returns;
  for (const char c : text) with_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& other : {Json::parse(text).dump(), with_returns}) {
    write_file(made.report, other);
    CHECK(succeeds({"verify", made.report}) == lines);
    write_file(made.report, other.substr(0, other.size() / 2));
    fails({"verify", made.report}, 65, "is not a complete report");
  }
}

TEST_CASE("gpuccl verify ends where its lines cannot be written") {
  const Labeling made;
  Command full = gpuccl_command({"verify", made.report, made.report});
  full.output = "/dev/full";
  const Ended ended = run(full);
  CHECK(ended.code == 74);
  CHECK(ended.err == "gpuccl: standard output: cannot write: no space left on device\n");
}

TEST_CASE("gpuccl verify names files that it cannot read") {
  const Labeling made;
  fs::remove(made.table);
  REQUIRE(::mkfifo(made.table.c_str(), 0600) == 0);
  const Ended one = gpuccl({"verify", made.report});
  CHECK(one.code == 66);
  CHECK(one.err == "gpuccl: " + made.table + ": is not a file\n");
  fs::remove(made.image);
  REQUIRE(::mkfifo(made.image.c_str(), 0600) == 0);
  fails({"verify", made.report}, 66, made.image + ": is not a file");

  fails({"verify", made.scratch / std::string(300, 'n')}, 66, "file name too long");
  fs::create_symlink("loop", made.scratch / "loop");
  fails({"verify", made.scratch / "loop"}, 66, "loop: too many levels of symbolic links");

  const std::string odd = made.scratch / "o\xff.npy";
  succeeds({"label", made.input, "-o", odd, "--json", made.scratch / "odd.json"});
  const Ended ended = gpuccl({"verify", made.scratch / "odd.json"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.out, tests::containing("cannot be found, because its name is not in UTF-8\n"));
}

TEST_CASE("gpuccl verify finds every pixel that has changed") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({9, 7, 1}, 0.5, 1, 3).view());
  succeeds({"label", input, "-o", scratch / "out.npy"});
  const std::string right = read_file(scratch / "out.npy");
  std::set<std::string> found = {printed(scratch / "out.npy")};
  for (std::size_t at = right.size() - 9 * 7 * 2; at < right.size(); at += 2) {
    std::string wrong = right;
    wrong[at] = static_cast<char>(wrong[at] ^ 1);
    write_file(scratch / "out.npy", wrong);
    CHECK(gpuccl({"verify", scratch / "out.json"}).code == 1);
    found.insert(printed(scratch / "out.npy"));
  }
  CHECK(found.size() == 1 + 9 * 7);
}

TEST_CASE("gpuccl verify reads nothing outside of the folder of a report") {
  const Labeling made;
  const std::string moved = made.scratch / "moved";
  fs::create_directory(moved);
  fs::copy(made.report, moved + "/out.json");
  const std::string refusal = "outside of its folder; add --follow if you trust it";
  fails({"verify", moved + "/out.json"}, 65, refusal);
  succeeds({"verify", moved + "/out.json", "--follow"});
  for (const char* const name : {"/out.tif", "/out.png", "/out.csv"})
    fs::copy(made.folder + name, moved + name);
  CHECK_THAT(succeeds({"verify", moved + "/out.json"}),
             tests::containing(moved + "/out.tif: labels agree with the report\n"));
  fs::remove(moved + "/out.tif");
  fs::create_symlink(made.image, moved + "/out.tif");
  fails({"verify", moved + "/out.json"}, 65, refusal);
}

TEST_CASE("gpuccl verify refuses incomplete reports") {
  const Labeling made;
  fails({"verify", made.scratch / "none.json"}, 66, "no such file");
  fails({"verify", made.table}, 65, "is not a complete report");
  std::string text = read_file(made.report);
  write_file(made.report, text.substr(0, text.size() - 3));
  fails({"verify", made.report}, 65, "is not a complete report");
  const std::size_t at = text.find("\"fingerprint\": \"");
  REQUIRE(at != std::string::npos);
  write_file(made.report, text.replace(at, 15 + 18, "\"fingerprint\": null"));
  fails({"verify", made.report}, 65, "has no fingerprint");
  succeeds({"label", made.input, "--json", made.folder + "/alone.json"});
  fails({"verify", made.folder + "/alone.json"}, 65, "names no files");
  fails({"verify", "-"}, 64, "cannot be standard input");
  fails({"verify", "--print", "--quiet", made.image}, 64, "cannot be combined");
}

/// The files below a folder that are read meanwhile, whatever calls do that.
class Watch {
 public:
  explicit Watch(const fs::path& top) : queue_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    REQUIRE(queue_ >= 0);
    add(top);
    for (const auto& entry : fs::recursive_directory_iterator(top))
      if (entry.is_directory() && !entry.is_symlink()) add(entry.path());
  }
  ~Watch() { ::close(queue_); }
  Watch(const Watch&) = delete;

  std::set<std::string> read() {
    std::set<std::string> found;
    alignas(inotify_event) std::array<char, 1 << 16> events;
    for (ssize_t bytes; (bytes = ::read(queue_, events.data(), events.size())) > 0;)
      for (ssize_t at = 0; at < bytes;) {
        const auto* const event = reinterpret_cast<const inotify_event*>(events.data() + at);
        if (event->len > 0 && (event->mask & IN_ISDIR) == 0)
          found.insert(folders_.at(event->wd) / event->name);
        at += static_cast<ssize_t>(sizeof *event + event->len);
      }
    return found;
  }

 private:
  void add(const fs::path& folder) {
    folders_[::inotify_add_watch(queue_, folder.c_str(), IN_ACCESS)] = folder;
  }

  int queue_;
  std::map<int, fs::path> folders_;
};

TEST_CASE("a report lists every file that was read") {
  const ScratchFolder scratch;
  const std::string box(16, '\1'),
      page = save(scratch / "page.png", tests::drawn(Words{"##.#", "..##"}).view());
  for (const char* const name : {"a.raw", "b.raw", "c.img"}) write_file(scratch / name, box);
  write_file(scratch / "a.nhdr",
             "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 4\nencoding: raw\ndata file: a.raw\n");
  write_file(
      scratch / "b.mhd",
      "ObjectType = Image\nNDims = 2\nDimSize = 4 4\nElementType = MET_UCHAR\nElementDataFile = b.raw\n");
  tests::NiftiToWrite header;
  header.pair = true;
  header.dim = {3, 4, 4, 1};
  write_file(scratch / "c.hdr", header.bytes());
  for (const char* const name : {"stack", "listed"}) {
    fs::create_directory(scratch / name);
    for (const char* const slice : {"/1.png", "/2.png", "/3.png"}) fs::copy(page, scratch / name + slice);
  }
  write_file(scratch / "listed/files.txt", "3.png\n1.png\n");
  write_file(scratch / "list", page + "\n");
  add_store(scratch / "d.zarr");
  add_store(scratch / "stack.zarr");

  struct Case {
    Words words, files;
  };
  const std::vector<Case> cases = {
      {{"page.png"}, {"page.png"}},
      {{"a.nhdr"}, {"a.nhdr", "a.raw"}},
      {{"b.mhd", "--memory", "1M"}, {"b.mhd", "b.raw"}},
      {{"c.hdr"}, {"c.hdr", "c.img"}},
      {{"d.zarr"}, {"d.zarr"}},
      {{"stack", "--stack"}, {"stack/1.png", "stack/2.png", "stack/3.png"}},
      {{"listed", "--stack"}, {"listed/1.png", "listed/3.png", "listed/files.txt"}},
      {{"a.nhdr", "--intensity", "b.mhd"}, {"a.nhdr", "a.raw", "b.mhd", "b.raw"}},
      {{"d.zarr", "--intensity", "stack.zarr"}, {"d.zarr", "stack.zarr"}},
      {{"listed", "--stack", "--intensity", "listed"}, {"listed/1.png", "listed/3.png", "listed/files.txt"}}};
  for (const Case& each : cases) {
    CAPTURE(each.words);
    Words words = {"label"};
    for (const std::string& word : each.words)
      words.push_back(fs::exists(scratch / word) ? scratch / word : word);
    words.insert(words.end(), {"--json", "-", "--quiet"});
    Watch watch(scratch.path());
    const Json report = Json::parse(succeeds(words));
    std::set<std::string> listed, expected, read = watch.read();
    for (const Json& file : report["files"]) {
      const std::string path = file["path"];
      listed.insert(path);
      if (fs::is_directory(path))
        CHECK(file["bytes"].is_null());
      else
        CHECK(file["bytes"] == fs::file_size(path));
    }
    for (const std::string& name : each.files) expected.insert(scratch / name);
    CHECK(listed == expected);
    CHECK_FALSE(read.empty());
    for (const std::string& path : read) {
      const std::size_t store = path.find(".zarr/");
      CHECK(listed.contains(store == std::string::npos ? path : path.substr(0, store + 5)));
    }
  }

  const Ended batch = gpuccl({"label", "@" + scratch / "list", "-o", scratch / "out/", "--quiet"});
  CHECK(batch.code == 0);
  std::set<std::string> listed;
  const Json of_batch = Json::parse(read_file(scratch / "out/page.json"));
  for (const Json& file : of_batch["files"]) listed.insert(fs::canonical(file["path"].get<std::string>()));
  CHECK(listed == std::set<std::string>{fs::canonical(scratch / "list"), fs::canonical(page)});
}

}  // namespace
}  // namespace gpuccl
