#include "io/files/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/bytes_in_words.hpp"
#include "io/files/input_name.hpp"

namespace gpuccl::io {
InputFile::InputFile(const std::string& path, std::int64_t max_held) : path_(path) {
  const bool is_stdin = path == "-";
  InputName name = split_input(path);
  inside_ = std::move(name.inside);
  Descriptor descriptor = is_stdin ? Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))
                                   : open_again(name.file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (!descriptor && errno == ENOENT && path.find("://") != std::string::npos)
    throw Error(Failure::no_input, "is a URL; copy the file here first, or pipe it to -");
  if (!descriptor && errno == ENOENT && path.find_first_of("*?") != std::string::npos)
    throw Error(Failure::no_input, "no such file; the shell found no file for this pattern");
  if (!descriptor && errno == ENOENT && looks_inside(path))
    throw Error(Failure::no_input, "no such file; a dataset in a file is named as in cells.h5:/volume/raw");
  if (!descriptor) throw Error(failure_to_read(errno), system_reason(errno));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) throw Error(failure_to_read(errno), system_reason(errno));
  if (S_ISDIR(status.st_mode)) throw Error(Failure::no_input, "is a directory, not a file");
  if (S_ISREG(status.st_mode) && ::lseek(descriptor.get(), 0, SEEK_CUR) == 0) {
    descriptor_ = std::move(descriptor);
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  if (!is_stdin && !S_ISFIFO(status.st_mode)) throw Error(Failure::no_input, "neither a file nor a pipe");
  hold_all(descriptor.get(), max_held);
}

InputFile::InputFile(std::vector<std::byte> bytes) : held_(std::move(bytes)), size_(held_.size()) {}

void InputFile::hold_all(int descriptor, std::int64_t max_held) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  std::size_t filled = 0;
  for (;;) {
    if (held_.size() - filled < kPiece) {
      held_.reserve(std::max(held_.size() * 3 / 2, filled + kPiece));  // or it would double
      held_.resize(held_.capacity());
    }
    const ssize_t got = ::read(descriptor, held_.data() + filled, held_.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(Failure::io, "cannot read (" + system_reason(errno) + ")");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > static_cast<std::uint64_t>(max_held))
      throw Error(Failure::memory,
                  "more than " + bytes_in_words(static_cast<double>(max_held)) + " come from a pipe");
  }
  held_.resize(filled);
  if (filled <= static_cast<std::uint64_t>(max_held) / 2) held_.shrink_to_fit();  // which copies
  size_ = filled;
}

std::size_t InputFile::read_at(std::uint64_t offset, void* out, std::size_t count) const {
  if (offset >= size_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  if (descriptor_) return read_all_at(descriptor_.get(), out, count, offset);
  std::memcpy(out, held_.data() + offset, count);
  return count;
}

}  // namespace gpuccl::io
