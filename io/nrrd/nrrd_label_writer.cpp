#include <fmt/core.h>

#include <string>

#include "io/files/number_text.hpp"
#include "io/image/label_streams.hpp"
#include "io/nrrd/nrrd.hpp"

namespace gpuccl::io {
namespace {

/// A word for each axis.
template <class Word>
std::string each(int axes, Word word) {
  std::string text;
  for (int i = 0; i < axes; ++i) text += " " + word(static_cast<std::size_t>(i));
  return text + "\n";
}

std::string vector_of(const Vector3& vector, int axes) {
  std::string text;
  for (int i = 0; i < axes; ++i) text += (i > 0 ? "," : "(") + shortest(vector[static_cast<std::size_t>(i)]);
  return text + ")";
}

std::string geometry_fields(const Geometry& geometry, int axes) {
  const std::string unit = "\"" + std::string(name_of(geometry.unit)) + "\"";
  std::string text;
  if (std::optional<Orientation> orientation = geometry.orientation) {
    if (axes < 3) orientation = in_lps(*orientation);  // which is meant where no name says it
    const std::string space = nrrd_name(orientation->space);
    text += space.empty() || axes < 3 ? fmt::format("space dimension: {}\n", axes) : "space: " + space + "\n";
    text += "space directions:" +
            each(axes, [&](std::size_t i) { return vector_of(orientation->steps[i], axes); });
    if (geometry.unit != LengthUnit::unknown)
      text += "space units:" + each(axes, [&](std::size_t) -> const std::string& { return unit; });
    return text + "space origin: " + vector_of(orientation->origin, axes) + "\n";
  }
  if (!geometry.is_known()) return text;
  text += "spacings:" + each(axes, [&](std::size_t i) {
            return is_spacing(geometry.spacing[i]) ? shortest(geometry.spacing[i]) : std::string("nan");
          });
  if (geometry.unit != LengthUnit::unknown)
    text += "units:" + each(axes, [&](std::size_t) -> const std::string& { return unit; });
  return text;
}

}  // namespace

LabelFile nrrd_label_file(const Extent& extent, const WriteOptions& options) {
  const LabelType type = options.type;
  const Geometry& geometry = options.geometry;
  const int sizes[] = {extent.width, extent.height, extent.depth};
  const int axes = extent.depth == 1 && is_flat(geometry) ? 2 : 3;
  const bool raw = options.compression == Compression::none;
  std::string header = fmt::format("NRRD0004\ntype: {}\ndimension: {}\nsizes:{}",
                                   type == LabelType::f32   ? "float"
                                   : type == LabelType::f64 ? "double"
                                                            : long_name(type),
                                   axes, each(axes, [&](std::size_t i) { return std::to_string(sizes[i]); }));
  header += geometry_fields(geometry, axes);
  header += "endian: little\nencoding: " + std::string(raw ? "raw" : "gzip") + "\n\n";
  return raw ? raw_label_file(header, extent, options) : gzip_label_file(header, {}, extent, options);
}

}  // namespace gpuccl::io
