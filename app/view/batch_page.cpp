#include "app/view/batch_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/common/version.hpp"
#include "app/view/packed.hpp"
#include "app/view/pages.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostThumbnails = std::size_t{16} << 20;  // bytes of all; inputs beyond these have none

/// Names of files need not be UTF-8.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// The name of a sample: MultiQC would take what follows the last slash only.
std::string sample_of(const IndexEntry& entry) {
  std::string name = io::without_extension(entry.page);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace

std::string batch_page(const std::vector<IndexEntry>& entries) {
  Json inputs = Json::array();
  std::size_t bytes = 0;
  for (const IndexEntry& entry : entries) {
    Json input = {{"input", entry.input}, {"status", entry.status}};
    if (!entry.error.empty()) input["error"] = entry.error;
    if (!entry.page.empty()) {
      input["page"] = entry.page;
      input["components"] = entry.components;
      input["foreground"] = entry.foreground;
      if (!entry.hints.empty()) input["hints"] = entry.hints;
    }
    bytes += entry.thumbnail.size();
    if (!entry.thumbnail.empty() && bytes <= kMostThumbnails) input["thumbnail"] = base64(entry.thumbnail);
    inputs.push_back(std::move(input));
  }
  const Json head = {{"program", version_line()}, {"inputs", std::move(inputs)}};
  std::string page(kBatchPage);
  return page.replace(page.find(kDataPlace), kDataPlace.size(), data_element("batch", text_of(head, -1)));
}

std::string multiqc_table(const std::vector<IndexEntry>& entries) {
  Json data = Json::object();
  for (const IndexEntry& entry : entries)
    if (!entry.page.empty())
      data[sample_of(entry)] = {{"components", entry.components},
                                {"foreground", 100 * entry.foreground},
                                {"hints", entry.hints.size()}};
  const Json table = {
      {"id", "gpuccl"},
      {"section_name", "gpuccl"},
      {"description", "Connected components of each input, labeled by " + version_line() + "."},
      {"plot_type", "table"},
      {"pconfig", {{"id", "gpuccl_table"}, {"title", "gpuccl: connected components"}}},
      {"headers",
       {{"components",
         {{"title", "Components"}, {"description", "Number of components"}, {"format", "{:,.0f}"}}},
        {"foreground",
         {{"title", "Foreground"},
          {"description", "Share of the elements in components"},
          {"suffix", "%"},
          {"min", 0},
          {"max", 100}}},
        {"hints",
         {{"title", "Hints"}, {"description", "Hints of the report of the input"}, {"format", "{:,.0f}"}}}}},
      {"data", std::move(data)}};
  return text_of(table, 2) + "\n";
}

}  // namespace gpuccl::app
