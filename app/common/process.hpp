#pragma once

#include <memory>

namespace gpuccl::app {

/// Call it first. If standard input, output or error is closed, replaces it by a descriptor that fails, so
/// that no output file gets its number and receives messages. Signals that end a program remove unfinished
/// outputs and then end the program by this signal, as the caller expects. SIGPIPE and SIGXFSZ are ignored:
/// the write fails and is reported like any other, but a pipe without a reader ends the program by SIGPIPE.
/// An exception that no caller can catch, such as one of a oneTBB thread that cannot start another, ends the
/// program as any other failure does: with one line, its exit code and no unfinished outputs.
void prepare_process();

/// Removes unfinished outputs and ends the program by `signal`, as if nothing handled it.
[[noreturn]] void end_by_signal(int signal);

/// While one exists, the first SIGINT, SIGTERM or SIGHUP is only remembered; the second ends the program.
class HeldSignal {
 public:
  HeldSignal();
  ~HeldSignal();
  HeldSignal(const HeldSignal&) = delete;
  HeldSignal& operator=(const HeldSignal&) = delete;

  /// Returns the signal; 0 if there was none.
  int number() const;
};

/// From now on, freed memory goes back to the system or to the next allocation of any thread. Needed for a
/// memory limit: otherwise every thread keeps up to 64 MiB of its own.
void keep_no_freed_memory();

/// Limits the number of threads of parallel work during its lifetime.
class ThreadLimit {
 public:
  /// `threads`: 0 means no limit.
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace gpuccl::app
