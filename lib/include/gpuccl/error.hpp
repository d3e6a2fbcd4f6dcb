#pragma once

#include <stdexcept>
#include <string>

namespace gpuccl {

/// Class of an error. The command line maps each to an exit code.
enum class Failure {
  usage,          // 64: contradictory or impossible request
  data,           // 65: bad or unsupported data, label type too small
  no_input,       // 66: input missing or unreadable
  unavailable,    // 69: the requested device cannot be used
  internal,       // 70: a self-check failed
  memory,         // 71: out of memory or over the limit
  cannot_create,  // 73: output cannot be created
  io,             // 74: reading or writing failed
  temporary,      // 75: the GPU was lost; try again
};

/// An error of the library. what() is "problem; remedy" in lower case without a period, fit to follow
/// "gpuccl: FILE: ".
class Error : public std::runtime_error {
 public:
  /// `system_code`: the errno value, or 0.
  Error(Failure failure, const std::string& reason, int system_code = 0)
      : std::runtime_error(reason), failure_(failure), system_code_(system_code) {}
  Failure failure() const { return failure_; }
  int system_code() const { return system_code_; }

 private:
  Failure failure_;
  int system_code_;
};

}  // namespace gpuccl
