#include "io/files/text_stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
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
    throw FileError(path, ErrorCode::cannot_create,
                    "descriptor " + std::to_string(descriptor) + " cannot be written to (" +
                        system_reason(errno) + "); open it as in " + std::to_string(descriptor) + ">FILE",
                    errno);
}

void TextStream::open() {
  if (descriptor_) return;
  descriptor_ = open_retrying(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (!descriptor_)
    throw FileError(path_, ErrorCode::cannot_create, "cannot be opened (" + system_reason(errno) + ")",
                    errno);
}

std::string folder_for_temporary_files() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

namespace {

constexpr std::size_t kInMemory = std::size_t{1} << 16;

constexpr const char* kRemedy = "; set TMPDIR to another folder for temporary files";

Descriptor unnamed_file() {
  const std::string folder = folder_for_temporary_files();
  if (Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)); file) return file;
  std::string name = folder + "/gpuccl-XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file)
    throw FileError(folder, failure_to_create(errno),
                    "cannot create a temporary file (" + system_reason(errno) + ")" + kRemedy, errno);
  ::unlink(name.c_str());
  return file;
}

}  // namespace

void SpooledText::try_folder() { unnamed_file(); }

void SpooledText::add(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() > kInMemory) flush();
}

void SpooledText::flush() {
  if (!file_) file_ = unnamed_file();
  try {
    write_all_at(file_.get(), waiting_.data(), waiting_.size(), in_file_);
  } catch (const Error& error) {
    throw FileError(folder_for_temporary_files(), error.code(), std::string(error.what()) + kRemedy,
                    error.system_code());
  }
  in_file_ += waiting_.size();
  waiting_.clear();
}

void SpooledText::copy_to(const std::function<void(std::string_view)>& sink) const {
  std::string piece(std::min(in_file_, kInMemory), '\0');
  for (std::size_t at = 0, got = 0; at < in_file_; at += got) {
    got = read_all_at(file_.get(), piece.data(), std::min(piece.size(), in_file_ - at), at);
    if (got == 0) throw Error(ErrorCode::io, "a temporary file has become shorter");
    sink(std::string_view(piece).substr(0, got));
  }
  sink(waiting_);
}

}  // namespace gpuccl::io
