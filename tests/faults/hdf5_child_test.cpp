#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "app/binary.hpp"
#include "support/test.hpp"

// libhdf5 runs in a process of its own: whatever becomes of that, the program goes on and says so.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

bool reads_hdf5() { return gpuccl({"info"}).out.find("HDF5") != std::string::npos; }

/// The child goes wrong in this way when it is asked for something; the program may be started by a shell.
Command with_child(Command command, const std::string& how) {
  command.environment.emplace_back("LD_PRELOAD", GPUCCL_FAIL_CALLS);
  command.environment.emplace_back("GPUCCL_FAIL", "child:1:" + how);
  return command;
}

Words label_of(const ScratchFolder& scratch) {
  return {"label", source_file("tests/io/hdf5/contiguous.h5"), "--json", scratch / "out.json", "--quiet"};
}

TEST_CASE("a child that crashes is found out, also where SIGCHLD is ignored") {
  if (!reads_hdf5()) return;
  for (const bool is_ignored : {false, true}) {
    CAPTURE(is_ignored);
    const ScratchFolder scratch;
    Command command = with_child(gpuccl_command(label_of(scratch)), "crash");
    command.prepare = [=] {
      if (is_ignored) ::signal(SIGCHLD, SIG_IGN);
    };
    fails(command, 65, "damaged (libhdf5 fails on it)");
  }
}

TEST_CASE("a child that does not come back costs its time, and is not called damage") {
  if (!reads_hdf5()) return;
  const ScratchFolder scratch;
  for (const char* const how : {"sleep", "flood"}) {
    CAPTURE(how);
    Command command = with_child(gpuccl_command(label_of(scratch)), how);
    command.environment.emplace_back("GPUCCL_CLOCK", "50");
    const std::string line = fails(command, 65, "within 20 s");
    CHECK(line.find("damaged") == std::string::npos);
  }
}

TEST_CASE("a child that hostile bytes have taken over opens, connects, starts and kills nothing") {
  if (!reads_hdf5()) return;
  if (::prctl(PR_GET_SECCOMP) < 0) {
    std::cout << "skipped: the kernel has no seccomp\n";
    return;
  }
  const ScratchFolder scratch;
  for (const char* const more : {"--device=cpu", "--no-sandbox"}) {
    Words words = label_of(scratch);
    words.emplace_back(more);
    fails(with_child(gpuccl_command(words), "escape"), 65, "contiguous.h5: ----");
  }
}

TEST_CASE("a child ends with its parent, and does not keep the output open") {
  if (!reads_hdf5()) return;
  const std::string how = GENERATE("loop", "sleep");
  CAPTURE(how);
  const ScratchFolder scratch;
  std::string words;
  for (const std::string& word : label_of(scratch)) words += " '" + word + "'";
  Command command = gpuccl_command({});
  command.words = {"/bin/sh", "-c",
                   std::string(GPUCCL_PROGRAM) + words + " & sleep 1; kill -9 $!; wait 2>/dev/null; true"};
  const Clock::time_point begin = Clock::now();
  run(with_child(command, how));  // until all have closed its output
  CHECK(Clock::now() - begin < std::chrono::seconds(12));
}

TEST_CASE("a child that crashes, aborts or traps leaves no core file") {
  if (!reads_hdf5()) return;
  for (const char* const how : {"crash", "abort", "divide"}) {
    CAPTURE(how);
    const ScratchFolder scratch;
    Command command = with_child(gpuccl_command(label_of(scratch)), how);
    command.prepare = [&] {
      rlimit most{};
      ::getrlimit(RLIMIT_CORE, &most);
      most.rlim_cur = most.rlim_max;
      ::setrlimit(RLIMIT_CORE, &most);
      if (::chdir(scratch.path().c_str()) != 0) std::abort();
    };
    fails(command, 65, "damaged (libhdf5 fails on it)");
    CHECK(fs::is_empty(scratch.path()));
  }
}

TEST_CASE("every command finds out that a child has crashed") {
  if (!reads_hdf5()) return;
  const ScratchFolder scratch;
  const std::string file = source_file("tests/io/hdf5/contiguous.h5"), page = scratch / "page.png";
  save(page, tests::random_image({6, 5, 1}, 0.5, 1, 1).view());
  const Slices all = {{"label", file, "--json", "-"},
                      {"label", page, "--intensity", file, "--json", "-"},
                      {"measure", file, "--stats", "-"},
                      {"contacts", file},
                      {"compare", file, page},
                      {"match", page, file},
                      {"view", file, "-o", scratch / "page.html"}};
  for (const Words& words : all) {
    CAPTURE(words);
    const Ended ended = run(with_child(gpuccl_command(words), "crash"));
    CHECK(ended.code == 65);
    CHECK(ended.err.find("damaged (libhdf5 fails on it)") != std::string::npos);
  }
}

TEST_CASE("a child of a batch ends with it after any signal") {
  if (!reads_hdf5()) return;
  for (const char* const signal : {"KILL", "TERM", "HUP", "SEGV"}) {
    CAPTURE(signal);
    const ScratchFolder scratch;
    fs::create_directory(scratch / "in");
    for (const char* const name : {"/a.h5", "/b.h5", "/c.h5"})
      fs::copy(source_file("tests/io/hdf5/contiguous.h5"), scratch / "in" + name);
    // A descriptor that others wait for must not stay open either.
    Command command = gpuccl_command({});
    command.words = {"/bin/bash", "-c",
                     "{ " + std::string(GPUCCL_PROGRAM) + " label '" + scratch / "in" + "' -o '" +
                         scratch / "out/" + "' --jobs 3 3>&1 >/dev/null 2>&1 & sleep 1; kill -" + signal +
                         " $!; wait; } | cat"};
    const Clock::time_point begin = Clock::now();
    run(with_child(command, "loop"));
    CHECK(Clock::now() - begin < std::chrono::seconds(12));
  }
}

}  // namespace
}  // namespace gpuccl
