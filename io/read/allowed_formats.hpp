#pragma once

#include <string>
#include <vector>

#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Formats that an input may have. The content of a file selects its loader, so whoever sends a file selects
/// the code that it attacks. This limits the choice.

/// The words of --formats and GPUCCL_FORMATS that stand for a format, with commas between them.
extern const char* const kFormatWords;
/// Formats allowed by a list of such words, or "any". Throws Error (usage) for another word.
std::vector<std::string> formats_of_words(const std::string& list);

/// Throws Error (data) where `format`, which the content of `path` has, is not allowed: by --formats, else by
/// GPUCCL_FORMATS, else by the name, if that is one of another format.
void check_format(const std::string& format, const std::string& path, const Limits& limits);

}  // namespace gpuccl::io
