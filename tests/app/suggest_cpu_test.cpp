#include "app/label/part_labeler.hpp"
#include "support/test.hpp"

namespace gpuccl::app {
namespace {

std::string message_of(DeviceChoice device, bool of_values, ErrorCode failure) {
  try {
    suggest_cpu(device, of_values, [&] { throw Error(failure, "no"); });
  } catch (const Error& error) {
    REQUIRE(error.code() == failure);
    return error.what();
  }
  return "";
}

TEST_CASE("an error of a required GPU names the way to label without one") {
  using enum DeviceChoice;
  REQUIRE(message_of(cuda, false, ErrorCode::unavailable) == "no; use --device auto or cpu, without --gpus");
  REQUIRE(message_of(cuda, true, ErrorCode::memory) == "no; use --device cpu, without --gpus");
  REQUIRE(message_of(cuda, false, ErrorCode::memory) == "no");
  REQUIRE(message_of(cuda, true, ErrorCode::data) == "no");
  REQUIRE(message_of(automatic, true, ErrorCode::memory) == "no");
  REQUIRE(suggest_cpu(cuda, true, [] { return 3; }) == 3);
}

}  // namespace
}  // namespace gpuccl::app
