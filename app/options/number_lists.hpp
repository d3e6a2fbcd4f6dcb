#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpuccl/extent.hpp"

// Lists as options take them: values with commas between them. None if the text is not one.
namespace gpuccl::app {

std::vector<std::string> split(const std::string& text, char separator);

/// "640x480" or "64x64x32".
std::optional<Extent> parse_size(const std::string& text);
/// "640x480,64x64x32".
std::optional<std::vector<Extent>> parse_sizes(const std::string& text);

/// "0.1,0.5", and "0:1:0.25" for 0, 0.25, 0.5, 0.75, 1; all between 0 and 1.
std::optional<std::vector<double>> parse_shares(const std::string& text);

/// "1,4", and "1:16" for all from 1 to 16; all positive.
std::optional<std::vector<int>> parse_counts(const std::string& text);

}  // namespace gpuccl::app
