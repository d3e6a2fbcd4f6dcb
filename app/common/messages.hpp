#pragma once

#include <cstdint>
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

/// The exit code of each failure, for the whole program.
int exit_code(Failure failure);
/// The exit code of several inputs, of the codes of those that failed.
int exit_code(const std::set<int>& codes);

/// `text` with what is not a visible character (control characters, changes of direction, bytes that are no
/// UTF-8) as \xNN, so that a path or a library's words stay on one line and do nothing to a terminal.
std::string printable(std::string_view text);

/// "1 folder", "2 folders".
std::string counted(std::uint64_t count, const std::string& what);

/// Returns the name of a path in messages; "-" becomes standard input.
std::string display_name(const std::string& path);
/// Returns the name of an output for messages.
std::string display_name_of_output(const std::string& path);

/// Returns the name of a device in --device and in reports.
inline const char* device_name(DeviceKind device) { return device == DeviceKind::cuda ? "cuda" : "cpu"; }

/// One line on stderr: "gpuccl: <line>".
void print_message(const std::string& line);
void print_warning(const std::string& line);
/// Warns about the file `path`.
void print_warning(const std::string& path, const std::string& line);

/// Converts an exception of another library to an Error.
Error translated(const std::exception& exception);

/// Prints `error` as "gpuccl: <path>: <reason>" (without the path if it knows none), where memory is short
/// with the chapter of the manual that helps; its exit code.
int report_failure(const Error& error);

/// Writes results to stdout, all of it or Error (io).
void print_result(std::string_view text);

}  // namespace gpuccl::app
