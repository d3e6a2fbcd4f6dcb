#include "io/zarr/zarr_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "gpuccl/types.hpp"
#include "io/files/json.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& why) {
  throw Error(ErrorCode::data, "'" + key.substr(0, key.find('\0')) + "' " + why);
}

bool is_link(int folder, const std::string& name) {
  struct stat status {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
}

/// Opens a name of a folder that is not a link, unless `flags` say so; none if it is not there.
Descriptor open_name(int folder, const std::string& name, int flags, const std::string& key) {
  // The system reads a name up to a NUL: "..\0" is "..".
  if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos)
    refuse(key, "is not a name inside a Zarr store");
  Descriptor opened;
  do {
    opened = Descriptor(::openat(folder, name.c_str(), flags | O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  } while (!opened && errno == EINTR);
  if (opened || errno == ENOENT) return opened;
  const int code = errno;
  if ((code == ELOOP || code == ENOTDIR) && is_link(folder, name))
    refuse(key, "leads through a symbolic link; gpuccl label and measure follow it with --follow");
  if (code == ENOTDIR) return opened;
  throw Error(failure_to_read(code), "cannot open '" + key + "' (" + system_reason(code) + ")", code);
}

}  // namespace

ZarrFolder::ZarrFolder(const std::string& path, bool follow)
    : folder_(open_retrying(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), follow_(follow) {
  if (!folder_) throw Error(failure_to_read(errno), system_reason(errno));
}

std::unique_ptr<const InputFile> ZarrFolder::open(const std::string& key) const {
  const int links = follow_ ? 0 : O_NOFOLLOW;
  Descriptor inner;
  std::size_t begin = 0;
  for (std::size_t end = key.find('/'); end != std::string::npos; end = key.find('/', begin)) {
    inner = open_name(inner ? inner.get() : folder_.get(), key.substr(begin, end - begin),
                      O_DIRECTORY | links, key);
    if (!inner) return nullptr;
    begin = end + 1;
  }
  Descriptor file = open_name(inner ? inner.get() : folder_.get(), key.substr(begin), links, key);
  if (!file) return nullptr;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    throw Error(failure_to_read(errno), "'" + key + "': " + system_reason(errno));
  if (!S_ISREG(status.st_mode)) refuse(key, "is not a file");
  return std::make_unique<const InputFile>(std::move(file), static_cast<std::uint64_t>(status.st_size));
}

using Json = nlohmann::json;

std::optional<Json> read_zarr_json(const ZarrStore& store, const std::string& key, std::int64_t memory) {
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
  constexpr std::int64_t kBytesOfEach = 64;  // parsed, a character takes no more, and white space nothing
  constexpr std::uint64_t kInAnyCase = 1 << 16;
  const auto file = store.open(key);
  if (!file) return std::nullopt;
  const std::uint64_t size = file->size();
  if (size > kLargest) refuse_zarr(key + " of " + bytes_in_words(static_cast<double>(size)));
  const auto check_memory = [&](std::int64_t bytes) {
    if (size > kInAnyCase && bytes > memory)
      throw Error(ErrorCode::memory, key + " of " + bytes_in_words(static_cast<double>(size)) +
                                         " may not fit in memory when it is parsed");
  };
  check_memory(static_cast<std::int64_t>(size));
  std::string text(size, '\0');
  text.resize(file->read_at(0, text.data(), text.size()));
  store.check(key, std::as_bytes(std::span(text)));
  check_memory(kBytesOfEach *
               std::count_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) == 0; }));
  Json json = parse_json(text, kDeepestJson, [&] { refuse_zarr(key + " is nested too deep"); });
  if (!json.is_object()) refuse_zarr(key + " is not valid");
  json.erase("consolidated_metadata");
  return json;
}

const Json& member(const Json& object, const char* name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::string text_in(const Json& object, const char* name) {
  const Json& text = member(object, name);
  return text.is_string() ? text.get<std::string>() : "";
}

std::vector<std::uint64_t> sizes_in(const Json& object, const char* name) {
  const Json& list = member(object, name);
  if (!list.is_array()) refuse_zarr(std::string("no ") + name);
  std::vector<std::uint64_t> sizes;
  for (const Json& size : list) {
    if (!size.is_number_unsigned()) refuse_zarr(std::string(name) + " " + json_text(list).substr(0, 60));
    sizes.push_back(size.get<std::uint64_t>());
  }
  return sizes;
}

void refuse_zarr(const std::string& why) {
  throw Error(ErrorCode::data, "not a usable Zarr array (" + why + ")");
}

}  // namespace gpuccl::io
