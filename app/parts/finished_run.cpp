#include "app/parts/finished_run.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "io/files/descriptor.hpp"

namespace gpuccl::app {
namespace {

/// Returns a line that identifies an output file.
std::string line_of(const std::string& path, const struct stat& status) {
  return path + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + "\n";
}

}  // namespace

void write_finished(const TaskFolder& folder, const std::vector<io::AtomicFile*>& outputs) {
  std::string lines;
  for (const io::AtomicFile* const output : outputs) {
    if (output == nullptr) continue;
    struct stat status {};
    if (::fstat(output->descriptor(), &status) != 0)
      throw io::FileError(output->path(), Failure::io, "cannot write (" + io::system_reason(errno) + ")");
    lines += line_of(output->path(), status);
  }
  io::concerning(folder.finished_path(), [&] {
    io::CheckedFileWriter file(folder.finished_path(), folder.finished_tag(), folder.options());
    file.add(lines);
    file.end_section();
    file.commit();
  });
}

bool is_finished(const TaskFolder& folder, const LabelPaths& files) {
  const std::string path = folder.finished_path();
  if (!io::concerning(path, [&] { return is_whole(path, folder.finished_tag(), 1); })) return false;
  const io::CheckedFile file(path, folder.finished_tag(), 1);
  std::string lines;
  for (const std::string& output : files.outputs()) {
    struct stat status {};
    if (::stat(output.c_str(), &status) == 0) lines += line_of(output, status);
  }
  if (file.take_text(0) == lines) return true;
  if (std::filesystem::exists(folder.joined_path())) return false;  // they did not get their names
  throw io::FileError(path, Failure::data,
                      "lists a finished run, but its outputs have changed; remove the folder to start again");
}

}  // namespace gpuccl::app
