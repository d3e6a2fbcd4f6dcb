// For libtiff before 4.5: message handlers belong to the process and find the open file by its stream.

#include <map>
#include <mutex>

#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {
namespace {

std::mutex mutex;
std::map<thandle_t, TiffMessages*> open_files;

TiffMessages* messages_of(thandle_t stream) {
  const std::lock_guard lock(mutex);
  const auto found = open_files.find(stream);
  return found == open_files.end() ? nullptr : found->second;
}

void on_error(thandle_t stream, const char* module, const char* format, va_list arguments) {
  TiffMessages* messages = messages_of(stream);
  if (messages != nullptr) messages->add_error(module, format, arguments);
}

void on_warning(thandle_t stream, const char* module, const char* format, va_list arguments) {
  TiffMessages* messages = messages_of(stream);
  if (messages != nullptr) messages->add_warning(module, format, arguments);
}

void set_handlers() {
  TIFFSetErrorHandler(nullptr);
  TIFFSetWarningHandler(nullptr);
  TIFFSetErrorHandlerExt(on_error);
  TIFFSetWarningHandlerExt(on_warning);
}

}  // namespace

TIFF* open_tiff(const TiffClient& client, TiffMessages& messages, std::int64_t) {
  static std::once_flag once;
  std::call_once(once, set_handlers);
  {
    const std::lock_guard lock(mutex);
    open_files[client.handle] = &messages;
  }
  TIFF* tiff = TIFFClientOpen("", client.mode, client.handle, client.read, client.write, client.seek,
                              client.close, client.size, nullptr, nullptr);
  if (tiff == nullptr) close_tiff(nullptr, messages);
  return tiff;
}

void close_tiff(TIFF* tiff, TiffMessages& messages) {
  if (tiff != nullptr) TIFFClose(tiff);
  const std::lock_guard lock(mutex);
  std::erase_if(open_files, [&](const auto& file) { return file.second == &messages; });
}

}  // namespace gpuccl::io
