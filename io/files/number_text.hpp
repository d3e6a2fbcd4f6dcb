#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuccl::io {

/// The shortest text that is read back as the same number: "0.1", "1e+30".
std::string shortest(double value);

/// Numbers with blanks, commas or parentheses between them: "1 2.5", "(1,0,0)". None if there is anything
/// else.
std::optional<std::vector<double>> numbers_in(std::string_view text);

/// Parts with blanks between them.
std::vector<std::string> words_in(std::string_view text);

/// Returns a text without the byte order mark that Excel and other programs of Windows begin it with.
std::string_view without_byte_order_mark(std::string_view text);

/// "71 MiB", "8 KiB": rounded up.
std::string bytes_in_words(double bytes);

}  // namespace gpuccl::io
