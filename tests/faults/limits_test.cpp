#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <iostream>

#include "app/binary.hpp"
#include "support/test.hpp"

// A run with less of everything than it needs fails with a reason, or succeeds.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

struct Tight {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({700, 500, 1}, 0.5, 1, 3).view());
  const std::string folder = scratch / "out", output = folder + "/labels.tif",
                    report = folder + "/labels.json";
  std::string right;
  int failed = 0, succeeded = 0;

  Tight() {
    fs::create_directory(folder);
    REQUIRE(gpuccl(words()).code == 0);
    right = read_file(output);
  }

  Words words() const { return {"label", input, "-o", output, "--overwrite"}; }

  /// Runs where `prepare` has made things scarce. `inside` is true if it did so to the folder of outputs,
  /// which then cannot be seen from here.
  void attempt(const std::function<void()>& prepare, const std::set<int>& codes, bool inside = false) {
    write_file(output, "old");
    write_file(report, "old");
    Command command = gpuccl_command(words());
    command.prepare = prepare;
    const Ended ended = run(command);
    CAPTURE(ended.err);
    CHECK(ended.signal == 0);
    if (ended.code == 0) {
      ++succeeded;
      CHECK(ended.err == "");
      if (!inside) CHECK(read_file(output) == right);
    } else {
      ++failed;
      CHECK(codes.contains(ended.code));
      CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
      CHECK(ended.err.starts_with("gpuccl: "));
      CHECK(read_file(output) == "old");
      CHECK(read_file(report) == "old");
    }
    CHECK(count_entries(folder) == 2);
  }
};

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

TEST_CASE("files may not grow beyond a size") {
  Tight tight;
  const std::size_t whole = tight.right.size();
  for (std::size_t i = 1; i < 16; ++i) {  // not 0: messages go to a file too
    CAPTURE(i);
    tight.attempt([=] { limit(RLIMIT_FSIZE, i * whole / 16); }, {74});
  }
  CHECK(tight.failed == 15);
  tight.attempt([] { limit(RLIMIT_FSIZE, RLIM_INFINITY); }, {});
  CHECK(tight.succeeded >= 1);
}

/// Whether the program, and the libraries that it needs, can be loaded at all.
bool can_start(int resource, rlim_t value) {
  Command command = gpuccl_command({"--version"});
  command.prepare = [=] { limit(resource, value); };
  return run(command).code == 0;
}

/// The least memory to address, in bytes, that the program can be loaded with: whatever its size, which is
/// larger by far where it has code for GPUs.
rlim_t least_memory() {
  rlim_t least = rlim_t{16} << 20;
  while (!can_start(RLIMIT_AS, least) && least < (rlim_t{4} << 30)) least += rlim_t{2} << 20;
  REQUIRE(can_start(RLIMIT_AS, least));
  return least;
}

TEST_CASE("few descriptors") {
  Tight tight;
  rlim_t least = 3;  // more where others are open already
  while (!can_start(RLIMIT_NOFILE, least) && least < 64) ++least;
  for (rlim_t i = least; i <= least + 28; ++i) {
    CAPTURE(least, i);
    tight.attempt([=] { limit(RLIMIT_NOFILE, i); }, {66, 73, 74});
  }
  CHECK(tight.failed > 0);
  CHECK(tight.succeeded > 10);
}

TEST_CASE("few descriptors are named as the reason, and leave no folder of a Zarr") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({70, 50, 1}, 0.5, 1, 3).view());
  const std::string folder = scratch / "out";
  fs::create_directory(folder);
  rlim_t least = 3;
  while (!can_start(RLIMIT_NOFILE, least) && least < 64) ++least;
  bool any = false;
  for (rlim_t i = least; i <= least + 8; ++i) {
    CAPTURE(least, i);
    Command command = gpuccl_command({"label", input, "-o", folder + "/labels.zarr"});
    command.prepare = [=] { limit(RLIMIT_NOFILE, i); };
    const Ended ended = run(command);
    if (ended.code == 0) break;
    any = true;
    CHECK_THAT(ended.err, tests::containing("too many open files"));
    CHECK(count_entries(folder) == 0);
  }
  CHECK(any);
}

