#pragma once

namespace gpuccl::app {

class CommandLine;

// One file a command. setup_* adds a command with its options and says what it runs; it opens no file.
void setup_label(CommandLine& line);
void setup_join(CommandLine& line);
void setup_bench(CommandLine& line);
void setup_compare(CommandLine& line);
void setup_contacts(CommandLine& line);
void setup_match(CommandLine& line);
void setup_generate(CommandLine& line);
void setup_view(CommandLine& line);
void setup_list(CommandLine& line);
void setup_info(CommandLine& line);

}  // namespace gpuccl::app
