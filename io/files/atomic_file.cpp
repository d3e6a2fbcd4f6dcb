#include "io/files/atomic_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kNameLength = 15;  // with the final zero

// A signal handler may neither lock nor allocate: a fixed list, each entry owned by the thread that moved it
// from free to claimed, visible to the handler only while active.
enum class SlotState { free, claimed, active };
struct Slot {
  std::atomic<SlotState> state{SlotState::free};
  int folder = -1;
  bool if_empty = false;  // else with its content
  std::array<char, kNameLength> name{};
};
static_assert(std::atomic<SlotState>::is_always_lock_free);
std::array<Slot, 1024> slots;  // enough for the maximum number of jobs of a batch

std::atomic<bool> ending = false;
std::atomic<int> naming = 0;  // number of TemporaryNameGuard scopes

std::string random_name() {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string name = ".gpuccl-";
  std::array<unsigned char, kNameLength> random{};
  if (::getentropy(random.data(), random.size()) != 0)
    throw Error(ErrorCode::io, "cannot name a temporary file: the system has no random numbers", errno);
  while (name.size() < kNameLength - 1) name += kLetters[random[name.size()] % (sizeof kLetters - 1)];
  return name;
}

}  // namespace

// Either this thread sees that the end has begun, or remove_temporary_files() sees this thread.
TemporaryNameGuard::TemporaryNameGuard() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  ++naming;
  if (!ending) return;
  --naming;
  for (;;) ::pause();
}

TemporaryNameGuard::~TemporaryNameGuard() {
  --naming;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

TemporaryName::TemporaryName(int folder, const TemporaryNameGuard&)
    : TemporaryName(folder, random_name(), Removed::whole) {}

TemporaryName::TemporaryName(int folder, const std::string& name, const TemporaryNameGuard&)
    : TemporaryName(folder, name, Removed::if_empty) {}

TemporaryName::TemporaryName(int folder, std::string name, Removed removed) : name_(std::move(name)) {
  if (name_.size() >= kNameLength) return;
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    SlotState expected = SlotState::free;
    if (slots[i].state.compare_exchange_strong(expected, SlotState::claimed)) slot_ = static_cast<int>(i);
  }
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.folder = folder;
  slot.if_empty = removed == Removed::if_empty;
  std::memcpy(slot.name.data(), name_.c_str(), name_.size() + 1);
  slot.state.store(SlotState::active);
}

TemporaryName::~TemporaryName() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state.store(SlotState::free);
}

void remove_temporary_files() noexcept {
  constexpr int kTurns = 500, kPauseMs = 2;  // no longer: a network drive may never answer
  ending = true;
  for (int turn = 0; turn < kTurns && naming > 0; ++turn) ::poll(nullptr, 0, kPauseMs);
  const auto for_each = [](bool if_empty, auto remove) {
    for (const Slot& slot : slots)
      if (slot.state.load() == SlotState::active && slot.if_empty == if_empty) remove(slot);
  };
  for_each(false, [](const Slot& slot) {
    if (::unlinkat(slot.folder, slot.name.data(), 0) != 0) remove_tree(slot.folder, slot.name.data());
  });
  for_each(true, [](const Slot& slot) { ::unlinkat(slot.folder, slot.name.data(), AT_REMOVEDIR); });
}

[[noreturn]] static void fail() {
  throw system_error(ErrorCode::cannot_create, "is left from an earlier run and cannot be removed", errno);
}

StaleFile::StaleFile(const std::string& path)
    : path_(path), name_(std::filesystem::path(path).filename().string()) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  folder_ = open_retrying(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!folder_) fail();
}

StaleFile::~StaleFile() = default;

void StaleFile::take_away(const TemporaryNameGuard& naming) {
  auto old = std::make_unique<TemporaryName>(folder_.get(), naming);
  if (::renameat(folder_.get(), name_.c_str(), folder_.get(), old->c_str()) == 0)
    old_ = std::move(old);
  else if (errno != ENOENT)
    fail();
}

void StaleFile::give_back(const TemporaryNameGuard& naming) {
  if (old_ && ::renameat(folder_.get(), old_->c_str(), folder_.get(), name_.c_str()) == 0) old_.reset();
  drop(naming);
}

void StaleFile::drop(const TemporaryNameGuard&) {
  if (old_) ::unlinkat(folder_.get(), old_->c_str(), 0);
  old_.reset();
}

