#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/binary.hpp"
#include "support/test.hpp"

// Folders with more than images under sensible names.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

const BitVolume& image() {
  static const BitVolume drawn = tests::drawn(Words{"#.#"});
  return drawn;
}

void add_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(socket);
}

TEST_CASE("odd names in a folder are names") {
  const ScratchFolder scratch;
  const std::set<std::string> names = {"a b\n", "-x",   "\xff\xfe", "[a,b]", "\"q\"", "@list",
                                       "$(ls)", "%s%n", "é",        "~",     "a\\b",  std::string(200, 'n')};
  fs::create_directories(scratch / "in/-dir");
  for (const std::string& name : names) save(scratch / ("in/" + name + ".png"), image().view());
  save(scratch / "in/-dir/\x01.PNG", image().view());
  const Ended ended = gpuccl({"label", scratch / "in", "--recursive", "-o", scratch / "out/", "--report",
                              scratch / "run.jsonl", "--stats", scratch / "all.csv"});
  CHECK(ended.err == "gpuccl: 13 of 13 labeled\n");
  for (const std::string& name : names) CHECK(fs::exists(scratch / ("out/" + name + ".tiff")));
  CHECK(fs::exists(scratch / "out/-dir/\x01.tiff"));
  std::istringstream lines(read_file(scratch / "run.jsonl"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(Json::accept(line));
  CHECK(count == 13);
}

TEST_CASE("names that no file can have are reported for every option") {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "in");
  const std::string good = save(scratch / "in/good.png", image().view()), loop = scratch / "in/loop.png",
                    name = scratch / std::string(300, 'n');
  fs::create_symlink("loop.png", loop);
  fails({"match", name, good}, 66, "file name too long");
  fails({"match", good, loop}, 66, "too many levels of symbolic links");
  fails({"label", good, "-o", scratch / "o.npy", "--part", "1/2", "--parts-dir", loop}, 66, "loop.png");
  fails({"bench", "--dataset", name, "--algo", "runs", "--device", "cpu"}, 66, "file name too long");
  CHECK(gpuccl(
            {"bench", "--dataset", scratch / "in", "--algo", "runs", "--device", "cpu", "--repetitions", "1"})
            .code != 70);
}

TEST_CASE("folders that may not be read are named") {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "closed");
  fs::create_directories(scratch / "in");
  save(scratch / "in/a.png", image().view());
  save(scratch / "closed/a.png", image().view());
  fs::permissions(scratch.path(), fs::perms::all);
  fs::permissions(scratch / "closed", fs::perms::none);
  const auto expect_named = [&](const Words& words) {
    Command command = gpuccl_command(words);
    command.prepare = [] {  // root may read it
      constexpr uid_t kNobody = 65534;
      if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(125);
    };
    fails(command, 66, "closed: cannot read the folder (permission denied)");
  };
  expect_named({"match", scratch / "closed", scratch / "in"});
  expect_named({"match", "--track", scratch / "closed"});
  fs::permissions(scratch / "closed", fs::perms::all);
}

TEST_CASE("pipes, sockets, devices and links to nothing fail alone, and nothing waits for them") {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "in/folder.png");
  save(scratch / "in/good.png", image().view());
  REQUIRE(::mkfifo((scratch / "in/fifo.png").c_str(), 0600) == 0);
  add_socket(scratch / "in/socket.tif");
  fs::create_symlink("/dev/zero", scratch / "in/device.png");
  fs::create_symlink("nowhere", scratch / "in/dangling.png");
  fs::create_symlink("loop.png", scratch / "in/loop.png");
  fs::create_symlink("good.png", scratch / "in/link.png");
  fs::create_symlink("..", scratch / "in/up");
  const Ended ended = gpuccl({"label", scratch / "in", "--recursive", "-o", scratch / "out/"});
  CHECK(ended.code == 66);
  CHECK(ended.err.find("device.png: is not a file\n") != std::string::npos);
  CHECK(ended.err.find("(" + (scratch / "in/fifo.png") + ", " + (scratch / "in/socket.tif") +
                       "): is not a file\n") != std::string::npos);
  CHECK(ended.err.find("gpuccl: 2 of 7 labeled, 5 failed: missing (66)\n") != std::string::npos);
  CHECK(count_entries(scratch / "out") == 4);

  fails({"label", scratch / "in", "--stack", "-o", scratch / "stack.tif"}, 66, "is not a file");
}

TEST_CASE("a list of slices that is no file is refused, and nothing waits for it") {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "in");
  save(scratch / "in/1.png", image().view());
  const std::string list = scratch / "in/files.txt";
  const Words words = {"label", scratch / "in", "--stack", "-o", scratch / "out.tif"};
  REQUIRE(::mkfifo(list.c_str(), 0600) == 0);
  fails(words, 66, "files.txt is not a file");
  fs::remove(list);
  fs::create_symlink("/dev/zero", list);
  fails(words, 65, "files.txt is a symbolic link; gpuccl label and measure follow it with --follow");
  fails(joined(words, {"--follow"}), 66, "files.txt is not a file");
  fs::remove(list);
  write_file(list, "");
  fs::resize_file(list, std::uintmax_t{1} << 40);  // of holes
  fails(words, 65, "files.txt is too large");
}

TEST_CASE("names and paths too long for their outputs fail alone") {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "in");
  save(scratch / "in/good.png", image().view());
  const std::string longest = scratch / ("in/" + std::string(251, 'n') + ".png");
  save(longest, image().view());  // with .tiff it is too long by one
  write_file(scratch / "list", scratch / "in" + std::string("\n/") + std::string(5000, 'x') + ".png\n");
  const Ended ended = gpuccl({"label", "@" + (scratch / "list"), "-o", scratch / "out/"});
  CHECK(ended.code == 1);
  CHECK(ended.err.find("gpuccl: " + longest + ": ") == std::string::npos);
  CHECK(ended.err.find("nnn.tiff: cannot create: file name too long\n") != std::string::npos);
  CHECK(ended.err.find("gpuccl: 1 of 3 labeled, 2 failed: 1 missing (66), 1 cannot create (73)\n") !=
        std::string::npos);
}

TEST_CASE("outputs through links, next to old files, and in read-only folders") {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "real");
  fs::create_directories(scratch / "in");
  for (const char* name : {"a", "b", "c"})
    save(scratch / (std::string("in/") + name + ".png"), image().view());
  fs::create_directory_symlink("real", scratch / "out");
  fs::create_symlink(scratch / "elsewhere.tiff", scratch / "real/a.tiff");  // to where it does not exist yet
  fs::create_symlink("b.tiff", scratch / "real/b.tiff");                    // to itself
  fs::create_directory(scratch / "real/c.json");
  const Ended ended = gpuccl({"label", scratch / "in", "-o", scratch / "out"});
  CHECK(ended.code == 73);
  CHECK(ended.err.find("gpuccl: 1 of 3 labeled, 2 failed: cannot create (73)\n") != std::string::npos);
  CHECK(fs::is_regular_file(scratch / "elsewhere.tiff"));
  CHECK(!fs::exists(scratch / "real/c.tiff"));
  CHECK(count_entries(scratch / "real") == 4);
}

}  // namespace
}  // namespace gpuccl
