#include "io/files/folders.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::io {

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
    : parent_(open_again(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!parent_) throw system_error(failure_to_create(errno), "cannot open '" + parent + "'", errno);
  const Naming naming;
  if (::mkdirat(parent_.get(), name.c_str(), 0777) == 0)
    name_ = std::make_unique<TemporaryName>(parent_.get(), name, naming);
  else if (errno != EEXIST)
    throw system_error(failure_to_create(errno), "cannot create '" + parent + "/" + name + "'", errno);
}

ScopedFolder::~ScopedFolder() {
  if (!name_) return;
  const Naming naming;
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
    : folder_(open_again(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
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
