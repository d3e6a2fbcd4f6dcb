#include "io/report/csv_tables.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

constexpr RowStyle kCsvRow{.before_label = "",
                           .before_value = ",",
                           .before_area = ",",
                           .before_box = ",",
                           .before_centroid = ",",
                           .before_physical_area = ",",
                           .before_physical_centroid = ",",
                           .after_centroids = "",
                           .end = "\n",
                           .between = "",
                           .names_measures = false,
                           .missing = ""};

constexpr std::string_view kColumns3d = "label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz",
                           kColumns2d = "label,area,x0,y0,x1,y1,cx,cy",
                           kPhysical3d = ",area_physical,cx_physical,cy_physical,cz_physical,unit",
                           kPhysical2d = ",area_physical,cx_physical,cy_physical,unit";

std::string names_of(bool has_values, const std::vector<MeasureColumn>& columns) {
  std::string names = has_values ? ",value" : "";
  for (const MeasureColumn& column : columns) names.append(",").append(column.name);
  return names + "\n";
}

std::vector<MeasureColumn> columns_of(const MeasureTable& measured) {
  return measured.any() ? measured.table_columns() : std::vector<MeasureColumn>();
}

}  // namespace

void stream_stats_csv(const TextSink& sink, bool volume, const Geometry& geometry,
                      const Components& components, const MeasureTable& measured, const TableSection& stretch,
                      const ValueColumn& value, int digits) {
  ComponentTable table{components, volume ? 3 : 2, physical_scale(geometry, volume ? 3 : 2)};
  table.measured = &measured;
  table.columns = measured.table_columns();
  table.first = stretch.first;
  table.value = value;
  table.digits = digits;
  table.first_slice = geometry.first_slice;
  if (stretch.begins) {
    sink(volume ? kColumns3d : kColumns2d);
    if (table.scale) sink(volume ? kPhysical3d : kPhysical2d);
    sink(names_of(value.has_own_column(), table.columns));
  }
  const std::string unit = table.scale ? "," + table.scale->unit : "";
  table.after = unit;
  stream_rows<kCsvRow>(table, sink);
}

bool is_stats_csv(std::string_view beginning) {
  for (const std::string_view column : {"file,", "frame,"})
    if (beginning.starts_with(column)) beginning.remove_prefix(column.size());
  return beginning.starts_with("label,area,x0,y0,");
}

std::string joint_stats_header(const std::vector<MeasureColumn>& columns, bool has_values, bool has_frames) {
  return std::string(has_frames ? "file,frame," : "file,") + std::string(kColumns3d) +
         std::string(kPhysical3d) + names_of(has_values, columns);
}

std::string before_joint_row(const std::string& input, std::optional<int> frame) {
  return csv_field(input) + "," + (frame ? std::to_string(*frame) + "," : "");
}

void write_joint_stats_rows(const TextSink& sink, const std::string& input, bool volume,
                            const Geometry& geometry, const Components& components,
                            const std::vector<MeasureColumn>& columns, const MeasureTable& measured,
                            const ValueColumn& value, int digits, std::optional<int> frame) {
  const std::string before = before_joint_row(harmless_name(input), frame);
  ComponentTable table{components, 3, physical_scale(geometry, volume ? 3 : 2), before};
  const std::string after = table.scale ? "," + table.scale->unit : ",,,,,";
  table.after = after;
  table.measured = &measured;
  table.columns = columns;
  const std::vector<MeasureColumn> known = columns_of(measured);
  for (MeasureColumn& column : table.columns)
    if (std::none_of(known.begin(), known.end(),
                     [&](const MeasureColumn& one) { return one.name == column.name; }))
      column.image = kNotMeasured;
  table.value = value;
  table.digits = digits;
  table.first_slice = geometry.first_slice;
  stream_rows<kCsvRow>(table, sink);
}

constexpr std::string_view kBeginning = "file,page,value,components,area,",
                           kBeginningWithFrames = "file,frame,page,value,components,area,";

/// min,median,max; empty of nothing.
static std::string spread(std::vector<std::uint64_t>& areas) {
  if (areas.empty()) return ",,";
  std::sort(areas.begin(), areas.end());
  const std::size_t middle = areas.size() / 2;
  const double median =
      areas.size() % 2 == 1
          ? static_cast<double>(areas[middle])
          : (static_cast<double>(areas[middle - 1]) + static_cast<double>(areas[middle])) / 2;
  return fmt::format("{},{},{}", areas.front(), shortest(median), areas.back());
}

std::string summary_header(bool has_frames) {
  return std::string(has_frames ? kBeginningWithFrames : kBeginning) +
         "area_fraction,area_min,area_median,area_max,area_physical,unit,foreground_rule,dropped,hints\n";
}

SummaryRows::SummaryRows(Pages pages, bool has_values) : pages_(pages), has_values_(has_values) {
  for (int page = 0; page < pages.count && !has_values; ++page)
    areas_of(page, "");  // also for pages without components
}

std::vector<std::uint64_t>& SummaryRows::areas_of(int page, const std::string& value) {
  return areas_[{page, std::strtold(value.c_str(), nullptr), value}];
}

