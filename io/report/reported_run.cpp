#include "io/report/reported_run.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/json.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

// No string or inner field contains these, because strings escape ends of lines. The lists follow the head.
constexpr std::string_view kLists[] = {",\n  \"components\": [", ",\n  \"values\": ["};
constexpr std::string_view kEnd = "\n}\n";
constexpr std::size_t kUsualHead = 1 << 12, kLargestHead = 1 << 20;

std::string read_at(int file, std::size_t bytes, std::size_t offset) {
  std::string text(bytes, '\0');
  text.resize(read_all_at(file, text.data(), text.size(), offset));
  return text;
}

/// Returns the fields before the lists as a JSON object; "" if the head is too long.
std::string head_of(int file) {
  for (std::size_t bytes = kUsualHead; bytes <= kLargestHead; bytes *= 16) {
    std::string text = read_at(file, bytes, 0);
    std::size_t end = std::string::npos;
    for (const std::string_view list : kLists) end = std::min(end, text.find(list));
    if (end != std::string::npos) {
      text.resize(end);
      return text + "}";
    }
    if (text.size() < bytes) return text;  // without lists
  }
  return "";
}

ReportedFile file_in(const Json& head, const char* key) {
  const auto file = head.find(key);
  if (file == head.end() || file->is_null()) return {};
  const Json& bytes = file->at("bytes");
  return {file->at("path").get<std::string>(), bytes.is_null() ? 0 : bytes.get<std::uint64_t>(),
          file->value("state", "")};
}

/// The files of the images of samples, each once: several may be channels of one.
std::vector<ReportedFile> intensities_in(const Json& head) {
  std::vector<ReportedFile> files;
  const auto entry = head.find("intensity");
  if (entry == head.end() || entry->is_null()) return files;
  if (entry->is_object()) return {file_in(head, "intensity")};
  for (const Json& one : *entry) {
    ReportedFile file = file_in({{"file", one}}, "file");
    if (files.empty() || files.back().path != file.path) files.push_back(std::move(file));
  }
  return files;
}

/// A value of a row: a number or null, or numbers with commas between them.
using RowFields = std::map<std::string_view, std::string_view>;

constexpr const char* kRemedy = "; remove it, so that its input is labeled again";

[[noreturn]] void refuse_row() {
  throw Error(ErrorCode::data, std::string("has a component that gpuccl does not write") + kRemedy);
}

/// The fields of {"label":1,"bbox":[0,0,1,1],"extent":0.5}, as they are written.
RowFields fields_of(std::string_view row) {
  if (row.ends_with(',')) row.remove_suffix(1);
  if (!row.starts_with('{') || !row.ends_with('}')) refuse_row();
  row = row.substr(1, row.size() - 2);
  RowFields fields;
  while (!row.empty()) {
    const std::size_t name_end = row.starts_with('"') ? row.find("\":", 1) : std::string_view::npos;
    if (name_end == std::string_view::npos) refuse_row();
    const std::string_view name = row.substr(1, name_end - 1);
    row.remove_prefix(name_end + 2);
    const bool is_list = row.starts_with('[');
    const std::size_t end = std::min(row.find(is_list ? ']' : ','), row.size());
    const std::string_view value = row.substr(is_list ? 1 : 0, end - (is_list ? 1 : 0));
    if (value.find_first_not_of("0123456789+-.eE,nul") != std::string_view::npos) refuse_row();
    fields[name] = value == "null" ? "" : value;
    row.remove_prefix(std::min(row.size(), end + (is_list ? 2 : 1)));
  }
  return fields;
}

std::vector<std::string_view> list_in(const RowFields& fields, std::string_view name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return {};
  std::vector<std::string_view> list;
  for (std::string_view rest = found->second;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    list.push_back(rest.substr(0, comma));
    if (comma == rest.size()) return list;
    rest.remove_prefix(comma + 1);
  }
}

std::string_view field_in(const RowFields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : found->second;
}

std::uint64_t whole_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) refuse_row();
  return number;
}

