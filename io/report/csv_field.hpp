#pragma once

#include <string>

namespace gpuccl::io {

/// `text` as a field of CSV: in quotes where it holds what would end it.
std::string csv_field(const std::string& text);

/// The same file by a name that no spreadsheet takes for a formula: "./=name".
std::string harmless_name(const std::string& path);

}  // namespace gpuccl::io
