#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Lines of a text before samples. Content in addition to the header's fields, such as a
/// history, may be long, but not without bound.
class HeaderLines {
 public:
  explicit HeaderLines(const ByteSource& file) : file_(file) {}

  /// Without its end, which may be that of Unix or of Windows; none at the end of the file. Throws Error
  /// (data) where the text is longer than a header is.
  std::optional<std::string> next();
  /// Returns the offset of the byte after the last line.
  std::uint64_t position() const { return position_; }

 private:
  const ByteSource& file_;
  std::string waiting_;  // what was read from position() on
  std::uint64_t position_ = 0;
};

}  // namespace gpuccl::io
