#include "io/files/input_file.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "gpuccl/types.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {

namespace {

/// Files that were opened. A name that is a link, or another name of the file, has the same identity.
struct ProtectedInputs {
  std::mutex mutex;
  bool is_on = false;
  std::set<std::pair<std::uint64_t, std::uint64_t>> files;
};

ProtectedInputs& protected_inputs() {
  static ProtectedInputs inputs;
  return inputs;
}

void protect(const struct stat& status) {
  ProtectedInputs& inputs = protected_inputs();
  const std::lock_guard lock(inputs.mutex);
  if (inputs.is_on) inputs.files.emplace(status.st_dev, status.st_ino);
}

}  // namespace

void protect_inputs() {
  ProtectedInputs& inputs = protected_inputs();
  const std::lock_guard lock(inputs.mutex);
  inputs.is_on = true;
}

bool is_protected_input(std::uint64_t device, std::uint64_t inode) {
  ProtectedInputs& inputs = protected_inputs();
  const std::lock_guard lock(inputs.mutex);
  return inputs.files.contains({device, inode});
}

InputFile::InputFile(const std::string& path, std::int64_t max_held) : path_(path) {
  const bool is_stdin = path == "-";
  InputName name = split_input(path);
  inside_ = std::move(name.inside);
  Descriptor descriptor = is_stdin ? Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))
                                   : open_retrying(name.file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (!descriptor && errno == ENOENT && path.find("://") != std::string::npos)
    throw Error(ErrorCode::no_input, "is a URL; copy the file here first, or pipe it to -");
  if (!descriptor && errno == ENOENT && path.find_first_of("*?") != std::string::npos)
    throw Error(ErrorCode::no_input, "no such file; the shell found no file for this pattern");
  if (!descriptor && errno == ENOENT && looks_inside(path))
    throw Error(ErrorCode::no_input, "no such file; a dataset in a file is named as in cells.h5:/volume/raw");
  if (!descriptor) throw Error(failure_to_read(errno), system_reason(errno));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) throw Error(failure_to_read(errno), system_reason(errno));
  if (S_ISDIR(status.st_mode)) throw Error(ErrorCode::no_input, "is a directory, not a file");
  if (S_ISREG(status.st_mode) && ::lseek(descriptor.get(), 0, SEEK_CUR) == 0) {
    protect(status);
    descriptor_ = std::move(descriptor);
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  if (!is_stdin && !S_ISFIFO(status.st_mode)) throw Error(ErrorCode::no_input, "neither a file nor a pipe");
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
    if (got < 0) throw Error(ErrorCode::io, "cannot read (" + system_reason(errno) + ")");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > static_cast<std::uint64_t>(max_held))
      throw Error(ErrorCode::memory,
                  "more than " + bytes_in_words(static_cast<double>(max_held)) + " come from a pipe");
  }
  held_.resize(filled);
  if (filled <= static_cast<std::uint64_t>(max_held) / 2) held_.shrink_to_fit();  // which copies
  size_ = filled;
}

std::size_t InputFile::read_at(std::uint64_t offset, void* out, std::size_t count) const {
  if (offset >= size_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  if (whole_) return whole_->read_at(begin_ + offset, out, count);
  if (descriptor_) return read_all_at(descriptor_.get(), out, count, offset);
  std::memcpy(out, held_.data() + offset, count);
  return count;
}

InputName split_input(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  std::size_t at = path.find(":/");
  if (at == std::string::npos || fs::exists(fs::symlink_status(path, unknown))) return {path, ""};
  for (; at != std::string::npos; at = path.find(":/", at + 1)) {
    const std::string file = path.substr(0, at);
    const fs::file_status status = fs::status(file, unknown);
    if (fs::exists(status) && !fs::is_directory(status)) return {file, path.substr(at + 1)};
  }
  return {path, ""};
}

bool looks_inside(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  for (std::size_t at = path.find(':'); at != std::string::npos; at = path.find(':', at + 1))
    if (fs::is_regular_file(path.substr(0, at), unknown)) return true;
  return false;
}

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

/// Opens the path component by component and follows no links, without openat2() (before Linux 5.6).
Descriptor open_without_links(int folder, const fs::path& name) {
  Descriptor inner;
  for (auto part = name.begin(); part != name.end(); ++part) {
    const bool is_last = std::next(part) == name.end();
    Descriptor next(::openat(inner ? inner.get() : folder, part->c_str(),
                             static_cast<int>(kFlags) | O_NOFOLLOW | (is_last ? 0 : O_DIRECTORY)));
    if (!next && (errno == ELOOP || errno == ENOTDIR)) errno = EXDEV;
    if (!next) return next;
    inner = std::move(next);
  }
  return inner;
}

/// EXDEV: it leads out of the folder. The system looks while it opens: nothing can be exchanged in between.
Descriptor open_beneath(int folder, const std::string& name) {
  open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long opened = -1;
  for (int tries = 0; tries < 100; ++tries) {  // EAGAIN: something was renamed meanwhile
    opened = ::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how);
    if (opened >= 0 || (errno != EINTR && errno != EAGAIN)) break;
  }
  if (opened < 0 && (errno == ENOSYS || errno == EPERM)) return open_without_links(folder, name);
  return Descriptor(static_cast<int>(opened));
}

}  // namespace

std::string companion_path(const std::string& header, const std::string& name) {
  return (fs::path(header).parent_path() / name).string();
}

std::shared_ptr<const InputFile> open_companion(const std::string& header, const std::string& name,
                                                bool follow) {
  const fs::path path = name;
  const std::string shown = name.substr(0, name.find('\0'));
  const auto refuse = [&] {
    throw Error(
        ErrorCode::data,
        "its samples are in '" + shown +
            "', outside of the folder of the header; gpuccl label and measure read them with --follow");
  };
  if (header.empty() || header == "-")
    throw Error(ErrorCode::data, "its samples are in '" + shown + "'; give the header by its name");
  const bool leads_out = path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  if (name.size() != shown.size() || (leads_out && !follow)) refuse();
  const fs::path parent = fs::path(header).parent_path();
  const Descriptor folder =
      open_retrying(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!folder) throw Error(failure_to_read(errno), system_reason(errno));
  Descriptor file = follow ? Descriptor(::openat(folder.get(), name.c_str(), static_cast<int>(kFlags)))
                           : open_beneath(folder.get(), name);
  if (!file && errno == EXDEV) refuse();
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Error(ErrorCode::no_input, "its samples are missing: no file " + shown + " next to it");
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  return std::make_shared<const InputFile>(std::move(file), bytes);
}

constexpr std::size_t kHeaderPiece = std::size_t{1} << 12;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 22;

std::optional<std::string> HeaderLines::next() {
  std::size_t end = waiting_.find('\n');
  while (end == std::string::npos) {
    if (position_ + waiting_.size() > kMaxBytes) throw Error(ErrorCode::data, "its header does not end");
    const std::size_t had = waiting_.size();
    waiting_.resize(had + kHeaderPiece);
    waiting_.resize(had + file_.read_at(position_ + had, waiting_.data() + had, kHeaderPiece));
    if (waiting_.size() == had) break;
    end = waiting_.find('\n', had);
  }
  if (waiting_.empty()) return std::nullopt;
  const std::size_t length = end == std::string::npos ? waiting_.size() : end;
  std::string line = waiting_.substr(0, length);
  const std::size_t taken = end == std::string::npos ? length : length + 1;
  waiting_.erase(0, taken);
  position_ += taken;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

}  // namespace gpuccl::io
