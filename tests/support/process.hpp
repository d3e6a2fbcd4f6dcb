#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gpuccl {

/// A program to start.
struct Command {
  std::vector<std::string> words;
  std::string input = "/dev/null";  // what standard input reads
  std::string output;               // where standard output goes; "": into Ended::out
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  std::function<void()> prepare;                                 // done in the child: limits, user
};

/// How it ended.
struct Ended {
  int code = 0;  // of exit; 128 + n after death by signal n
  int signal = 0;
  long peak_kib = 0;  // most memory resident
  double cpu_ms = 0;  // of all threads, and of the system for them
  std::string out, err;
};

/// Starts, waits, collects.
Ended run(const Command& command);

/// Starts without waiting; the caller waits. What the program prints is dropped.
pid_t launch(const Command& command);

/// Starts a program, sends it `signal` as soon as its standard error has said `cue`, and waits.
Ended run_and_signal(const Command& command, const std::string& cue, int signal);

}  // namespace gpuccl
