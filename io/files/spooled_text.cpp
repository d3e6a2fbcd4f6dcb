#include "io/files/spooled_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace gpuccl::io {
namespace {

constexpr std::size_t kInMemory = std::size_t{1} << 16;

Descriptor unnamed_file() {
  const std::string folder = std::filesystem::temp_directory_path().string();
  if (Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)); file) return file;
  std::string name = folder + "/gpuccl-XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file)
    throw system_error(failure_to_create(errno), "cannot create a temporary file in " + folder, errno);
  ::unlink(name.c_str());
  return file;
}

}  // namespace

void SpooledText::add(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() > kInMemory) flush();
}

void SpooledText::flush() {
  if (!file_) file_ = unnamed_file();
  write_all_at(file_.get(), waiting_.data(), waiting_.size(), in_file_);
  in_file_ += waiting_.size();
  waiting_.clear();
}

void SpooledText::copy_to(const std::function<void(std::string_view)>& sink) const {
  std::string piece(std::min(in_file_, kInMemory), '\0');
  for (std::size_t at = 0, got = 0; at < in_file_; at += got) {
    got = read_all_at(file_.get(), piece.data(), std::min(piece.size(), in_file_ - at), at);
    if (got == 0) throw Error(Failure::io, "a temporary file has become shorter");
    sink(std::string_view(piece).substr(0, got));
  }
  sink(waiting_);
}

}  // namespace gpuccl::io
