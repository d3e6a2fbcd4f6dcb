#include "io/files/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/files/file_names.hpp"

namespace gpuccl::io {
namespace {

/// `write_some(data, bytes)` until nothing is left: calls may be interrupted or write less than asked for.
template <class WriteSome>
void write_until_done(const void* data, std::size_t bytes, WriteSome write_some) {
  const char* position = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write_some(position, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(ErrorCode::io, "cannot write", errno);
    if (written == 0) throw Error(ErrorCode::io, "cannot write: the device accepted 0 bytes");
    position += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

Descriptor::~Descriptor() { close(); }

int Descriptor::release() { return std::exchange(value_, -1); }

bool Descriptor::close() {
  const int value = release();
  return value < 0 || ::close(value) == 0 || errno == EINTR;  // Linux has closed it even when interrupted
}

void write_all(int descriptor, const void* data, std::size_t bytes) {
  write_until_done(data, bytes,
                   [=](const char* from, std::size_t n) { return ::write(descriptor, from, n); });
}

void write_all_at(int descriptor, const void* data, std::size_t bytes, std::size_t offset) {
  write_until_done(data, bytes,
                   [=, at = static_cast<off_t>(offset)](const char* from, std::size_t n) mutable {
                     const ssize_t written = ::pwrite(descriptor, from, n, at);
                     if (written > 0) at += written;
                     return written;
                   });
}

std::size_t read_all_at(int descriptor, void* data, std::size_t bytes, std::size_t offset) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::pread(descriptor, static_cast<char*>(data) + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(ErrorCode::io, "cannot read (" + system_reason(errno) + ")", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Descriptor open_retrying(const char* path, int flags) {
  int opened = -1;
  do opened = ::open(path, flags);
  while (opened < 0 && errno == EINTR);
  return Descriptor(opened);
}

Error system_error(ErrorCode failure, const std::string& what, int code) {
  return {failure, what + ": " + system_reason(code), code};
}

ErrorCode failure_to_read(int code) {
  if (code == ENOMEM) return ErrorCode::memory;
  return code == EMFILE || code == ENFILE || code == EIO ? ErrorCode::io : ErrorCode::no_input;
}

ErrorCode failure_to_create(int code) {
  if (code == ENOMEM) return ErrorCode::memory;
  return code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO ? ErrorCode::io
                                                                          : ErrorCode::cannot_create;
}

int descriptor_named(const std::string& path) {
  namespace fs = std::filesystem;
  struct stat descriptors {
  }, status{};
  if (::stat("/proc/self/fd", &descriptors) != 0) return -1;
  int descriptor = -1;
  follow_links(path, [&](const fs::path& name) {
    const fs::path folder = name.has_parent_path() ? name.parent_path() : ".";
    if (::stat(folder.c_str(), &status) != 0 || status.st_dev != descriptors.st_dev) return false;
    std::error_code problem;
    if (fs::canonical(folder, problem) != "/proc/" + std::to_string(::getpid()) + "/fd" || problem)
      return false;
    const std::string number = name.filename().string();
    std::from_chars(number.data(), number.data() + number.size(), descriptor);
    return true;
  });
  return descriptor;
}

std::string system_reason(int code) {
  std::string text = std::generic_category().message(code);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace gpuccl::io
