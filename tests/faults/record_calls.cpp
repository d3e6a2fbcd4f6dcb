// A library to be preloaded: records the calls that change files below a folder, for replay.py.
//
//   GPUCCL_RECORD=LOG   receives a line for each call that has succeeded, in their order
//   GPUCCL_BELOW=PATH   the folder, without links
//
// Fields are separated by tabs, data is in hexadecimal digits, files are known by their inodes:
//   create INODE PATH|-    - for a file without a name
//   write INODE OFFSET DATA
//   truncate INODE SIZE
//   sync INODE             of a file or folder
//   syncfs                 of all
//   link INODE PATH
//   mkdir INODE PATH
//   rename FROM TO, exchange PATH PATH, unlink PATH, rmdir PATH

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

/// Open from the beginning: a process in a sandbox cannot open it.
const int kLog = std::getenv("GPUCCL_RECORD") == nullptr
                     ? -1
                     : static_cast<int>(::syscall(SYS_openat, AT_FDCWD, std::getenv("GPUCCL_RECORD"),
                                                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
const std::string kBelow = std::getenv("GPUCCL_BELOW") == nullptr ? "" : std::getenv("GPUCCL_BELOW");

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string link_of(const std::string& link) {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return length < 0 ? "" : std::string(path.data(), static_cast<std::size_t>(length));
}

std::string path_of(int folder, const char* name) {
  if (name[0] == '/') return name;
  const std::string in =
      link_of(folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder));
  return std::strcmp(name, ".") == 0 ? in : in + "/" + name;
}

bool is_below(const std::string& path) { return path == kBelow || path.starts_with(kBelow + "/"); }

/// The name of a descriptor, also of a file without one.
bool is_below(int file) { return is_below(link_of("/proc/self/fd/" + std::to_string(file))); }

std::string inode_of(int file) {
  struct stat status {};
  ::fstat(file, &status);
  return std::to_string(status.st_ino);
}

void record(const std::string& line) {
  const std::string whole = line + "\n";
  if (::syscall(SYS_write, kLog, whole.data(), whole.size()) != static_cast<long>(whole.size())) std::abort();
}

template <class Result>
Result recorded(Result result, bool is_wanted, const std::string& line) {
  if (result == 0 && is_wanted) record(line);
  return result;
}

void record_write(int file, const void* data, ssize_t bytes, off_t offset) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (kLog < 0 || bytes <= 0 || file == kLog || !is_below(file)) return;
  std::string line = "write\t" + inode_of(file) + "\t" + std::to_string(offset) + "\t";
  for (const auto* byte = static_cast<const unsigned char*>(data); bytes > 0; --bytes, ++byte) {
    line += kDigits[*byte >> 4];
    line += kDigits[*byte & 15];
  }
  record(line);
}

int record_open(int file, int folder, const char* path, int flags) {
  const bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  const bool changes = is_unnamed || (flags & (O_CREAT | O_TRUNC)) != 0;
  if (kLog < 0 || file < 0 || !changes || !is_below(file)) return file;
  record("create\t" + inode_of(file) + "\t" + (is_unnamed ? "-" : path_of(folder, path)));
  return file;
}

mode_t mode_in(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_in(flags, more);
  va_end(more);
  return record_open(next<decltype(open)>("open")(path, flags, mode), AT_FDCWD, path, flags);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_in(flags, more);
  va_end(more);
  return record_open(next<decltype(openat)>("openat")(folder, path, flags, mode), folder, path, flags);
}

ssize_t write(int file, const void* data, std::size_t count) {
  const off_t at = ::lseek(file, 0, SEEK_CUR);
  const ssize_t written = next<decltype(write)>("write")(file, data, count);
  if (at >= 0) record_write(file, data, written, at);
  return written;
}

ssize_t pwrite(int file, const void* data, std::size_t count, off_t offset) {
  const ssize_t written = next<decltype(pwrite)>("pwrite")(file, data, count, offset);
  record_write(file, data, written, offset);
  return written;
}

int ftruncate(int file, off_t size) noexcept {
  return recorded(next<decltype(ftruncate)>("ftruncate")(file, size), is_below(file),
                  "truncate\t" + inode_of(file) + "\t" + std::to_string(size));
}

int fsync(int file) {
  return recorded(next<decltype(fsync)>("fsync")(file), is_below(file), "sync\t" + inode_of(file));
}

int syncfs(int file) noexcept {
  return recorded(next<decltype(syncfs)>("syncfs")(file), is_below(file), "syncfs");
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  const int result = next<decltype(linkat)>("linkat")(from_folder, from, to_folder, to, flags);
  const std::string path = path_of(to_folder, to);
  if (result != 0 || !is_below(path)) return result;
  struct stat status {};
  ::fstatat(to_folder, to, &status, AT_SYMLINK_NOFOLLOW);
  record("link\t" + std::to_string(status.st_ino) + "\t" + path);
  return result;
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  const std::string before = path_of(from_folder, from), after = path_of(to_folder, to);
  return recorded(next<decltype(renameat)>("renameat")(from_folder, from, to_folder, to), is_below(after),
                  "rename\t" + before + "\t" + after);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  const std::string before = path_of(from_folder, from), after = path_of(to_folder, to);
  const char* const name = (flags & RENAME_EXCHANGE) != 0 ? "exchange\t" : "rename\t";
  return recorded(next<decltype(renameat2)>("renameat2")(from_folder, from, to_folder, to, flags),
                  is_below(after), name + before + "\t" + after);
}

int rename(const char* from, const char* to) noexcept { return ::renameat(AT_FDCWD, from, AT_FDCWD, to); }

int unlinkat(int folder, const char* name, int flags) noexcept {
  const std::string path = path_of(folder, name);
  return recorded(next<decltype(unlinkat)>("unlinkat")(folder, name, flags), is_below(path),
                  ((flags & AT_REMOVEDIR) != 0 ? "rmdir\t" : "unlink\t") + path);
}

int unlink(const char* path) noexcept { return ::unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) noexcept { return ::unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char* path) noexcept {
  const int result = ::unlink(path);
  return result != 0 && errno == EISDIR ? ::rmdir(path) : result;
}

int mkdirat(int folder, const char* name, mode_t mode) noexcept {
  const int result = next<decltype(mkdirat)>("mkdirat")(folder, name, mode);
  const std::string path = path_of(folder, name);
  if (result != 0 || !is_below(path)) return result;
  struct stat status {};
  ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW);
  record("mkdir\t" + std::to_string(status.st_ino) + "\t" + path);
  return result;
}

int mkdir(const char* path, mode_t mode) noexcept { return ::mkdirat(AT_FDCWD, path, mode); }
}
