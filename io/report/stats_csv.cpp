#include "io/report/stats_csv.hpp"

#include "io/files/descriptor.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/csv_field.hpp"

namespace gpuccl::io {
namespace {

constexpr RowStyle kCsvRow{.before_label = "",
                           .before_area = ",",
                           .before_box = ",",
                           .before_centroid = ",",
                           .end = "\n",
                           .between = ""};

void stream_csv(const TextSink& sink, bool volume, const Components& components) {
  sink(volume ? "label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz\n" : "label,area,x0,y0,x1,y1,cx,cy\n");
  stream_rows<kCsvRow>(components, volume ? 3 : 2, "", sink);
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
  stream_rows<kCsvRow>(components, 3, csv_field(input) + ",", sink);
}

}  // namespace gpuccl::io
