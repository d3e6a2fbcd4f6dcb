#include "io/files/remove_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpuccl::io {
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

}  // namespace gpuccl::io
