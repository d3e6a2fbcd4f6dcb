#include "io/tiff/written_description.hpp"

#include <filesystem>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/number_text.hpp"
#include "io/image/label_color.hpp"

namespace gpuccl::io {
namespace {

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + value + "\"";
}

/// The symbol that OME has for a unit. Without one, the size of a pixel still holds in an unnamed unit.
std::string ome_unit(LengthUnit unit) {
  if (unit == LengthUnit::unknown) return "reference frame";
  if (unit == LengthUnit::um) return "\xc2\xb5m";
  if (unit == LengthUnit::angstrom) return "\xc3\x85";
  return unit == LengthUnit::inch ? "in" : std::string(name_of(unit));
}

std::string ome_type(LabelType type) {
  if (type == LabelType::f32) return "float";
  if (type == LabelType::f64) return "double";
  if (bits_per_sample(type) == 64)
    throw Error(Failure::data, "OME-TIFF cannot hold " + long_name(type) + "; write .tiff, .npy or .zarr");
  return long_name(type);
}

}  // namespace

std::string imagej_description(Extent extent, Label max, const Geometry& geometry) {
  const std::string slices = std::to_string(extent.depth);
  std::string text = "ImageJ=1.11a\nimages=" + slices + "\n";
  if (extent.depth > 1) text += "slices=" + slices + "\n";
  if (geometry.unit != LengthUnit::unknown) text += "unit=" + std::string(name_of(geometry.unit)) + "\n";
  if (geometry.spacing[2] > 0) text += "spacing=" + shortest(geometry.spacing[2]) + "\n";
  text += "loop=false\nmin=0\nmax=" + std::to_string(max) + "\n";
  return text;
}

std::string imagej_lookup_table() {
  // The magic number and the type are words of the file's byte order, little-endian.
  std::string value("JIJIstul\x01\0\0\0", kImagejHeadBytes);
  for (std::size_t channel = 0; channel < 3; ++channel)
    for (Label label = 0; label < 256; ++label) value += static_cast<char>(label_color(label)[channel]);
  return value;
}

bool is_ome_tiff(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).filename();
  const std::string extension = lower_extension(name);
  return (extension == ".tif" || extension == ".tiff") && lower_extension(name.stem()) == ".ome";
}

std::string ome_xml(Extent extent, LabelType type, const Geometry& geometry) {
  std::string sizes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_spacing(geometry.spacing[axis])) continue;
    const std::string name = std::string("PhysicalSize") + "XYZ"[axis];
    sizes +=
        attribute(name, shortest(geometry.spacing[axis])) + attribute(name + "Unit", ome_unit(geometry.unit));
  }
  return R"(<?xml version="1.0" encoding="UTF-8"?>)"
         R"(<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06")"
         R"( xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance")"
         R"( xsi:schemaLocation="http://www.openmicroscopy.org/Schemas/OME/2016-06)"
         R"( http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd" Creator="gpuccl">)"
         R"(<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT")" +
         attribute("Type", ome_type(type)) + attribute("BigEndian", "false") +
         attribute("SizeX", std::to_string(extent.width)) +
         attribute("SizeY", std::to_string(extent.height)) +
         attribute("SizeZ", std::to_string(extent.depth)) + attribute("SizeC", "1") +
         attribute("SizeT", "1") + sizes +
         R"(><Channel ID="Channel:0:0" SamplesPerPixel="1"/><TiffData/></Pixels></Image></OME>)";
}

}  // namespace gpuccl::io
