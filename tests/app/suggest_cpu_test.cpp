#include "app/label/piece.hpp"
#include "support/catch.hpp"

namespace gpuccl::app {
namespace {

std::string message_of(DeviceChoice device, bool of_values, Failure failure) {
  try {
    suggest_cpu(device, of_values, [&] { throw Error(failure, "no"); });
  } catch (const Error& error) {
    REQUIRE(error.failure() == failure);
    return error.what();
  }
  return "";
}

TEST_CASE("where a GPU was demanded, what it fails at names what labels without one") {
  using enum DeviceChoice;
  REQUIRE(message_of(cuda, false, Failure::unavailable) == "no; use --device auto or cpu");
  REQUIRE(message_of(cuda, true, Failure::memory) == "no; use --device cpu");
  REQUIRE(message_of(cuda, false, Failure::memory) == "no");
  REQUIRE(message_of(cuda, true, Failure::data) == "no");
  REQUIRE(message_of(automatic, true, Failure::memory) == "no");
  REQUIRE(suggest_cpu(cuda, true, [] { return 3; }) == 3);
}

}  // namespace
}  // namespace gpuccl::app
