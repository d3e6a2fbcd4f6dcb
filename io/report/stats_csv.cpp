#include "io/report/stats_csv.hpp"

#include "io/files/descriptor.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/csv_field.hpp"

namespace gpuccl::io {
namespace {

void add_row(RowText& row, const Components& components, std::size_t i, int axes) {
  row.add(std::uint64_t{i} + 1);
  row.add(",");
  row.add(components.area[i]);
  row.add(",");
  row.add_list(components.box[i].min, axes);
  row.add(",");
  row.add_list(components.box[i].max, axes);
  row.add(",");
  row.add_list(centroid(components, i), axes);
  row.add("\n");
}

void stream_csv(const TextSink& sink, bool volume, const Components& components) {
  sink(volume ? "label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz\n" : "label,area,x0,y0,x1,y1,cx,cy\n");
  const int axes = volume ? 3 : 2;
  stream_rows(components, sink, "", [&](RowText& row, std::size_t i) { add_row(row, components, i, axes); });
}

}  // namespace

bool is_stats_csv(std::string_view beginning) {
  return beginning.starts_with("label,area,x0,y0,") || beginning.starts_with("file,label,area,x0,y0,");
}

void write_stats_csv(AtomicFile& file, bool volume, const Components& components) {
  stream_csv([&](std::string_view text) { file.write(text.data(), text.size()); }, volume, components);
}

void write_stats_csv(int descriptor, bool volume, const Components& components) {
  stream_csv([=](std::string_view text) { write_all(descriptor, text.data(), text.size()); }, volume,
             components);
}

std::string joint_stats_header() { return "file,label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz\n"; }

void write_joint_stats_rows(const TextSink& sink, const std::string& input, const Components& components) {
  // The name may be longer than a row has room for.
  const std::string name = csv_field(input) + ",";
  stream_rows(components, sink, name, [&](RowText& row, std::size_t i) { add_row(row, components, i, 3); });
}

}  // namespace gpuccl::io
