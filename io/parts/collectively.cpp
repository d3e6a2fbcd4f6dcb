#include "io/parts/collectively.hpp"

#include <new>

namespace gpuccl::io {
namespace {

/// Returns the failure of the exception that is being handled.
ErrorCode current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return error.code();
  } catch (const std::bad_alloc&) {
    return ErrorCode::memory;
  } catch (...) {
    return ErrorCode::internal;
  }
}

}  // namespace

void collectively_in_parts(PartLink& link, const std::function<void()>& work) {
  std::exception_ptr thrown;
  std::string failure;
  try {
    work();
  } catch (...) {
    thrown = std::current_exception();
    failure = std::to_string(static_cast<int>(current_failure()));
  }
  int part = 0;
  for (const Message& message : link.gather(message_of(failure))) {
    if (!message.empty()) {
      throw PartFailed(ErrorCode{std::stoi(text_of(message))}, part == link.part() ? thrown : nullptr);
    }
    ++part;
  }
}

}  // namespace gpuccl::io
