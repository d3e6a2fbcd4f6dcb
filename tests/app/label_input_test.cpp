#include "binary.hpp"
#include "support/test.hpp"

// Foreground of inputs, and kinds of inputs.
namespace gpuccl {
namespace {

TEST_CASE("a stream is read once") {
  const ScratchFolder scratch;
  const std::string image = save(scratch / "in.png", tests::drawn(Words{"#.#"}).view());
  for (const char* other : {"-", "/dev/stdin", "/dev/fd/0"}) {
    for (const Words& words : {Words{GPUCCL_PROGRAM, "label", "-", "--json", "-", "--intensity", other},
                               Words{GPUCCL_PROGRAM, "compare", "-", other}}) {
      Command command;
      command.words = {"sh", "-c", "image=$1; shift; cat \"$image\" | \"$@\"", "sh", image};
      command.words.insert(command.words.end(), words.begin(), words.end());
      const Ended ended = run(command);
      CHECK(ended.code == 64);
      CHECK(ended.out == "");
      CHECK_THAT(ended.err, tests::containing(words[1] == "label" ? "cannot be both input and --intensity"
                                                                  : "is a stream and can be read only once"));
    }
  }
}

}  // namespace
}  // namespace gpuccl
