#pragma once

#include <stdexcept>
#include <string>

namespace gpuccl {

/// Why something failed, as far as a caller must know to go on. The command line maps each to its exit code.
enum class Failure {
  usage,          // 64: contradictory or impossible request
  data,           // 65: bad or unsupported data, label type too small
  no_input,       // 66: input missing or unreadable
  unavailable,    // 69: the device asked for cannot be used
  internal,       // 70: a self-check failed
  memory,         // 71: out of memory or over the limit given
  cannot_create,  // 73: output cannot be created
  io,             // 74: reading or writing failed half-way
  temporary,      // 75: the GPU was lost; trying again may help
};

/// what() is a reason in lower case without a trailing dot, fit to follow "gpuccl: <path>: ".
class Error : public std::runtime_error {
 public:
  Error(Failure failure, const std::string& reason) : std::runtime_error(reason), failure_(failure) {}
  Failure failure() const { return failure_; }

 private:
  Failure failure_;
};

}  // namespace gpuccl
