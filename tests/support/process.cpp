#include "support/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "support/files.hpp"
#include "support/scratch_folder.hpp"

namespace gpuccl {
namespace {

void redirect(int descriptor, const std::string& path, int flags) {
  const int opened = ::open(path.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
  ::close(opened);
}

[[noreturn]] void become(const Command& command, const std::string& out, const std::string& err) {
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  redirect(STDIN_FILENO, command.input, O_RDONLY);
  redirect(STDOUT_FILENO, command.output.empty() ? out : command.output, kWrite);
  redirect(STDERR_FILENO, err, kWrite);
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (command.prepare) command.prepare();
  ::execvp(words[0], words.data());
  ::_exit(127);
}

/// Forks. A signal that comes before the child is the program must not run the handlers of this one.
template <class Child>
pid_t fork_without_handlers(Child child) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t id = ::fork();
  if (id == 0) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    child();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (id < 0) throw std::runtime_error("cannot fork");
  return id;
}

Ended wait_for(pid_t child, const std::string& out, const std::string& err) {
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  Ended ended;
  ended.peak_kib = used.ru_maxrss;
  for (const timeval& time : {used.ru_utime, used.ru_stime})
    ended.cpu_ms += static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  if (WIFSIGNALED(status)) {
    ended.signal = WTERMSIG(status);
    ended.code = 128 + ended.signal;
  } else {
    ended.code = WEXITSTATUS(status);
  }
  ended.out = read_file(out);
  ended.err = read_file(err);
  return ended;
}

Ended start(const Command& command, const std::function<void(pid_t, const std::string& err)>& meanwhile) {
  const ScratchFolder scratch;
  const std::string out = scratch / "out", err = scratch / "err";
  const pid_t child = fork_without_handlers([&] { become(command, out, err); });
  meanwhile(child, err);
  return wait_for(child, out, err);
}

}  // namespace

Ended run(const Command& command) {
  return start(command, [](pid_t, const std::string&) {});
}

pid_t launch(const Command& command) {
  return fork_without_handlers([&] { become(command, "/dev/null", "/dev/null"); });
}

Ended run_and_signal(const Command& command, const std::string& cue, int signal) {
  return start(command, [&](pid_t child, const std::string& err) {
    using namespace std::chrono_literals;
    for (int tries = 0; tries < 6000 && read_file(err).find(cue) == std::string::npos; ++tries)
      std::this_thread::sleep_for(5ms);
    ::kill(child, signal);
  });
}

}  // namespace gpuccl
