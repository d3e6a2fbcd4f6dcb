#pragma once

#include <string>

namespace gpuccl::io {

/// `text` as a field of CSV: in quotes where it holds what would end it.
std::string csv_field(const std::string& text);

}  // namespace gpuccl::io
