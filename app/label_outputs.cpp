#include "app/label_outputs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/messages.hpp"

namespace gpuccl::app {
namespace {

/// Standard output, a pipe or a device: written to, never replaced.
bool is_stream(const std::string& path) {
  if (path == "-") return true;
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  return std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status);
}

void stream_report(const std::string& path, const io::Report& report, const Components& components) {
  if (path == "-") {
    concerning("standard output", [&] { io::write_report(STDOUT_FILENO, report, components); });
    return;
  }
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw FileError(path, Failure::cannot_create,
                    std::string("cannot be opened (") + std::strerror(errno) + ")");
  try {
    concerning(path, [&] { io::write_report(descriptor, report, components); });
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
}

}  // namespace

LabelOutputs::LabelOutputs(const LabelFiles& files, const io::AtomicFile::Options& options) {
  const auto open = [&](const std::string& path) -> File {
    if (path.empty()) return nullptr;
    return concerning(path, [&] { return std::make_unique<io::AtomicFile>(path, options); });
  };
  image_ = open(files.image);
  preview_ = open(files.preview);
  stats_ = open(files.stats);
  if (is_stream(files.json)) {
    report_path_ = files.json;
  } else {
    report_ = open(files.json);
  }
}

void LabelOutputs::finish() {
  for (const File* file : {&image_, &preview_, &stats_})
    if (*file) concerning((*file)->path(), [&] { (*file)->finish(); });
}

void LabelOutputs::commit(const io::Report& report, const Components& components) {
  if (report_) {
    concerning(report_->path(), [&] {
      io::write_report(*report_, report, components);
      report_->finish();
    });
  }
  for (const File* file : {&image_, &preview_, &stats_, &report_})
    if (*file) concerning((*file)->path(), [&] { (*file)->commit(); });
  if (!report_path_.empty()) stream_report(report_path_, report, components);
}

}  // namespace gpuccl::app
