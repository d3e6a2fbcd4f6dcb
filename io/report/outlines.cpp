#include "io/report/outlines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "gpuccl/types.hpp"
#include "gpuccl/version.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/files/json.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {
namespace {

// The beginnings of files that gpuccl has written: a foreign member (RFC 7946, section 6.1), and COCO's info.
const std::string kGeojson = R"({"type":"FeatureCollection","gpuccl":")" GPUCCL_VERSION;
const std::string kCoco = R"({"info":{"description":"gpuccl )" GPUCCL_VERSION;

/// The runs of all components: those of one after those of the one before.
struct RunsOfComponents {
  std::vector<RowRun> runs;
  std::vector<std::size_t> ends;  // of each component

  std::span<const RowRun> of(std::size_t component) const {
    const std::size_t begin = component == 0 ? 0 : ends[component - 1];
    return std::span(runs).subspan(begin, ends[component] - begin);
  }
};

constexpr std::int64_t kBytesOfRun =
    2 * sizeof(OutlineRun);  // while their list grows, and while it is sorted

[[noreturn]] void refuse_runs(std::int64_t max_bytes) {
  throw Error(ErrorCode::memory,
              fmt::format("needs more than {} of memory for outlines; set a larger --memory",
                          bytes_in_words(static_cast<double>(max_bytes))));
}

/// Sorts runs by component.
RunsOfComponents by_component(std::vector<OutlineRun> runs, std::uint64_t first, std::size_t count) {
  RunsOfComponents found;
  found.ends.assign(count, 0);
  const auto end_of = [&](const OutlineRun& run) -> std::size_t& {
    return found.ends.at(run.label - first - 1);
  };
  for (const OutlineRun& run : runs) ++end_of(run);
  std::size_t end = 0;
  for (std::size_t& runs_of_one : found.ends) end += std::exchange(runs_of_one, end);
  found.runs.resize(runs.size());
  for (const OutlineRun& run : runs) found.runs[end_of(run)++] = run.run;
  return found;
}

/// Returns the number of runs along columns.
std::int64_t count_column_runs(std::span<const RowRun> runs) {
  std::int64_t count = 0;
  std::size_t above = 0;
  for (const RowRun& run : runs) {
    while (runs[above].y < run.y - 1 || (runs[above].y == run.y - 1 && runs[above].end <= run.begin)) ++above;
    count += run.end - run.begin;
    for (std::size_t i = above; runs[i].y == run.y - 1 && runs[i].begin < run.end; ++i)
      count -= std::min(runs[i].end, run.end) - std::max(runs[i].begin, run.begin);
  }
  return count;
}

constexpr const char* kObject = "object";  // the category of all components
constexpr const char* kNotOurs = "is not COCO that gpuccl wrote; remove it, or run without --skip-existing";

constexpr std::size_t kAtOnce = 256;  // components of one text

/// Error (memory) if the texts that threads make at a time do not fit.
void check_texts(OutlineFormat format, const RunsOfComponents& all,
                 const std::vector<MeasureColumn>& measures, std::int64_t max_bytes) {
  // Corners or places, their lists while they grow, text. A number has at most 39 digits.
  constexpr std::int64_t kOfRun = 240, kOfColumnRun = 64, kOfMeasure = 64;
  std::int64_t of_measures = std::ssize(measures) * kOfMeasure;
  for (const MeasureColumn& column : measures) of_measures += std::ssize(column.name);
  const std::size_t components = all.ends.size();
  std::vector<std::int64_t> bytes_of_texts;
  for (std::size_t first = 0; first < components; first += kAtOnce) {
    const std::size_t end = std::min(components, first + kAtOnce);
    auto bytes = format == OutlineFormat::coco ? 0 : static_cast<std::int64_t>(end - first) * of_measures;
    for (std::size_t i = first; i < end; ++i)
      bytes += format == OutlineFormat::coco ? kOfColumnRun * count_column_runs(all.of(i))
                                             : kOfRun * std::ssize(all.of(i));
    bytes_of_texts.push_back(bytes);
  }
  // The places of texts keep their memory, so the largest may be there at the same time.
  const auto end =
      bytes_of_texts.begin() + static_cast<std::ptrdiff_t>(std::min(strips_at_once(), bytes_of_texts.size()));
  std::partial_sort(bytes_of_texts.begin(), end, bytes_of_texts.end(), std::greater<>());
  const std::int64_t needed = std::accumulate(bytes_of_texts.begin(), end,
                                              static_cast<std::int64_t>(all.runs.size() * sizeof(RowRun)));
  if (needed > max_bytes)
    throw Error(ErrorCode::memory, "needs " + bytes_in_words(static_cast<double>(needed)) +
                                       " of memory for outlines, more than is left; set a larger --memory");
}