constexpr mode_t kMode = 0666, kGuardedMode = 0644;  // less what the umask takes away

[[noreturn]] static void fail_to_create(int code, const std::string& target = {}) {
  if (target.empty()) throw system_error(failure_to_create(code), "cannot create", code);
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  throw Error(failure_to_create(code), "cannot create: " + reason_in_folder(folder, code), code);
}

static void refuse_input(const struct stat& status) {
  if (is_protected_input(status.st_dev, status.st_ino))
    throw Error(ErrorCode::usage, "output and input are the same file");
}

static std::string target_of(const std::string& path) {
  const std::optional<std::filesystem::path> target = follow_links(path);
  if (!target) fail_to_create(ELOOP);
  return target->string();
}

AtomicFile::AtomicFile(const std::string& path, const Options& options, Kind kind)
    : path_(path), target_(options.guarded ? path : target_of(path)), options_(options), kind_(kind) {
  if (descriptor_named(path) >= 0)
    throw Error(ErrorCode::cannot_create, "cannot create: is a stream, not a file");
  open_folder();
  check_target();
  kind == Kind::file ? create() : make_folder();
  if (kind == Kind::file) keep_mode();  // a folder is filled first
}

AtomicFile::~AtomicFile() {
  if (!temporary_) return;
  const TemporaryNameGuard naming;
  file_.close();  // removing a folder takes a descriptor
  remove(temporary_->c_str());
  temporary_.reset();
}

/// Keeps the permissions of a replaced file. Errors are ignored: some file systems have no permissions.
void AtomicFile::keep_mode() {
  if (mode_) ::fchmod(file_.get(), *mode_);
}

bool AtomicFile::remove(const char* name) {
  return kind_ == Kind::file ? ::unlinkat(folder_.get(), name, 0) == 0 : remove_tree(folder_.get(), name);
}

void AtomicFile::open_folder() {
  const std::filesystem::path target = target_;
  name_ = target.filename().string();
  if (name_.empty() || name_ == "." || name_ == "..")
    throw Error(ErrorCode::cannot_create, "cannot create: not the name of a file");
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  folder_ = open_retrying(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder may be writable but not readable. This is enough, except for syncing it.
  if (!folder_ && errno == EACCES) folder_ = open_retrying(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_) return;
  if (errno == ENOENT)
    throw Error(ErrorCode::cannot_create,
                "cannot create: the folder does not exist; make it first: mkdir -p " + folder.string());
  fail_to_create(errno);
}

void AtomicFile::check_target() {
  struct stat status {};
  if (::fstatat(folder_.get(), name_.c_str(), &status, options_.guarded ? AT_SYMLINK_NOFOLLOW : 0) != 0) {
    if (errno == ENOENT) return;
    fail_to_create(errno);
  }
  if (S_ISLNK(status.st_mode))
    throw Error(ErrorCode::cannot_create, "cannot create: is a symbolic link, which could lead anywhere");
  if (kind_ == Kind::folder) {
    if (!S_ISDIR(status.st_mode)) throw Error(ErrorCode::cannot_create, "cannot create: is not a folder");
  } else if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::cannot_create, "cannot create: is a folder");
  } else if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::cannot_create, "cannot create: is not a regular file");
  }
  if (!options_.overwrite) throw Error(ErrorCode::cannot_create, "cannot create: already exists", EEXIST);
  refuse_input(status);
  if (!options_.guarded) mode_ = status.st_mode & 0777;
}

