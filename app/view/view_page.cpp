#include "app/view/view_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/common/messages.hpp"
#include "app/view/pages.hpp"
#include "app/view/view_layers.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/number_text.hpp"
#include "io/image/limits.hpp"

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

std::vector<std::string> left_out(const ViewPage& page, const ViewLabels& labels,
                                  const std::optional<ViewImage>& image) {
  std::vector<std::string> lines;
  if (labels.factor() > 1)
    lines.push_back("Labels are shown for every " + nth(labels.factor()) + " pixel along x and y.");
  if (labels.step() > 1) lines.push_back("Every " + nth(labels.step()) + " slice is shown.");
  if (image && image->factor() > 1) {
    const std::string factor = std::to_string(image->factor());
    lines.push_back("Each pixel of the image shown is the mean of " + factor + " x " + factor + " pixels.");
  }
  if (page.table.rows() < page.components)
    lines.push_back("The table has the " + std::to_string(page.table.rows()) + " largest components.");
  return lines;
}

}  // namespace

std::int64_t bytes_to_make_view(const Extent& extent, std::int64_t runs, bool with_image) {
  return ViewLabels::most_bytes(extent.rows(), runs) +
         (with_image ? ViewImage::most_bytes(extent.elements()) : 0);
}

void write_view(io::AtomicFile& file, const io::MappedLabels& labels, ViewPage page) {
  const Extent extent = labels.labels.extent();
  const bool volume = extent.depth > 1;
  std::optional<ViewImage> image;
  if (!page.image.empty()) {
    image.emplace(page.image, page.read_image);
    if (image->extent() != extent)
      throw io::FileError(
          page.image, ErrorCode::data,
          "has " + io::to_string(image->extent()) + " pixels, the labels have " + io::to_string(extent));
  }

  const std::string_view html = kViewPage;
  const std::size_t place = html.find(kDataPlace);
  constexpr std::size_t kLeast = 65536, kHead = 16384;  // a page has at least so much data
  const std::size_t most = std::max(page.most_bytes, html.size() + kHead + kLeast) - html.size() - kHead;
  const ViewTable::Packed table = pack_table(page, volume, most / 2);
  std::size_t left = most - std::min(most, bytes_of(table.lines));
  ViewLabels runs(labels);
  const std::vector<std::string> run_lines = runs.pack(image ? left / 2 : left);
  left -= std::min(left, bytes_of(run_lines));
  std::vector<std::string> image_lines;
  if (image) image_lines = image->pack(runs.step(), left);

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
      {"left_out", left_out(page, runs, image)},
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
  head["image"] = nullptr;
  if (image)
    head["image"] = {{"width", image->width()},
                     {"height", image->height()},
                     {"factor", image->factor()},
                     {"filter", "average"}};
  head["about"] = page.about;
  if (image)
    head["about"].push_back(
        {"Black to white", io::shortest(image->range().black) + " to " + io::shortest(image->range().white)});
  head["about"].push_back({"Program", version_line()});

  write(file, html.substr(0, place));
  // Paths need not be UTF-8.
  write(file, data_element("head", io::json_text(head)));
  write_lines(file, "labels", run_lines);
  write_lines(file, "image", image_lines);
  write_lines(file, "table", table.lines);
  write(file, html.substr(place + kDataPlace.size()));
}

}  // namespace gpuccl::app
