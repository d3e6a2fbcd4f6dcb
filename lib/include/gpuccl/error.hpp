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
  /// `system_code`: the errno value it comes from, 0 if there is none.
  Error(Failure failure, const std::string& reason, int system_code = 0)
      : std::runtime_error(reason), failure_(failure), system_code_(system_code) {}
  Failure failure() const { return failure_; }
  int system_code() const { return system_code_; }

 private:
  Failure failure_;
  int system_code_;
};

}  // namespace gpuccl
