#include <sys/syscall.h>
#include <unistd.h>

#include <iostream>

#include "app/binary.hpp"
#include "support/test.hpp"

// A reader that hostile bytes have taken over reads and writes no other files than inputs and outputs.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

/// 0 where the kernel has no Landlock.
long landlock_version() {
  constexpr long kCreateRuleset = 444;
  return std::max(0L, ::syscall(kCreateRuleset, nullptr, 0, 1));
}

struct Escape {
  const ScratchFolder inside, outside;
  const std::string secret = outside / "secret", planted = outside / "planted";
  const std::string input = save(inside / "in.png", tests::random_image({60, 40, 1}, 0.4, 1, 3).view());

  Escape() { write_file(secret, "of somebody else"); }

  /// `at`: the file whose reader is taken over; "": the first one that is read.
  Ended attempt(const Words& words, const std::string& at = "") const {
    Command command = gpuccl_command(words);
    command.environment.emplace_back("LD_PRELOAD", GPUCCL_FAIL_CALLS);
    command.environment.emplace_back(
        "GPUCCL_ESCAPE", secret + ":" + planted + (at.empty() ? "" : ":" + fs::canonical(at).string()));
    return run(command);
  }
  void reaches_nothing(const Words& words, const std::string& at = "") const {
    CAPTURE(words);
    const Ended ended = attempt(words, at);
    CHECK(ended.code == 0);
    CHECK(ended.err.find("escape: read no, write no, connect ") == 0);
    CHECK_FALSE(fs::exists(planted));
  }
};

TEST_CASE("a reader in the sandbox reads and writes nothing outside") {
  if (landlock_version() == 0) {
    std::cout << "skipped: the kernel has no Landlock\n";
    return;
  }
  const Escape escape;
  fs::create_directory(escape.inside / "many");
  fs::copy(escape.input, escape.inside / "many/a.png");
  const std::string refused = std::string("escape: read no, write no, connect ") + "no\n";
  const Slices all = {
      {"label", escape.input, "-o", escape.inside / "out.tif", "--device", "cpu"},
      {"label", escape.inside / "many", "-o", escape.inside / "outs", "--device", "cpu", "--quiet"},
      {"label", escape.input, "--json", escape.inside / "p.json", "--device", "cpu", "--part", "1/1",
       "--parts-dir", escape.inside / "parts"}};
  for (const Words& words : all) {
    CAPTURE(words);
    const Ended ended = escape.attempt(words);
    CHECK(ended.code == 0);
    CHECK(ended.err == refused);
    CHECK_FALSE(fs::exists(escape.planted));
  }
  CHECK(Json::parse(read_file(escape.inside / "out.json"))["labeling"]["device"]["sandbox"] == "landlock");
}

TEST_CASE("a reader in the sandbox reaches no other process and no socket") {
  if (landlock_version() < 6) {
    std::cout << "skipped: the kernel's Landlock does not know signals\n";
    return;
  }
  const Escape escape;
  const auto reached = [&](const Words& more) {
    Command command = gpuccl_command(joined(
        {"label", escape.input, "-o", escape.inside / "out.tif", "--device", "cpu", "--overwrite"}, more));
    command.environment.emplace_back("LD_PRELOAD", GPUCCL_FAIL_CALLS);
    command.environment.emplace_back("GPUCCL_ESCAPE", escape.secret + ":" + escape.planted);
    command.environment.emplace_back("GPUCCL_ESCAPE_FAR", "1");
    const Ended ended = run(command);
    CHECK(ended.code == 0);
    return ended.err.substr(ended.err.find('\n') + 1);
  };
  CHECK(reached({}) == "escape: environment 0, udp 0, unix 0, signal 0, trace 0, ring 0\n");
  CHECK(reached({"--no-sandbox"}).starts_with("escape: environment 1, udp 1, unix 1, signal 1"));
}

TEST_CASE("other commands that read images are in the sandbox, too") {
  if (landlock_version() == 0) {
    std::cout << "skipped: the kernel has no Landlock\n";
    return;
  }
  const Escape escape;
  const std::string labels = escape.inside / "labels.tif";
  succeeds({"label", escape.input, "-o", labels, "--device", "cpu", "--quiet"});
  escape.reaches_nothing({"compare", labels, labels});
  escape.reaches_nothing({"view", labels, "--image", escape.input, "-o", escape.inside / "page.html"});
  escape.reaches_nothing({"measure", labels, "--stats", escape.inside / "table.csv"});
  escape.reaches_nothing({"contacts", labels, "-o", escape.inside / "contacts.csv"});
  escape.reaches_nothing({"match", labels, labels, "--csv", escape.inside / "pairs.csv"});
  for (const char* const folder : {"truth", "prediction"}) {
    fs::create_directory(escape.inside / folder);
    fs::copy(labels, escape.inside / (folder + std::string("/a.tif")));
  }
  escape.reaches_nothing({"match", escape.inside / "truth", escape.inside / "prediction", "--json", "-"});
}

TEST_CASE("joining is in the sandbox, too") {
  if (landlock_version() == 0) {
    std::cout << "skipped: the kernel has no Landlock\n";
    return;
  }
  const Escape escape;
  const std::string parts = escape.inside / "parts";
  const auto label_part = [&] {
    succeeds({"label", escape.input, "--json", escape.inside / "p.json", "--device", "cpu", "--part", "1/1",
              "--parts-dir", parts});
  };
  label_part();
  escape.reaches_nothing({"join", parts}, escape.input);
  label_part();
  escape.reaches_nothing({"join", parts, "--finish"}, escape.input);
  CHECK(Json::parse(read_file(escape.inside / "p.json"))["labeling"]["device"]["sandbox"] == "landlock");
}

TEST_CASE("option --no-sandbox leaves the process free, and the report says so") {
  const Escape escape;
  const Ended ended = escape.attempt(
      {"label", escape.input, "-o", escape.inside / "out.tif", "--device", "cpu", "--no-sandbox"});
  CHECK(ended.code == 0);
  CHECK(ended.err == "escape: read yes, write yes, connect yes\n");
  CHECK(fs::exists(escape.planted));
  CHECK(Json::parse(read_file(escape.inside / "out.json"))["labeling"]["device"]["sandbox"].is_null());
}

TEST_CASE("links that name inputs and outputs lead out of the sandbox") {
  const Escape escape;
  fs::create_symlink(escape.input, escape.outside / "in.png");
  fs::create_symlink(escape.inside / "far.tif", escape.outside / "out.tif");
  succeeds({"label", escape.outside / "in.png", "-o", escape.outside / "out.tif", "--device", "cpu"});
  CHECK(fs::exists(escape.inside / "far.tif"));
  fs::create_directory(escape.outside / "stack");
  fs::create_symlink(escape.input, escape.outside / "stack/1.png");
  succeeds(
      {"label", escape.outside / "stack", "--stack", "--json", escape.outside / "s.json", "--device", "cpu"});
}

}  // namespace
}  // namespace gpuccl
