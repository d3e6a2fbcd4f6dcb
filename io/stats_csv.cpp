#include "io/component_rows.hpp"
#include "io/report.hpp"

namespace gpuccl::io {

void write_stats_csv(AtomicFile& file, bool volume, const Components& components) {
  const TextSink sink = [&](std::string_view text) { file.write(text.data(), text.size()); };
  sink(volume ? "label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz\n" : "label,area,x0,y0,x1,y1,cx,cy\n");
  const int axes = volume ? 3 : 2;
  stream_rows(components, sink, [&](RowText& row, std::size_t i) {
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
  });
}

}  // namespace gpuccl::io
