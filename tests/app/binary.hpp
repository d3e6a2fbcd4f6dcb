#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpuccl/image.hpp"
#include "support/process.hpp"
#include "support/scratch_folder.hpp"

// The program itself, as users start it.
namespace gpuccl {

using Words = std::vector<std::string>;
using Slices = std::vector<Words>;
using Json = nlohmann::json;

/// Returns `words` followed by `more`.
Words joined(Words words, const Words& more);

/// The command `gpuccl WORDS...`, not started yet. No GPU is visible to it, so that results do not depend on
/// the machine.
Command gpuccl_command(const Words& words);

/// Starts `gpuccl WORDS...` and waits.
Ended gpuccl(const Words& words);

/// Requires exit code 0 and, without a terminal, silence on standard error. Returns standard output.
std::string succeeds(const Words& words);

/// Requires the exit code and one line on standard error, "gpuccl: ...", which contains `part`. Returns the
/// line.
std::string fails(const Ended& ended, int code, const std::string& part);
std::string fails(const Command& command, int code, const std::string& part);
std::string fails(const Words& words, int code, const std::string& part);

/// Returns what the program, which must succeed, writes to standard error if that is a terminal.
std::string said_on_terminal(const Words& words);

/// The report that `gpuccl label WORDS... --json -` prints.
Json report_of(const Words& words);

/// Writes `image` to `path` (.png or .tif) and returns the path.
std::string save(const std::string& path, BitView image);

/// An 8-bit gray TIFF of one page.
std::string save_gray(const std::string& path, const std::vector<std::vector<int>>& rows);

/// Writes an image as NRRD and returns the path. `sizes` as in its header, `fields` are further lines of it.
std::string save_nrrd(const std::string& path, const std::string& type, const std::string& sizes,
                      const std::string& bytes, const std::string& fields = "");

/// Reads a label image back, as text: rows of numbers joined by blanks, rows by '/', slices by '|'.
std::string labels_in(const std::string& path);

/// Whether a text contains a part.
bool has(const std::string& text, const std::string& part);

/// A folder in which commands are typed, as `label 'two words.png' -o out/`. Paths are relative to it.
class WorkFolder : public ScratchFolder {
 public:
  Command command(const std::string& line) const;
  Ended type(const std::string& line) const { return run(command(line)); }
  std::string succeeds(const std::string& line) const;
  std::string fails(const std::string& line, int code, const std::string& part) const;
  /// Requires the exit code, and messages that contain the parts.
  Ended ends(const std::string& line, int code, const Words& parts) const;
  /// The report that LINE prints with --json -.
  Json json(const std::string& line) const;
  std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& content) const;
  void make_folders(const Words& names) const;
  /// An image of bytes, or of another type.
  void nrrd(const std::string& name, const std::string& sizes, const std::string& bytes,
            const std::string& type = "uint8", const std::string& fields = "") const;
};

/// A file of the source folder.
std::string source_file(const std::string& path);

}  // namespace gpuccl
