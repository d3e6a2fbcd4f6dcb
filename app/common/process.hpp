#pragma once

#include <memory>

namespace gpuccl::app {

/// Called first of all. Of standard input, output and error those that are closed become descriptors that
/// fail, so that no output gets their numbers, and with them messages. SIGINT, SIGTERM and SIGHUP remove
/// unfinished outputs and then end the program as if there were no handler, so that the caller sees death by
/// that signal. SIGPIPE and SIGXFSZ are ignored: the write that meets them fails and is reported like any
/// other, but a pipe without a reader ends the program by SIGPIPE. What no caller can catch, as when a thread
/// of oneTBB cannot start another one, ends as any other failure does: with one line, its exit code and no
/// unfinished outputs.
void prepare_process();

/// Removes unfinished outputs and ends the program by `signal`, as if nothing handled it.
[[noreturn]] void end_by_signal(int signal);

/// While one exists, the first SIGINT, SIGTERM or SIGHUP is only remembered, so that
/// work can end in order; the second ends the program.
class HeldSignal {
 public:
  HeldSignal();
  ~HeldSignal();
  HeldSignal(const HeldSignal&) = delete;
  HeldSignal& operator=(const HeldSignal&) = delete;

  /// 0: none has come.
  int number() const;
};

/// From now on memory that is freed goes back to the system or to the next allocation of any thread. For a
/// bound on memory: otherwise every thread keeps up to 64 MiB of its own.
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
