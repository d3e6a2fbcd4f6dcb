#pragma once

#include <string>
#include <vector>

#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Formats that an input may have. The content of a file selects its loader, so whoever sends a file selects
/// the code that it attacks. This limits the choice.

/// The words of --formats and GPUCCL_FORMATS, separated by commas.
extern const char* const kFormatWords;
/// Returns the formats allowed by a list of such words, or by "any". Throws Error (usage) for another word.
std::vector<std::string> formats_of_words(const std::string& list);

/// Throws Error (data) if `format`, the format of the content of `path`, is not allowed: by --formats, else
/// by GPUCCL_FORMATS, else because its name has the extension of another format.
void check_format(const std::string& format, const std::string& path, const Limits& limits);

}  // namespace gpuccl::io