void put(std::string& text, std::int64_t number) { text += std::to_string(number); }

void put_ring(std::string& text, const Ring& ring) {
  text += '[';
  const auto put_corner = [&](const Corner& corner) {
    text += '[';
    put(text, corner.x);
    text += ',';
    put(text, corner.y);
    text += ']';
  };
  for (const Corner& corner : ring) {
    put_corner(corner);
    text += ',';
  }
  put_corner(ring.front());
  text += ']';
}

void put_polygon(std::string& text, const Polygon& polygon) {
  text += '[';
  put_ring(text, polygon.outer);
  for (const Ring& hole : polygon.holes) {
    text += ',';
    put_ring(text, hole);
  }
  text += ']';
}

/// A member for its value, if it has one in addition to the label.
std::string value_member(const ValueColumn& value, std::size_t component) {
  return value.has_own_column() ? R"(,"value":)" + value_text(value, component, "null") : "";
}

constexpr RowStyle kMeasurements{.before_label = "",
                                 .before_value = "",
                                 .before_area = "",
                                 .before_box = "",
                                 .before_centroid = "",
                                 .before_physical_area = "",
                                 .before_physical_centroid = "",
                                 .after_centroids = "",
                                 .end = "",
                                 .between = "",
                                 .names_measures = true,
                                 .missing = ""};

/// Returns the columns of measures of components.
ComponentTable measures_of(const OutlineSubject& subject) {
  ComponentTable table{subject.components, 2};
  table.measured = &subject.measured;
  if (subject.measured.any()) table.columns = subject.measured.table_columns();
  return table;
}

/// QuPath reads `objectType`, `name` and, without nulls, `measurements`.
void put_feature(std::string& text, std::size_t component, std::span<const RowRun> runs,
                 const OutlineSubject& subject, const ComponentTable& measures) {
  const std::vector<Polygon> polygons = outline(runs);
  const std::string label = label_text(subject.value, component, subject.stretch.first);
  text += R"({"type":"Feature","geometry":{"type":)";
  if (polygons.size() == 1) {
    text += R"("Polygon","coordinates":)";
    put_polygon(text, polygons.front());
  } else {
    text += R"("MultiPolygon","coordinates":[)";
    for (const Polygon& polygon : polygons) {
      if (&polygon != &polygons.front()) text += ',';
      put_polygon(text, polygon);
    }
    text += ']';
  }
  text += R"(},"properties":{"objectType":"detection","name":")" + label + R"(","label":)" + label +
          value_member(subject.value, component) + R"(,"area":)" +
          std::to_string(subject.components.area[component]) + R"(,"measurements":{"area":)" +
          std::to_string(subject.components.area[component]);
  RowsText row;
  row.end_row(put_measures<kMeasurements>(row.begin_row(bytes_of_measures(measures)), measures, component));
  text.append(row.view()).append("}}}");
}

/// Run lengths as pycocotools writes them: differences from the length before the last, five bits a
/// character.
std::string compressed(const std::vector<std::int64_t>& lengths) {
  std::string text;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::int64_t rest = i > 2 ? lengths[i] - lengths[i - 2] : lengths[i];
    for (bool more = true; more;) {
      std::int64_t bits = rest & 0x1f;
      rest >>= 5;
      more = (bits & 0x10) != 0 ? rest != -1 : rest != 0;
      if (more) bits |= 0x20;
      const char character = static_cast<char>(bits + 48);
      if (character == '\\') text += '\\';
      text += character;
    }
  }
  return text;
}

/// COCO's categories: the values of a label map, or one for all components.
class Categories {
 public:
  explicit Categories(const OutlineSubject& subject)
      : column_(subject.value), values_(subject.values), are_integers_(!is_floating(column_.type)) {
    constexpr double kMaxExact = 9007199254740992;  // 2^53
    if (!values_ || are_integers_) return;
    are_integers_ = std::all_of(values_->begin(), values_->end(), [](const OfValue& one) {
      const auto number = std::bit_cast<double>(one.value);
      return number == std::trunc(number) && std::abs(number) <= kMaxExact;
    });
  }

  bool are_values() const { return values_ != nullptr; }
  std::string id_of(std::size_t component) const { return values_ ? id(column_.values[component]) : "1"; }

