#include "io/files/companion_file.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

/// Without openat2() (before Linux 5.6), opens the path component by component and follows no links.
Descriptor open_without_links(int folder, const fs::path& name) {
  Descriptor inner;
  for (auto part = name.begin(); part != name.end(); ++part) {
    const bool is_last = std::next(part) == name.end();
    Descriptor next(::openat(inner ? inner.get() : folder, part->c_str(),
                             static_cast<int>(kFlags) | O_NOFOLLOW | (is_last ? 0 : O_DIRECTORY)));
    if (!next && (errno == ELOOP || errno == ENOTDIR)) errno = EXDEV;
    if (!next) return next;
    inner = std::move(next);
  }
  return inner;
}

/// EXDEV: it leads out of the folder. The system looks while it opens: nothing can be exchanged in between.
Descriptor open_beneath(int folder, const std::string& name) {
  open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long opened = -1;
  for (int tries = 0; tries < 100; ++tries) {  // EAGAIN: something was renamed meanwhile
    opened = ::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how);
    if (opened >= 0 || (errno != EINTR && errno != EAGAIN)) break;
  }
  if (opened < 0 && (errno == ENOSYS || errno == EPERM)) return open_without_links(folder, name);
  return Descriptor(static_cast<int>(opened));
}

}  // namespace

std::string companion_path(const std::string& header, const std::string& name) {
  return (fs::path(header).parent_path() / name).string();
}

std::shared_ptr<const InputFile> open_companion(const std::string& header, const std::string& name,
                                                bool follow, OpenedFiles* opened) {
  const fs::path path = name;
  const std::string shown = name.substr(0, name.find('\0'));
  const auto refuse = [&] {
    throw Error(Failure::data,
                "its samples are in '" + shown +
                    "', outside of the folder of the header; --follow reads them, if you trust it");
  };
  if (header.empty() || header == "-")
    throw Error(Failure::data, "its samples are in '" + shown + "'; give the header by its name");
  const bool leads_out = path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  if (name.size() != shown.size() || (leads_out && !follow)) refuse();
  const fs::path parent = fs::path(header).parent_path();
  const Descriptor folder =
      open_again(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!folder) throw Error(failure_to_read(errno), system_reason(errno));
  Descriptor file = follow ? Descriptor(::openat(folder.get(), name.c_str(), static_cast<int>(kFlags)))
                           : open_beneath(folder.get(), name);
  if (!file && errno == EXDEV) refuse();
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Error(Failure::no_input, "its samples are missing: no file " + shown + " next to it");
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (opened != nullptr) opened->add(companion_path(header, name), bytes);
  return std::make_shared<const InputFile>(std::move(file), bytes);
}

}  // namespace gpuccl::io
