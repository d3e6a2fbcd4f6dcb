#include "app/common/messages.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "app/common/exit_code.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::app {
namespace {

/// Errno of what went wrong, 0 if everything was written.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string line;
  const auto escape = [&](unsigned char byte) { line += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]}; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte < 0x20 || byte == 0x7f) {
      escape(byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F: terminals obey them too
      escape(byte);
      escape(next);
      ++i;
    } else {
      line += text[i];
    }
  }
  return line;
}

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

// One write a line: lines of several processes on one terminal or log do not mix.
void print_message(const std::string& line) { write_all(STDERR_FILENO, "gpuccl: " + printable(line) + "\n"); }

void print_warning(const std::string& line) { print_message("warning: " + line); }

Error translated(const std::exception& exception) {
  const std::string words = exception.what();
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) return {Failure::memory, "out of memory"};
  const auto* system = dynamic_cast<const std::system_error*>(&exception);
  // oneTBB has nothing but words for it.
  if (words.starts_with("pthread_create ") ||
      (system != nullptr && system->code() == std::errc::resource_unavailable_try_again))
    return {Failure::memory, "no thread can be started (" + words + ")"};
  return {Failure::internal, "internal error (" + words + ")"};
}

int report_failure(const Error& error) {
  const auto* about = dynamic_cast<const io::FileError*>(&error);
  print_message((about != nullptr ? display_name(about->path()) + ": " : "") + error.what());
  return exit_code(error.failure());
}

void print_result(std::string_view text) {
  if (const int problem = write_all(STDOUT_FILENO, text); problem != 0)
    throw io::FileError("standard output", Failure::io,
                        std::string("cannot write (") + std::strerror(problem) + ")");
}

}  // namespace gpuccl::app
