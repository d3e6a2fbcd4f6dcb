#include "io/files/text_stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "io/files/file_error.hpp"

namespace gpuccl::io {

bool TextStream::is_named(const std::string& path) {
  if (path == "-" || descriptor_named(path) >= 0) return true;
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  return std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status);
}

TextStream::TextStream(const std::string& path)
    : name_(path == "-" ? "standard output" : path),
      descriptor_(path == "-" ? STDOUT_FILENO : descriptor_named(path)) {
  if (descriptor_ >= 0) return;
  opened_ = open_again(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (!opened_)
    throw FileError(path, Failure::cannot_create, "cannot be opened (" + system_reason(errno) + ")", errno);
  descriptor_ = opened_.get();
}

}  // namespace gpuccl::io
