#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "binary.hpp"
#include "support/test.hpp"

// Several inputs in one process, and what may happen to it meanwhile.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

/// A folder of noise images and the labels they have.
struct Images {
  ScratchFolder scratch;
  std::string in = scratch / "in", out = scratch / "out";
  std::map<std::string, std::string> right;  // label image by stem

  explicit Images(int count, Extent extent = {200, 200, 1}) {
    fs::create_directory(in);
    for (int i = 0; i < count; ++i)
      save(in + "/" + std::to_string(i) + ".png",
           tests::random_image(extent, 0.4, 1, static_cast<std::uint32_t>(i)).view());
    succeeds({"label", in, "-o", scratch / "right/", "--quiet"});
    for (int i = 0; i < count; ++i)
      right[std::to_string(i)] = read_file(scratch / ("right/" + std::to_string(i) + ".tiff"));
  }

  Words words(Words more = {}) const { return joined({"label", in, "-o", out + "/", "--overwrite"}, more); }

  /// Requires that all outputs are complete: label images are right, reports are whole and stand next to
  /// them.
  std::size_t check_outputs() const {
    std::size_t done = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(out)) {
      const fs::path& path = entry.path();
      const std::string content = read_file(path.string()), stem = path.stem().string();
      CAPTURE(path.string());
      if (path.extension() == ".tiff") {
        CHECK(content == right.at(stem));
        ++done;
      } else {
        CHECK(path.extension() == ".json");
        CHECK(Json::accept(content));
        CHECK(read_file(out + "/" + stem + ".tiff") == right.at(stem));
      }
    }
    return done;
  }
};

int status_of(pid_t child) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

/// Several processes at once with the same inputs and outputs; what each does, the others may have done.
void expect_processes_agree(const Images& images, int processes, bool skip_existing) {
  CAPTURE(processes, skip_existing);
  fs::remove_all(images.out);
  Words options = {"--quiet", "--no-fsync"};
  if (skip_existing) options.push_back("--skip-existing");
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) children.push_back(launch(gpuccl_command(images.words(options))));
  for (const pid_t child : children) CHECK(status_of(child) == 0);
  CHECK(images.check_outputs() == images.right.size());
}

TEST_CASE("several processes may label one folder") {
  const Images images(30);
  for (const int processes : {2, 4})
    for (const bool skip_existing : {false, true}) expect_processes_agree(images, processes, skip_existing);
}

TEST_CASE("several processes may label one large folder, again and again", "[.long]") {
  const Images images(500);
  for (int round = 0; round < 20; ++round)
    for (const int processes : {2, 8}) expect_processes_agree(images, processes, round % 4 == 3);
}

/// The last half of the inputs is removed, cut, made longer, replaced or written again `delay` after the
/// start.
void expect_changed_inputs_fail_alone(const Images& images, std::chrono::milliseconds delay) {
  const int count = static_cast<int>(images.right.size());
  fs::remove_all(images.out);
  const std::string copy = images.scratch / "copy";
  fs::remove_all(copy);
  fs::copy(images.in, copy);
  const pid_t child =
      launch(gpuccl_command({"label", copy, "-o", images.out + "/", "--quiet", "--no-fsync", "--jobs", "2"}));
  std::this_thread::sleep_for(delay);
  for (int i = count - 1; i >= count / 2; --i) {
    const std::string name = std::to_string(i) + ".png", path = copy + "/" + name;
    if (i % 5 == 0) fs::remove(path);
    if (i % 5 == 1) fs::resize_file(path, fs::file_size(path) / 2);
    if (i % 5 == 2) std::ofstream(path, std::ios::app) << "more";
    if (i % 5 == 3) {
      fs::copy_file(images.in + "/" + name, path + ".new");
      fs::rename(path + ".new", path);
    }
    if (i % 5 == 4) write_file(path, read_file(images.in + "/" + name));
  }
  const int status = status_of(child);
  CHECK(WIFEXITED(status));
  const int code = WEXITSTATUS(status);
  CAPTURE(code);
  CHECK((code == 0 || code == 1 || code == 65 || code == 66));
  // Unchanged files, and two fifths of the rest: neither what follows the image in a file nor a file of
  // the same name that takes its place matters.
  CHECK(images.check_outputs() >= static_cast<std::size_t>(count / 2 + count / 5));
}

TEST_CASE("inputs that change meanwhile fail alone") {
  const Images images(60);
  for (int round = 0; round < 6; ++round)
    expect_changed_inputs_fail_alone(images, std::chrono::milliseconds(4 * round));
}

TEST_CASE("of 500 inputs those that change meanwhile fail alone, again and again", "[.long]") {
  const Images images(500);
  for (int round = 0; round < 40; ++round)
    expect_changed_inputs_fail_alone(images, std::chrono::milliseconds(10 * round));
}

