#include "io/tiff_handle.hpp"

#include <array>
#include <cstdio>

namespace gpuccl::io {

std::string tiff_message(const char* module, const char* format, va_list arguments) {
  std::array<char, 300> text;
  std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string line = text.data();
  if (module != nullptr && *module != '\0') line = std::string(module) + ": " + line;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  return line;
}

TiffHandle::TiffHandle(std::shared_ptr<const InputFile> file, std::int64_t max_bytes)
    : stream_{std::move(file), 0, {}} {
  tiff_ = open_tiff_stream(stream_, messages_, max_bytes);
  if (tiff_ == nullptr) {
    if (!has_error()) messages_.error = "no page";
    fail("not a valid TIFF");
  }
}

TiffHandle::~TiffHandle() { close_tiff(tiff_, messages_); }

void TiffHandle::fail(const std::string& reason) const {
  if (stream_.read_failure) throw *stream_.read_failure;
  throw Error(Failure::data, has_error() ? reason + " (" + messages_.error + ")" : reason);
}

std::string TiffHandle::text(ttag_t tag) const {
  const char* value = nullptr;
  return TIFFGetField(tiff_, tag, &value) == 1 && value != nullptr ? value : "";
}

}  // namespace gpuccl::io
