#include "io/files/file_names.hpp"

#include <algorithm>

namespace gpuccl::io {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::string lower_extension(const std::filesystem::path& name) {
  const std::string extension = lower_case(name.extension().string());
  return extension == ".gz" && lower_case(name.stem().extension().string()) == ".nii" ? ".nii.gz" : extension;
}

std::string without_extension(const std::filesystem::path& name) {
  const std::string text = name.string();
  return text.substr(0, text.size() - lower_extension(name).size());
}

}  // namespace gpuccl::io
