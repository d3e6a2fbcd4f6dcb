#include "io/files/folder_lock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <cerrno>

#include "gpuccl/error.hpp"

namespace gpuccl::io {

FolderLock::FolderLock(const std::string& path)
    : folder_(open_again(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  constexpr int kTurns = 1200, kPauseMs = 50;  // a minute: others hold it while they give files their names
  for (int turn = 0; folder_ && ::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0; ++turn) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // some file systems have no locks
    if (turn == kTurns)
      throw Error(Failure::cannot_create,
                  "cannot create: another process has locked '" + path + "' for a minute");
    ::poll(nullptr, 0, kPauseMs);
  }
}

}  // namespace gpuccl::io
