#include "io/files/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace gpuccl::io {

FolderLock::FolderLock(const std::string& path)
    : folder_(open_again(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (folder_ && ::flock(folder_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

}  // namespace gpuccl::io
