#include "binary.hpp"
#include "support/test.hpp"

// An output must not be the input, nor another output, under whatever name.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSame = "output and input are the same file";

struct OneInput : WorkFolder {
  std::string input = save(*this / "in.png", tests::drawn(Words{"#.#"}).view()), before = read_file(input);

  void refused(const std::string& words, const std::string& part) const {
    const std::size_t entries = count_entries(path());
    fails("label " + words, 64, part);
    CHECK(read("in.png") == before);
    CHECK(count_entries(path()) == entries);
  }
};

TEST_CASE_METHOD(OneInput, "the input is never an output") {
  make_folders({"sub"});
  for (const char* name : {"hard.png", "in.txt"}) fs::create_hard_link(input, *this / name);
  fs::create_symlink("in.png", *this / "soft.png");
  fs::create_directory_symlink("sub", *this / "link");
  for (const char* words : {"in.png -o in.png", "in.png -o sub/../in.png", "in.png -o link/../in.png",
                            "in.png -o hard.png", "in.png -o soft.png", "soft.png -o in.png",
                            "in.png --preview in.png", "in.png --stats in.txt", "in.png --json in.txt"})
    refused(words, kSame);
  Command piped = command("label - -o in.png");
  piped.input = input;
  gpuccl::fails(piped, 64, kSame);
  CHECK(read("in.png") == before);
}

TEST_CASE_METHOD(OneInput,
                 "a slice of a stack is never an output, and no image is written among the slices") {
  const std::string next = "would be a slice of the next run";
  refused(". --stack -o in.png", kSame);
  refused(". --stack -o a.tif", next);
  refused(". --stack --preview a.png", next);
  make_folders({"sub"});
  succeeds("label . --stack --json a.json --quiet");
  succeeds("label . --stack -o sub/a.tif --quiet");
  write("files.txt", "in.png\n");  // the order of the slices: no other image is one
  for (const std::string text : {"--json", "--stats"}) refused(". --stack " + text + " files.txt", kSame);
  succeeds("label . --stack -o a.tif --quiet");
}

TEST_CASE_METHOD(OneInput, "two outputs are two files") {
  fs::create_symlink("a.json", *this / "table.csv");
  fs::create_symlink("target", *this / "soft");
  for (const char* words : {"-o a.png --preview a.png", "-o a.tif --stats table.csv", "--json a --stats ./a",
                            "--json soft --stats target"})
    refused("in.png " + std::string(words), "is the name of two outputs");
  succeeds("label in.png -o a.tif --preview a.png");
}

}  // namespace
}  // namespace gpuccl
