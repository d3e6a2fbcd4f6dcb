#include "io/files/atomic_file.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "support/file_size_limit.hpp"
#include "support/test.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

void save(const std::string& path, const std::string& content, const AtomicFile::Options& options = {}) {
  AtomicFile file(path, options);
  file.write(content.data(), content.size());
  file.commit();
}

ErrorCode refusal_of_name(const std::string& path, const AtomicFile::Options& options = {}) {
  return error_code_of([&] { AtomicFile(path, options); });
}

/// Does `action` in a child process, which may change its limits and user; the child's exit status.
int in_child(const std::function<int()>& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("without commit nothing is left and an old file stays as it was") {
  ScratchFolder folder;
  const std::string path = folder / "a.bin";
  { AtomicFile(path).write("new", 3); }
  CHECK(count_entries(folder.path()) == 0);

  write_file(path, "old");
  {
    AtomicFile file(path);
    file.write("new", 3);
    file.finish();
    CHECK(read_file(path) == "old");
  }
  CHECK(read_file(path) == "old");
  CHECK(count_entries(folder.path()) == 1);
}

TEST_CASE("an old file is replaced, and who holds it open keeps the old content") {
  ScratchFolder folder;
  const std::string path = folder / "a.bin";
  write_file(path, "old");
  std::ifstream reader(path);
  save(path, "new");
  CHECK(read_file(path) == "new");
  CHECK(std::string(std::istreambuf_iterator<char>(reader), {}) == "old");
  CHECK(count_entries(folder.path()) == 1);
}

TEST_CASE("without overwriting an existing file is refused, however late it appears") {
  ScratchFolder folder;
  const std::string path = folder / "a.bin";
  const AtomicFile::Options no_clobber{.overwrite = false, .sync = true};
  save(path, "first", no_clobber);
  CHECK(read_file(path) == "first");
  CHECK(refusal_of_name(path, no_clobber) == ErrorCode::cannot_create);

  const std::string late = folder / "late.bin";
  {
    AtomicFile file(late, no_clobber);
    file.write("mine", 4);
    write_file(late, "theirs");
    CHECK(error_code_of([&] { file.commit(); }) == ErrorCode::cannot_create);
  }
  CHECK(read_file(late) == "theirs");
  CHECK(count_entries(folder.path()) == 2);
}

/// Two files that replace `first` and `second` together; true if they do.
bool commit_two(const std::string& first, const std::string& second, const std::function<void()>& meanwhile) {
  AtomicFile one(first), two(second);
  one.write("new 1", 5);
  two.write("new 2", 5);
  meanwhile();
  try {
    AtomicFile::commit_together({&one, &two});
    return true;
  } catch (const FileError& error) {
    CHECK(error.path() == second);
    return false;
  }
}

TEST_CASE("files that get their names together all have them, or none") {
  ScratchFolder folder;
  const std::string first = folder / "first", second = folder / "second";
  CHECK(commit_two(first, second, [] {}));
  CHECK(commit_two(first, second, [] {}));
  CHECK(count_entries(folder.path()) == 2);
  CHECK(read_file(first) == "new 1");
  CHECK(read_file(second) == "new 2");

  const auto fails_for_second = [&](bool first_exists) {
    fs::remove_all(second);
    first_exists ? write_file(first, "old") : static_cast<void>(fs::remove(first));
    CHECK_FALSE(commit_two(first, second, [&] { fs::create_directories(second + "/kept"); }));
    CHECK(fs::exists(first) == first_exists);
    if (first_exists) CHECK(read_file(first) == "old");
    CHECK(fs::is_directory(second + "/kept"));
    CHECK(count_entries(folder.path()) == (first_exists ? 2 : 1));
  };
  fails_for_second(true);
  fails_for_second(false);
}

TEST_CASE("an obsolete file goes when others get their names, and comes back if they do not") {
  ScratchFolder folder;
  const std::string first = folder / "first", second = folder / "second", old = folder / "obsolete";
  const auto commit = [&](const std::function<void()>& meanwhile) {
    AtomicFile one(first), two(second);
    one.write("new", 3);
    StaleFile obsolete(old);
    meanwhile();
    AtomicFile::commit_together({&one, &two}, &obsolete);
  };
  write_file(first, "old");
  write_file(old, "old");
  CHECK_THROWS_AS(commit([&] { fs::create_directory(second); }), FileError);
  CHECK(read_file(first) == "old");
  CHECK(read_file(old) == "old");
  fs::remove(second);
  commit([] {});
  CHECK(read_file(first) == "new");
  CHECK(!fs::exists(old));
  commit([] {});  // there is none
  CHECK(count_entries(folder.path()) == 2);
}

TEST_CASE("the mode of a new file follows the umask, one that is replaced hands on its own") {
  ScratchFolder folder;
  const std::string path = folder / "a.bin";
  const mode_t mask = GENERATE(mode_t{0022}, mode_t{0002}, mode_t{0077});
  const mode_t before = GENERATE(mode_t{0}, mode_t{0600}, mode_t{0640}, mode_t{0664});
  if (before != 0) {
    write_file(path, "old");
    REQUIRE(::chmod(path.c_str(), before) == 0);
  }
  const mode_t old_mask = ::umask(mask);
  save(path, "x");
  ::umask(old_mask);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == (before != 0 ? before : 0666 & ~mask));
}