void SummaryRows::add(int page, const std::string& value, std::uint64_t area) {
  areas_of(pages_.count > 0 ? page : 0, has_values_ ? value : "").push_back(area);
}

std::string SummaryRows::text(const Input& input) {
  const std::optional<PhysicalScale> scale = physical_scale(input.geometry, input.volume ? 3 : 2);
  std::string hints, rows;
  for (const std::string& hint : input.hints) hints += (hints.empty() ? "" : "; ") + hint;
  if (areas_.empty()) areas_of(0, "");
  const std::int64_t elements = input.extent.elements() / std::max(pages_.count, 1);
  for (auto& [key, areas] : areas_) {
    const auto& [page, number, value] = key;
    std::uint64_t area = 0;
    for (const std::uint64_t one : areas) area += one;
    const bool is_first = rows.empty();
    rows += before_joint_row(harmless_name(input.file), input.frame) +
            fmt::format("{},{},{},{},{},{},", pages_.count > 0 ? std::to_string(pages_.first + page) : "",
                        value, areas.size(), area,
                        shortest(static_cast<double>(area) / static_cast<double>(elements)), spread(areas));
    rows += scale ? shortest(static_cast<double>(area) * scale->element) + "," + scale->unit : ",";
    rows += "," + csv_field(input.foreground_rule);
    rows +=
        "," + (is_first ? std::to_string(input.dropped) + "," + csv_field(hints) : std::string(",")) + "\n";
  }
  return rows;
}

std::string summary_rows(const SummaryRows::Input& input, SummaryRows::Pages pages,
                         const Components& components, const ValueColumn& value) {
  SummaryRows rows(pages, value.has_own_column());
  for (std::size_t i = 0; i < components.size(); ++i)
    rows.add(components.box[i].min[2], value.has_own_column() ? value_text(value, i) : "",
             components.area[i]);
  return rows.text(input);
}

std::string summary_row_of_failure(const std::string& input, std::optional<int> frame,
                                   const std::string& reason) {
  return before_joint_row(harmless_name(input), frame) + ",,,,,,,,,,,," + csv_field(reason) + "\n";
}

bool is_summary_csv(std::string_view beginning) {
  return beginning.starts_with(kBeginning) || beginning.starts_with(kBeginningWithFrames);
}

constexpr std::string_view kContactColumns3d = "label_a,label_b,faces_x,faces_y,faces_z,edges,corners",
                           kContactColumns2d = "label_a,label_b,faces_x,faces_y,edges";

/// Returns the area of a face across each axis.
static std::optional<Vector3> sizes_of_faces(bool volume, const Geometry& geometry) {
  if (!geometry.is_known(volume ? 3 : 2)) return std::nullopt;
  const auto [x, y, z] = geometry.spacing;
  return volume ? Vector3{y * z, x * z, x * y} : Vector3{y, x, 0};
}

void stream_contacts_csv(const TextSink& sink, bool volume, const Geometry& geometry,
                         const std::vector<Contact>& contacts, const ValueColumn& value,
                         std::span<const std::uint64_t> labels) {
  constexpr std::size_t kRowsAtOnce = 4096, kFields = 11;
  const std::optional<Vector3> sizes = sizes_of_faces(volume, geometry);
  const std::string unit =
      "," + (volume ? unit_of_area(geometry.unit, false) : std::string(name_of(geometry.unit)));
  const std::size_t axes = volume ? 3 : 2;
  sink(volume ? kContactColumns3d : kContactColumns2d);
  if (sizes) sink(volume ? ",area_physical,unit" : ",length_physical,unit");
  sink(value.is_there ? ",value_a,value_b\n" : "\n");

  const auto label_of = [&](Label label) { return labels.empty() ? label : labels[label - 1]; };
  const auto make = [&](RowsText& text, std::int64_t piece) {
    text.clear();
    const std::size_t begin = static_cast<std::size_t>(piece) * kRowsAtOnce;
    for (std::size_t i = begin; i < std::min(contacts.size(), begin + kRowsAtOnce); ++i) {
      const Contact& contact = contacts[i];
      char* out = text.begin_row(kFields * kDecimalRoom);
      const auto put = [&](std::uint64_t number) { out = put_decimal(put_text(out, ","), number); };
      out = put_decimal(out, label_of(contact.a));
      put(label_of(contact.b));
      double size = 0;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        put(contact.faces[axis]);
        if (sizes) size += (*sizes)[axis] * static_cast<double>(contact.faces[axis]);
      }
      put(contact.edges);
      if (volume) put(contact.corners);
      if (sizes) out = put_text(put_shortest(put_text(out, ","), size), unit);
      if (value.is_there)
        for (const Label label : {contact.a, contact.b})
          out = put_value(put_text(out, ","), value.type, value.values[label - 1]);
      text.end_row(put_text(out, "\n"));
    }
  };
  const auto take = [&](const RowsText& text, std::int64_t) { sink(text.view()); };
  for_each_strip<RowsText>(static_cast<std::int64_t>((contacts.size() + kRowsAtOnce - 1) / kRowsAtOnce), make,
                           take);
}

bool is_contacts_csv(std::string_view beginning) { return beginning.starts_with("label_a,label_b,"); }

}  // namespace gpuccl::io
