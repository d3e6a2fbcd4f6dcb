#include "app/view/view_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/common/messages.hpp"
#include "app/view/batch_page.hpp"
#include "app/view/pages.hpp"
#include "app/view/view_layers.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/number_text.hpp"
#include "io/image/limits.hpp"
#include "io/read/intensity_reader.hpp"

namespace gpuccl::app {
namespace {

void write(io::AtomicFile& file, std::string_view text) { file.write(text.data(), text.size()); }

void write_lines(io::AtomicFile& file, const std::string& id, const std::vector<std::string>& lines) {
  write(file, "<script type=\"text/plain\" id=\"" + id + "-data\">\n");
  for (const std::string& line : lines) write(file, line + "\n");
  write(file, "</script>\n");
}

std::string nth(int n) { return std::to_string(n) + (n == 2 ? "nd" : n == 3 ? "rd" : "th"); }

/// Packs the table. Drops the smallest components until it takes at most `most_bytes`.
ViewTable::Packed pack_table(ViewPage& page, bool volume, std::size_t most_bytes) {
  for (;;) {
    ViewTable::Packed table =
        io::with_path(page.table_file, [&] { return page.table.pack(page.names, volume); });
    const std::size_t bytes = bytes_of(table.lines), rows = page.table.rows();
    if (bytes <= most_bytes || rows <= 1) return table;
    page.table.keep_largest(static_cast<std::size_t>(
        0.95 * static_cast<double>(rows) * static_cast<double>(most_bytes) / static_cast<double>(bytes)));
  }
}

/// A channel of the image below the labels.
struct Channel {
  std::string name;
  io::ReadOptions read;
  bool is_shown;  // when the page opens
};

/// Returns all channels of the image, if one is chosen and they are not many; otherwise the image.
std::vector<Channel> channels_of(ViewPage& page) {
  constexpr std::size_t kMax = 8;
  if (page.image.empty()) return {};
  std::vector<Channel> alone = {{"", page.read_image, true}};
  const io::PlaneChoice& chosen = page.read_image.planes;
  if (!chosen.channel && chosen.channel_name.empty()) return alone;
  io::ReadOptions read = page.read_image;
  read.warn = nullptr;
  read.planes.channel_name.clear();
  std::vector<std::string> names;
  try {
    names = io::channel_names(page.image, read);
  } catch (const Error&) {  // opening the chosen channel tells what is wrong
    return alone;
  }
  if (names.size() > kMax) page.about.emplace_back("Channels", fmt::format("1 of {} is shown", names.size()));
  if (names.size() < 2 || names.size() > kMax) return alone;
  std::vector<Channel> channels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    read.planes.channel = static_cast<int>(i);
    const bool is_chosen =
        chosen.channel_name.empty() ? chosen.channel == read.planes.channel : chosen.channel_name == names[i];
    channels.push_back({names[i].empty() ? "channel " + std::to_string(i) : names[i],
                        is_chosen ? page.read_image : read, is_chosen});
  }
  const bool is_there =
      std::any_of(channels.begin(), channels.end(), [](const Channel& channel) { return channel.is_shown; });
  return is_there ? channels : alone;
}

std::vector<std::string> left_out(const ViewPage& page, const ViewLabels& labels, int factor) {
  std::vector<std::string> lines;
  if (labels.factor() > 1)
    lines.push_back("Labels are shown for every " + nth(labels.factor()) + " pixel along x and y.");
  if (labels.step() > 1) lines.push_back("Every " + nth(labels.step()) + " slice is shown.");
  if (factor > 1)
    lines.push_back(fmt::format("Each pixel of the image shown is the mean of {0} x {0} pixels.", factor));
  if (page.table.rows() < page.components)
    lines.push_back("The table has the " + std::to_string(page.table.rows()) + " largest components.");
  return lines;
}

}  // namespace

std::int64_t bytes_to_make_view(const Extent& extent, std::int64_t runs, bool with_image) {
  return ViewLabels::most_bytes(extent.rows(), runs) +
         (with_image ? ViewImage::most_bytes(extent.elements()) : 0);
}

