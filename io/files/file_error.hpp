#pragma once

#include <new>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

/// An error about a file.
class FileError : public Error {
 public:
  FileError(std::string path, ErrorCode failure, const std::string& reason, int system_code = 0)
      : Error(failure, cut(reason), system_code), path_(std::move(path)) {}
  const std::string& path() const { return path_; }

 private:
  /// Shortens a reason: it may quote text from a file, which may have megabytes.
  static std::string cut(const std::string& reason) {
    constexpr std::size_t kMax = 1000, kEnd = 300;  // the end contains the remedy
    if (reason.size() <= kMax) return reason;
    return reason.substr(0, kMax - kEnd) + " ... " + reason.substr(reason.size() - kEnd);
  }

  std::string path_;
};

/// Runs `work`. Errors in it become errors about the file `path`.
template <class Work>
decltype(auto) with_path(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    throw FileError(path, error.code(), error.what(), error.system_code());
  } catch (const std::bad_alloc&) {
    throw FileError(path, ErrorCode::memory, "out of memory");
  }
}

/// A reason with the part of the input that it is about: "page 1 is 40x31 but page 0 is 40x30",
/// "page 2: strip 3 is missing".
inline std::string reason_about(const std::string& part, const std::string& reason) {
  const bool lacks_subject =
      reason.starts_with("is ") || reason.starts_with("has ") || reason.starts_with("contains ");
  return part + (lacks_subject ? " " : ": ") + reason;
}

}  // namespace gpuccl::io