/// Reader of a report of components, from its head to its last row.
class ReportRows {
 public:
  explicit ReportRows(const std::string& path) : file_(path) {
    std::string head;
    // Without components the list ends in the same line.
    while (std::getline(file_, line_) && !line_.starts_with("  \"components\": [")) head += line_ + "\n";
    if (!head.ends_with(",\n")) throw Error(ErrorCode::data, "is not a report of gpuccl");
    head.resize(head.size() - 2);
    head_ = parse_json(head + "}");
    if (!head_.is_object()) throw Error(ErrorCode::data, "is not a report of gpuccl");
  }

  const Json& head() const { return head_; }
  /// Goes to the next component; false after the last one. Error (data) if they are not as many as reported.
  bool next() {
    const bool is_row = std::getline(file_, line_) && line_.starts_with('{');
    rows_ += is_row ? 1 : 0;
    if (!is_row && rows_ != head_.at("labeling").at("components").get<std::uint64_t>())
      throw Error(ErrorCode::data, std::string("does not have as many components as it says") + kRemedy);
    return is_row;
  }
  RowFields fields() const { return fields_of(line_); }

 private:
  std::ifstream file_;
  std::string line_;
  Json head_;
  std::uint64_t rows_ = 0;
};

/// Does `work` with the report of a run.
template <class Work>
auto with_rows(const std::string& path, const Work& work) {
  try {
    ReportRows report(path);
    return work(report);
  } catch (const Json::exception&) {
    throw Error(ErrorCode::data, std::string("has a field that gpuccl does not write") + kRemedy);
  }
}

/// Returns the z coordinate of an image's plane in the world, from the head of a report.
double z_of_plane(const Json& geometry, const std::vector<std::string_view>& centroid) {
  if (geometry.is_null() || geometry.at("origin").is_null()) return 0;
  Orientation place;
  place.origin = geometry.at("origin").get<Vector3>();
  place.steps = geometry.at("directions").get<std::array<Vector3, 3>>();
  Vector3 point{};
  for (std::size_t i = 0; i < 2; ++i)
    std::from_chars(centroid[i].data(), centroid[i].data() + centroid[i].size(), point[i]);
  return place.at(point)[2];
}

/// Returns whether components extend over slices, from the head of a report.
bool labels_volumes(const Json& head) {
  constexpr int kMax2d = 8;  // connectivity
  return head.at("labeling").at("connectivity").get<int>() > kMax2d;
}

/// Returns a number of a report with fewer digits; integers stay.
std::string rounded(std::string_view text, int digits) {
  double number = 0;
  if (digits >= kAllDigits || text.find_first_of(".eE") == std::string_view::npos ||
      std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
    return std::string(text);
  char out[kDecimalRoom];
  return {out, put_rounded(out, number, digits)};
}

/// Columns of a table of several inputs, which has all of them.
std::string joint_row(const RowFields& fields, const std::string& before, const Json& head,
                      const std::vector<MeasureColumn>& columns, bool has_values, int digits,
                      const std::string& page) {
  const Json& geometry = head.at("input").at("geometry");
  std::vector<std::string_view> box = list_in(fields, "bbox"), centroid = list_in(fields, "centroid"),
                                place = list_in(fields, "centroid_physical");
  const std::size_t axes = centroid.size();
  if ((axes != 2 && axes != 3) || box.size() != 2 * axes || (!place.empty() && place.size() != axes))
    refuse_row();
  std::string z_place;
  if (axes == 2) {
    if (!place.empty()) z_place = shortest(z_of_plane(geometry, centroid));
    box.insert(box.begin() + 2, page);
    box.push_back(page);
    centroid.push_back(page);
    if (!place.empty()) place.push_back(z_place);
  }
  std::string row = before;
  const auto add = [&](std::string_view text) { row.append(",").append(text); };
  const auto add_number = [&](std::string_view text) { add(rounded(text, digits)); };
  const auto field = [&](std::string_view name) { return field_in(fields, name); };
  row += field("label");
  add(field("area"));
  for (const auto* list : {&box, &centroid})
    for (const std::string_view number : *list) add_number(number);
  if (place.empty()) {
    row += ",,,,,";
  } else {
    add_number(field("area_physical"));
    for (const std::string_view number : place) add_number(number);
    const Json& unit = geometry.at("unit");
    add(unit.is_null() ? "" : unit_of_area(length_unit(unit.get<std::string>()), labels_volumes(head)));
  }
  if (has_values) add(field("value"));
  for (const MeasureColumn& column : columns) add_number(field(column.name));
  return row + "\n";
}

}  // namespace