TEST_CASE("a symbolic link is followed, to a file or to where one will be") {
  ScratchFolder folder;
  fs::create_directory(folder.path() / "real");
  const std::string real = folder / "real/a.bin";
  const std::string link = folder / "link.bin";
  const std::string second = folder / "second.bin";
  fs::create_symlink("real/a.bin", link);
  fs::create_symlink(link, second);
  if (GENERATE(false, true)) write_file(real, "old");
  save(second, "new");
  CHECK(fs::is_symlink(link));
  CHECK(fs::is_symlink(second));
  CHECK(read_file(real) == "new");
}

TEST_CASE("a name that cannot become a file is refused before anything is written") {
  ScratchFolder folder;
  fs::create_directory(folder.path() / "folder");
  fs::create_symlink("loop", folder.path() / "loop");
  write_file(folder / "plain", "");
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);

  const std::string name =
      GENERATE("folder", "folder/", "loop", "fifo", "missing/a.bin", "plain/a.bin", ".", "..");
  CAPTURE(name);
  CHECK(refusal_of_name(folder / name) == ErrorCode::cannot_create);
  CHECK(refusal_of_name("") == ErrorCode::cannot_create);
  CHECK(refusal_of_name("/dev/full") == ErrorCode::cannot_create);
  CHECK(refusal_of_name("/dev/stdout/x") == ErrorCode::cannot_create);
  CHECK(refusal_of_name(folder / std::string(256, 'n')) == ErrorCode::cannot_create);
  CHECK(refusal_of_name(folder / std::string(5000, 'n')) == ErrorCode::cannot_create);
}

TEST_CASE("a folder that may not be written to") {
  ScratchFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const int status = in_child([&] {
    constexpr uid_t kNobody = 65534;  // modes mean nothing to root
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 2;
    try {
      AtomicFile file(folder / "a.bin");
    } catch (const Error& error) {
      return error.code() == ErrorCode::cannot_create ? 0 : 3;
    }
    return 4;
  });
  CHECK(status == 0);
}

TEST_CASE("a full disk is an error and leaves nothing") {
  ScratchFolder folder;
  const std::string path = folder / "a.bin";
  write_file(path, "old");
  {
    AtomicFile file(path);
    const std::string content(70000, 'x');
    const FileSizeLimit full(100000);
    file.write(content.data(), content.size());  // fits
    CHECK(error_code_of([&] { file.write(content.data(), content.size()); }) == ErrorCode::io);
    CHECK(file.size() == 100000);
  }
  CHECK(read_file(path) == "old");
  CHECK(count_entries(folder.path()) == 1);
}

// Hides /proc, which unnamed files need to get their names, from the calling process: temporary names are
// used then, as on a file system without O_TMPFILE. False if this process may not do that.
bool hide_proc() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
}

