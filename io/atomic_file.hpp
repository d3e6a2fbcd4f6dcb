#pragma once

#include <cstddef>
#include <string>

namespace gpuccl::io {

/// A file that appears under its name only when it is complete.
///
/// Written as an unnamed file (O_TMPFILE, else a short ".gpuccl-XXXXXX") in the target's folder; commit() checks,
/// syncs and renames. A target that is a symbolic link is followed. Destroyed without commit(), nothing is left.
/// Throws Error: cannot_create (folder missing, no permission, not a regular file), io (disk full, short write).
class AtomicFile {
 public:
  struct Options {
    bool overwrite = true;  // false: an existing target is refused (cannot_create)
    bool sync = true;       // fsync before the rename
  };
  explicit AtomicFile(const std::string& path) : AtomicFile(path, Options{}) {}
  AtomicFile(const std::string& path, const Options& options);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  void write(const void* data, std::size_t bytes);                     // at the end of what write() wrote so far
  void write_at(const void* data, std::size_t bytes, std::size_t offset);
  std::size_t size() const;                                            // bytes in the file now

  /// Flushes and checks everything and syncs: after this only commit() is left to do. Called by commit() if needed.
  void finish();
  /// Gives the file its name. Several outputs of one input: finish() all, then commit() all, the report last.
  void commit();

 private:
  std::string path_;       // as given
  std::string target_;     // where it goes, links followed
  std::string temporary_;  // name of the temporary file; empty for an unnamed one
  Options options_;
  int descriptor_ = -1;
  std::size_t end_ = 0;
  bool finished_ = false;
};

}  // namespace gpuccl::io
