#include <csignal>

#include "binary.hpp"
#include "support/test.hpp"

namespace gpuccl {
namespace {

TEST_CASE("a signal ends the program by that signal and leaves nothing unfinished") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({6000, 6000, 1}, 0.5, 1, 1).view());
  write_file(scratch / "out.tif", "old");
  const Command command = gpuccl_command(
      {"label", input, "-o", scratch / "out.tif", "--label-type", "u32", "--progress", "--threads", "1"});
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM})
    for (const char* cue : {": reading", ": labeling", ": writing"}) {
      CAPTURE(signal, cue);
      const Ended ended = run_and_signal(command, cue, signal);
      CHECK(ended.signal == signal);
      CHECK(read_file(scratch / "out.tif") == "old");
      CHECK(count_entries(scratch.path()) == 2);
    }
}

TEST_CASE("nohup is respected") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({3000, 3000, 1}, 0.5, 1, 1).view());
  Command command = gpuccl_command({"label", input, "-o", scratch / "out.tif", "--progress"});
  command.prepare = [] { std::signal(SIGHUP, SIG_IGN); };
  const Ended ended = run_and_signal(command, ": reading", SIGHUP);
  CHECK(ended.signal == 0);
  CHECK(ended.code == 0);
  CHECK(count_entries(scratch.path()) == 3);
}

}  // namespace
}  // namespace gpuccl
