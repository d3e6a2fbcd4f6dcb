#include "io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "gpuccl/error.hpp"

namespace gpuccl::io {
namespace {

std::string system_reason(int code) {
  std::string reason = std::generic_category().message(code);
  if (!reason.empty() && 'A' <= reason[0] && reason[0] <= 'Z')
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  return reason;
}

Failure failure_of(int code) {
  return code == EMFILE || code == ENFILE || code == EIO ? Failure::io : Failure::no_input;
}

}  // namespace

InputFile::InputFile(const std::string& path, std::int64_t max_held) {
  const bool is_stdin = path == "-";
  const int descriptor = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                  : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) throw Error(failure_of(errno), system_reason(errno));
  try {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) throw Error(Failure::no_input, system_reason(errno));
    if (S_ISDIR(status.st_mode))
      throw Error(Failure::no_input, "is a directory; --stack reads a folder of slices as one volume");
    if (S_ISREG(status.st_mode) && lseek(descriptor, 0, SEEK_CUR) == 0) {
      descriptor_ = descriptor;
      size_ = static_cast<std::uint64_t>(status.st_size);
      return;
    }
    if (!is_stdin && !S_ISFIFO(status.st_mode)) throw Error(Failure::no_input, "neither a file nor a pipe");
    hold_all(descriptor, max_held);
  } catch (...) {
    close(descriptor);
    throw;
  }
  close(descriptor);
}

InputFile::InputFile(std::vector<std::byte> bytes) : held_(std::move(bytes)), size_(held_.size()) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void InputFile::hold_all(int descriptor, std::int64_t max_held) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::size_t filled = 0;
  for (;;) {
    if (held_.size() - filled < kPiece) held_.resize(std::max(held_.size() * 3 / 2, filled + kPiece));
    const ssize_t got = ::read(descriptor, held_.data() + filled, held_.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(Failure::io, "cannot read (" + system_reason(errno) + ")");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > static_cast<std::uint64_t>(max_held))
      throw Error(Failure::memory, "more than " + std::to_string(max_held >> 20) + " MiB come from a pipe");
  }
  held_.resize(filled);
  size_ = filled;
}

std::size_t InputFile::read_at(std::uint64_t offset, void* out, std::size_t count) const {
  if (offset >= size_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  if (descriptor_ < 0) {
    std::memcpy(out, held_.data() + offset, count);
    return count;
  }
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got =
        pread(descriptor_, static_cast<char*>(out) + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(Failure::io, "cannot read (" + system_reason(errno) + ")");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace gpuccl::io
