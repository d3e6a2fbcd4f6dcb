#include <regex>

#include "app/binary.hpp"
#include "support/test.hpp"

// A machine whose CUDA driver is too old, as the real CUDA runtime sees it.
namespace gpuccl {
namespace {

Command with_old_driver(const Words& words) {
  Command command = gpuccl_command(words);
  command.environment = {{"LD_LIBRARY_PATH", GPUCCL_OLD_DRIVER}};
  return command;
}

const std::string kReason = "driver version is insufficient";

TEST_CASE("a driver that is too old is reported") {
  const Ended info = run(with_old_driver({"info"}));
  CHECK(info.code == 0);
  CHECK(info.out.find("driver 11.0") != std::string::npos);
  CHECK(info.out.find("not usable") != std::string::npos);
  CHECK(info.out.find(kReason) != std::string::npos);
}

TEST_CASE("with a driver that is too old --device cuda is an error, and nothing is written") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({90, 60, 1}, 0.4, 1, 1).view());
  fails(with_old_driver({"label", input, "-o", scratch / "out.tif", "--device", "cuda"}), 69, kReason);
  CHECK(count_entries(scratch.path()) == 1);
}

TEST_CASE("with a driver that is too old the CPU labels a whole batch, with one warning") {
  const ScratchFolder scratch;
  for (int i = 0; i < 10; ++i) {
    std::filesystem::create_directories(scratch / "in");
    save(scratch / "in/" + std::to_string(i) + ".png",
         tests::random_image({90, 60 + i, 1}, 0.4, 1, static_cast<std::uint32_t>(i)).view());
  }
  succeeds({"label", scratch / "in", "-o", scratch / "right/", "--quiet"});
  const Ended ended =
      run(with_old_driver({"label", scratch / "in", "-o", scratch / "out/", "--algo", "bke"}));
  CAPTURE(ended.err);
  CHECK(ended.code == 0);
  CHECK(std::regex_match(ended.err,
                         std::regex("gpuccl: warning: .*" + kReason + ".*\ngpuccl: 10 of 10 labeled\n")));
  for (int i = 0; i < 10; ++i) {
    const std::string name = "/" + std::to_string(i) + ".tiff";
    CHECK((read_file(scratch / "out" + name) == read_file(scratch / "right" + name)));
  }

  const Ended cuda =
      run(with_old_driver({"label", scratch / "in", "-o", scratch / "no/", "--device", "cuda"}));
  CHECK(cuda.code == 69);
  CHECK(cuda.err.ends_with("gpuccl: 0 of 10 labeled, 10 failed: no GPU (69)\n"));
}

}  // namespace
}  // namespace gpuccl
