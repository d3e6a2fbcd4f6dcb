// A library to be preloaded: one call of a kind that the environment names fails.
//
//   GPUCCL_FAIL=CALL:K:HOW   the K-th CALL (open, read, write, sync, close, link, rename, unlink, mkdir,
//                            list, stat, malloc, thread) fails;
//                            HOW is an errno as a number, or `short`: reads and writes move half of what is
//                            asked for; with + after it, all from the K-th on
//                            child:1:HOW: the process for libhdf5 takes a wrong turn when it is first asked
//                            for something: crash, abort, divide, loop, sleep, flood (it asks for bytes
//                            without end) or escape (opens, connects, starts and kills what it can, and says
//                            which)
//   GPUCCL_CLOCK=RATE        the steady clock runs RATE times as fast
//   GPUCCL_CALLS=FILE        how many calls of that kind there were goes there at the end
//   GPUCCL_ESCAPE=FROM:TO:AT as a reader does that hostile bytes have taken over, the first time that the
//                            file AT is read (any if it is left out): reads the file FROM, writes the file
//                            TO, and prints what it could
//
// Calls count once main() has begun, which it shows by calling signal().

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Plan {
  char call[16] = "";
  long first = 0;
  char how[16] = "";

  Plan() {
    const char* text = std::getenv("GPUCCL_FAIL");
    if (text == nullptr || std::sscanf(text, "%15[^:]:%ld:%15s", call, &first, how) != 3) call[0] = 0;
  }
  bool sticky() const { return std::strchr(how, '+') != nullptr; }
};

const Plan plan;
std::atomic<bool> begun = false;
std::atomic<long> calls = 0;
bool is_child = false;

__attribute__((constructor)) void see(int words, char** word) {
  is_child = words > 0 && std::strcmp(word[0], "gpuccl: libhdf5") == 0;
}

/// Whether this call of `name` is one that fails.
bool is_turn(const char* name) {
  if (!begun || std::strcmp(name, plan.call) != 0) return false;
  const long number = ++calls;
  return number == plan.first || (plan.sticky() && plan.first > 0 && number > plan.first);
}

bool moves_half() { return std::strncmp(plan.how, "short", 5) == 0; }

/// Sets errno. False if this call is to move half of the bytes instead.
bool fails(const char* name) {
  if (!is_turn(name) || moves_half()) return false;
  errno = std::atoi(plan.how);
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// A call that moves bytes.
template <class Move>
ssize_t move(const char* name, std::size_t count, Move all) {
  if (!is_turn(name)) return all(count);
  if (moves_half()) return all(count > 1 ? count / 2 : count);
  errno = std::atoi(plan.how);
  return -1;
}

/// Open from the beginning: a process in a sandbox can open it no more.
std::FILE* const counts =
    std::getenv("GPUCCL_CALLS") == nullptr ? nullptr : std::fopen(std::getenv("GPUCCL_CALLS"), "w");

__attribute__((destructor)) void report() {
  if (counts == nullptr) return;
  begun = false;
  std::fprintf(counts, "%ld\n", calls.load());
  std::fclose(counts);
}

/// Whether this descriptor is of the file `path`.
bool is_of(int file, const char* path) {
  char link[32], name[512];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = ::readlink(link, name, sizeof name);
  return length == static_cast<ssize_t>(std::strlen(path)) &&
         std::memcmp(name, path, static_cast<std::size_t>(length)) == 0;
}

void try_to_escape(int file) {
  static std::atomic<bool> tried = false;
  const char* const names = std::getenv("GPUCCL_ESCAPE");
  char from[512] = "", to[512] = "", at[512] = "";
  if (names == nullptr || tried) return;
  const int given = std::sscanf(names, "%511[^:]:%511[^:]:%511[^:]", from, to, at);
  if ((given == 3 && !is_of(file, at)) || tried.exchange(true)) return;
  const int read_from = next<decltype(openat)>("openat")(AT_FDCWD, from, O_RDONLY);
  const int written_to = next<decltype(openat)>("openat")(AT_FDCWD, to, O_WRONLY | O_CREAT, 0600);
  const int connected = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in nobody{};
  nobody.sin_family = AF_INET;
  nobody.sin_port = htons(9);
  nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_refused =
      ::connect(connected, reinterpret_cast<const sockaddr*>(&nobody), sizeof nobody) != 0 && errno == EACCES;
  ::dprintf(STDERR_FILENO, "escape: read %s, write %s, connect %s\n", read_from >= 0 ? "yes" : "no",
            written_to >= 0 ? "yes" : "no", connected < 0 || is_refused ? "no" : "yes");
  if (std::getenv("GPUCCL_ESCAPE_FAR") == nullptr) return;
  char environment[64];
  std::snprintf(environment, sizeof environment, "/proc/%d/environ", ::getppid());
  const bool has_read = next<decltype(openat)>("openat")(AT_FDCWD, environment, O_RDONLY) >= 0;
  const bool has_udp = ::socket(AF_INET, SOCK_DGRAM, 0) >= 0;
  const bool has_unix = ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
  const bool has_signaled = ::kill(::getppid(), 0) == 0;
  const bool has_traced =
      ::syscall(SYS_ptrace, 2 /* of memory that nobody traces */, ::getppid(), 0, 0) == 0 || errno != EPERM;
  const bool has_ring = ::syscall(SYS_io_uring_setup, 0, nullptr) >= 0 || errno != EPERM;
  ::dprintf(STDERR_FILENO, "escape: environment %d, udp %d, unix %d, signal %d, trace %d, ring %d\n",
            has_read, has_udp, has_unix, has_signaled, has_traced, has_ring);
}

/// Ways in which hostile bytes may make libhdf5 go.
[[noreturn]] void go_wrong(int socket) {
  const auto is = [](const char* how) { return std::strcmp(plan.how, how) == 0; };
  if (is("abort")) std::abort();
  static volatile int zero = 0;
  if (is("divide")) ::_exit(1 / zero);
  while (is("loop")) zero = 0;
  while (is("sleep")) {
    char none = 0;
    pollfd never{-1, 0, 0};
    if (::poll(&never, 1, 100) < 0 && ::syscall(SYS_read, socket, &none, 0) < 0) continue;
  }
  while (is("flood")) {
    const std::uint32_t read[] = {3, 16, 0, 0, 1, 0};  // the first byte of the file, again and again
    if (::syscall(SYS_write, socket, read, sizeof read) < 0) ::_exit(1);
  }
  if (is("escape")) {
    const bool has_opened = ::syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY) >= 0;
    const bool has_connected = ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
    const bool has_started = ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0;
    const bool has_killed = ::kill(::getppid(), 0) == 0;
    const std::uint32_t said[] = {
        5, 8 + 4, 1, 4,  // data
        std::uint32_t(has_opened ? 'o' : '-') | std::uint32_t(has_connected ? 'c' : '-') << 8 |
            std::uint32_t(has_started ? 's' : '-') << 16 | std::uint32_t(has_killed ? 'k' : '-') << 24};
    ::syscall(SYS_write, socket, said, sizeof said);
    ::_exit(0);
  }
  *reinterpret_cast<volatile int*>(std::uintptr_t{8}) = zero;
  std::abort();
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const char* const rate = std::getenv("GPUCCL_CLOCK");
  const int result = next<decltype(clock_gettime)>("clock_gettime")(clock, time);
  if (rate == nullptr || clock != CLOCK_MONOTONIC || result != 0) return result;
  static const std::int64_t begin = time->tv_sec * 1'000'000'000 + time->tv_nsec;
  const std::int64_t elapsed = time->tv_sec * 1'000'000'000 + time->tv_nsec - begin;
  const std::int64_t shown = begin + elapsed * std::atoi(rate);
  *time = {shown / 1'000'000'000, shown % 1'000'000'000};
  return 0;
}

