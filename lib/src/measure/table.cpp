#include "gpuccl/measures.hpp"

namespace gpuccl {
namespace {

using enum MeasuredIn;
using enum MeasureGroup;
using Id = MeasureId;

constexpr std::string_view kSkimage = "scikit-image regionprops";
constexpr std::string_view kPercentile = "numpy.percentile";
constexpr std::string_view kWeighted = "centroid_weighted of scikit-image regionprops";

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

    {Id::inertia_tensor_0_0, "inertia_tensor-0-0", shape, both, "elements^2",
     "Inertia tensor, of a mass of 1: about y, of a volume about z", kSkimage},
    {Id::inertia_tensor_0_1, "inertia_tensor-0-1", shape, both, "elements^2",
     "Its product of inertia of y and x, of a volume of z and y; the same as 1-0", kSkimage},
    {Id::inertia_tensor_0_2, "inertia_tensor-0-2", shape, volumes, "elements^2", "The same of z and x",
     kSkimage},
    {Id::inertia_tensor_1_1, "inertia_tensor-1-1", shape, both, "elements^2", "About x, of a volume about y",
     kSkimage},
    {Id::inertia_tensor_1_2, "inertia_tensor-1-2", shape, volumes, "elements^2", "The same of y and x",
     kSkimage},
    {Id::inertia_tensor_2_2, "inertia_tensor-2-2", shape, volumes, "elements^2", "About x", kSkimage},
    {Id::inertia_tensor_eigvals_0, "inertia_tensor_eigvals-0", shape, both, "elements^2",
     "Largest eigenvalue of the inertia tensor", kSkimage},
    {Id::inertia_tensor_eigvals_1, "inertia_tensor_eigvals-1", shape, both, "elements^2", "The next one",
     kSkimage},
    {Id::inertia_tensor_eigvals_2, "inertia_tensor_eigvals-2", shape, volumes, "elements^2",
     "The smallest one", kSkimage},
    {Id::axis_major_length, "axis_major_length", shape, both, "elements",
     "Longest axis of the ellipse, or ellipsoid, with the same second moments", kSkimage},
    {Id::axis_middle_length, "axis_middle_length", shape, volumes, "elements", "Its axis between the others",
     ""},
    {Id::axis_minor_length, "axis_minor_length", shape, both, "elements", "Its shortest axis", kSkimage},
    {Id::orientation, "orientation", shape, images, "radians",
     "Angle from the y axis to the longest axis, towards the x axis, -pi/2 to pi/2; -pi/4 where no axis is "
     "longest",
     kSkimage},
    {Id::eccentricity, "eccentricity", shape, images, "1",
     "Eccentricity of that ellipse, 0 of a circle, up to 1", kSkimage},
    {Id::elongation, "elongation", shape, both, "1", "Longest axis divided by the next one; none of a line",
     "SimpleITK LabelShapeStatistics"},
    {Id::flatness, "flatness", shape, volumes, "1", "Middle axis divided by the shortest; none of a plane",
     "SimpleITK LabelShapeStatistics"},
    {Id::perimeter, "perimeter", shape, images, "elements",
     "Length of a line through the centres of the elements at the edge, by 4-neighborhood", kSkimage},
    {Id::perimeter_crofton, "perimeter_crofton", shape, images, "elements",
     "Perimeter by Crofton's formula in 4 directions", kSkimage},
    {Id::roundness, "roundness", shape, images, "1",
     "Perimeter of the disk of the same area divided by perimeter_crofton", "SimpleITK LabelShapeStatistics"},
    {Id::surface_crofton, "surface_crofton", shape, volumes, "elements^2",
     "Surface by Crofton's formula in 13 directions", "Legland, Kieu and Devaux 2007; MorphoLibJ"},
    {Id::surface_crofton_3, "surface_crofton_3", shape, volumes, "elements^2",
     "Surface by Crofton's formula in 3 directions", "Legland, Kieu and Devaux 2007; MorphoLibJ"},
    {Id::sphericity, "sphericity", shape, volumes, "1",
     "Surface of the ball of the same volume divided by surface_crofton", "Wadell 1935"},
    {Id::feret_diameter_max, "feret_diameter_max", shape, both, "elements",
     "Largest distance of two points at the edge of the convex hull as an image, half an element beyond its "
     "elements; of a volume beyond its own elements, and only where asked for by name",
     kSkimage},

    {Id::euler_number, "euler_number", topology, both, "1",
     "Euler number by the connectivity of the labels: 1 less holes, in volumes 1 less tunnels and more "
     "cavities",
     "scikit-image euler_number; Ohser, Nagel and Schladitz 2002"},
    {Id::holes, "holes", topology, images, "1",
     "Components of what is not the component that it surrounds, by the complementary connectivity", ""},
    {Id::cavities, "cavities", topology, volumes, "1", "The same of a volume: hollows without a way out", ""},
    {Id::tunnels, "tunnels", topology, volumes, "1", "Ways through it, such as the one of a ring", ""},

    {Id::border_sides, "border_sides", border, both, "1",
     "How many sides of the image it touches, of 4; of a volume, of 6", ""},
    {Id::border_x0, "border_x0", border, both, "1", "1 if it touches the first column, else 0", ""},
    {Id::border_x1, "border_x1", border, both, "1", "1 if it touches the last column, else 0", ""},
    {Id::border_y0, "border_y0", border, both, "1", "1 if it touches the first row, else 0", ""},
    {Id::border_y1, "border_y1", border, both, "1", "1 if it touches the last row, else 0", ""},
    {Id::border_z0, "border_z0", border, volumes, "1", "1 if it touches the first slice, else 0", ""},
    {Id::border_z1, "border_z1", border, volumes, "1", "1 if it touches the last slice, else 0", ""},

