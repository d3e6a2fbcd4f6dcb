#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "gpuccl/error.hpp"

namespace gpuccl::app {

/// An error that knows which file it is about.
class FileError : public Error {
 public:
  FileError(std::string path, Failure failure, const std::string& reason, int system_code = 0)
      : Error(failure, reason, system_code), path_(std::move(path)) {}
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Does `work`; what goes wrong in it is about the file `path`.
template <class Work>
decltype(auto) concerning(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    throw FileError(path, error.failure(), error.what(), error.system_code());
  } catch (const std::bad_alloc&) {
    throw FileError(path, Failure::memory, "out of memory");
  }
}

/// `text` with control characters as \xNN, so that a path or a library's words stay on one line.
std::string printable(std::string_view text);

/// "1 folder", "2 folders".
std::string counted(std::uint64_t count, const std::string& what);

/// How a path is called in messages: "-" is standard input.
std::string display_name(const std::string& path);

/// One line on stderr: "gpuccl: <line>".
void print_message(const std::string& line);
void print_warning(const std::string& line);

/// What another library threw, as one of our errors.
Error translated(const std::exception& exception);

/// Prints `error` as "gpuccl: <path>: <reason>" (without the path if it knows none); its exit code.
int report_failure(const Error& error);

/// Writes results to stdout, all of it or Error (io).
void print_result(std::string_view text);

}  // namespace gpuccl::app
