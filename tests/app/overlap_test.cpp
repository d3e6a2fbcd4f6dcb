#include "binary.hpp"
#include "support/test.hpp"

// An output must not be the input, nor another output, under whatever name.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

struct OneInput {
  ScratchFolder scratch;
  std::string input = save(scratch / "in.png", tests::drawn(Words{"#.#"}).view());
  std::string before = read_file(input);

  void refused(const Words& words, const std::string& part) {
    const std::size_t entries = count_entries(scratch.path());
    fails(words, 64, part);
    CHECK(read_file(input) == before);
    CHECK(count_entries(scratch.path()) == entries);
  }
};

TEST_CASE_METHOD(OneInput, "the input is never an output") {
  const std::string same = "output and input are the same file";
  fs::create_directory(scratch / "sub");
  fs::create_hard_link(input, scratch / "hard.png");
  fs::create_symlink("in.png", scratch / "soft.png");
  fs::create_directory_symlink("sub", scratch / "link");
  refused({"label", input, "-o", input}, same);
  refused({"label", input, "-o", scratch / "sub/../in.png"}, same);
  refused({"label", input, "-o", scratch / "link/../in.png"}, same);
  refused({"label", input, "-o", scratch / "hard.png"}, same);
  refused({"label", input, "-o", scratch / "soft.png"}, same);
  refused({"label", scratch / "soft.png", "-o", input}, same);
  refused({"label", input, "--preview", input}, same);
  fs::create_hard_link(input, scratch / "in.txt");
  refused({"label", input, "--stats", scratch / "in.txt"}, same);
  refused({"label", input, "--json", scratch / "in.txt"}, same);

  Command piped = gpuccl_command({"label", "-", "-o", input});
  piped.input = input;
  fails(piped, 64, same);
  CHECK(read_file(input) == before);
}

TEST_CASE_METHOD(OneInput, "a slice of a stack is never an output") {
  refused({"label", scratch.path().string(), "--stack", "-o", input}, "output and input are the same file");
  write_file(scratch / "files.txt", "in.png\n");  // the order of the slices
  for (const char* text : {"--json", "--stats"})
    refused({"label", scratch.path().string(), "--stack", text, scratch / "files.txt"},
            "output and input are the same file");
}

TEST_CASE_METHOD(OneInput, "an image is never written among the slices that are read") {
  const std::string next = "would be a slice of the next run", stack = scratch.path().string();
  refused({"label", stack, "--stack", "-o", scratch / "a.tif"}, next);
  refused({"label", stack, "--stack", "--preview", scratch / "a.png"}, next);
  succeeds({"label", stack, "--stack", "--json", scratch / "a.json", "--quiet"});
  fs::create_directory(scratch / "sub");
  succeeds({"label", stack, "--stack", "-o", scratch / "sub/a.tif", "--quiet"});
  write_file(scratch / "files.txt", "in.png\n");  // no other image is a slice
  succeeds({"label", stack, "--stack", "-o", scratch / "a.tif", "--quiet"});
}

TEST_CASE_METHOD(OneInput, "two outputs are two files") {
  const std::string twice = "is the name of two outputs";
  refused({"label", input, "-o", scratch / "a.png", "--preview", scratch / "a.png"}, twice);
  fs::create_symlink("a.json", scratch / "table.csv");
  refused({"label", input, "-o", scratch / "a.tif", "--stats", scratch / "table.csv"}, twice);
  refused({"label", input, "--json", scratch / "a", "--stats", scratch / "./a"}, twice);
  fs::create_symlink("target", scratch / "soft");
  refused({"label", input, "--json", scratch / "soft", "--stats", scratch / "target"}, twice);
  succeeds({"label", input, "-o", scratch / "a.tif", "--preview", scratch / "a.png"});
}

}  // namespace
}  // namespace gpuccl