    {Id::wraps_x, "wraps_x", periodic, both, "1",
     "0, or 1 if it goes on at the opposite border along x, 2 if it goes around and meets itself", ""},
    {Id::wraps_y, "wraps_y", periodic, both, "1", "The same along y", ""},
    {Id::wraps_z, "wraps_z", periodic, volumes, "1", "The same along z", ""},

    {Id::equivalent_diameter_area_physical, "equivalent_diameter_area_physical", physical, both, "unit",
     "equivalent_diameter_area, by the spacing", ""},
    {Id::axis_major_length_physical, "axis_major_length_physical", physical, both, "unit",
     "axis_major_length, by the spacing", ""},
    {Id::axis_middle_length_physical, "axis_middle_length_physical", physical, volumes, "unit",
     "axis_middle_length, by the spacing", ""},
    {Id::axis_minor_length_physical, "axis_minor_length_physical", physical, both, "unit",
     "axis_minor_length, by the spacing", ""},
    {Id::elongation_physical, "elongation_physical", physical, both, "1", "elongation, by the spacing",
     "SimpleITK LabelShapeStatistics"},
    {Id::flatness_physical, "flatness_physical", physical, volumes, "1", "flatness, by the spacing",
     "SimpleITK LabelShapeStatistics"},
    {Id::perimeter_crofton_physical, "perimeter_crofton_physical", physical, images, "unit",
     "perimeter_crofton, by the spacing", "Legland, Kieu and Devaux 2007; MorphoLibJ"},
    {Id::roundness_physical, "roundness_physical", physical, images, "1", "roundness, by the spacing", ""},
    {Id::surface_crofton_physical, "surface_crofton_physical", physical, volumes, "unit^2",
     "surface_crofton, by the spacing", "Legland, Kieu and Devaux 2007; MorphoLibJ"},
    {Id::sphericity_physical, "sphericity_physical", physical, volumes, "1", "sphericity, by the spacing",
     ""},
    {Id::feret_diameter_max_physical, "feret_diameter_max_physical", physical, both, "unit",
     "feret_diameter_max, by the spacing; of a volume only where asked for by name", ""},

    {Id::intensity_min, "intensity_min", intensity, both, "samples", "Smallest sample", kSkimage},
    {Id::intensity_max, "intensity_max", intensity, both, "samples", "Largest sample", kSkimage},
    {Id::intensity_mean, "intensity_mean", intensity, both, "samples", "Mean of the samples", kSkimage},
    {Id::intensity_std, "intensity_std", intensity, both, "samples",
     "Standard deviation of the samples, of the population", kSkimage},
    {Id::intensity_sum, "intensity_sum", intensity, both, "samples", "Sum of the samples",
     "scipy.ndimage.sum_labels"},
    {Id::intensity_nan, "intensity_nan", intensity, both, "elements",
     "Elements whose sample is no number, which no other measure of intensity counts", ""},
    {Id::intensity_median, "intensity_median", intensity, both, "samples",
     "Median of samples of at most 16 bits", kSkimage},
    {Id::intensity_p5, "intensity_p5", intensity, both, "samples",
     "Percentile 5 of samples of at most 16 bits", kPercentile},
    {Id::intensity_p25, "intensity_p25", intensity, both, "samples",
     "Percentile 25 of samples of at most 16 bits", kPercentile},
    {Id::intensity_p75, "intensity_p75", intensity, both, "samples",
     "Percentile 75 of samples of at most 16 bits", kPercentile},
    {Id::intensity_p95, "intensity_p95", intensity, both, "samples",
     "Percentile 95 of samples of at most 16 bits", kPercentile},
    {Id::cx_weighted, "cx_weighted", intensity, both, "elements",
     "Mean x of its elements, each with the weight of its sample", kWeighted},
    {Id::cy_weighted, "cy_weighted", intensity, both, "elements", "Mean y with these weights", kWeighted},
    {Id::cz_weighted, "cz_weighted", intensity, volumes, "elements", "Mean z with these weights", kWeighted},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kMeasures; ++i)
    if (kTable[i].id != static_cast<Id>(i)) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

std::span<const Measure, kMeasures> measures() { return kTable; }

MeasureSet measures_of(MeasureGroup group) {
  MeasureSet of_group;
  for (const Measure& measure : kTable)
    if (measure.group == group) of_group.set(static_cast<std::size_t>(measure.id));
  return of_group;
}

MeasureSet by_name_only(Connectivity connectivity) {
  MeasureSet names;
  if (is_3d(connectivity))
    for (const Id id : {Id::feret_diameter_max, Id::feret_diameter_max_physical})
      names.set(static_cast<std::size_t>(id));
  return names;
}

std::vector<MeasureId> columns(const MeasureSet& wanted) {
  std::vector<MeasureId> columns;
  for (const Measure& measure : measures())
    if (wanted[static_cast<std::size_t>(measure.id)] && measure.group != MeasureGroup::basic)
      columns.push_back(measure.id);
  return columns;
}

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
    case periodic:
      return "periodic";
    case physical:
      return "physical";
    case intensity:
      return "intensity";
  }
  return "";
}

}  // namespace gpuccl
