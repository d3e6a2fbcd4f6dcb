#include "binary.hpp"
#include "support/test.hpp"

// --fill-holes as users type it. That the holes are the right ones is proven by tests/lib/holes_test.cpp.
namespace gpuccl {
namespace {

/// A ring whose hole has 15 elements, an island in it, and another with a hole of 1.
struct TwoRings {
  ScratchFolder scratch;
  std::string input = save(scratch / "in.png", tests::drawn(Words{
                                                                "............",
                                                                ".######.###.",
                                                                ".#....#.#.#.",
                                                                ".#.#..#.###.",
                                                                ".#....#.....",
                                                                ".#....#.....",
                                                                ".######.....",
                                                            })
                                                   .view());
};

TEST_CASE_METHOD(TwoRings, "a word that is no number is not taken for the size of holes") {
  CHECK(report_of({"--fill-holes", input})["labeling"]["components"] == 2);
  CHECK(report_of({input, "--fill-holes", "--min-size", "20"})["labeling"]["dropped"] == 1);
  for (const char* size : {"0", "-1", "1.5", "few"}) {
    CAPTURE(size);
    fails({"label", input, std::string("--fill-holes=") + size, "--json", "-"}, 64, "--fill-holes");
  }
  fails({"label", input, "--fill-holes", "99999999999999999999", "--json", "-"}, 64,
        "'99999999999999999999' is not an integer of at least 1");
  for (const std::string size : {"-5", "1e3", "2.5"})
    fails({"label", input, "--fill-holes", size, "--json", "-"}, 64,
          "--fill-holes: '" + size + "' is not an integer of at least 1");
  fails({"label", input, "--fill-holes", "--fill-holes", "--json", "-"}, 64, "2 times");
}

TEST_CASE_METHOD(TwoRings, "an algorithm that cannot label the background is refused") {
  fails({"label", input, "--fill-holes", "--algo", "hcs2-aremsp", "--json", "-"}, 64,
        "--fill-holes labels the background: hcs2-aremsp does not label 4-connectivity");
  CHECK(report_of({input, "--fill-holes", "--algo", "flood-fill"})["labeling"]["components"] == 2);
}

}  // namespace
}  // namespace gpuccl
