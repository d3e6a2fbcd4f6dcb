#include <chrono>
#include <csignal>
#include <filesystem>

#include "app/binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/scratch_folder.hpp"

// libhdf5 is tried in a process of its own: whatever becomes of that, the program goes on and says so.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

bool reads_hdf5() { return gpuccl({"info"}).out.find("HDF5") != std::string::npos; }

/// The child gets a signal when it reads. `words` may be of a shell.
Command with_child(Command command, int signal) {
  command.environment.emplace_back("LD_PRELOAD", GPUCCL_FAIL_CALLS);
  command.environment.emplace_back("GPUCCL_FAIL", "child:1:" + std::to_string(signal));
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
    Command command = with_child(gpuccl_command(label_of(scratch)), SIGSEGV);
    command.prepare = [=] {
      if (is_ignored) ::signal(SIGCHLD, SIG_IGN);
    };
    fails(command, 65, "damaged (libhdf5 fails on it)");
  }
}

TEST_CASE("a child that does not come back costs its time, and is not called damage") {
  if (!reads_hdf5()) return;
  const ScratchFolder scratch;
  const Clock::time_point begin = Clock::now();
  const std::string line = fails(with_child(gpuccl_command(label_of(scratch)), SIGSTOP), 65, "within 20 s");
  CHECK(line.find("damaged") == std::string::npos);
  CHECK(Clock::now() - begin < std::chrono::seconds(40));
}

TEST_CASE("a child ends with its parent, and does not keep the output open") {
  if (!reads_hdf5()) return;
  const ScratchFolder scratch;
  std::string words;
  for (const std::string& word : label_of(scratch)) words += " '" + word + "'";
  Command command = gpuccl_command({});
  command.words = {"/bin/sh", "-c",
                   std::string(GPUCCL_PROGRAM) + words + " & sleep 1; kill -9 $!; wait 2>/dev/null; true"};
  const Clock::time_point begin = Clock::now();
  run(with_child(command, SIGSTOP));  // until all have closed its output
  CHECK(Clock::now() - begin < std::chrono::seconds(12));
}

}  // namespace
}  // namespace gpuccl
