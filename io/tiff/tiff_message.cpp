#include "io/tiff/tiff_message.hpp"

#include <array>
#include <cerrno>
#include <cstdio>

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

}  // namespace

void TiffMessages::add_error(const char* module, const char* format, va_list arguments) {
  if (!error.empty()) return;
  out_of_memory = errno == ENOMEM;
  error = tiff_message(module, format, arguments);
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
