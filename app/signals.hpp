#pragma once

namespace gpuccl::app {

/// SIGINT, SIGTERM and SIGHUP remove unfinished outputs and then end the program as if there were no handler,
/// so that the caller sees death by that signal. SIGPIPE and SIGXFSZ are ignored: the write that meets them
/// fails and is reported like any other.
void install_signal_handlers();

}  // namespace gpuccl::app
