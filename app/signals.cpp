#include "app/signals.hpp"

#include <csignal>

#include "io/atomic_file.hpp"

namespace gpuccl::app {
namespace {

/// Only async-signal-safe calls.
void clean_up_and_die(int signal) {
  io::remove_temporary_files();
  // SA_RESETHAND has restored the default action; the signal is delivered when the handler returns.
  ::raise(signal);
}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  struct sigaction action {};
  action.sa_handler = clean_up_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup stays nohup
  }
}

}  // namespace gpuccl::app
