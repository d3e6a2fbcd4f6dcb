#include "binary.hpp"
#include "support/test.hpp"

// Algorithms and devices.
namespace gpuccl {
namespace {

TEST_CASE("a GPU that is asked for by its number is not replaced by the CPU") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::drawn(Words{"#.", ".#"}).view());
  fails({"label", input, "-o", scratch / "out.tiff", "--gpu", "1000"}, 69, "use --device auto or cpu");
  CHECK(!std::filesystem::exists(scratch / "out.tiff"));
  fails({"label", input, "--json", "-", "--gpu", "1000", "--device", "cpu"}, 64, "--device cpu uses none");
}

TEST_CASE("a GPU algorithm without a GPU is labeled by the CPU, with one warning") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({211, 97, 1}, 0.5, 1, 3).view());
  succeeds({"label", input, "-o", scratch / "auto.tiff"});
  const Ended ended = gpuccl({"label", input, "-o", scratch / "bke.tiff", "--algo", "bke"});
  CHECK(ended.code == 0);
  CHECK(ended.out == "");
  CHECK(ended.err.starts_with("gpuccl: warning: " + input + ": "));
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  CHECK(read_file(scratch / "bke.tiff") == read_file(scratch / "auto.tiff"));

  const Json report = Json::parse(read_file(scratch / "bke.json"));
  CHECK(report["labeling"]["algorithm"] == "runs");
  CHECK(report["labeling"]["device"]["kind"] == "cpu");
  CHECK(report["labeling"]["device"]["gpus"].empty());
  CHECK(succeeds({"label", input, "-o", scratch / "bke.tiff", "--algo", "bke", "--quiet"}) == "");
}

TEST_CASE("option --device cuda without a GPU is an error") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", BitVolume({8, 8, 1}).view());
  fails({"label", input, "-o", scratch / "out.tif", "--device", "cuda"}, 69, "; use --device auto or cpu");
  fails({"label", input, "-o", scratch / "out.tif", "--device", "cuda", "--algo", "bke"}, 69, "in.png: ");
  CHECK(count_entries(scratch.path()) == 1);
  succeeds({"label", input, "-o", scratch / "out.tif", "--device", "auto"});
}

}  // namespace
}  // namespace gpuccl
