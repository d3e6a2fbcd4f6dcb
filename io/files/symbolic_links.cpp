#include "io/files/symbolic_links.hpp"

namespace gpuccl::io {

std::optional<std::filesystem::path> follow_links(
    std::filesystem::path name, const std::function<bool(const std::filesystem::path& name)>& stop) {
  constexpr int kMaxLinks = 40;  // as the kernel
  for (int links = 0; links <= kMaxLinks; ++links) {
    if (stop && stop(name)) return name;
    std::error_code problem;
    const std::filesystem::path target = std::filesystem::read_symlink(name, problem);
    if (problem) return name;  // no link, or a problem that the caller meets on opening it
    name = name.parent_path() / target;
  }
  return std::nullopt;
}

}  // namespace gpuccl::io
