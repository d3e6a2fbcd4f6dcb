#include "io/tiff/tiff_message.hpp"

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace gpuccl::io {
namespace {

/// One line of text from libtiff: "module: message".
std::string tiff_message(const char* module, const char* format, va_list arguments) {
  std::array<char, 300> text;
  std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string line = text.data();
  if (line.starts_with(": ")) line.erase(0, 2);  // after the name of the file, which libtiff does not know
  if (module != nullptr && *module != '\0') line = std::string(module) + ": " + line;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  return line;
}

/// Whether an error is about a tag that libtiff has no name for but "Tag N": private data, which no reader
/// uses.
bool is_of_private_tag(const std::string& line) {
  for (const char* const begin : {"\"Tag ", "(Tag "})
    if (const std::size_t at = line.find(begin); at != std::string::npos)
      if (std::isdigit(static_cast<unsigned char>(line[at + std::strlen(begin)])) != 0) return true;
  return false;
}

}  // namespace

void TiffMessages::add_error(const char* module, const char* format, va_list arguments) {
  if (!error.empty()) return;
  std::string line = tiff_message(module, format, arguments);
  if (errno != ENOMEM && is_of_private_tag(line)) {
    if (warning.empty()) warning = std::move(line);
    return;
  }
  out_of_memory = errno == ENOMEM;
  error = std::move(line);
}

void TiffMessages::add_warning(const char* module, const char* format, va_list arguments) {
  const std::string line = tiff_message(module, format, arguments);
  if (line.find("Unknown field with tag") != std::string::npos ||
      line.find("tags are not sorted in ascending order") != std::string::npos)
    return;
  // A last strip encoded at full height; several scans in a strip.
  const bool is_harmless = line.find("JPEG strip size exceeds expected dimensions") != std::string::npos ||
                           line.find("encoded with progressive mode") != std::string::npos;
  std::string& kept = is_harmless ? note : warning;
  if (kept.empty()) kept = line;
}

}  // namespace gpuccl::io