TEST_CASE("little memory to address") {
  Tight tight;
  const rlim_t least = least_memory();
  for (rlim_t i = 0; i < 16; ++i) {
    CAPTURE(least, i);
    tight.attempt([=] { limit(RLIMIT_AS, least + i * (rlim_t{1} << 20)); }, {71});
  }
  CHECK(tight.failed > 0);
}

/// A batch of a few images where `prepare` has made things scarce: whatever is not done is reported.
void attempt_batch(const std::string& inputs, const std::string& out, const std::function<void()>& prepare) {
  fs::remove_all(out);
  fs::create_directory(out);
  fs::permissions(out, fs::perms::all);
  Command command = gpuccl_command({"label", inputs, "-o", out + "/", "--no-fsync"});
  command.prepare = prepare;
  const Ended ended = run(command);
  CAPTURE(ended.code, ended.err);
  CHECK(ended.signal == 0);
  CHECK((ended.code == 0 || ended.code == 71));
  CHECK(ended.err.starts_with("gpuccl: "));
  for (const fs::directory_entry& entry : fs::directory_iterator(out))
    CHECK(!entry.path().filename().string().starts_with(".gpuccl-"));
  if (ended.code == 0) CHECK(count_entries(out) == 12);
}

TEST_CASE("a batch with few threads or little memory to address") {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "in");
  for (int i = 0; i < 6; ++i)
    save(scratch / "in/" + std::to_string(i) + ".png",
         tests::random_image({200, 150, 1}, 0.5, 1, static_cast<std::uint32_t>(i)).view());
  const std::string out = scratch / "out";
  const rlim_t least = least_memory();
  for (rlim_t mebibytes = 0; mebibytes <= 360; mebibytes += 24) {
    CAPTURE(least, mebibytes);
    attempt_batch(scratch / "in", out, [=] { limit(RLIMIT_AS, least + (mebibytes << 20)); });
  }
  if (::geteuid() != 0) return;  // other programs of the same user have threads that count
  fs::permissions(scratch.path(), fs::perms::all);
  for (rlim_t threads = 1; threads <= 12; ++threads) {
    CAPTURE(threads);
    attempt_batch(scratch / "in", out, [=] {
      limit(RLIMIT_NPROC, threads);
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(125);
    });
  }
}

TEST_CASE("a small stack") {
  Tight tight;
  for (const rlim_t kibibytes : {256, 512, 1024, 8192}) {
    CAPTURE(kibibytes);
    tight.attempt([=] { limit(RLIMIT_STACK, kibibytes << 10); }, {71});
  }
  CHECK(tight.succeeded == 4);
}

TEST_CASE("disks of every size that is too small, and the first that is not") {
  Tight tight;
  const std::size_t needed = tight.right.size() + read_file(tight.report).size() + 4096;
  bool mounted = true;
  for (std::size_t i = 1; i <= 17 && mounted; ++i) {
    const std::string size =
        "size=" + std::to_string(i < 17 ? 4096 + i * (needed - 8192) / 17 : needed + 65536);
    CAPTURE(size);
    tight.attempt(
        [&] {
          if (::unshare(CLONE_NEWNS) != 0 ||
              ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
              ::mount("none", tight.folder.c_str(), "tmpfs", 0, size.c_str()) != 0)
            ::_exit(0);
        },
        {74}, true);
    mounted = i > 1 || tight.failed > 0;
  }
  if (!mounted) {
    std::cerr << "skipped: a full disk needs the right to mount one\n";
    return;
  }
  CHECK(tight.failed == 16);
  CHECK(tight.succeeded == 1);
}

}  // namespace
}  // namespace gpuccl
