#pragma once

namespace gpuccl::app {

class Command;
class CommandLine;

// Each command has a file; label and measure share one. setup_* adds the options and the function of a
// command. It opens no file.
void setup_label(const Command& command);
void setup_measure(const Command& command);
void setup_join(const Command& command);
void setup_bench(const Command& command);
void setup_compare(const Command& command);
void setup_contacts(const Command& command);
void setup_match(const Command& command);
void setup_generate(const Command& command);
void setup_view(const Command& command);
void setup_list(const Command& command);
void setup_info(const Command& command);
void setup_schema(const Command& command);
/// Completions come from `line`.
void setup_completion(const Command& command, CommandLine& line);

}  // namespace gpuccl::app
