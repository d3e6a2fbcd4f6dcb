#include "app/bench/gnuplot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "gpuccl/error.hpp"

namespace gpuccl::bench {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File temporary_file() {
  File file(std::tmpfile());
  if (file == nullptr)
    throw Error(Failure::io, std::string("cannot make a temporary file (") + std::strerror(errno) + ")");
  return file;
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char part[65536];
  while (const std::size_t count = std::fread(part, 1, sizeof part, file)) text.append(part, count);
  return text;
}

/// Starts gnuplot on unnamed files and waits for it; 0 if it succeeded, -1 if it cannot be started.
int run_gnuplot(std::FILE* input, std::FILE* output) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(input), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(output), STDOUT_FILENO);
  char program[] = "gnuplot";
  char* arguments[] = {program, nullptr};
  pid_t process = 0;
  const int problem = ::posix_spawnp(&process, program, &files, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (problem != 0) return -1;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

void require_gnuplot() {
  const File input = temporary_file();
  const File output = temporary_file();
  if (run_gnuplot(input.get(), output.get()) != 0)
    throw Error(Failure::unavailable,
                "--report needs gnuplot to draw charts; install the package gnuplot-nox");
}

std::string gnuplot(const std::string& script) {
  const File input = temporary_file();
  const File output = temporary_file();
  if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0)
    throw Error(Failure::io, "cannot write a temporary file");
  std::rewind(input.get());
  if (run_gnuplot(input.get(), output.get()) != 0)
    throw Error(Failure::internal, "gnuplot could not draw a chart");
  return contents(output.get());
}

}  // namespace gpuccl::bench