std::string write_view(io::AtomicFile& file, const io::MappedLabels& labels, ViewPage page) {
  const Extent extent = labels.labels.extent();
  const bool volume = extent.depth > 1;

  const std::string_view html = kViewPage;
  const std::size_t place = html.find(kDataPlace);
  constexpr std::size_t kMin = 65536, kHead = 16384;  // a page has at least so much data
  const std::size_t most = std::max(page.most_bytes, html.size() + kHead + kMin) - html.size() - kHead;
  const ViewTable::Packed table = pack_table(page, volume, most / 2);
  std::size_t left = most - std::min(most, bytes_of(table.lines));
  ViewLabels runs(labels);
  const std::vector<std::string> run_lines = runs.pack(page.image.empty() ? left : left / 2);
  left -= std::min(left, bytes_of(run_lines));
  std::vector<std::string> image_lines;
  nlohmann::json images = nlohmann::json::array();
  GrayPicture below;
  int factor = 1;
  const std::vector<Channel> channels = channels_of(page);
  for (const Channel& channel : channels) {
    ViewImage image(page.image, channel.read);
    if (image.extent() != extent)
      throw io::FileError(
          page.image, ErrorCode::data,
          "has " + io::to_string(image.extent()) + " pixels, the labels have " + io::to_string(extent));
    io::Geometry grid = image.geometry();
    if (page.read_image.spacing) io::set_spacing(grid, *page.read_image.spacing);
    const std::string_view other = io::grid_difference(page.geometry, grid, extent);
    if (!other.empty() && page.read_image.warn && &channel == &channels.front())
      page.read_image.warn("has another " + std::string(other) +
                           " than the labels; it is shown by index, not by position");
    const std::vector<std::string> lines = image.pack(runs.step(), left / channels.size());
    image_lines.insert(image_lines.end(), lines.begin(), lines.end());
    factor = std::max(factor, image.factor());
    images.push_back({{"name", channel.name},
                      {"shown", channel.is_shown},
                      {"width", image.width()},
                      {"height", image.height()},
                      {"factor", image.factor()},
                      {"blobs", lines.size()}});
    page.about.emplace_back("Black to white" + (channel.name.empty() ? "" : " of " + channel.name),
                            io::shortest(image.range().black) + " to " + io::shortest(image.range().white));
    if (channel.is_shown && !page.index.empty()) below = image.middle();
  }

  nlohmann::json head = {
      {"format", 1},
      {"title", page.title},
      {"components", page.components},
      {"rows", page.table.rows()},
      {"ids", labels.count},
      {"extent", {extent.width, extent.height, extent.depth}},
      {"spacing", page.geometry.spacing},
      {"unit", io::name_of(page.geometry.unit)},
      {"first_slice", page.geometry.first_slice},
      {"runs",
       {{"factor", runs.factor()},
        {"step", runs.step()},
        {"width", runs.width()},
        {"height", runs.height()},
        {"depth", runs.depth()}}},
      {"columns", io::parse_json(table.heads)},
      {"labels_are_ids", page.names.empty()},
      {"hints", page.hints},
      {"left_out", left_out(page, runs, factor)},
      {"command",
       {{"input", page.input}, {"options", page.options}, {"output", page.output}, {"made", page.made}}}};
  if (!page.index.empty()) head["index"] = page.index;
  head["command"]["batch"] = page.in_batch;
  // A command that reads the labels counts slices from 0, which the table may not do.
  if (const int first = page.geometry.first_slice; first != 0 && !page.made)
    head["command"]["shifts"] = {
        {"z0", first},
        {"z1", first},
        {"cz", first},
        {"cz_physical", page.geometry.orientation ? 0 : first * page.geometry.spacing[2]}};
  head["images"] = std::move(images);
  head["inverted"] = page.read_image.foreground.invert;
  page.about.emplace_back("Program", version_line());
  head["about"] = page.about;

  write(file, html.substr(0, place));
  // Paths need not be UTF-8.
  write(file, data_element("head", io::json_text(head)));
  write_lines(file, "labels", run_lines);
  write_lines(file, "image", image_lines);
  write_lines(file, "table", table.lines);
  write(file, html.substr(place + kDataPlace.size()));
  return page.index.empty() ? "" : thumbnail(labels, below, page.read_image.foreground.invert);
}

}  // namespace gpuccl::app
