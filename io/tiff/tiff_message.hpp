#pragma once

#include <cstdarg>
#include <string>

namespace gpuccl::io {

/// Messages of libtiff about one open file. Only the first error and the first warning are kept; warnings
/// about private tags, which are not part of the image, and about the order of tags are ignored.
struct TiffMessages {
  std::string error;
  std::string warning;
  std::string note;            // a warning of what is against the rules but read as it is meant
  bool out_of_memory = false;  // was the reason of the error

  /// libtiff has nothing but words for it, many different ones; malloc() has left ENOMEM in errno.
  void add_error(const char* module, const char* format, va_list arguments);
  void add_warning(const char* module, const char* format, va_list arguments);
};

}  // namespace gpuccl::io