TEST_CASE("temporary names where files without a name are not to be had") {
  ScratchFolder folder;
  const int status = in_child([&] {
    if (!hide_proc()) return 77;
    const std::string path = folder / "a.bin";
    const auto holds = [&](const std::string& content, std::size_t entries) {
      return read_file(path) == content && count_entries(folder.path()) == entries;
    };
    const AtomicFile::Options no_clobber{.overwrite = false, .sync = true};
    save(path, "first", no_clobber);
    if (!holds("first", 1)) return 1;
    save(path, "second");
    if (!holds("second", 1)) return 2;
    {
      AtomicFile file(path);
      file.write("third", 5);
      file.finish();
      if (!holds("second", 2)) return 3;
    }
    if (!holds("second", 1)) return 4;
    fs::remove(path);
    AtomicFile late(path, no_clobber);
    write_file(path, "theirs");
    try {
      late.commit();
      return 5;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::cannot_create || !holds("theirs", 2)) return 6;
    }
    remove_temporary_files();
    ::_exit(holds("theirs", 1) ? 0 : 7);  // after it no file is named any more, and none unlinked
  });
  if (status == 77)
    WARN("skipped: this user may not hide /proc");
  else
    CHECK(status == 0);
}

/// A folder with a file in a folder of it.
void fill(const AtomicFile& folder, const std::string& content) {
  const std::string path = "/proc/self/fd/" + std::to_string(folder.descriptor());
  fs::create_directories(path + "/a/b");
  write_file(path + "/a/b/c", content);
}

TEST_CASE("a folder appears under its name when it is complete, and takes the place of another") {
  const ScratchFolder scratch;
  const std::string path = scratch / "out.zarr";
  for (const char* content : {"first", "second"}) {
    AtomicFile folder(path, {}, AtomicFile::Kind::folder);
    fill(folder, content);
    CHECK(read_file(path + "/a/b/c") != content);
    folder.commit();
    CHECK(read_file(path + "/a/b/c") == content);
    CHECK(count_entries(scratch.path()) == 1);
  }
  {
    AtomicFile folder(path, {}, AtomicFile::Kind::folder);
    fill(folder, "third");
    CHECK(count_entries(scratch.path()) == 2);
  }
  CHECK(count_entries(scratch.path()) == 1);
  CHECK(read_file(path + "/a/b/c") == "second");
  write_file(scratch / "file", "mine");
  CHECK(error_code_of([&] { AtomicFile(scratch / "file", {}, AtomicFile::Kind::folder); }) ==
        ErrorCode::cannot_create);
  CHECK(error_code_of([&] { AtomicFile(path, {.overwrite = false}, AtomicFile::Kind::folder); }) ==
        ErrorCode::cannot_create);
  CHECK(refusal_of_name(path) == ErrorCode::cannot_create);
}

TEST_CASE("a folder that was made for others goes with them, at the end and by a signal") {
  const ScratchFolder scratch;
  const std::string path = scratch / "labels";
  { const ScopedFolder made(scratch.path().string(), "labels"); }
  CHECK(!fs::exists(path));
  const auto end_by_signal = [&] {
    const ScopedFolder made(scratch.path().string(), "labels");
    AtomicFile inner(path + "/a", {}, AtomicFile::Kind::folder);
    remove_temporary_files();
    ::_exit(0);
    return 1;
  };
  CHECK(in_child(end_by_signal) == 0);
  CHECK(!fs::exists(path));
  fs::create_directory(path);
  CHECK(in_child(end_by_signal) == 0);
  CHECK(fs::exists(path));  // it was there
  fs::remove(path);
  {
    const ScopedFolder made(scratch.path().string(), "labels");
    save(path + "/b", "b");
  }
  CHECK(read_file(path + "/b") == "b");
}

TEST_CASE("a folder gives its name back when another file cannot get its own") {
  const ScratchFolder scratch;
  const std::string path = scratch / "out.zarr";
  for (const bool replaces : {false, true}) {
    if (replaces) {
      AtomicFile old(path, {}, AtomicFile::Kind::folder);
      fill(old, "old");
      old.commit();
    }
    AtomicFile folder(path, {}, AtomicFile::Kind::folder), report(scratch / "report");
    fill(folder, "new");
    fs::create_directory(scratch.path() / "report");  // in the way
    CHECK(error_code_of([&] {
            AtomicFile::commit_together({&folder, &report});
          }) == ErrorCode::cannot_create);
    CHECK(fs::exists(path) == replaces);
    if (replaces) CHECK(read_file(path + "/a/b/c") == "old");
    fs::remove(scratch.path() / "report");
  }
  CHECK(count_entries(scratch.path()) == 1);
}

}  // namespace
}  // namespace gpuccl::io
