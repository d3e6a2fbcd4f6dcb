#include "io/files/file_names.hpp"

#include <algorithm>

namespace gpuccl::io {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::string lower_extension(const std::filesystem::path& name) {
  return lower_case(name.extension().string());
}

}  // namespace gpuccl::io
