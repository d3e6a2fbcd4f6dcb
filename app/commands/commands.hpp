#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/option_helpers.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/text_stream.hpp"
#include "io/parts/part_writer.hpp"

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

/// A text that a command writes: to a file, which gets its name when it is complete, or to a stream ("-").
/// Without a path there is no output, and its functions do nothing.
class TextOutput {
 public:
  /// Opens `path`. `is_ours` recognizes a text of gpuccl by its first bytes; other existing texts are
  /// replaced only if the options say so. FileError (cannot_create).
  TextOutput(const std::string& path, const OutputOptions& options, bool (*is_ours)(std::string_view));

  /// Returns whether there is an output.
  explicit operator bool() const { return !name_.empty(); }
  /// FileError (io).
  void write(std::string_view text);
  /// Gives files their names, those of `files` first: all, or if that fails none. FileError (io,
  /// cannot_create).
  static void commit_together(std::initializer_list<TextOutput*> outputs,
                              const std::vector<io::SharedFile>& files = {});

 private:
  std::string name_;
  std::optional<io::TextStream> stream_;
  std::optional<io::AtomicFile> file_;
};

}  // namespace gpuccl::app