TEST_CASE("a folder of outputs that is removed meanwhile is made again, or its loss is reported") {
  const Images images(60);
  for (int round = 0; round < 6; ++round) {
    const pid_t child = launch(gpuccl_command(images.words({"--quiet", "--no-fsync", "--jobs", "2"})));
    std::this_thread::sleep_for(std::chrono::milliseconds(6 * round));
    std::error_code raced;  // a file may be made in it just now
    fs::remove_all(images.out, raced);
    const int status = status_of(child);
    CHECK(WIFEXITED(status));
    const int code = WEXITSTATUS(status);
    CAPTURE(code);
    CHECK((code == 0 || code == 73 || code == 74 || code == 1));
    for (const auto& [stem, labels] : images.right)
      if (const std::string path = images.out + "/" + stem + ".tiff"; fs::exists(path))
        CHECK(read_file(path) == labels);
    fs::remove_all(images.out);
  }
}

TEST_CASE("unreadable files in a folder fail alone") {
  const Images images(6);
  fs::permissions(images.scratch.path(), fs::perms::all);
  fs::permissions(images.in + "/2.png", fs::perms::none);
  fs::create_directory(images.in + "/locked");
  fs::permissions(images.in + "/locked", fs::perms::none);
  Command command = gpuccl_command(images.words({"--recursive"}));
  command.prepare = [] {  // root may read everything
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(125);
  };
  const Ended ended = run(command);
  fs::permissions(images.in + "/locked", fs::perms::owner_all);
  CAPTURE(ended.err);
  CHECK(ended.code == 66);
  CHECK(ended.err.find("2.png: permission denied\n") != std::string::npos);
  CHECK(ended.err.find("locked: cannot read the folder (permission denied)\n") != std::string::npos);
  CHECK(ended.err.ends_with("gpuccl: 5 of 7 labeled, 2 failed: missing (66)\n"));
  CHECK(images.check_outputs() == 5);
}

/// A file system of its own, in a namespace that only the program started sees.
bool mount_here(const std::string& folder, unsigned long flags, const char* options) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", flags, options) == 0;
}

TEST_CASE("a file system that is read-only is reported for every input") {
  const Images images(3);
  fs::create_directory(images.out);
  Command command = gpuccl_command(images.words());
  command.prepare = [&] {
    if (!mount_here(images.out, MS_RDONLY, "")) ::_exit(99);
  };
  const Ended ended = run(command);
  if (ended.code == 99) {
    std::cerr << "skipped: a read-only file system needs the right to mount one\n";
    return;
  }
  CHECK(ended.code == 73);
  CHECK(ended.err.find("0.tiff: cannot create: read-only file system\n") != std::string::npos);
  CHECK(ended.err.ends_with("gpuccl: 0 of 3 labeled, 3 failed: cannot create (73)\n"));
}

TEST_CASE("a full disk ends a batch at once, unless it is to go on") {
  const Images images(40);
  fs::create_directory(images.out);
  const auto label = [&](const Words& more) {
    Command command = gpuccl_command(images.words(more));
    command.prepare = [&] {
      if (!mount_here(images.out, 0, "size=256k")) ::_exit(99);
    };
    return run(command);
  };
  const Ended ended = label({"--jobs", "1", "--report", images.scratch / "run.jsonl"});
  if (ended.code == 99) {
    std::cerr << "skipped: a full disk needs the right to mount one\n";
    return;
  }
  CHECK(ended.code == 74);
  CHECK(ended.err.find("no space left on device") != std::string::npos);
  CHECK(ended.err.find(" 1 failed: reading or writing (74), ") != std::string::npos);
  CHECK(ended.err.find(" not started\n") != std::string::npos);
  const Ended stubborn = label({"--keep-going"});
  CHECK(stubborn.code == 74);
  CHECK(stubborn.err.find(" not started\n") == std::string::npos);
}

TEST_CASE("an output folder that is replaced during a batch is reported") {
  const ScratchFolder scratch;
  const std::string image = save(scratch / "1.png", tests::random_image({30, 20, 1}, 0.4, 1, 1).view());
  const Json report = Json::parse(succeeds({"label", image, "--json", "-", "--quiet"}));
  if (report["labeling"]["device"]["sandbox"] != "landlock") return;
  Command command;
  command.words = {"sh", "-c",
                   "cd \"$1\"; mkfifo 2.png; \"$0\" label 1.png 2.png -o out/ --jobs 1 & "
                   "until [ -e out/1.json ]; do sleep 0.01; done; mv out moved; mkdir out; "
                   "cat 1.png > 2.png; wait $!",
                   GPUCCL_PROGRAM, scratch.path()};
  const Ended ended = run(command);
  CAPTURE(ended.err);
  CHECK(ended.code == 73);
  CHECK(ended.err.find(
            "2.tiff: cannot create: permission denied: the output folder was moved or replaced during "
            "the run; move it back, or repeat the command\n") != std::string::npos);
}

}  // namespace
}  // namespace gpuccl
