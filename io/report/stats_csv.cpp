#include "io/report/stats_csv.hpp"

#include <algorithm>

#include "io/files/descriptor.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/csv_field.hpp"

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

}  // namespace

void stream_stats_csv(const TextSink& sink, bool volume, const Geometry& geometry,
                      const Components& components, const Measured& measured, const Stretch& stretch,
                      const ValueColumn& value) {
  ComponentTable table{components, volume ? 3 : 2, physical_scale(geometry, volume ? 3 : 2)};
  table.measured = &measured;
  table.columns = measured.table_columns();
  table.first = stretch.first;
  table.value = value;
  if (stretch.begins) {
    sink(volume ? kColumns3d : kColumns2d);
    if (table.scale) sink(volume ? kPhysical3d : kPhysical2d);
    sink(names_of(value.is_apart(), table.columns));
  }
  const std::string unit = "," + std::string(name_of(geometry.unit));
  if (table.scale) table.after = unit;
  stream_rows<kCsvRow>(table, sink);
}

bool is_stats_csv(std::string_view beginning) {
  return beginning.starts_with("label,area,x0,y0,") || beginning.starts_with("file,label,area,x0,y0,");
}

void write_stats_csv(AtomicFile& file, bool volume, const Geometry& geometry, const Components& components,
                     const Measured& measured, const ValueColumn& value) {
  stream_stats_csv([&](std::string_view text) { file.write(text.data(), text.size()); }, volume, geometry,
                   components, measured, {}, value);
}

void write_stats_csv(int descriptor, bool volume, const Geometry& geometry, const Components& components,
                     const Measured& measured, const ValueColumn& value) {
  stream_stats_csv([=](std::string_view text) { write_all(descriptor, text.data(), text.size()); }, volume,
                   geometry, components, measured, {}, value);
}

std::string joint_stats_header(const std::vector<MeasureColumn>& columns, bool has_values) {
  return "file," + std::string(kColumns3d) + std::string(kPhysical3d) + names_of(has_values, columns);
}

void write_joint_stats_rows(const TextSink& sink, const std::string& input, bool volume,
                            const Geometry& geometry, const Components& components,
                            const std::vector<MeasureColumn>& columns, const Measured& measured,
                            const ValueColumn& value) {
  const std::string before = csv_field(harmless_name(input)) + ",";
  ComponentTable table{components, 3, physical_scale(geometry, volume ? 3 : 2), before};
  const std::string after = table.scale ? "," + std::string(name_of(geometry.unit)) : ",,,,,";
  table.after = after;
  table.measured = &measured;
  table.columns = columns;
  std::vector<MeasureColumn> known;
  if (measured.any()) known = measured.table_columns();
  for (MeasureColumn& column : table.columns)
    if (std::none_of(known.begin(), known.end(),
                     [&](const MeasureColumn& one) { return one.name == column.name; }))
      column.image = kNotMeasured;
  table.value = value;
  stream_rows<kCsvRow>(table, sink);
}

}  // namespace gpuccl::io
