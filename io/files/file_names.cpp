#include "io/files/file_names.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::string lower_extension(const std::filesystem::path& name) {
  std::string extension = lower_case(name.extension().string());
  if (extension != ".gz") return extension;
  const std::string inner = lower_case(name.stem().extension().string());
  return inner == ".nii" || inner == ".mrc" || inner == ".map" ? inner + extension : extension;
}

std::string without_extension(const std::filesystem::path& name) {
  const std::string text = name.string();
  return text.substr(0, text.size() - lower_extension(name).size());
}

namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }

/// Cuts the digits at the front off `text` and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view rest_a = a, rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    if (is_digit(rest_a.front()) && is_digit(rest_b.front())) {
      const std::string_view number_a = take_number(rest_a), number_b = take_number(rest_b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
    } else if (rest_a.front() != rest_b.front()) {
      return static_cast<unsigned char>(rest_a.front()) < static_cast<unsigned char>(rest_b.front());
    } else {
      rest_a.remove_prefix(1);
      rest_b.remove_prefix(1);
    }
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
  return a < b;  // "z01" and "z1" are equal as numbers
}

namespace {

namespace fs = std::filesystem;

FileIdentity identity(const struct stat& status) { return {status.st_dev, status.st_ino, {}}; }

}  // namespace

FileIdentity identify(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return identity(status);

  fs::path folder = path, missing;
  do {
    folder = follow_links(folder).value_or(folder);
    missing = folder.filename() / missing;
    folder = folder.has_parent_path() && folder.parent_path() != folder ? folder.parent_path() : ".";
    if (::stat(folder.c_str(), &status) == 0)
      return {status.st_dev, status.st_ino, missing.lexically_normal().string()};
  } while (folder != ".");
  return {0, 0, path};
}

std::uint64_t bytes_of_regular_file(const std::string& path) {
  struct stat status {};
  const bool is_regular = ::stat(split_input(path).file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return is_regular ? static_cast<std::uint64_t>(status.st_size) : 0;
}

FileIdentity identify_input(const std::string& path) {
  struct stat status {};
  if (path == "-" && ::fstat(STDIN_FILENO, &status) == 0) return identity(status);
  return identify(split_input(path).file);
}

bool are_one_stream(const std::string& a, const std::string& b) {
  if (a == "-" && b == "-") return true;
  struct stat status {};
  const bool is_there = a == "-" ? ::fstat(STDIN_FILENO, &status) == 0 : ::stat(a.c_str(), &status) == 0;
  return is_there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) &&
         identify_input(a) == identify_input(b);
}

std::optional<std::filesystem::path> follow_links(
    std::filesystem::path name, const std::function<bool(const std::filesystem::path& name)>& stop) {
  constexpr int kMaxLinks = 40;  // as the kernel
  for (int links = 0; links <= kMaxLinks; ++links) {
    if (stop && stop(name)) return name;
    std::error_code problem;
    const std::filesystem::path target = std::filesystem::read_symlink(name, problem);
    if (problem) return name;  // no link, or a problem that the caller meets on opening it
    name = name.parent_path() / target;
  }
  return std::nullopt;
}

std::string reason_in_folder(const std::filesystem::path& folder, int code) {
  const bool is_allowed = ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
  return system_reason(code) +
         (code == EACCES && is_allowed
              ? ": the output folder was moved or replaced during the run; move it back, or repeat "
                "the command"
              : "");
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  std::error_code unknown;
  if (problem && !std::filesystem::is_directory(folder, unknown)) {
    std::filesystem::path parent = folder;
    while (!parent.empty() && !std::filesystem::exists(parent, unknown)) parent = parent.parent_path();
    throw FileError(folder.string(), failure_to_create(problem.value()),
                    "cannot create the folder (" + reason_in_folder(parent, problem.value()) + ")",
                    problem.value());
  }
}

ScopedFolder::ScopedFolder(const std::string& parent, const std::string& name)
    : parent_(open_retrying(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!parent_) throw system_error(failure_to_create(errno), "cannot open '" + parent + "'", errno);
  const TemporaryNameGuard naming;
  if (::mkdirat(parent_.get(), name.c_str(), 0777) == 0)
    name_ = std::make_unique<TemporaryName>(parent_.get(), name, naming);
  else if (errno != EEXIST)
    throw system_error(failure_to_create(errno), "cannot create '" + parent + "/" + name + "'", errno);
}

ScopedFolder::~ScopedFolder() {
  if (!name_) return;
  const TemporaryNameGuard naming;
  ::unlinkat(parent_.get(), name_->c_str(), AT_REMOVEDIR);
  name_.reset();
}

namespace {

constexpr int kDeepest = 64;  // the stack is bounded

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

bool remove_below(int folder, const char* name, int depth) noexcept;

/// Removes a name that is not a folder. Who owns a folder may write to it, whatever its mode is.
bool remove_file(int folder, const char* name) {
  if (::unlinkat(folder, name, 0) == 0) return true;
  return errno == EACCES && ::fchmod(folder, S_IRWXU) == 0 && ::unlinkat(folder, name, 0) == 0;
}

/// readdir() allocates: the system call behind it does not.
void remove_entries(int folder, int depth) noexcept {
  alignas(dirent64) std::array<char, 2048> entries;
  for (;;) {
    const long got = ::syscall(SYS_getdents64, folder, entries.data(), entries.size());
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      std::uint16_t length = 0;
      const char* entry = entries.data() + at;
      std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof length);
      const char* name = entry + offsetof(dirent64, d_name);
      if (!is_dots(name) && !remove_file(folder, name) && errno != ENOENT)
        remove_below(folder, name, depth + 1);
      at += length;
    }
  }
}

bool remove_below(int folder, const char* name, int depth) noexcept {
  constexpr int kTurns = 100;
  if (depth > kDeepest) return false;
  for (int turn = 0; turn < kTurns; ++turn) {
    const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return errno == ENOENT;
    remove_entries(inner, depth);
    ::close(inner);
    if (::unlinkat(folder, name, AT_REMOVEDIR) == 0) return true;
    if (errno != ENOTEMPTY && errno != EEXIST) return false;
  }
  return false;
}

}  // namespace

bool remove_tree(int folder, const char* name) noexcept { return remove_below(folder, name, 0); }

FolderLock::FolderLock(const std::string& path)
    : folder_(open_retrying(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  constexpr int kTurns = 1200, kPauseMs = 50;  // a minute: others hold it while they give files their names
  for (int turn = 0; folder_ && ::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0; ++turn) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // some file systems have no locks
    if (turn == kTurns)
      throw Error(ErrorCode::cannot_create,
                  "cannot create: another process has locked '" + path + "' for a minute");
    ::poll(nullptr, 0, kPauseMs);
  }
}

}  // namespace gpuccl::io
