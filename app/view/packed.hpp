#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuccl::app {

std::string base64(std::string_view bytes);
/// Base64 of a zlib stream of these bytes: what a page inflates (docs/view.md).
std::string packed(std::span<const std::uint8_t> bytes);
/// Packs several parts, in parallel.
std::vector<std::string> packed(const std::vector<std::vector<std::uint8_t>>& parts);

std::size_t bytes_of(const std::vector<std::string>& lines);

}  // namespace gpuccl::app
