#include "app/common/messages.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "io/files/descriptor.hpp"
#include "io/files/json.hpp"

namespace gpuccl::app {

namespace {

struct ExitCode {
  ErrorCode failure;
  int code;
  const char* reason;
};
constexpr ExitCode kExitCodes[] = {{ErrorCode::usage, 64, "wrong usage"},
                                   {ErrorCode::data, 65, "bad data"},
                                   {ErrorCode::no_input, 66, "missing"},
                                   {ErrorCode::unavailable, 69, "no GPU"},
                                   {ErrorCode::internal, 70, "internal error"},
                                   {ErrorCode::memory, 71, "out of memory"},
                                   {ErrorCode::cannot_create, 73, "cannot create"},
                                   {ErrorCode::io, 74, "reading or writing"},
                                   {ErrorCode::temporary, 75, "GPU lost"}};

}  // namespace

int exit_code(ErrorCode failure) {
  return std::find_if(std::begin(kExitCodes), std::end(kExitCodes),
                      [&](const ExitCode& known) { return known.failure == failure; })
      ->code;
}

const char* reason_of(int code) {
  return std::find_if(std::begin(kExitCodes), std::end(kExitCodes),
                      [&](const ExitCode& known) { return known.code == code; })
      ->reason;
}

int exit_code(const std::set<int>& codes) {
  if (codes.empty()) return kSuccess;
  return codes.size() == 1 ? *codes.begin() : kMixed;
}

namespace {

/// A UTF-8 character, or a byte that is not part of one.
struct Character {
  std::size_t bytes = 1;
  std::optional<char32_t> code;
};

/// Returns the first character. Overlong forms, surrogates and codes beyond Unicode are not characters.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (overlong || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return {};
  return {bytes, code};
}

/// Returns false for control characters (C0, DEL, C1: terminals obey them), line separators, and characters
/// that change the direction of text.
bool is_printable(const Character& character) {
  if (!character.code) return false;
  const char32_t code = *character.code;
  const auto within = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  return code >= 0x20 && !within(0x7f, 0x9f) && code != 0x61c && !within(0x200e, 0x200f) &&
         !within(0x2028, 0x202e) && !within(0x2066, 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string line;
  while (!text.empty()) {
    const Character next = first_character(text);
    if (is_printable(next)) {
      line += text.substr(0, next.bytes);
    } else {
      for (const char c : text.substr(0, next.bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        line += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      }
    }
    text.remove_prefix(next.bytes);
  }
  return line;
}

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

// Each line is one write, so that lines of several processes do not mix.
void print_message(const std::string& line) {
  const std::string text = "gpuccl: " + printable(line) + "\n";
  try {
    io::write_all(STDERR_FILENO, text.data(), text.size());
  } catch (const Error&) {  // no stream is left to report it to
  }
}

void print_warning(const std::string& line) { print_message("warning: " + line); }

bool RepeatedLines::is_first(const std::string& path, const std::string& line) {
  constexpr std::size_t kNamed = 3;
  Repeated& same = all_[line];
  if (++same.count == 1) return true;
  if (same.count <= 1 + kNamed) same.paths += (same.count > 2 ? ", " : "") + path;
  if (same.count == 2 + kNamed) same.paths += ", ..." + where_;
  return false;
}

std::vector<std::string> RepeatedLines::repeated(bool with_paths) const {
  std::vector<std::string> lines;
  for (const auto& [line, same] : all_)
    if (same.count > 1)
      lines.push_back("the same for " + counted(same.count - 1, "more input") +
                      (with_paths ? " (" + same.paths + ")" : "") + ": " + line);
  return lines;
}

namespace {

std::mutex counting;
std::optional<RepeatedLines> warnings_so_far;

}  // namespace

RepeatedWarnings::RepeatedWarnings() { warnings_so_far.emplace(); }

RepeatedWarnings::~RepeatedWarnings() {
  for (const std::string& line : warnings_so_far->repeated()) print_warning(line);
  warnings_so_far.reset();
}

void print_warning(const std::string& path, const std::string& line) {
  const std::lock_guard lock(counting);
  const std::string name = display_name(path);
  if (!warnings_so_far || warnings_so_far->is_first(name, line)) print_warning(name + ": " + line);
}

Error translated(const std::exception& exception) {
  const std::string words = exception.what();
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) return {ErrorCode::memory, "out of memory"};
  if (const auto* of_file = dynamic_cast<const std::filesystem::filesystem_error*>(&exception)) {
    const int code = of_file->code().value();
    return {io::failure_to_read(code),
            of_file->path1().string() + ": cannot be accessed (" + io::system_reason(code) + ")", code};
  }
  const auto* system = dynamic_cast<const std::system_error*>(&exception);
  // oneTBB reports this failure only in words.
  if (words.starts_with("pthread_create ") ||
      (system != nullptr && system->code() == std::errc::resource_unavailable_try_again))
    return {ErrorCode::memory, "cannot start a thread (" + words + ")"};
  return {ErrorCode::internal, "internal error (" + words + ")"};
}

std::optional<io::FileError> error_in(const std::string& input, const std::function<void()>& work) {
  try {
    io::with_path(input, work);
    return std::nullopt;
  } catch (const io::FileError& error) {
    return error;
  } catch (const std::exception& error) {
    const Error known = translated(error);
    return io::FileError(input, known.code(), known.what());
  }
}

int report_failure(const Error& error) {
  const auto* about = dynamic_cast<const io::FileError*>(&error);
  const char* const reference =
      error.code() == ErrorCode::memory ? "; see MEMORY USAGE in 'man gpuccl-label'" : "";
  print_message((about != nullptr ? display_name(about->path()) + ": " : "") + error.what() + reference);
  return exit_code(error.code());
}

nlohmann::ordered_json error_object(const Error& error) {
  const auto* about = dynamic_cast<const io::FileError*>(&error);
  const std::string text = error.what(), path = about == nullptr ? "" : about->path();
  const std::size_t end = std::min(text.find("; "), text.size());
  nlohmann::ordered_json object = {{"code", exit_code(error.code())},
                                   {"kind", reason_of(exit_code(error.code()))}};
  object["input"] = path.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(path);
  object["message"] = text.substr(0, end);
  object["remedy"] =
      end == text.size() ? nlohmann::ordered_json() : nlohmann::ordered_json(text.substr(end + 2));
  return object;
}

/// Prints {"error": {...}} on stdout, unless this is what failed or the command line is wrong.
static void print_error_object(const Error& error) {
  if (error.system_code() == EPIPE || error.code() == ErrorCode::usage) return;
  print_result(io::json_text(nlohmann::ordered_json{{"error", error_object(error)}}) + "\n");
}

int run_reporting(bool to_stdout, const std::function<int()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (to_stdout) print_error_object(error);
    throw;
  } catch (const std::exception& error) {
    if (to_stdout) print_error_object(translated(error));
    throw;
  }
}

void print_result(std::string_view text) {
  io::with_path("standard output", [&] { io::write_all(STDOUT_FILENO, text.data(), text.size()); });
}

constexpr const char* kEraseLine = "\r\x1b[K";

StatusLine::StatusLine(Interval interval)
    : terminal_(::isatty(STDERR_FILENO) != 0),
      interval_(terminal_ ? interval.terminal : interval.elsewhere) {}

void StatusLine::offer(const std::function<std::string()>& line) {
  const std::lock_guard lock(printing_);
  if (since_shown_.milliseconds() >= interval_) draw(line());
}

void StatusLine::show(const std::string& line) {
  const std::lock_guard lock(printing_);
  draw(line);
}

void StatusLine::message(const std::string& line) {
  const std::lock_guard lock(printing_);
  erase();
  print_message(line);
}

void StatusLine::clear() {
  const std::lock_guard lock(printing_);
  erase();
}

void StatusLine::draw(const std::string& line) {
  since_shown_.lap();
  if (!terminal_) return print_message(line);
  std::fprintf(stderr, "%sgpuccl: %s", kEraseLine, printable(line).c_str());
  shown_ = true;
}

void StatusLine::erase() {
  if (shown_) std::fputs(kEraseLine, stderr);
  shown_ = false;
}

Progress::Progress(bool wanted, const std::string& path) : subject_(display_name(path)) {
  constexpr StatusLine::Interval kRedraw{100, std::numeric_limits<double>::infinity()};
  if (wanted) line_.emplace(kRedraw);
}

void Progress::stage(const std::string& name) {
  stage_ = name;
  if (line_) line_->show(subject_ + ": " + name);
}

void Progress::share(double done) {
  if (!line_) return;
  line_->offer([&] { return fmt::format("{}: {} {} %", subject_, stage_, std::lround(100 * done)); });
}

void Progress::clear() {
  if (line_) line_->clear();
}

}  // namespace gpuccl::app
