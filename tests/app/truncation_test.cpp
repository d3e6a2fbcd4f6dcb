#include <filesystem>

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/scratch_folder.hpp"

namespace gpuccl {
namespace {

TEST_CASE("a sample cut off at any length is refused, and nothing is written") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "out");
  for (const auto& entry : std::filesystem::directory_iterator(source_file("data"))) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".png" && extension != ".tif") continue;
    const std::string whole = read_file(entry.path().string());
    const std::string cut = scratch / ("cut" + extension);
    constexpr std::size_t kCuts = 40;
    for (std::size_t i = 0; i < 2 * kCuts; ++i) {
      // The first bytes one by one, where the headers are, then evenly, and the very last byte.
      const std::size_t length =
          i < kCuts ? i : whole.size() - 1 - (i - kCuts) * whole.size() / kCuts * 39 / 40;
      CAPTURE(entry.path().string(), length);
      write_file(cut, whole.substr(0, length));
      const Ended ended = gpuccl({"label", cut, "-o", scratch / "out/labels.tif"});
      CAPTURE(ended.err);
      // The end of a PNG holds nothing that labels need, but a file without it is not whole.
      CHECK(ended.code == 65);
      CHECK(ended.err.starts_with("gpuccl: " + cut + ": "));
      CHECK(count_entries(scratch / "out") == 0);
    }
  }
}

}  // namespace
}  // namespace gpuccl