void* __libc_malloc(
    std::size_t);  // NOLINT(bugprone-reserved-identifier): malloc() of glibc under another name

sighandler_t signal(int number, sighandler_t handler) noexcept {
  begun = true;
  return next<decltype(signal)>("signal")(number, handler);
}

// Small ones hardly ever fail, and oneTBB does not come back from it when one of its own does.
void* malloc(std::size_t bytes) {
  constexpr std::size_t kLarge = 4096;
  return bytes >= kLarge && fails("malloc") ? nullptr : __libc_malloc(bytes);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return fails("open") ? -1 : next<decltype(open)>("open")(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return fails("open") ? -1 : next<decltype(openat)>("openat")(folder, path, flags, mode);
}

ssize_t read(int file, void* data, std::size_t count) {
  if (is_child && file == STDERR_FILENO + 1 && std::strcmp(plan.call, "child") == 0) go_wrong(file);
  return move("read", count, [&](std::size_t n) { return next<decltype(read)>("read")(file, data, n); });
}

ssize_t pread(int file, void* data, std::size_t count, off_t offset) {
  try_to_escape(file);
  return move("read", count,
              [&](std::size_t n) { return next<decltype(pread)>("pread")(file, data, n, offset); });
}

ssize_t write(int file, const void* data, std::size_t count) {
  const auto all = [&](std::size_t n) { return next<decltype(write)>("write")(file, data, n); };
  return file == STDERR_FILENO ? all(count) : move("write", count, all);  // messages say what went wrong
}

ssize_t pwrite(int file, const void* data, std::size_t count, off_t offset) {
  return move("write", count,
              [&](std::size_t n) { return next<decltype(pwrite)>("pwrite")(file, data, n, offset); });
}

int fsync(int file) { return fails("sync") ? -1 : next<decltype(fsync)>("fsync")(file); }

int close(int file) {
  const bool failing = fails("close");
  const int code = errno;
  const int result = next<decltype(close)>("close")(file);  // the descriptor is gone in any case
  if (!failing) return result;
  errno = code;
  return -1;
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return fails("link") ? -1 : next<decltype(linkat)>("linkat")(from_folder, from, to_folder, to, flags);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return fails("rename") ? -1 : next<decltype(renameat)>("renameat")(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return fails("rename") ? -1
                         : next<decltype(renameat2)>("renameat2")(from_folder, from, to_folder, to, flags);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return fails("unlink") ? -1 : next<decltype(unlinkat)>("unlinkat")(folder, path, flags);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return fails("mkdir") ? -1 : next<decltype(mkdir)>("mkdir")(path, mode);
}

dirent* readdir(DIR* folder) { return fails("list") ? nullptr : next<decltype(readdir)>("readdir")(folder); }

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) noexcept {
  if (fails("thread")) return errno;
  return next<decltype(pthread_create)>("pthread_create")(thread, attributes, work, argument);
}

int stat(const char* path, struct stat* status) noexcept {
  return fails("stat") ? -1 : next<int(const char*, struct stat*)>("stat")(path, status);
}

int fstat(int file, struct stat* status) noexcept {
  return fails("stat") ? -1 : next<int(int, struct stat*)>("fstat")(file, status);
}

int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  return fails("stat")
             ? -1
             : next<int(int, const char*, struct stat*, int)>("fstatat")(folder, path, status, flags);
}
}
