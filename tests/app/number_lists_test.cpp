#include "app/options/option_helpers.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::app;

TEST_CASE("lists of sizes") {
  CHECK(parse_sizes("640x480,64x32x16") == std::vector<Extent>{{640, 480, 1}, {64, 32, 16}});
  for (const char* wrong :
       {"", "640", "640x", "x480", "0x4", "-1x4", "1x2x3x4", "2x2,", "2x2;3x3", "2147483648x1"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_sizes(wrong).has_value());
  }
}

TEST_CASE("lists of densities, and ranges without the noise of adding up") {
  CHECK(parse_shares("0,.5,1") == std::vector<double>{0, 0.5, 1});
  CHECK(parse_shares("0:1:0.25") == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
  CHECK(parse_shares("0:0.3:0.1,0.9") == std::vector<double>{0, 0.1, 0.2, 0.3, 0.9});
  CHECK(parse_shares("0:1:0.01").value().size() == 101);
  for (const char* wrong :
       {"", "2", "-0.1", "50", "nan", "0:1", "0:1:0", "1:0:0.1", "0:2:0.5", "0:1:1e-9", "a"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_shares(wrong).has_value());
  }
}

TEST_CASE("lists of granularities, and ranges") {
  CHECK(parse_counts("1,4") == std::vector<int>{1, 4});
  CHECK(parse_counts("1:4,8") == std::vector<int>{1, 2, 3, 4, 8});
  for (const char* wrong : {"", "0", "1:0", "4:1", "1:2:3", "1.5", "1:2000000000", "x"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_counts(wrong).has_value());
  }
}