  void write(const TextSink& sink) const {
    constexpr std::size_t kPieceBytes = 1 << 16;
    if (!values_) return sink(fmt::format(R"({{"id":1,"name":"{}"}})", kObject));
    std::string text;
    for (const OfValue& one : *values_) {
      text += fmt::format(R"({}{{"id":{},"name":"{}"}})", &one == &values_->front() ? "" : ",", id(one.value),
                          name(one.value));
      if (text.size() >= kPieceBytes) sink(std::exchange(text, {}));
    }
    sink(text);
  }

 private:
  /// Returns the value if all are integers, otherwise its place among all, from 1.
  std::string id(ValueBits value) const {
    if (!is_floating(column_.type)) return name(value);
    const auto number = std::bit_cast<double>(value);
    if (are_integers_) return std::to_string(static_cast<std::int64_t>(number));
    const auto place = std::lower_bound(
        values_->begin(), values_->end(), number,
        [](const OfValue& one, double other) { return std::bit_cast<double>(one.value) < other; });
    return std::to_string(place - values_->begin() + 1);
  }
  std::string name(ValueBits value) const {
    char text[kDecimalRoom];
    return {text, put_value(text, column_.type, value)};
  }

  const ValueColumn& column_;
  const std::vector<OfValue>* values_;
  bool are_integers_;
};

/// The box of all runs, within the image: that of a component which continues across a periodic border may
/// end beyond it.
Box box_of(std::span<const RowRun> runs) {
  Box box{{runs.front().begin, runs.front().y, 0}, {runs.front().end - 1, runs.back().y, 0}};
  for (const RowRun& run : runs) {
    box.min[0] = std::min(box.min[0], run.begin);
    box.max[0] = std::max(box.max[0], run.end - 1);
  }
  return box;
}

void put_annotation(std::string& text, std::size_t component, std::span<const RowRun> runs,
                    const OutlineSubject& subject, const Categories& categories) {
  const Extent& extent = subject.extent;
  std::vector<std::int64_t> lengths = column_run_lengths(runs, extent.height);
  std::int64_t rest = extent.elements();
  for (const std::int64_t length : lengths) rest -= length;
  if (rest > 0) lengths.push_back(rest);
  const Box box = box_of(runs);
  text += fmt::format(R"({{"id":{},"image_id":1,"category_id":{},"iscrowd":0,"area":{},"bbox":[{},{},{},{}])",
                      label_text(subject.value, component, subject.stretch.first),
                      categories.id_of(component), subject.components.area[component], box.min[0], box.min[1],
                      box.max[0] - box.min[0] + 1, box.max[1] - box.min[1] + 1);
  if (!categories.are_values()) text += value_member(subject.value, component);
  text += fmt::format(R"(,"segmentation":{{"size":[{},{}],"counts":"{}"}}}})", extent.height, extent.width,
                      compressed(lengths));
}

void put_head(const TextSink& sink, OutlineFormat format, const OutlineSubject& subject,
              const Categories& categories) {
  if (format == OutlineFormat::geojson) return sink(kGeojson + R"(","features":[)");
  const nlohmann::ordered_json image = {{"id", 1},
                                        {"width", subject.extent.width},
                                        {"height", subject.extent.height},
                                        {"file_name", name_of_image(subject.image)}};
  sink(kCoco + R"("},"images":[)" + json_text(image) + R"(],"categories":[)");
  categories.write(sink);
  sink(R"(],"annotations":[)");
}

constexpr std::string_view kOneId = R"({"id":)", kOneImage = R"(,"image_id":1,)";

}  // namespace

std::string name_of_image(const std::string& path) {
  const InputName name = split_input(path);
  const std::filesystem::path file(name.file);
  std::filesystem::path store;
  for (const std::filesystem::path& part : file)
    if (store /= part; is_store(store.string()))
      return file.lexically_relative(store.parent_path()).string() + name.inside;
  return file.filename().string() + (name.inside.empty() ? "" : ":" + name.inside);
}

CocoOfImages::CocoOfImages(TextSink sink) : sink_(std::move(sink)) { sink_(kCoco + R"("},"annotations":[)"); }

void CocoOfImages::add(const Image& image, const std::function<void(const TextSink&)>& document) {
  std::string line;
  bool has_head = false;
  const auto end_line = [&] {
    has_head ? add_annotation(image, line) : add_head(image, line);
    has_head = true;
    line.clear();
  };
  document([&](std::string_view text) {
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
      line += text.substr(0, end);
      end_line();
    }
    line += text;
  });
  if (!has_head || !line.empty()) throw Error(ErrorCode::data, kNotOurs);
}

