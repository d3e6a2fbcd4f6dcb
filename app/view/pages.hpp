#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuccl::app {

// The embedded pages, and what they share: the form of their data (docs/view.md).

/// Pages that bundle.cmake makes from the files of this folder. Data replaces kDataPlace.
extern const std::string_view kViewPage;
extern const std::string_view kBenchPage;
extern const std::string_view kBatchPage;
/// Schemas of JSON outputs, of the folder data.
extern const std::string_view kReportSchema;
extern const std::string_view kMatchSchema;
inline constexpr std::string_view kDataPlace = "@DATA@";

/// Returns the element of a page that contains this JSON, escaped: no text in it ends the element.
std::string data_element(const std::string& id, const std::string& json);
/// Returns `page` with `data` at kDataPlace.
std::string page_with(std::string_view page, const std::string& data);

/// Returns the page of benchmark results, given the JSON of `gpuccl bench --json`. It is self-contained.
std::string bench_page(const std::string& json);

std::string base64(std::string_view bytes);
/// Returns the Base64 form of a zlib stream of these bytes, which a page inflates.
std::string packed(std::span<const std::uint8_t> bytes);
/// Packs several parts, in parallel.
std::vector<std::string> packed(const std::vector<std::vector<std::uint8_t>>& parts);

std::size_t bytes_of(const std::vector<std::string>& lines);

}  // namespace gpuccl::app
