#pragma once

#include <cstddef>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

/// An open file descriptor, closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }
  int release();
  /// Closes now. Returns false, with errno set, if the system reports an error.
  bool close();

 private:
  int value_;
};

/// Writes all bytes, in as many system calls as needed. Error with ErrorCode::io.
void write_all(int descriptor, const void* data, std::size_t bytes);
/// Writes all bytes at an offset.
void write_all_at(int descriptor, const void* data, std::size_t bytes, std::size_t offset);

/// Reads `bytes` bytes, fewer only at the end of the file, and returns how many. Error with ErrorCode::io.
std::size_t read_all_at(int descriptor, void* data, std::size_t bytes, std::size_t offset);

/// Calls open() until no signal interrupts it.
Descriptor open_retrying(const char* path, int flags);

/// The error of a system call that left `code` in errno: "<what>: no space left on device".
Error system_error(ErrorCode failure, const std::string& what, int code);

/// Return the failure for an errno value: of an input, and of an output.
ErrorCode failure_to_read(int code);
ErrorCode failure_to_create(int code);

/// Returns the descriptor of this process that `path` names (/dev/stdout, /dev/fd/3, a link to them), or -1.
/// A file of such a name must be written to, not replaced.
int descriptor_named(const std::string& path);

/// Returns the meaning of errno value `code` in lower case: "no space left on device".
std::string system_reason(int code);

}  // namespace gpuccl::io
