#include <csignal>
#include <filesystem>
#include <iostream>
#include <random>

#include "app/binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

// Signals at random times of a run that writes a large file.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;

/// Rounds of labeling an image, each ended by one of the signals; how many of them did not come too late.
int rounds(int count, Extent extent, const std::vector<int>& signals) {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "out");
  const std::string input = save(scratch / "in.png", tests::random_image(extent, 0.5, 1, 1).view());
  const std::string image = scratch / "out/labels.tif", report = scratch / "out/labels.json";
  const Command command = gpuccl_command({"label", input, "-o", image, "--label-type", "u32", "--compress",
                                          "none", "--no-fsync", "--overwrite"});
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(run(command).code == 0);
  const auto whole = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begin);
  const std::string right = read_file(image);

  std::mt19937 random(1);
  int killed = 0;
  for (int round = 0; round < count; ++round) {
    write_file(image, "old");
    write_file(report, "old");
    const int signal = signals[static_cast<std::size_t>(round) % signals.size()];
    const auto delay =
        microseconds(std::uniform_int_distribution<std::int64_t>(0, whole.count() * 11 / 10)(random));
    CAPTURE(round, signal, delay.count());
    const Ended ended = run_and_signal(command, delay, signal);
    CHECK((ended.code == 0 || ended.signal == signal));
    if (ended.signal != 0) ++killed;

    const std::string after = read_file(image), reported = read_file(report);
    CHECK((after == "old" || after == right));
    // No label image stands next to a report of another run; after SIGKILL there may be no report.
    if (reported == "old") CHECK(after == "old");
    if (reported != "old" && reported != "") CHECK((Json::accept(reported) && after == right));
    CHECK((reported != "" || signal == SIGKILL));
    if (ended.code == 0) CHECK(after == right);
    for (const fs::directory_entry& entry : fs::directory_iterator(scratch / "out"))
      if (entry.path() != image && entry.path() != report) {
        // Only what cannot be cleaned up after may leave something, under a name that says whose it is.
        CHECK(signal == SIGKILL);
        CHECK(entry.path().filename().string().starts_with(".gpuccl-"));
        fs::remove(entry.path());
      }
  }
  return killed;
}

TEST_CASE("killed at any time, the old file or the whole new one is there") {
  const int killed = rounds(40, {1500, 1500, 1}, {SIGKILL, SIGINT, SIGKILL, SIGTERM, SIGHUP});
  std::cout << "killed at random moments: " << killed << " of 40\n";
  CHECK(killed > 0);
}

TEST_CASE("killed at any time, many times and with large files", "[.long]") {
  int killed = rounds(300, {1000, 1000, 1}, {SIGKILL});
  killed += rounds(250, {2000, 2000, 1}, {SIGINT, SIGTERM, SIGINT, SIGTERM, SIGHUP});
  killed += rounds(30, {7000, 7000, 1}, {SIGKILL, SIGINT, SIGTERM});
  std::cout << "killed at random moments: " << killed << " of 580\n";
}

}  // namespace
}  // namespace gpuccl
