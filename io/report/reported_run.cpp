#include "io/report/reported_run.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

// Neither is found inside a string, where ends of lines are escaped, nor further in.
constexpr std::string_view kComponents = ",\n  \"components\": [";
constexpr std::string_view kEnd = "]\n}\n";
constexpr std::size_t kUsualHead = 1 << 12, kLargestHead = 1 << 20;

std::string read_at(int file, std::size_t bytes, std::size_t offset) {
  std::string text(bytes, '\0');
  text.resize(read_all_at(file, text.data(), text.size(), offset));
  return text;
}

/// What comes before the components, as an object of its own; "" if they do not come.
std::string head_of(int file) {
  for (std::size_t bytes = kUsualHead; bytes <= kLargestHead; bytes *= 16) {
    std::string text = read_at(file, bytes, 0);
    if (const std::size_t end = text.find(kComponents); end != std::string::npos) {
      text.resize(end);
      return text + "}";
    }
  }
  return "";
}

ReportedFile file_in(const Json& head, const char* key) {
  const auto file = head.find(key);
  if (file == head.end() || file->is_null()) return {};
  const Json& bytes = file->at("bytes");
  return {file->at("path").get<std::string>(), bytes.is_null() ? 0 : bytes.get<std::uint64_t>()};
}

}  // namespace

std::optional<ReportedRun> read_reported_run(const std::string& path) {
  const Descriptor file = open_again(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  try {
    const Json head = Json::parse(head_of(file.get()));
    if (!head.contains("gpuccl")) return std::nullopt;
    const auto size = static_cast<std::size_t>(status.st_size);
    const std::size_t end = std::min(size, kEnd.size());
    return ReportedRun{.complete = read_at(file.get(), end, size - end) == kEnd,
                       .options = head.at("options").get<std::string>(),
                       .input = file_in(head, "input"),
                       .intensity = file_in(head, "intensity"),
                       .output = file_in(head, "output"),
                       .preview = file_in(head, "preview"),
                       .stats = file_in(head, "stats"),
                       .contacts = file_in(head, "contacts")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string reported_path(const std::string& path) {
  return Json::parse(Json(path).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace gpuccl::io
