#pragma once

#include <string>

#include "gpuccl/types.hpp"
#include "support/catch.hpp"

namespace gpuccl {

/// The failure that `action` throws; its reason, which `said` gets, must be fit to print.
template <class Action>
ErrorCode error_code_of(Action action, std::string* said = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    const std::string reason = error.what();
    if (said != nullptr) *said = reason;
    CAPTURE(reason);
    CHECK(reason.size() > 5);
    CHECK(reason.find('\n') == std::string::npos);
    CHECK(reason.back() != '.');
    return error.code();
  }
  FAIL("no error was thrown");
  return ErrorCode::internal;
}

}  // namespace gpuccl
