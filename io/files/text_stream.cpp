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

TextStream::TextStream(const std::string& path) : path_(path), name_(path == "-" ? "standard output" : path) {
  const int descriptor = path == "-" ? STDOUT_FILENO : descriptor_named(path);
  if (descriptor < 0) return;
  descriptor_ = Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!descriptor_)
    throw FileError(path, Failure::cannot_create,
                    "descriptor " + std::to_string(descriptor) + " cannot be written to (" +
                        system_reason(errno) + "); open it as in " + std::to_string(descriptor) + ">FILE",
                    errno);
}

void TextStream::open() {
  if (descriptor_) return;
  descriptor_ = open_again(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (!descriptor_)
    throw FileError(path_, Failure::cannot_create, "cannot be opened (" + system_reason(errno) + ")", errno);
}

}  // namespace gpuccl::io
