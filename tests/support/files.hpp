#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gpuccl {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// Returns the contents of a file, or the paths of all entries of a folder and the contents of its files.
inline std::string read_tree(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return read_file(path.string());
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  std::string text;
  for (const std::filesystem::path& entry : all) {
    text += entry.lexically_relative(path).string() + "\n";
    if (std::filesystem::is_regular_file(entry)) text += read_file(entry.string()) + "\n";
  }
  return text;
}

/// Number of entries of a folder, hidden ones included.
inline std::size_t count_entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

}  // namespace gpuccl
