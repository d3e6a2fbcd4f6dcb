#pragma once

#include <concepts>
#include <string>

#include "gpuccl/types.hpp"
#include "support/catch.hpp"

namespace gpuccl {

/// The error that `action` throws; its reason must be fit to print.
template <std::invocable Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string reason = error.what();
    CAPTURE(reason);
    CHECK(reason.size() > 5);
    CHECK(reason.find('\n') == std::string::npos);
    CHECK(reason.back() != '.');
    return Error(error.code(), reason);
  }
  FAIL("no error was thrown");
  return Error(ErrorCode::internal, "");
}

template <std::invocable Action>
ErrorCode error_code_of(Action action) {
  return error_of(action).code();
}

/// The reason of an error, whose code must be `code`.
template <std::invocable Action>
std::string reason_of(Action action, ErrorCode code = ErrorCode::data) {
  const Error error = error_of(action);
  CHECK(error.code() == code);
  return error.what();
}

}  // namespace gpuccl
