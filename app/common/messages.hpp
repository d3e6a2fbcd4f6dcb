#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::app {

/// Exit codes of the program, in addition to those of failures (sysexits, all below 126).
inline constexpr int kSuccess = 0;
inline constexpr int kDifferent = 1;  // `compare` found a difference
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

/// Returns the name of a device in --device and in reports.
inline const char* device_name(DeviceKind device) { return device == DeviceKind::cuda ? "cuda" : "cpu"; }

/// Print one line on stderr: "gpuccl: <line>".
void print_message(const std::string& line);
void print_warning(const std::string& line);
/// Warns about the file `path`.
void print_warning(const std::string& path, const std::string& line);

/// Lines about inputs, of which many may have the same.
class RepeatedLines {
 public:
  /// `where`: what lists all inputs, for lines that do not.
  explicit RepeatedLines(std::string where = "") : where_(std::move(where)) {}

  /// Counts a line. Returns whether it is the first of its kind.
  bool is_first(const std::string& path, const std::string& line);
  /// Returns a line for each one that several inputs have, with the paths of some after the first.
  std::vector<std::string> repeated(bool with_paths = true) const;

 private:
  struct Repeated {
    std::size_t count = 0;
    std::string paths;
  };

  std::string where_;
  std::map<std::string, Repeated> all_;
};

/// While one lives, a warning is printed for the first file only. In the end a line names some other files.
class RepeatedWarnings {
 public:
  RepeatedWarnings();
  ~RepeatedWarnings();
  RepeatedWarnings(const RepeatedWarnings&) = delete;
  RepeatedWarnings& operator=(const RepeatedWarnings&) = delete;
};

/// Receives a warning about the file `path`.
using WarnAbout = std::function<void(const std::string& path, const std::string& line)>;

/// Converts an exception of another library to an Error.
Error translated(const std::exception& exception);

/// Runs `work` and returns what it throws, lack of memory included, as an error of `input`. So a failure of
/// one of several inputs does not end the others.
std::optional<io::FileError> error_in(const std::string& input, const std::function<void()>& work);

/// Prints `error` as "gpuccl: <path>: <reason>" (without the path if it has none), with a reference to the
/// manual if memory was short. Returns its exit code.
int report_failure(const Error& error);

/// Returns an error as {"code", "kind", "input", "message", "remedy"}.
nlohmann::ordered_json error_object(const Error& error);

/// Runs `work` and returns its exit code. If the report goes to standard output, what it throws goes there,
/// too, but for wrong usage: {"error": error_object()}.
int run_reporting(bool to_stdout, const std::function<int()>& work);

/// Writes all of `text` to stdout. Error (io).
void print_result(std::string_view text);

/// Returns "0.1.0".
std::string version();
/// Returns the commit of this build; "" if it was not built from a clone.
std::string commit();
/// Returns "gpuccl 0.1.0 (commit 0123abc)".
std::string version_line();

/// Measures milliseconds since its construction or the last lap().
class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }
  double lap() {
    const double elapsed = milliseconds();
    start_ = Clock::now();
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Progress line on standard error: updated in place on a terminal, printed now and then otherwise.
/// Thread-safe.
class StatusLine {
 public:
  /// Minimum time between two offered lines, in milliseconds; infinity: never.
  struct Interval {
    double terminal;
    double elsewhere;
  };

  explicit StatusLine(Interval interval);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Calls and shows `line`, unless the previous line was shown too recently.
  void offer(const std::function<std::string()>& line);
  void show(const std::string& line);
  /// Prints "gpuccl: <line>", which stays.
  void message(const std::string& line);
  /// Erases the line.
  void clear();

 private:
  void draw(const std::string& line);
  void erase();

  bool terminal_;
  double interval_;
  bool shown_ = false;
  std::mutex printing_;
  Stopwatch since_shown_;
};

/// Progress of a file on stderr: one line per stage, on a terminal with the share that is done.
class Progress {
 public:
  Progress(bool wanted, const std::string& path);

  void stage(const std::string& name);
  /// Sets the completed fraction of the stage, 0 to 1. Thread-safe, and cheap to call often.
  void share(double done);
  /// Erases the line, so that a message can be printed.
  void clear();

 private:
  std::string subject_;
  std::string stage_;
  std::optional<StatusLine> line_;  // if it is wanted
};

}  // namespace gpuccl::app
