#include "io/files/obsolete_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "io/files/file_error.hpp"
#include "io/files/temporary_files.hpp"

namespace gpuccl::io {
namespace {

[[noreturn]] void fail() {
  throw system_error(Failure::cannot_create, "is left from an earlier run and cannot be removed", errno);
}

}  // namespace

ObsoleteFile::ObsoleteFile(const std::string& path)
    : path_(path), name_(std::filesystem::path(path).filename().string()) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  folder_ = open_again(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!folder_) fail();
}

ObsoleteFile::~ObsoleteFile() = default;

void ObsoleteFile::take_away(const Naming& naming) {
  auto old = std::make_unique<TemporaryName>(folder_.get(), naming);
  if (::renameat(folder_.get(), name_.c_str(), folder_.get(), old->c_str()) == 0)
    old_ = std::move(old);
  else if (errno != ENOENT)
    fail();
}

void ObsoleteFile::give_back(const Naming& naming) {
  if (old_ && ::renameat(folder_.get(), old_->c_str(), folder_.get(), name_.c_str()) == 0) old_.reset();
  drop(naming);
}

void ObsoleteFile::drop(const Naming&) {
  if (old_) ::unlinkat(folder_.get(), old_->c_str(), 0);
  old_.reset();
}

}  // namespace gpuccl::io
