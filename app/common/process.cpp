#include "app/common/process.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <exception>

#include "app/common/messages.hpp"
#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5.hpp"

namespace gpuccl::app {
namespace {

void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // Opened the other way round, so that reading or writing it fails.
    const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) {
      ::dup2(opened, descriptor);
      ::close(opened);
    }
  }
}

std::atomic<bool> holding = false;  // while a HeldSignal exists
std::atomic<int> held = 0;
static_assert(std::atomic<int>::is_always_lock_free);

/// Only async-signal-safe calls.
void handle_signal(int signal) {
  int none = 0;
  if (!holding || !held.compare_exchange_strong(none, signal)) end_by_signal(signal);
  io::end_hdf5();  // may take long, and loses nothing
}

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  struct sigaction action {};
  action.sa_handler = handle_signal;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  // SLURM sends SIGXCPU and, if asked to, SIGUSR1 some time before it kills.
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM, SIGPROF, SIGVTALRM}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup stays nohup
  }
}

int report_what_was_thrown() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return report_failure(error);
  } catch (const std::exception& exception) {
    return report_failure(translated(exception));
  } catch (...) {
  }
  return report_failure(Error(ErrorCode::internal, "internal error"));
}

[[noreturn]] void report_and_exit() {
  const int code = report_what_was_thrown();
  io::remove_temporary_files();
  ::_exit(code);
}

/// Uses one arena of malloc if addresses are limited: an arena per thread reserves 64 MiB each.
void share_arena_where_addresses_are_few() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) ::mallopt(M_ARENA_MAX, 1);
}

/// Raises the limit of open files: each of several jobs may open dozens of files of a Zarr.
void allow_all_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void prepare_process() {
  allow_all_descriptors();
  open_standard_descriptors();
  install_signal_handlers();
  io::protect_inputs();
  std::set_terminate(report_and_exit);
  share_arena_where_addresses_are_few();
}

void end_by_signal(int signal) {
  io::remove_temporary_files();
  std::signal(signal, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

HeldSignal::HeldSignal() {
  held = 0;
  holding = true;
}

HeldSignal::~HeldSignal() { holding = false; }

int HeldSignal::number() const { return held; }

void keep_no_freed_memory() {
  constexpr int kLarge = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
  ::mallopt(M_ARENA_MAX, 1);
}

struct ThreadLimit::Control {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads)
    : control_(threads > 0 ? new Control{{tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(threads)}}
                           : nullptr) {}

ThreadLimit::~ThreadLimit() = default;

}  // namespace gpuccl::app
