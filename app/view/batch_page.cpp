#include "app/view/batch_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/common/messages.hpp"
#include "app/view/pages.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/png/png.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSideOfThumbnail = 144;                          // the longer one, at most
constexpr std::size_t kMaxThumbnails = std::size_t{16} << 20;  // bytes of all; inputs beyond these have none

/// Returns `part`; if it is too long or not UTF-8, a shortened form with a checksum.
std::string page_part(const std::string& part, std::size_t most_bytes) {
  std::string name = io::as_utf8(part);
  if (name == part && name.size() <= most_bytes) return name;
  constexpr std::size_t kSum = 9;  // "-", and 8 digits
  std::size_t end = std::min(name.size(), most_bytes - kSum);
  while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  std::uint32_t sum = 2166136261u;  // FNV-1a
  for (const char c : part) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("{}-{:08x}", name.substr(0, end), sum);
}

}  // namespace

std::string page_name(const std::string& name) {
  constexpr std::size_t kMaxBytes = 255;
  constexpr std::string_view kExtension = ".html";
  const std::filesystem::path path(name);
  std::filesystem::path page;
  for (const auto& part : path.parent_path()) page /= page_part(part.string(), kMaxBytes);
  page /= page_part(path.filename().string(), kMaxBytes - kExtension.size());
  return page.string() + std::string(kExtension);
}

std::string thumbnail(const io::MappedLabels& labels, const GrayPicture& below, bool invert) {
  const Extent extent = labels.labels.extent();
  if (extent.elements() == 0) return "";
  const int longer = std::max(extent.width, extent.height);
  const double scale = std::min(1.0, double(kSideOfThumbnail) / longer);
  const auto scaled = [scale](int n) { return static_cast<int>(scale * n); };
  const int width = std::max(1, scaled(extent.width)), height = std::max(1, scaled(extent.height));
  std::vector<Label> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const std::int64_t first = std::int64_t{extent.depth / 2} * extent.height;
  std::int64_t ready = first;
  LabelRuns row;
  for (int y = 0; y < extent.height; ++y) {
    if (first + y >= ready) ready = labels.labels.prepare(first + y, 1);
    io::list_runs(labels, first + y, 1, row);
    Label* const line = pixels.data() + std::ptrdiff_t{std::min(scaled(y), height - 1)} * width;
    for (const LabelRun& run : row.runs)
      for (int x = scaled(run.begin), end = std::min(scaled(run.end - 1), width - 1); x <= end; ++x)
        if (line[x] == 0) line[x] = run.label;
  }
  std::vector<std::uint64_t> sums(pixels.size()), counts(pixels.size());
  for (std::int64_t y = 0; y < below.height; ++y)
    for (std::int64_t x = 0; x < below.width; ++x) {
      const auto at = static_cast<std::size_t>(y * height / below.height * width + x * width / below.width);
      sums[at] += below.pixels[static_cast<std::size_t>(y * below.width + x)];
      ++counts[at];
    }
  std::vector<std::uint8_t> rgb;
  rgb.reserve(3 * pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const auto gray = static_cast<int>(counts[i] > 0 ? sums[i] / counts[i] : 0),
               shown = counts[i] > 0 && invert ? 255 - gray : gray;
    // The image is half as bright, or white paper would outshine the labels, in few grays that compress well.
    for (const int c : io::label_color(pixels[i]))
      rgb.push_back(static_cast<std::uint8_t>(pixels[i] == 0 ? shown / 2 & 0xf8 : (2 * c + shown) / 3));
  }
  std::string png;
  const auto append = [&](const void* data, std::size_t bytes) {
    png.append(static_cast<const char*>(data), bytes);
  };
  io::PngOutput output(append, {width, height, 8, io::PngColor::rgb, 9, {}});
  output.write_rows(rgb.data(), 3 * static_cast<std::size_t>(width), static_cast<std::size_t>(height));
  output.finish();
  return png;
}

std::string batch_page(const std::vector<IndexEntry>& entries) {
  Json inputs = Json::array();
  std::size_t bytes = 0;
  for (const IndexEntry& entry : entries) {
    Json input = {{"input", entry.input}, {"name", entry.name}, {"status", entry.status}};
    if (!entry.place.empty()) input["place"] = entry.place;
    if (!entry.error.empty()) input["error"] = entry.error;
    if (!entry.page.empty()) {
      input["page"] = entry.page;
      input["components"] = entry.components;
      input["foreground"] = entry.foreground;
      if (!entry.hints.empty()) input["hints"] = entry.hints;
    }
    bytes += entry.thumbnail.size();
    if (!entry.thumbnail.empty() && bytes <= kMaxThumbnails) input["thumbnail"] = base64(entry.thumbnail);
    inputs.push_back(std::move(input));
  }
  const Json head = {{"program", version_line()}, {"inputs", std::move(inputs)}};
  return page_with(kBatchPage, data_element("batch", io::json_text(head)));
}

bool is_batch_page(std::string_view beginning) {
  std::string ours(kBatchPage.substr(0, kBatchPage.find("</title>")));
  std::erase_if(ours, [](unsigned char c) { return std::isspace(c) != 0; });
  return beginning.starts_with(ours);
}

}  // namespace gpuccl::app
