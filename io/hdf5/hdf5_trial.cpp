#include "io/hdf5/hdf5_trial.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"
#include "io/hdf5/hdf5_library.hpp"

namespace gpuccl::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSeconds = 20;  // by the clock; some damage is gone round without end
constexpr char kDone = '1';
std::atomic<bool> are_to_end = false;

/// Returns the bytes of writable memory of this process, including untouched pages.
rlim_t data_bytes() {
  constexpr int kField = 5;  // of /proc/self/statm
  std::array<char, 256> text{};
  const Descriptor statm = open_again("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (!statm || ::read(statm.get(), text.data(), text.size() - 1) <= 0) return 0;
  const char* at = text.data();
  for (int field = 0; field < kField && at != nullptr; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at, nullptr, 10) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// Closes descriptors [first, last], also where the system has no call for that (before Linux 5.9).
void close_all(unsigned first, unsigned last) {
  if (::close_range(first, last, 0) == 0) return;
  constexpr rlim_t kMost = 1 << 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = kMost;
  const auto end = static_cast<unsigned>(std::min(limit.rlim_cur, kMost));
  for (unsigned file = first; file < end && file <= last; ++file) ::close(static_cast<int>(file));
}

/// Isolates the child from the parent: it may be killed at any time, and it reads hostile bytes.
void isolate(pid_t parent, int input, int to_parent, std::int64_t memory) {
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGXCPU, SIGUSR1, SIGUSR2})
    ::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it has ended before that
  constexpr rlimit kNone = {0, 0}, kLongest = {kSeconds, kSeconds};
  // With 1 there is no core file, and none is piped to a program (core_pattern), which 0 does not prevent.
  constexpr rlimit kNoCore = {1, 1};
  constexpr std::int64_t kLibrary = std::int64_t{64}
                                    << 20;  // what libhdf5 takes itself, whatever --memory is
  const rlim_t most = data_bytes() + static_cast<rlim_t>(std::max(memory, kLibrary));
  const rlimit data = {most, most};
  ::setrlimit(RLIMIT_DATA, &data);
  ::setrlimit(RLIMIT_CORE, &kNoCore);
  ::setrlimit(RLIMIT_FSIZE, &kNone);
  ::setrlimit(RLIMIT_CPU, &kLongest);
  // Readers of the program's output must not wait for the child, and it needs no other inputs.
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (standard != input && nothing >= 0) ::dup2(nothing, standard);
  std::array<int, 2> kept = {input, to_parent};
  std::sort(kept.begin(), kept.end());
  unsigned first = STDERR_FILENO + 1;
  for (const int one : kept) {
    if (one < static_cast<int>(first)) continue;
    if (static_cast<unsigned>(one) > first) close_all(first, static_cast<unsigned>(one) - 1);
    first = static_cast<unsigned>(one) + 1;
  }
  close_all(first, ~0U);
}

/// Waits until the child has said that it is done, or ends, or its time is over, or trials are to end: then
/// false.
bool wait_for(int from_child, bool& is_done) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(kSeconds);
  for (;;) {
    constexpr std::int64_t kLookMs = 100;
    const std::int64_t left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || are_to_end) return false;
    pollfd waiting{from_child, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(left, kLookMs)));
    if (ready == 0) continue;
    if (ready < 0 && errno == EINTR) continue;
    char said = 0;
    const ssize_t got = ::read(from_child, &said, 1);
    if (got < 0 && errno == EINTR) continue;
    is_done = got == 1 && said == kDone;
    return true;
  }
}

}  // namespace

void try_hdf5(int input, std::int64_t memory, const std::function<void()>& work) {
  const auto end_if_asked = [] {
    if (are_to_end) throw Error(Failure::io, "was not read, because the program was interrupted");
  };
  end_if_asked();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(Failure::memory, "cannot start a process (" + system_reason(errno) + ")", errno);
  const Descriptor from_child(ends[0]);
  Descriptor to_parent(ends[1]);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) throw Error(Failure::memory, "cannot start a process (" + system_reason(errno) + ")", errno);
  if (child == 0) {
    isolate(parent, input, to_parent.get(), memory);
    Hdf5Lock::leave_out();  // there are no other threads here, and the lock is of the one that began
    try {
      work();
    } catch (...) {
    }
    const bool is_said = ::write(to_parent.get(), &kDone, 1) == 1;
    ::_exit(is_said ? 0 : 1);
  }
  to_parent.close();
  bool is_done = false;
  const bool is_in_time = wait_for(from_child.get(), is_done);
  if (!is_in_time) ::kill(child, SIGKILL);
  // The child's message shows how it ended: if SIGCHLD is ignored, the system does not report it.
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!is_in_time) end_if_asked();
  if (!is_in_time)
    throw Error(Failure::data, "libhdf5 did not find its samples within " + std::to_string(kSeconds) +
                                   " s; copy them to another file, for example with h5repack");
  if (!is_done) throw Error(Failure::data, "damaged (libhdf5 fails on it)");
}

void end_hdf5_trials() noexcept { are_to_end = true; }

}  // namespace gpuccl::io
