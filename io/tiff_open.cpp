// For libtiff 4.5 and later, where every open file has message handlers of its own.

#include <new>

#include "io/tiff_stream.hpp"

namespace gpuccl::io {
namespace {

int on_error(TIFF*, void* messages, const char* module, const char* format, va_list arguments) {
  std::string& error = static_cast<TiffMessages*>(messages)->error;
  if (error.empty()) error = tiff_message(module, format, arguments);
  return 1;
}

int on_warning(TIFF*, void* messages, const char* module, const char* format, va_list arguments) {
  std::string& warning = static_cast<TiffMessages*>(messages)->warning;
  if (warning.empty()) warning = tiff_message(module, format, arguments);
  return 1;
}

}  // namespace

TIFF* open_tiff_stream(TiffStream& stream, TiffMessages& messages, std::int64_t max_bytes) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), max_bytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, &messages);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, &messages);
  return TIFFClientOpenExt("input", "rm", &stream, read_stream, write_stream, seek_stream, close_stream,
                           size_of_stream, nullptr, nullptr, options.get());
}

void close_tiff(TIFF* tiff, TiffMessages&) { TIFFClose(tiff); }

}  // namespace gpuccl::io
