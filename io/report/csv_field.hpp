#pragma once

#include <string>

namespace gpuccl::io {

/// `text` as a field of CSV: in quotes where it holds what would end it.
std::string csv_field(const std::string& text);

/// Returns a path of the same file that no spreadsheet interprets as a formula: "./=name".
std::string harmless_name(const std::string& path);

}  // namespace gpuccl::io
