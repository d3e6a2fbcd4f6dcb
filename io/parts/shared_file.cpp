#include "io/parts/shared_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "io/files/file_error.hpp"
#include "io/parts/collectively.hpp"

namespace gpuccl::io {

SharedFile::SharedFile(PartLink& link, const std::string& path, AtomicFile* made) : path_(path), made_(made) {
  const std::string name =
      text_of(link.gather(message_of(made != nullptr ? made->temporary_path() : "")).front());
  collectively(link, [&] {
    if (made_ != nullptr) return;
    opened_ = open_again(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    is_folder_ = !opened_ && errno == EISDIR;
    if (is_folder_) opened_ = open_again(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (!opened_)
      throw FileError(path_, Failure::cannot_create,
                      "cannot be opened by part " + std::to_string(link.part()) + " (" +
                          system_reason(errno) + "); its folder must be the same for all");
  });
}

void SharedFile::write_at(const void* data, std::size_t bytes, std::uint64_t offset) {
  write_all_at(descriptor(), data, bytes, offset);
}

void SharedFile::finish() {
  if (made_ != nullptr) return made_->finish();
  const auto sync = is_folder_ ? ::syncfs : ::fsync;  // of a folder, all that is in it
  while (sync(opened_.get()) != 0) {
    if (errno == EINVAL) break;  // some file systems cannot
    if (errno != EINTR) throw system_error(Failure::io, "cannot write", errno);
  }
  if (!opened_.close()) throw system_error(Failure::io, "cannot write", errno);
}

}  // namespace gpuccl::io
