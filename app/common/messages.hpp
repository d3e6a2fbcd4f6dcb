#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <set>
#include <string>
#include <string_view>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

/// Exit codes of the program, in addition to those of failures (sysexits, all below 126).
inline constexpr int kSuccess = 0;
inline constexpr int kDifferent = 1;  // `compare` or `verify` found a difference
inline constexpr int kMixed = 1;      // inputs of a batch, or images of bench, failed for different reasons

/// Returns the exit code of a failure.
int exit_code(ErrorCode failure);
/// Returns the failure that an exit code stands for, in words: "bad data".
const char* reason_of(int code);
/// Returns the exit code of a batch, from the codes of the inputs that failed.
int exit_code(const std::set<int>& codes);

/// Returns `text` with invisible characters (control characters, changes of direction, invalid UTF-8) as
/// \xNN, so that paths and messages of libraries stay on one line and cannot control a terminal.
std::string printable(std::string_view text);

/// Returns "1 folder", "2 folders".
std::string counted(std::uint64_t count, const std::string& what);

/// Returns the name of a path in messages; "-" becomes standard input.
std::string display_name(const std::string& path);
/// Returns the name of an output for messages.
std::string display_name_of_output(const std::string& path);

/// Returns the name of a device in --device and in reports.
inline const char* device_name(DeviceKind device) { return device == DeviceKind::cuda ? "cuda" : "cpu"; }

/// Print one line on stderr: "gpuccl: <line>".
void print_message(const std::string& line);
void print_warning(const std::string& line);
/// Warns about the file `path`.
void print_warning(const std::string& path, const std::string& line);

/// Receives a warning about the file `path`.
using WarnAbout = std::function<void(const std::string& path, const std::string& line)>;

/// Converts an exception of another library to an Error.
Error translated(const std::exception& exception);

/// Prints `error` as "gpuccl: <path>: <reason>" (without the path if it has none), with a reference to the
/// manual if memory was short. Returns its exit code.
int report_failure(const Error& error);

/// Writes all of `text` to stdout. Error (io).
void print_result(std::string_view text);

/// Returns "0.1.0".
std::string version();
/// Returns the commit of this build; "" if it was not built from a clone.
std::string commit();
/// Returns "gpuccl 0.1.0 (commit 0123abc)".
std::string version_line();

}  // namespace gpuccl::app
