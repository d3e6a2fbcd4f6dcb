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

namespace gpuccl::app {

/// A text that a command writes: to a file, which gets its name when it is complete, or to a stream ("-").
class TextOutput {
 public:
  /// Opens `path`. `is_ours` tells from the first bytes whether an existing text was written by gpuccl;
  /// others are replaced only if the options say so. FileError (cannot_create).
  TextOutput(const std::string& path, const OutputOptions& options, bool (*is_ours)(std::string_view));

  const std::string& name() const { return name_; }
  /// FileError (io).
  void write(std::string_view text);
  /// Gives a file its name. FileError (io, cannot_create).
  void commit() { commit_together({this}); }
  /// Gives files their names, those of `files` first: all, or if that fails none. A null pointer stands for
  /// no output.
  static void commit_together(std::initializer_list<TextOutput*> outputs,
                              const std::vector<std::unique_ptr<io::AtomicFile>>& files = {});

 private:
  std::string name_;
  std::optional<io::TextStream> stream_;
  std::optional<io::AtomicFile> file_;
};

}  // namespace gpuccl::app
