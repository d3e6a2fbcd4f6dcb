#include <nlohmann/json.hpp>

#include "app/bench/results.hpp"
#include "support/test.hpp"

using namespace gpuccl::bench;

TEST_CASE("figures show three digits that count") {
  CHECK(three_digits(0) == "0.00");
  CHECK(three_digits(0.01234) == "0.0123");
  CHECK(three_digits(0.5) == "0.500");
  CHECK(three_digits(1.239) == "1.24");
  CHECK(three_digits(12.39) == "12.4");
  CHECK(three_digits(1234.5) == "1234");
}

namespace {

/// An image set with two algorithms of these names.
Json set_of(const std::string& title, const std::string& a, const std::string& b) {
  const auto row = [](const std::string& name, double ms) {
    return Json{{"algorithm", name}, {"device", "cpu"}, {"measures", {{{"name", "x"}, {"min_ms", ms}}}}};
  };
  return {{"title", title}, {"about", "about it"}, {"algorithms", {row(a, 12.3), row(b, 1000)}}};
}

}  // namespace

TEST_CASE("columns are as wide as their widest cell, words left and figures right") {
  CHECK(as_text(set_of("a title", "bke", "flood-fill")) ==
        "a title (about it)\n"
        "  algorithm   device  name  min ms\n"
        "  bke         cpu     x       12.3\n"
        "  flood-fill  cpu     x       1000\n");
}

TEST_CASE("a name does nothing to the terminal that a table is printed to") {
  const std::string text = as_text(set_of("set \x1b[2J", "a\u202eb\n", "c"));
  CHECK(text.starts_with("set \\x1b[2J (about it)\n"));
  CHECK(text.find("\n  a\\xe2\\x80\\xaeb\\x0a  cpu ") != std::string::npos);
}

TEST_CASE("a letter of two bytes takes one column") {
  CHECK(as_text(set_of("t", "\xc3\xa9t\xc3\xa9", "abcd")).find("\n  \xc3\xa9t\xc3\xa9        cpu ") !=
        std::string::npos);
}