void AtomicFile::create() {
  const mode_t mode = options_.guarded ? kGuardedMode : kMode;
  // An unnamed file gets its name through /proc, so without /proc it needs a name from the start.
  if (!options_.named && ::access("/proc/self/fd", X_OK) == 0)
    file_ = Descriptor(::openat(folder_.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (file_) return;
  const TemporaryNameGuard naming;
  while (!file_) {
    temporary_ = std::make_unique<TemporaryName>(folder_.get(), naming);
    file_ = Descriptor(::openat(folder_.get(), temporary_->c_str(),
                                O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, mode));
    if (file_) return;
    const int code = errno;
    temporary_.reset();
    if (code != EEXIST && code != EINTR) fail_to_create(code, target_);
  }
}

void AtomicFile::make_folder() {
  const TemporaryNameGuard naming;
  while (!file_) {
    temporary_ = std::make_unique<TemporaryName>(folder_.get(), naming);
    int code = 0;
    if (::mkdirat(folder_.get(), temporary_->c_str(), 0777) == 0) {
      file_ = Descriptor(
          ::openat(folder_.get(), temporary_->c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (file_) return;
      code = errno;
      ::unlinkat(folder_.get(), temporary_->c_str(), AT_REMOVEDIR);
    } else {
      code = errno;
    }
    temporary_.reset();
    if (code != EEXIST && code != EINTR) fail_to_create(code, target_);
  }
}

std::string AtomicFile::temporary_path() const {
  if (!temporary_) return "";
  return (std::filesystem::absolute(target_).parent_path() / temporary_->c_str()).string();
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  write_at(data, bytes, end_);
  end_ += bytes;
}

void AtomicFile::write_at(const void* data, std::size_t bytes, std::size_t offset) {
  finished_ = false;
  write_all_at(file_.get(), data, bytes, offset);
}

std::size_t AtomicFile::size() const {
  if (kind_ == Kind::folder) return 0;
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0)
    throw Error(ErrorCode::io, "cannot get the size: " + system_reason(errno));
  return static_cast<std::size_t>(status.st_size);
}

void AtomicFile::finish() {
  if (finished_) return;
  if (kind_ == Kind::folder) keep_mode();
  // Some file systems cannot sync and say EINVAL; whatever else is reported is data that did not reach the
  // disk.
  const auto sync = kind_ == Kind::file ? ::fsync : ::syncfs;  // of a folder, all that is in it
  while (options_.sync && sync(file_.get()) != 0) {
    if (errno == EINVAL) break;
    if (errno != EINTR) throw system_error(ErrorCode::io, "cannot write", errno);
  }
  finished_ = true;
}

void AtomicFile::commit() {
  finish();
  refuse_target();
  {
    const TemporaryNameGuard naming;
    give_name(naming, Old::dropped);
    drop_old(naming);
  }
  close();
  sync_folder();
}

void AtomicFile::commit_together(const std::vector<AtomicFile*>& files, StaleFile* obsolete) {
  const auto for_each = [&](auto work) {
    for (AtomicFile* file : files) with_path(file->path(), [&] { work(*file); });
  };
  for_each([](AtomicFile& file) { file.finish(); });
  for_each([](AtomicFile& file) { file.refuse_target(); });
  {
    const TemporaryNameGuard naming;
    const Old old = files.size() > 1 || obsolete != nullptr ? Old::kept : Old::dropped;
    try {
      if (obsolete != nullptr) with_path(obsolete->path(), [&] { obsolete->take_away(naming); });
      if (files.size() > 1) with_path(files.back()->path(), [&] { files.back()->take_old_away(naming); });
      for_each([&](AtomicFile& file) { file.give_name(naming, old); });
      for_each([](AtomicFile& file) { file.close(); });
    } catch (...) {
      // The old file that vouched comes back only to the others of its run.
      bool all_back = true;
      for (AtomicFile* file : files)
        if (file != files.back()) all_back = file->give_back(naming) && all_back;
      if (!all_back) files.back()->drop_old(naming);
      all_back = files.back()->give_back(naming) && all_back;
      if (obsolete != nullptr) all_back ? obsolete->give_back(naming) : obsolete->drop(naming);
      throw;
    }
    for (AtomicFile* file : files) file->drop_old(naming);
    if (obsolete != nullptr) obsolete->drop(naming);
  }
  for_each([](AtomicFile& file) { file.sync_folder(); });
}

/// Refuses to replace a file that was read: inputs may be opened after their outputs.
void AtomicFile::refuse_target() const {
  struct stat status {};
  if (::fstatat(folder_.get(), name_.c_str(), &status, 0) == 0) refuse_input(status);
}

/// Renames an existing file of this name to a temporary name.
void AtomicFile::take_old_away(const TemporaryNameGuard& naming) {
  if (!options_.overwrite) return;
  require_same_kind();
  auto old = std::make_unique<TemporaryName>(folder_.get(), naming);
  if (::renameat(folder_.get(), name_.c_str(), folder_.get(), old->c_str()) == 0)
    old_ = std::move(old);
  else if (errno != ENOENT)
    fail_to_create(errno);
}

/// A folder would be exchanged or renamed as well as a file, and be lost as no file is; and the other way
/// round.
void AtomicFile::require_same_kind() {
  struct stat status {};
  if (::fstatat(folder_.get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISDIR(status.st_mode) != (kind_ == Kind::folder))
      fail_to_create(kind_ == Kind::file ? EISDIR : ENOTDIR);
  } else if (errno != ENOENT) {
    fail_to_create(errno);
  }
}

void AtomicFile::give_name(const TemporaryNameGuard& naming, Old old) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail_to_create(errno);
  if (temporary_ || !link_unnamed(name_.c_str())) {
    if (options_.overwrite)
      replace_target(naming, old);
    else
      claim_target();
  }
  named_ = {status.st_dev, status.st_ino, {}};
}

/// Undoes what was done about the name; false if that cannot be.
bool AtomicFile::give_back(const TemporaryNameGuard& naming) {
  struct stat status {};
  const bool is_ours = named_ && ::fstatat(folder_.get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                       FileIdentity{status.st_dev, status.st_ino, {}} == *named_;
  if (named_ && (!is_ours || !can_give_back_)) return false;
  bool done = true;
  if (old_ && named_ && kind_ == Kind::folder) {  // which is not renamed onto another
    done = ::renameat2(folder_.get(), old_->c_str(), folder_.get(), name_.c_str(), RENAME_EXCHANGE) == 0;
    if (done) drop_old(naming);
  } else if (old_) {
    done = ::renameat(folder_.get(), old_->c_str(), folder_.get(), name_.c_str()) == 0;
  } else if (named_) {
    done = remove(name_.c_str());
  }
  if (done) old_.reset();
  drop_old(naming);
  return done;
}

void AtomicFile::drop_old(const TemporaryNameGuard&) {
  // The files of an old folder go one by one: not before it has lost its name on the disk, too.
  if (old_ && kind_ == Kind::folder && options_.sync) ::fsync(folder_.get());
  if (old_) remove(old_->c_str());
  old_.reset();
}

void AtomicFile::close() {
  if (!file_.close()) throw system_error(ErrorCode::io, "cannot write", errno);
}

void AtomicFile::sync_folder() {
  if (options_.sync && options_.sync_folder)
    ::fsync(folder_.get());  // the data is safe; that the name is too is as much as can be done
}

/// Names the unnamed file; false if the name is taken.
bool AtomicFile::link_unnamed(const char* name) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", file_.get());
  if (::linkat(AT_FDCWD, path.data(), folder_.get(), name, AT_SYMLINK_FOLLOW) == 0) return true;
  if (errno != EEXIST) fail_to_create(errno);
  return false;
}

/// Only a rename can replace, and only a file with a name can be renamed.
void AtomicFile::replace_target(const TemporaryNameGuard& naming, Old old) {
  while (!temporary_) {
    temporary_ = std::make_unique<TemporaryName>(folder_.get(), naming);
    if (!link_unnamed(temporary_->c_str())) temporary_.reset();
  }
  if (old == Old::kept || kind_ == Kind::folder) {  // a folder is not renamed onto another that holds files
    require_same_kind();
    if (::renameat2(folder_.get(), temporary_->c_str(), folder_.get(), name_.c_str(), RENAME_EXCHANGE) == 0) {
      drop_old(naming);
      old_ = std::move(temporary_);
      return;
    }
    // Either no file has this name, or the file system cannot exchange names: then the file is lost.
    can_give_back_ = errno == ENOENT;
    if (errno != ENOENT && errno != EINVAL && errno != ENOSYS) fail_to_create(errno);
    if (kind_ == Kind::folder && errno != ENOENT && !old_) {
      take_old_away(naming);
      can_give_back_ = true;
    }
  }
  if (::renameat(folder_.get(), temporary_->c_str(), folder_.get(), name_.c_str()) != 0)
    fail_to_create(errno);
  temporary_.reset();
}

/// Takes the name only if it is free, even if another process creates such a file at the same time.
void AtomicFile::claim_target() {
  if (!temporary_) fail_to_create(EEXIST);
  if (::linkat(folder_.get(), temporary_->c_str(), folder_.get(), name_.c_str(), 0) == 0) {
    ::unlinkat(folder_.get(), temporary_->c_str(), 0);
  } else if (errno == EEXIST ||  // without hard links (FAT), a rename that refuses to replace does it
             ::renameat2(folder_.get(), temporary_->c_str(), folder_.get(), name_.c_str(),
                         RENAME_NOREPLACE) != 0) {
    fail_to_create(errno);
  }
  temporary_.reset();
}

}  // namespace gpuccl::io
