#include "io/metaimage/metaimage_label_writer.hpp"

#include <cmath>
#include <string>

#include "io/files/number_text.hpp"
#include "io/image/label_streams.hpp"

namespace gpuccl::io {
namespace {

/// The one of MetaIO's units in which such a length is written.
LengthUnit metaimage_unit(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::unknown:
    case LengthUnit::um:
    case LengthUnit::mm:
    case LengthUnit::cm:
      return unit;
    case LengthUnit::pm:
    case LengthUnit::angstrom:
    case LengthUnit::nm:
      return LengthUnit::um;
    default:
      return LengthUnit::mm;
  }
}

template <class Word>
std::string each(std::size_t axes, Word word) {
  std::string text;
  for (std::size_t i = 0; i < axes; ++i) text += " " + word(i);
  return text + "\n";
}

std::string geometry_fields(const Geometry& given, std::size_t axes) {
  const Geometry geometry = in_unit(given, metaimage_unit(given.unit));
  const Orientation orientation =
      geometry.orientation ? in_lps(*geometry.orientation) : plain_orientation(geometry);
  std::string text =
      "TransformMatrix =" + each(axes, [&](std::size_t i) {
        const Vector3& step = orientation.steps[i];
        const double length = std::hypot(step[0], step[1], step[2]);
        std::string direction;
        for (std::size_t axis = 0; axis < axes; ++axis)
          direction += (axis > 0 ? " " : "") + shortest(length > 0 ? step[axis] / length : i == axis ? 1 : 0);
        return direction;
      });
  text += "Offset =" + each(axes, [&](std::size_t axis) { return shortest(orientation.origin[axis]); });
  text += "CenterOfRotation =" + each(axes, [](std::size_t) { return std::string("0"); });
  if (geometry.unit != LengthUnit::unknown)
    text += "DistanceUnits = " + std::string(name_of(geometry.unit)) + "\n";
  return text + "ElementSpacing =" + each(axes, [&](std::size_t i) {
           return is_spacing(geometry.spacing[i]) ? shortest(geometry.spacing[i]) : std::string("1");
         });
}

const char* element_type(LabelType type) {
  switch (type) {
    case LabelType::u8:
      return "MET_UCHAR";
    case LabelType::u16:
      return "MET_USHORT";
    case LabelType::i8:
      return "MET_CHAR";
    case LabelType::i16:
      return "MET_SHORT";
    case LabelType::i32:
      return "MET_INT";
    case LabelType::f32:
      return "MET_FLOAT";
    case LabelType::u64:
      return "MET_ULONG_LONG";
    case LabelType::i64:
      return "MET_LONG_LONG";
    case LabelType::f64:
      return "MET_DOUBLE";
    default:
      return "MET_UINT";
  }
}

}  // namespace

LabelFile metaimage_label_file(const Extent& extent, const WriteOptions& options) {
  const int sizes[] = {extent.width, extent.height, extent.depth};
  const std::size_t axes = extent.depth == 1 && is_flat(options.geometry) ? 2 : 3;
  const bool raw = options.compression == Compression::none;
  std::string header = "ObjectType = Image\nNDims = " + std::to_string(axes) +
                       "\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = " +
                       (raw ? "False\n" : "True\nCompressedDataSize = ");
  const std::size_t size_at = header.size();
  if (!raw) header += std::string(kSizeDigits, '0') + "\n";
  header += geometry_fields(options.geometry, axes);
  header += "DimSize =" + each(axes, [&](std::size_t i) { return std::to_string(sizes[i]); });
  header += std::string("ElementType = ") + element_type(options.type) + "\nElementDataFile = LOCAL\n";
  return raw ? raw_label_file(header, extent, options) : zlib_label_file(header, size_at, extent, options);
}

}  // namespace gpuccl::io
