#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "gpuccl/types.hpp"
#include "io/files/system_calls.hpp"
#include "io/hdf5/hdf5_connection.hpp"
#include "io/hdf5/hdf5_library.hpp"

namespace gpuccl::io {
namespace {

constexpr const char* kName = "gpuccl: libhdf5";  // first argument of this process
constexpr int kSocket = STDERR_FILENO + 1;
constexpr int kSeconds = 3600;  // of processor time; the program kills it earlier

// A sanitizer reserves terabytes of addresses and makes calls of its own.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHasSanitizer = true;
#elif defined(__has_feature)
constexpr bool kHasSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kHasSanitizer = false;
#endif

pid_t parent = 0;

/// Closes descriptors from `first` on, also where the system has no call for that (before Linux 5.9).
void close_from(unsigned first) {
  if (::close_range(first, ~0U, 0) == 0) return;
  constexpr rlim_t kMax = 1 << 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = kMax;
  const auto end = static_cast<unsigned>(std::min(limit.rlim_cur, kMax));
  for (unsigned file = first; file < end; ++file) ::close(static_cast<int>(file));
}

/// Ends a working process whose parent has ended. A process that waits for a request ends with the socket.
void look_for_parent(int) {
  if (::getppid() != parent) ::_exit(1);
}

void limit(int resource, rlim_t most) {
  const rlimit limits = {most, most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

/// Allows `memory` bytes in addition to those of libraries. In the sandbox of its parent, this process cannot
/// read the size of its address space. Then its data is limited, with libraries.
void limit_memory(rlim_t memory) {
  constexpr rlim_t kOfLibraries = rlim_t{32} << 20;
  std::array<char, 64> text{};
  const Descriptor statm = open_retrying("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (!statm || ::read(statm.get(), text.data(), text.size() - 1) <= 0)
    return limit(RLIMIT_DATA, kOfLibraries + memory);
  const rlim_t pages = std::strtoull(text.data(), nullptr, 10);
  limit(RLIMIT_AS, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + memory);
}

/// Makes all system calls fail, except those for computing and for the socket.
void forbid_other_calls() {
  constexpr std::array kCalls = {
      __NR_read,           __NR_write,       __NR_mmap,          __NR_munmap,         __NR_mremap,
      __NR_mprotect,       __NR_madvise,     __NR_brk,           __NR_futex,          __NR_rt_sigreturn,
      __NR_getppid,        __NR_exit,        __NR_clock_gettime, __NR_exit_group,     __NR_gettimeofday,
      __NR_rt_sigprocmask, __NR_sched_yield, __NR_getrandom,     __NR_restart_syscall};
  restrict_system_calls(kCalls, ListedCalls::allowed);
}

/// Gives up all files, time, memory and calls that it does not need, before it sees a byte of the file.
void isolate(std::int64_t memory) {
  close_from(kSocket + 1);
  // Readers of the program's output must not wait for this process.
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::dup2(nothing, standard) < 0) ::close(standard);
  limit(RLIMIT_FSIZE, 0);
  // 1 also prevents cores that are piped to a program (core_pattern), which 0 does not.
  limit(RLIMIT_CORE, 1);
  limit(RLIMIT_CPU, kSeconds);
  struct sigaction look {};
  look.sa_handler = look_for_parent;
  look.sa_flags = SA_RESTART;
  ::sigaction(SIGPROF, &look, nullptr);
  constexpr itimerval kOften = {{0, 100000}, {0, 100000}};
  ::setitimer(ITIMER_PROF, &kOften, nullptr);
  try {
    h5();
  } catch (const Error&) {  // reported in the answer to the first request
  }
  if (kHasSanitizer) return;
  limit_memory(static_cast<rlim_t>(memory));
  forbid_other_calls();
}

/// Serves libhdf5 if this process was started for it, in any program. Runs before main(), when there are no
/// threads and no options have been read.
[[gnu::constructor]] void be_child(int words, char** word) {
  if (words != 3 || std::strcmp(word[0], kName) != 0) return;
  parent = static_cast<pid_t>(std::strtol(word[1], nullptr, 10));
  isolate(std::strtoll(word[2], nullptr, 10));
  look_for_parent(0);
  serve_hdf5(kSocket);
  ::_exit(0);
}

[[noreturn]] void refuse_to_start(int code) {
  throw Error(ErrorCode::memory, "cannot start a process for libhdf5 (" + system_reason(code) + ")", code);
}

/// Options of the start: default signals, and a process group of its own, which gets none of the terminal.
class SpawnOptions {
 public:
  explicit SpawnOptions(int socket) {
    ::posix_spawn_file_actions_init(&actions_);
    failed_ = ::posix_spawn_file_actions_adddup2(&actions_, socket, kSocket);
    ::posix_spawnattr_init(&attributes_);
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnOptions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;

  /// Returns an error code, or 0.
  int spawn(pid_t& process, char* const* words) const {
    if (failed_ != 0) return failed_;
    return ::posix_spawn(&process, "/proc/self/exe", &actions_, &attributes_, words, environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  int failed_ = 0;  // error code
};

}  // namespace

Hdf5Child::Hdf5Child(std::int64_t memory) {
  constexpr std::int64_t kMin = std::int64_t{64} << 20, kMax = 4 * kMin;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse_to_start(errno);
  socket_ = Descriptor(ends[0]);
  const Descriptor of_child(ends[1]);
  std::string name = kName, own = std::to_string(::getpid()),
              bytes = std::to_string(std::clamp(memory, kMin, kMax));
  const std::array<char*, 4> words = {name.data(), own.data(), bytes.data(), nullptr};
  if (const int code = SpawnOptions(of_child.get()).spawn(process_, words.data()); code != 0) {
    process_ = 0;
    refuse_to_start(code);
  }
}

Hdf5Child::~Hdf5Child() { end(); }

void Hdf5Child::end() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
}

}  // namespace gpuccl::io