void write_reported_rows(const TextSink& sink, const std::string& path, const std::string& input,
                         const std::vector<MeasureColumn>& columns, bool has_values, int digits,
                         std::optional<int> frame, std::int64_t page) {
  with_rows(path, [&](ReportRows& report) {
    const std::string before = before_joint_row(harmless_name(input), frame), z = std::to_string(page);
    while (report.next())
      sink(joint_row(report.fields(), before, report.head(), columns, has_values, digits, z));
  });
}

std::string reported_summary(const std::string& path, const std::string& input, std::optional<int> frame,
                             SummaryRows::Pages pages, bool has_values) {
  return with_rows(path, [&](ReportRows& report) {
    const Json& head = report.head();
    const auto depth = head.at("input").at("depth").get<std::int64_t>();
    if (depth < 1 || (pages.count > 0 && depth > pages.count)) refuse_row();
    const bool volume = depth > 1 || labels_volumes(head);
    SummaryRows rows({pages.count > 0 ? static_cast<int>(depth) : 0, pages.first}, has_values);
    while (report.next()) {
      const RowFields fields = report.fields();
      const std::vector<std::string_view> box = list_in(fields, "bbox");
      const std::uint64_t page =
          box.size() == 6 ? whole_in(box[2]) - static_cast<std::uint64_t>(pages.first) : 0;
      if (page >= static_cast<std::uint64_t>(depth)) refuse_row();
      rows.add(static_cast<int>(page), std::string(field_in(fields, "value")),
               whole_in(field_in(fields, "area")));
    }
    Geometry geometry;
    geometry.has_areas = !labels_volumes(head);
    if (const Json& given = head.at("input").at("geometry"); !given.is_null()) {
      for (std::size_t axis = 0; axis < geometry.spacing.size(); ++axis)
        if (!given.at("spacing").at(axis).is_null())
          geometry.spacing[axis] = given.at("spacing").at(axis).get<double>();
      if (const Json& steps = given.at("directions"); !steps.is_null())
        geometry.orientation.emplace().steps = steps.get<std::array<Vector3, 3>>();
      if (!given.at("unit").is_null()) geometry.unit = length_unit(given.at("unit").get<std::string>());
    }
    const auto size_of = [&](const char* axis) { return head.at("input").at(axis).get<int>(); };
    const Extent extent{size_of("width"), size_of("height"), size_of("depth")};
    if (extent.elements() < 1) refuse_row();
    return rows.text({input, frame, volume, extent, geometry,
                      head.at("input").at("foreground_rule").get<std::string>(),
                      head.at("labeling").at("dropped").get<std::uint64_t>(),
                      head.at("hints").get<std::vector<std::string>>()});
  });
}

std::optional<ReportedRun> read_reported_run(const std::string& path) {
  const Descriptor file = open_retrying(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  try {
    const auto size = static_cast<std::size_t>(status.st_size);
    const std::size_t end = std::min(size, kEnd.size());
    const Json head = parse_json(head_of(file.get()));
    const bool complete = read_at(file.get(), end, size - end) == kEnd;
    if (!head.contains("gpuccl")) return std::nullopt;
    return ReportedRun{.complete = complete,
                       .options = head.at("options").get<std::string>(),
                       .components = head.at("labeling").at("components").get<std::uint64_t>(),
                       .input = file_in(head, "input"),
                       .intensities = intensities_in(head),
                       .output = file_in(head, "output"),
                       .preview = file_in(head, "preview"),
                       .stats = file_in(head, "stats"),
                       .contacts = file_in(head, "contacts"),
                       .outlines = file_in(head, "outlines"),
                       .seeds = file_in(head, "seeds")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace gpuccl::io
