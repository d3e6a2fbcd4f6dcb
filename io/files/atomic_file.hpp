#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::io {

/// Scope in which this thread adds or removes the temporary name of a file; no signal interrupts it.
/// remove_temporary_files() waits for all such scopes, so that no file appears after it has looked.
class TemporaryNameGuard {
 public:
  /// Never returns once remove_temporary_files() has begun: the process is about to end and must not name
  /// files.
  TemporaryNameGuard();
  ~TemporaryNameGuard();
  TemporaryNameGuard(const TemporaryNameGuard&) = delete;
  TemporaryNameGuard& operator=(const TemporaryNameGuard&) = delete;

 private:
  sigset_t before_{};
};

/// The name of a temporary file in an open folder, known to remove_temporary_files() during its lifetime.
///
/// Constructed before the file is created, so that a signal never leaves the file.
class TemporaryName {
 public:
  /// A new ".gpuccl-XXXXXX". It is short, because the target's name may have the maximum length.
  TemporaryName(int folder, const TemporaryNameGuard&);
  /// Gives an existing folder a short name; the folder is removed only if it is empty.
  TemporaryName(int folder, const std::string& name, const TemporaryNameGuard&);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const char* c_str() const { return name_.c_str(); }

 private:
  enum class Removed { whole, if_empty };

  TemporaryName(int folder, std::string name, Removed removed);

  std::string name_;
  int slot_ = -1;  // -1: more names in use than the list holds; such a file outlives a signal
};

/// A file that is removed when others get their names. Throws Error (cannot_create) if it cannot be removed.
class StaleFile {
 public:
  explicit StaleFile(const std::string& path);
  ~StaleFile();
  StaleFile(const StaleFile&) = delete;
  StaleFile& operator=(const StaleFile&) = delete;

  const std::string& path() const { return path_; }
  /// Renames an existing file of this name to a temporary name.
  void take_away(const TemporaryNameGuard& naming);
  void give_back(const TemporaryNameGuard& naming);
  void drop(const TemporaryNameGuard& naming);

 private:
  std::string path_, name_;
  Descriptor folder_;
  std::unique_ptr<TemporaryName> old_;
};

/// A file, or a folder of files, that appears under its name only when it is complete.
///
/// Written as an unnamed file (O_TMPFILE, else a short ".gpuccl-XXXXXX") in the target's folder; commit()
/// checks, syncs and renames. A target that is a symbolic link is followed; the new file gets the permissions
/// of a file that it replaces. Without commit() nothing is left. A folder is created under a temporary name,
/// and the caller fills it through its descriptor; a folder that it replaces is removed with its content.
/// Throws Error: cannot_create (folder missing, no permission, not a regular file), io (disk full, short
/// write).
class AtomicFile {
 public:
  struct Options {
    bool overwrite = true;    // false: an existing target is refused (cannot_create)
    bool sync = true;         // fsync before the rename
    bool sync_folder = true;  // fsync of the folder after it; false: the caller syncs it once for many files
    bool guarded = false;  // safe in a folder of other users: follows no link, only the owner can write to it
    bool named = false;    // has a temporary name from the start, so that other processes can open it
  };
  enum class Kind { file, folder };
  explicit AtomicFile(const std::string& path) : AtomicFile(path, Options{}) {}
  AtomicFile(const std::string& path, const Options& options, Kind kind = Kind::file);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::string& path() const { return path_; }
  /// Returns "" if the file has no temporary name, which Options::named gives it until it has its final name.
  std::string temporary_path() const;
  int descriptor() const { return file_.get(); }
  void write(const void* data, std::size_t bytes);  // at the end of what write() wrote so far
  void write_at(const void* data, std::size_t bytes, std::size_t offset);
  std::size_t size() const;  // bytes in the file now; 0 of a folder

  /// Flushes, checks and syncs everything, so that only commit() is left to do. Called by commit() if
  /// needed.
  void finish();
  /// Gives the file its name.
  void commit();

  /// Commits several files as one transaction, as far as individual renames allow. The last file is the
  /// commit record: its old version is deleted first and it is renamed last, so if it exists, its siblings
  /// are from the same run, even after a kill. Holds back SIGINT, SIGTERM and SIGHUP. If a rename fails, the
  /// previous files are restored. `obsolete`, if given, is the record of replaced files and is deleted first.
  /// Throws FileError.
  static void commit_together(const std::vector<AtomicFile*>& files, StaleFile* obsolete = nullptr);

 private:
  enum class Old { dropped, kept };

  void keep_mode();
  void open_folder();
  void check_target();
  void create();
  void refuse_target() const;
  void require_same_kind();
  void make_folder();
  bool remove(const char* name);
  void take_old_away(const TemporaryNameGuard& naming);
  void give_name(const TemporaryNameGuard& naming, Old old);
  bool link_unnamed(const char* name);
  void replace_target(const TemporaryNameGuard& naming, Old old);
  void claim_target();
  bool give_back(const TemporaryNameGuard& naming);
  void drop_old(const TemporaryNameGuard& naming);
  void close();
  void sync_folder();

  std::string path_;    // as given
  std::string target_;  // where it goes, links followed
  std::string name_;    // last part of target_
  Options options_;
  Kind kind_;
  Descriptor folder_;
  Descriptor file_;
  std::unique_ptr<TemporaryName> temporary_;  // null while the file has no name
  std::unique_ptr<TemporaryName> old_;        // of the file that was replaced, until the commit succeeds
  std::optional<FileIdentity> named_;         // of the file under its final name
  bool can_give_back_ = true;                 // the file that had this name can be restored
  std::optional<mode_t> mode_;                // of the file that is replaced
  std::size_t end_ = 0;
  bool finished_ = false;
};

/// Removes the temporary files of this process. Safe in a signal handler, after which the process must
/// end.
void remove_temporary_files() noexcept;

}  // namespace gpuccl::io
