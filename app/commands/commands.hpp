#pragma once

namespace gpuccl::app {

class Command;

// One file per command; measure is in that of label. setup_* adds the options of a command and its function;
// it opens no file.
void setup_label(const Command& command);
void setup_measure(const Command& command);
void setup_join(const Command& command);
void setup_bench(const Command& command);
void setup_compare(const Command& command);
void setup_contacts(const Command& command);
void setup_match(const Command& command);
void setup_verify(const Command& command);
void setup_generate(const Command& command);
void setup_view(const Command& command);
void setup_list(const Command& command);
void setup_info(const Command& command);

}  // namespace gpuccl::app
