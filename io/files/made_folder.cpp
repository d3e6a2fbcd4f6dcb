#include "io/files/made_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/files/file_error.hpp"
#include "io/files/temporary_files.hpp"

namespace gpuccl::io {

MadeFolder::MadeFolder(const std::string& parent, const std::string& name)
    : parent_(open_again(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!parent_) throw system_error(failure_to_create(errno), "cannot open '" + parent + "'", errno);
  const Naming naming;
  if (::mkdirat(parent_.get(), name.c_str(), 0777) == 0)
    name_ = std::make_unique<TemporaryName>(parent_.get(), name, naming);
  else if (errno != EEXIST)
    throw system_error(failure_to_create(errno), "cannot create '" + parent + "/" + name + "'", errno);
}

MadeFolder::~MadeFolder() {
  if (!name_) return;
  const Naming naming;
  ::unlinkat(parent_.get(), name_->c_str(), AT_REMOVEDIR);
  name_.reset();
}

}  // namespace gpuccl::io
