#include "io/files/file_names.hpp"
#include "io/read/input_files.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

TEST_CASE("numbers in names compare as numbers") {
  const std::vector<std::string> in_order = {"",
                                             "A9",
                                             "a",
                                             "a1",
                                             "a01",
                                             "a2",
                                             "a10",
                                             "a10b1",
                                             "a10b02",
                                             "a10b11",
                                             "a99999999999999999999",
                                             "a100000000000000000000",
                                             "ab",
                                             "\xc3\xa9"};
  for (std::size_t i = 0; i < in_order.size(); ++i)
    for (std::size_t j = 0; j < in_order.size(); ++j) {
      CAPTURE(in_order[i], in_order[j]);
      const bool same_number = in_order[i] == "a01" || in_order[j] == "a01";
      if (!same_number) REQUIRE(natural_less(in_order[i], in_order[j]) == (i < j));
    }
  REQUIRE(natural_less("a01", "a1"));
  REQUIRE(!natural_less("a1", "a01"));
  REQUIRE(natural_less("a01", "a2"));
}

TEST_CASE("files.txt gives slices of a folder their order") {
  const ScratchFolder folder;
  for (const char* name : {"b.png", "a.png", "c.png"}) std::ofstream(folder.path() / name) << "x";
  const auto list = [&](const std::string& text) { std::ofstream(folder.path() / "files.txt") << text; };
  const auto failure = [&] {
    const Error error = error_of([&] { slice_names(folder.path()); });
    REQUIRE(std::string(error.what()).starts_with("files.txt"));
    return error.code();
  };

  list("c.png\r\n\n  a.png \nb.png");
  REQUIRE(slice_names(folder.path()) == std::vector<std::string>{"c.png", "a.png", "b.png"});
  list("a.png\nmissing.png\n");
  REQUIRE(failure() == ErrorCode::no_input);
  list("../a.png\n");
  REQUIRE(failure() == ErrorCode::data);
  list("\n\n");
  REQUIRE(failure() == ErrorCode::data);
}

TEST_CASE("a folder of slices must be there and must hold some") {
  const ScratchFolder folder;
  const auto failure = [](const std::filesystem::path& path) {
    return error_code_of([&] { slice_names(path); });
  };
  REQUIRE(failure(folder.path() / "missing") == ErrorCode::no_input);
  REQUIRE(failure(folder.path()) == ErrorCode::data);
  std::ofstream(folder.path() / "file") << "x";
  REQUIRE(failure(folder.path() / "file") == ErrorCode::no_input);
}
