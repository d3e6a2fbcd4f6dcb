// For libtiff 4.5 and later: each open file has its own message handlers.

#include <memory>
#include <new>

#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {
namespace {

int on_error(TIFF*, void* messages, const char* module, const char* format, va_list arguments) {
  static_cast<TiffMessages*>(messages)->add_error(module, format, arguments);
  return 1;
}

int on_warning(TIFF*, void* messages, const char* module, const char* format, va_list arguments) {
  static_cast<TiffMessages*>(messages)->add_warning(module, format, arguments);
  return 1;
}

}  // namespace

TIFF* open_tiff(const TiffClient& client, TiffMessages& messages, std::int64_t max_bytes) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), max_bytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, &messages);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, &messages);
  return TIFFClientOpenExt("", client.mode, client.handle, client.read, client.write, client.seek,
                           client.close, client.size, nullptr, nullptr, options.get());
}

void close_tiff(TIFF* tiff, TiffMessages&) { TIFFClose(tiff); }

}  // namespace gpuccl::io
