#include "io/report/contacts_csv.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "io/report/component_rows.hpp"

namespace gpuccl::io {
namespace {

constexpr std::string_view kContactColumns3d = "label_a,label_b,faces_x,faces_y,faces_z,edges,corners",
                           kContactColumns2d = "label_a,label_b,faces_x,faces_y,edges";

/// Returns the area of a face across each axis.
std::optional<Vector3> sizes_of_faces(bool volume, const Geometry& geometry) {
  if (!geometry.is_known(volume ? 3 : 2)) return std::nullopt;
  const auto [x, y, z] = geometry.spacing;
  return volume ? Vector3{y * z, x * z, x * y} : Vector3{y, x, 0};
}

}  // namespace

void stream_contacts_csv(const TextSink& sink, bool volume, const Geometry& geometry,
                         const std::vector<Contact>& contacts, const ValueColumn& value,
                         std::span<const std::uint64_t> labels) {
  constexpr std::size_t kRowsAtOnce = 4096, kFields = 11;
  const std::optional<Vector3> sizes = sizes_of_faces(volume, geometry);
  const std::string unit = "," + std::string(name_of(geometry.unit));
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
