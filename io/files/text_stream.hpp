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

  /// Holds on to a descriptor: to be made before any file is opened that may get its number if it is not
  /// open. FileError (cannot_create).
  explicit TextStream(const std::string& path);
  /// Opens what is not a descriptor, and waits for a reader if it is a pipe with a name. FileError
  /// (cannot_create).
  void open();

  /// Once it is open.
  int descriptor() const { return descriptor_.get(); }
  /// For messages.
  const std::string& name() const { return name_; }

 private:
  std::string path_, name_;
  Descriptor descriptor_;
};

/// Text that waits for its turn: a little of it in memory, more in a file without a name in the folder for
/// temporary files. Throws FileError (io, cannot_create) that names the folder.
class SpooledText {
 public:
  /// Throws FileError (cannot_create) if there can be no temporary files.
  static void try_folder();

  void add(std::string_view text);
  std::size_t size() const { return in_file_ + waiting_.size(); }
  /// Gives all of it to `sink`, piece by piece.
  void copy_to(const std::function<void(std::string_view)>& sink) const;

 private:
  void flush();

  std::string waiting_;  // comes after what is in the file
  Descriptor file_;
  std::size_t in_file_ = 0;
};

}  // namespace gpuccl::io
