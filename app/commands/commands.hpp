#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace gpuccl::app {

/// The work of the command that was asked for; returns the exit code or throws.
using Run = std::function<int()>;

// One file a command. setup_* adds a command with its options, opens no file, and sets `run` when the command
// line names it.
void setup_label(CLI::App& app, Run& run);
void setup_bench(CLI::App& app, Run& run);
void setup_compare(CLI::App& app, Run& run);
void setup_generate(CLI::App& app, Run& run);
void setup_list(CLI::App& app, Run& run);
void setup_info(CLI::App& app, Run& run);

}  // namespace gpuccl::app
