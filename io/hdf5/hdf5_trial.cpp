#include "io/hdf5/hdf5_trial.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "gpuccl/error.hpp"
#include "io/files/descriptor.hpp"
#include "io/hdf5/hdf5_library.hpp"

namespace gpuccl::io {

void try_hdf5(const std::function<void()>& work) {
  constexpr rlimit kLongest = {20, 20};  // seconds of a processor; some damage is gone round without end
  const pid_t child = ::fork();
  if (child < 0) throw Error(Failure::memory, "cannot start a process (" + system_reason(errno) + ")");
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGXCPU})
      ::signal(signal, SIG_DFL);
    ::setrlimit(RLIMIT_CPU, &kLongest);
    Hdf5Lock::leave_out();  // there are no other threads here, and the lock is of the one that began
    try {
      work();
    } catch (...) {
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return;
  if (status != 0) throw Error(Failure::data, "damaged (libhdf5 fails on it)");
}

}  // namespace gpuccl::io
