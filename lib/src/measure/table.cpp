#include "gpuccl/measures.hpp"

namespace gpuccl {
namespace {

using enum MeasuredIn;
using enum MeasureGroup;
using Id = MeasureId;

constexpr std::string_view kSkimage = "scikit-image regionprops";

constexpr std::array<Measure, kMeasures> kTable{{
    {Id::area, "area", basic, both, "elements", "Elements of the component", kSkimage},
    {Id::x0, "x0", basic, both, "elements", "First column of the box around it", ""},
    {Id::y0, "y0", basic, both, "elements", "First row of the box", ""},
    {Id::z0, "z0", basic, volumes, "elements", "First slice of the box", ""},
    {Id::x1, "x1", basic, both, "elements", "Last column of the box", ""},
    {Id::y1, "y1", basic, both, "elements", "Last row of the box", ""},
    {Id::z1, "z1", basic, volumes, "elements", "Last slice of the box", ""},
    {Id::cx, "cx", basic, both, "elements", "Mean x of its elements", ""},
    {Id::cy, "cy", basic, both, "elements", "Mean y of its elements", ""},
    {Id::cz, "cz", basic, volumes, "elements", "Mean z of its elements", ""},
    {Id::area_physical, "area_physical", basic, both, "unit^2, of a volume unit^3",
     "Area, of a volume its volume, where the spacing is known", ""},
    {Id::cx_physical, "cx_physical", basic, both, "unit",
     "Where cx is in the world, or from the centre of the first element", ""},
    {Id::cy_physical, "cy_physical", basic, both, "unit", "The same of cy", ""},
    {Id::cz_physical, "cz_physical", basic, volumes, "unit", "The same of cz", ""},

    {Id::extent, "extent", shape, both, "1", "Share of the elements of its box that are its own", kSkimage},
    {Id::equivalent_diameter_area, "equivalent_diameter_area", shape, both, "elements",
     "Diameter of the disk, or ball, of the same area", kSkimage},
    {Id::moments_central_2_0, "moments_central-2-0", shape, images, "elements^2",
     "Sum of the squared distances from the centroid along y", kSkimage},
    {Id::moments_central_1_1, "moments_central-1-1", shape, images, "elements^2",
     "Sum of the products of the distances along y and x", kSkimage},
    {Id::moments_central_0_2, "moments_central-0-2", shape, images, "elements^2",
     "Sum of the squared distances along x", kSkimage},
    {Id::moments_central_2_0_0, "moments_central-2-0-0", shape, volumes, "elements^2",
     "Sum of the squared distances from the centroid along z", kSkimage},
    {Id::moments_central_1_1_0, "moments_central-1-1-0", shape, volumes, "elements^2",
     "Sum of the products of the distances along z and y", kSkimage},
    {Id::moments_central_1_0_1, "moments_central-1-0-1", shape, volumes, "elements^2",
     "Sum of the products of the distances along z and x", kSkimage},
    {Id::moments_central_0_2_0, "moments_central-0-2-0", shape, volumes, "elements^2",
     "Sum of the squared distances along y", kSkimage},
    {Id::moments_central_0_1_1, "moments_central-0-1-1", shape, volumes, "elements^2",
     "Sum of the products of the distances along y and x", kSkimage},
    {Id::moments_central_0_0_2, "moments_central-0-0-2", shape, volumes, "elements^2",
     "Sum of the squared distances along x", kSkimage},

    {Id::border_sides, "border_sides", border, both, "1",
     "How many sides of the image it touches, of 4; of a volume, of 6", ""},
    {Id::border_x0, "border_x0", border, both, "1", "1 if it touches the first column, else 0", ""},
    {Id::border_x1, "border_x1", border, both, "1", "1 if it touches the last column, else 0", ""},
    {Id::border_y0, "border_y0", border, both, "1", "1 if it touches the first row, else 0", ""},
    {Id::border_y1, "border_y1", border, both, "1", "1 if it touches the last row, else 0", ""},
    {Id::border_z0, "border_z0", border, volumes, "1", "1 if it touches the first slice, else 0", ""},
    {Id::border_z1, "border_z1", border, volumes, "1", "1 if it touches the last slice, else 0", ""},

    {Id::equivalent_diameter_area_physical, "equivalent_diameter_area_physical", physical, both, "unit",
     "equivalent_diameter_area, by the spacing", ""},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kMeasures; ++i)
    if (kTable[i].id != static_cast<Id>(i)) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

std::span<const Measure, kMeasures> measures() { return kTable; }

std::string_view name_of(MeasureGroup group) {
  switch (group) {
    case basic:
      return "basic";
    case shape:
      return "shape";
    case topology:
      return "topology";
    case border:
      return "border";
    case physical:
      return "physical";
  }
  return "";
}

}  // namespace gpuccl
