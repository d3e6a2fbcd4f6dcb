#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// Standard output ("-"), another descriptor of this process, a pipe or a device: text is written to it, and
/// it is never replaced.
class TextStream {
 public:
  static bool is_named(const std::string& path);

  /// Duplicates the descriptor that `path` names. Construct it before files are opened, because one could get
  /// the number of a closed descriptor. FileError (cannot_create).
  explicit TextStream(const std::string& path);
  /// Opens a device or a named pipe, and waits for the reader of the pipe. Does nothing for a descriptor.
  /// FileError (cannot_create).
  void open();

  /// Call it after open().
  int descriptor() const { return descriptor_.get(); }
  /// Returns the name for messages.
  const std::string& name() const { return name_; }

 private:
  std::string path_, name_;
  Descriptor descriptor_;
};

/// Returns TMPDIR, or /tmp if that is not set or empty. The folder need not exist.
std::string folder_for_temporary_files();

/// Text that is written later: the first part is in memory, the rest in an unnamed file in the folder for
/// temporary files. Throws FileError (io, cannot_create) that names the folder.
class SpooledText {
 public:
  /// Throws FileError (cannot_create) if there can be no temporary files.
  static void try_folder();

  void add(std::string_view text);
  std::size_t size() const { return in_file_ + waiting_.size(); }
  /// Passes all of it to `sink`, piece by piece.
  void copy_to(const std::function<void(std::string_view)>& sink) const;

 private:
  void flush();

  std::string waiting_;  // comes after what is in the file
  Descriptor file_;
  std::size_t in_file_ = 0;
};

}  // namespace gpuccl::io