void CocoOfImages::add_head(const Image& image, const std::string& line) {
  try {
    const nlohmann::json head = parse_json(line + "]}");
    nlohmann::ordered_json one = head.at("images").at(0);
    one["id"] = image.id;
    one["file_name"] = image.name;
    if (image.frame) one["frame"] = *image.frame;
    images_ += (images_.empty() ? "" : ",\n") + json_text(one);
    for (const nlohmann::json& category : head.at("categories")) {
      const std::string id = json_text(category.at("id")), name = category.at("name").get<std::string>();
      if (id != name && name != kObject)
        throw Error(ErrorCode::usage,
                    "has values that are not integers, and COCO of several images needs the same categories "
                    "in all; use --outlines-dir for a file for each");
      categories_[id] = json_text(category);
    }
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::data, kNotOurs);
  }
}

void CocoOfImages::add_annotation(const Image& image, std::string_view line) {
  if (line == "]}") return;
  const std::size_t at = line.find(kOneImage);
  if (!line.starts_with(kOneId) || at == std::string_view::npos) throw Error(ErrorCode::data, kNotOurs);
  if (line.ends_with(',')) line.remove_suffix(1);
  const std::string_view label = line.substr(kOneId.size(), at - kOneId.size());
  sink_(fmt::format(R"({}{}{},"image_id":{},"label":{},)", annotations_ == 0 ? "\n" : ",\n", kOneId,
                    annotations_ + 1, image.id, label));
  ++annotations_;
  sink_(line.substr(at + kOneImage.size()));
}

void CocoOfImages::end() {
  std::string categories;
  for (const auto& [id, category] : categories_) categories += (categories.empty() ? "" : ",") + category;
  sink_("\n],\"images\":[" + images_ + "],\"categories\":[" + categories + "]}\n");
}

OutlineFormat outline_format(const std::string& path) {
  const std::string extension = lower_extension(std::filesystem::path(path).filename());
  if (extension == ".geojson") return OutlineFormat::geojson;
  if (extension == ".json") return OutlineFormat::coco;
  throw Error(ErrorCode::usage, "has an unknown extension for outlines; use .geojson, or .json for COCO");
}

bool are_outlines(std::string_view beginning) {
  return beginning.starts_with(R"({"type":"FeatureCollection","gpuccl":)") ||
         beginning.starts_with(R"({"info":{"description":"gpuccl)");
}

std::vector<OutlineRun> list_outline_runs(const MappedLabels& labels, const OutlineRange& range,
                                          std::int64_t max_bytes) {
  std::vector<OutlineRun> runs;
  LabelRuns row;
  std::int64_t ready = 0;
  for (std::int64_t i = 0; i < range.rows; ++i) {
    const std::int64_t at = range.first_row + i;
    if (at >= ready) ready = labels.labels.prepare(at, 1);
    list_runs(labels, at, 1, row);
    for (const LabelRun& run : row.runs)
      if (run.label - std::uint64_t{1} - range.first < range.count)  // not below either, which wraps around
        runs.push_back({run.label, {range.y + static_cast<int>(i), run.begin, run.end}});
    if (kBytesOfRun * std::ssize(runs) > max_bytes) refuse_runs(max_bytes);
  }
  return runs;
}

void stream_outlines(const TextSink& sink, OutlineFormat format, std::vector<OutlineRun> runs,
                     const OutlineSubject& subject, std::int64_t max_bytes) {
  const std::uint64_t first = subject.stretch.first;
  const std::size_t count = subject.components.size();
  if (kBytesOfRun * std::ssize(runs) > max_bytes) refuse_runs(max_bytes);
  const RunsOfComponents all = by_component(std::exchange(runs, {}), first, count);
  const ComponentTable measures = measures_of(subject);
  check_texts(format, all, measures.columns, max_bytes);
  const Categories categories(subject);
  if (subject.stretch.begins) put_head(sink, format, subject, categories);
  const auto make = [&](std::string& text, std::int64_t piece) {
    text.clear();
    const std::size_t begin = static_cast<std::size_t>(piece) * kAtOnce;
    for (std::size_t i = begin; i < std::min(count, begin + kAtOnce); ++i) {
      text += first + i > 0 ? ",\n" : "\n";
      if (format == OutlineFormat::geojson)
        put_feature(text, i, all.of(i), subject, measures);
      else
        put_annotation(text, i, all.of(i), subject, categories);
    }
  };
  for_each_strip<std::string>(static_cast<std::int64_t>((count + kAtOnce - 1) / kAtOnce), make,
                              [&](const std::string& text, std::int64_t) { sink(text); });
  if (subject.stretch.ends) sink("\n]}\n");
}

}  // namespace gpuccl::io
