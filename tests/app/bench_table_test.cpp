#include "app/bench/reports.hpp"
#include "support/catch.hpp"

using namespace gpuccl::bench;

TEST_CASE("figures show three digits that count") {
  CHECK(three_digits(0) == "0.00");
  CHECK(three_digits(0.01234) == "0.0123");
  CHECK(three_digits(0.5) == "0.500");
  CHECK(three_digits(1.239) == "1.24");
  CHECK(three_digits(12.39) == "12.4");
  CHECK(three_digits(1234.5) == "1234");
}

TEST_CASE("columns are as wide as their widest cell, words left and figures right") {
  const Table table{"a title", {"name", "ms"}, {{"bke", "12.3"}, {"flood-fill", "1"}}, 1};
  CHECK(as_text(table) ==
        "a title\n"
        "  name          ms\n"
        "  bke         12.3\n"
        "  flood-fill     1\n");
}

TEST_CASE("a name does nothing to the terminal that a table is printed to") {
  const std::string text = as_text({"set \x1b[2J", {"x"}, {{"a\u202eb\n", "1"}}, 1});
  CHECK(text ==
        "set \\x1b[2J\n"
        "  x\n"
        "  a\\xe2\\x80\\xaeb\\x0a  1\n");
}

TEST_CASE("a letter of two bytes takes one column") {
  CHECK(as_text({"", {"x"}, {{"\xc3\xa9t\xc3\xa9", "1"}, {"abcd", "2"}}, 1}) ==
        "  x\n"
        "  \xc3\xa9t\xc3\xa9   1\n"
        "  abcd  2\n");
}
