#include <algorithm>

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
    {Id::area, "area", basic, both, "pixels", "Number of pixels, in volumes of voxels", kSkimage},
    {Id::x0, "x0", basic, both, "pixels", "First column of the bounding box", ""},
    {Id::y0, "y0", basic, both, "pixels", "First row of the bounding box", ""},
    {Id::z0, "z0", basic, volumes, "voxels", "First slice of the bounding box", ""},
    {Id::x1, "x1", basic, both, "pixels", "Last column of the bounding box", ""},
    {Id::y1, "y1", basic, both, "pixels", "Last row of the bounding box", ""},
    {Id::z1, "z1", basic, volumes, "voxels", "Last slice of the bounding box", ""},
    {Id::cx, "cx", basic, both, "pixels", "x coordinate of the centroid", ""},
    {Id::cy, "cy", basic, both, "pixels", "y coordinate of the centroid", ""},
    {Id::cz, "cz", basic, volumes, "voxels", "z coordinate of the centroid", ""},
    {Id::area_physical, "area_physical", basic, both, "unit^2, in volumes unit^3",
     "Area (volumes: volume) in physical units, if the spacing is known", ""},
    {Id::cx_physical, "cx_physical", basic, both, "unit",
     "x coordinate of the centroid in world coordinates, or from the center of the first pixel if there are "
     "none",
     ""},
    {Id::cy_physical, "cy_physical", basic, both, "unit",
     "y coordinate of the centroid in physical units, like cx_physical", ""},
    {Id::cz_physical, "cz_physical", basic, volumes, "unit",
     "z coordinate of the centroid in physical units, like cx_physical", ""},

    {Id::width, "width", shape, both, "pixels", "Columns of the bounding box", ""},
    {Id::height, "height", shape, both, "pixels", "Rows of the bounding box", ""},
    {Id::depth, "depth", shape, volumes, "voxels", "Slices of the bounding box", ""},
    {Id::extent, "extent", shape, both, "1", "Fraction of the bounding box that the component fills",
     kSkimage},
    {Id::equivalent_diameter_area, "equivalent_diameter_area", shape, both, "pixels",
     "Diameter of the disk of the same area, in volumes of the ball of the same volume", kSkimage},
    {Id::moments_central_2_0, "moments_central-2-0", shape, images, "pixels^2",
     "Sum of squared distances from the centroid along y", kSkimage},
    {Id::moments_central_1_1, "moments_central-1-1", shape, images, "pixels^2",
     "Sum of products of the distances from the centroid along y and x", kSkimage},
    {Id::moments_central_0_2, "moments_central-0-2", shape, images, "pixels^2",
     "Sum of squared distances from the centroid along x", kSkimage},
    {Id::moments_central_2_0_0, "moments_central-2-0-0", shape, volumes, "voxels^2",
     "Sum of squared distances from the centroid along z", kSkimage},
    {Id::moments_central_1_1_0, "moments_central-1-1-0", shape, volumes, "voxels^2",
     "Sum of products of the distances from the centroid along z and y", kSkimage},
    {Id::moments_central_1_0_1, "moments_central-1-0-1", shape, volumes, "voxels^2",
     "Sum of products of the distances from the centroid along z and x", kSkimage},
    {Id::moments_central_0_2_0, "moments_central-0-2-0", shape, volumes, "voxels^2",
     "Sum of squared distances from the centroid along y", kSkimage},
    {Id::moments_central_0_1_1, "moments_central-0-1-1", shape, volumes, "voxels^2",
     "Sum of products of the distances from the centroid along y and x", kSkimage},
    {Id::moments_central_0_0_2, "moments_central-0-0-2", shape, volumes, "voxels^2",
     "Sum of squared distances from the centroid along x", kSkimage},

    {Id::inertia_tensor_0_0, "inertia_tensor-0-0", shape, both, "pixels^2",
     "Inertia tensor for a mass of 1: moment about the y axis, in volumes about the z axis", kSkimage},
    {Id::inertia_tensor_0_1, "inertia_tensor-0-1", shape, both, "pixels^2",
     "Its off-diagonal element of y and x, in volumes of z and y; the same as 1-0", kSkimage},
    {Id::inertia_tensor_0_2, "inertia_tensor-0-2", shape, volumes, "voxels^2",
     "Its off-diagonal element of z and x; the same as 2-0", kSkimage},
    {Id::inertia_tensor_1_1, "inertia_tensor-1-1", shape, both, "pixels^2",
     "Its moment about the x axis, in volumes about the y axis", kSkimage},
    {Id::inertia_tensor_1_2, "inertia_tensor-1-2", shape, volumes, "voxels^2",
     "Its off-diagonal element of y and x; the same as 2-1", kSkimage},
    {Id::inertia_tensor_2_2, "inertia_tensor-2-2", shape, volumes, "voxels^2", "Its moment about the x axis",
     kSkimage},
    {Id::inertia_tensor_eigvals_0, "inertia_tensor_eigvals-0", shape, both, "pixels^2",
     "Largest eigenvalue of the inertia tensor", kSkimage},
    {Id::inertia_tensor_eigvals_1, "inertia_tensor_eigvals-1", shape, both, "pixels^2",
     "Second largest eigenvalue of the inertia tensor", kSkimage},
    {Id::inertia_tensor_eigvals_2, "inertia_tensor_eigvals-2", shape, volumes, "voxels^2",
     "Smallest eigenvalue of the inertia tensor", kSkimage},
    {Id::axis_major_length, "axis_major_length", shape, both, "pixels",
     "Length of the longest axis of the ellipse, in volumes the ellipsoid, with the same second moments",
     kSkimage},
    {Id::axis_middle_length, "axis_middle_length", shape, volumes, "voxels",
     "Length of the middle axis of that ellipsoid", ""},
    {Id::axis_minor_length, "axis_minor_length", shape, both, "pixels",
     "Length of the shortest axis of that ellipse or ellipsoid", kSkimage},
    {Id::orientation, "orientation", shape, images, "radians",
     "Angle from the y axis to the longest axis, towards the x axis, -pi/2 to pi/2; -pi/4 if no axis is "
     "longest",
     kSkimage},
    {Id::eccentricity, "eccentricity", shape, images, "1",
     "Eccentricity of that ellipse: 0 for a circle, 1 for a line", kSkimage},
    {Id::elongation, "elongation", shape, both, "1", "Longest axis divided by the next one; empty for a line",
     "SimpleITK LabelShapeStatistics"},
    {Id::flatness, "flatness", shape, volumes, "1", "Middle axis divided by the shortest; empty for a plane",
     "SimpleITK LabelShapeStatistics"},
    {Id::perimeter, "perimeter", shape, images, "pixels",
     "Length of the contour through the centers of the boundary pixels, with 4-neighborhood", kSkimage},
    {Id::perimeter_crofton, "perimeter_crofton", shape, images, "pixels",
     "Perimeter by Crofton's formula in 4 directions", kSkimage},
    {Id::roundness, "roundness", shape, images, "1",
     "Perimeter of the disk of the same area divided by perimeter_crofton", "SimpleITK LabelShapeStatistics"},
    {Id::surface_crofton, "surface_crofton", shape, volumes, "voxels^2",
     "Surface area by Crofton's formula in 13 directions", "Legland, Kieu and Devaux 2007; MorphoLibJ"},
    {Id::surface_crofton_3, "surface_crofton_3", shape, volumes, "voxels^2",
     "Surface area by Crofton's formula in 3 directions", "Legland, Kieu and Devaux 2007; MorphoLibJ"},
    {Id::sphericity, "sphericity", shape, volumes, "1",
     "Surface area of the ball of the same volume divided by surface_crofton", "Wadell 1935"},
    {Id::feret_diameter_max, "feret_diameter_max", shape, both, "pixels",
     "Largest distance between pixel edges of the convex hull image; in volumes between edges of the "
     "component's voxels; there it is not part of the group",
     kSkimage},
    {Id::feret_diameter_min, "feret_diameter_min", shape, images, "pixels",
     "Smallest distance between parallel lines that enclose the convex hull image", "ImageJ MinFeret"},
    {Id::area_convex, "area_convex", shape, both, "pixels",
     "Number of pixels of the convex hull image; in volumes of voxels, and not part of the group", kSkimage},
    {Id::solidity, "solidity", shape, both, "1",
     "area divided by area_convex; in volumes not part of the group", kSkimage},
    {Id::inscribed_radius, "inscribed_radius", shape, both, "pixels",
     "Largest distance from the center of a pixel to the nearest center of a pixel outside; not part of the "
     "group",
     "scipy.ndimage.distance_transform_edt"},

    {Id::euler_number, "euler_number", topology, both, "1",
     "Euler number for the connectivity of the labels: 1 - holes; in volumes 1 - tunnels + cavities",
     "scikit-image euler_number; Ohser, Nagel and Schladitz 2002"},
    {Id::holes, "holes", topology, images, "1",
     "Regions enclosed by the component, including components inside, with the complementary connectivity",
     ""},
    {Id::cavities, "cavities", topology, volumes, "1",
     "Voids enclosed by the component, with the complementary connectivity", ""},
    {Id::tunnels, "tunnels", topology, volumes, "1", "Handles (first Betti number); 1 for a ring", ""},
    {Id::components, "components", topology, both, "1",
     "Number of connected pieces of the object, for gpuccl measure; not in a group", ""},

    {Id::border_sides, "border_sides", border, both, "1",
     "Number of sides of the image that the component touches, of 4; in volumes of 6", ""},
    {Id::border_x0, "border_x0", border, both, "1", "1 if the component touches the first column, else 0",
     ""},
    {Id::border_x1, "border_x1", border, both, "1", "1 if the component touches the last column, else 0", ""},
    {Id::border_y0, "border_y0", border, both, "1", "1 if the component touches the first row, else 0", ""},
    {Id::border_y1, "border_y1", border, both, "1", "1 if the component touches the last row, else 0", ""},
    {Id::border_z0, "border_z0", border, volumes, "1", "1 if the component touches the first slice, else 0",
     ""},
    {Id::border_z1, "border_z1", border, volumes, "1", "1 if the component touches the last slice, else 0",
     ""},

    {Id::wraps_x, "wraps_x", periodic, both, "1",
     "0; 1 if the component continues across the border along x; 2 if it wraps around and meets itself", ""},
    {Id::wraps_y, "wraps_y", periodic, both, "1",
     "0; 1 if the component continues across the border along y; 2 if it wraps around and meets itself", ""},
    {Id::wraps_z, "wraps_z", periodic, volumes, "1",
     "0; 1 if the component continues across the border along z; 2 if it wraps around and meets itself", ""},

    {Id::equivalent_diameter_area_physical, "equivalent_diameter_area_physical", physical, both, "unit",
     "equivalent_diameter_area in physical units", ""},
    {Id::axis_major_length_physical, "axis_major_length_physical", physical, both, "unit",
     "axis_major_length in physical units", ""},
    {Id::axis_middle_length_physical, "axis_middle_length_physical", physical, volumes, "unit",
     "axis_middle_length in physical units", ""},
    {Id::axis_minor_length_physical, "axis_minor_length_physical", physical, both, "unit",
     "axis_minor_length in physical units", ""},
    {Id::elongation_physical, "elongation_physical", physical, both, "1",
     "elongation, computed in physical units", "SimpleITK LabelShapeStatistics"},
    {Id::flatness_physical, "flatness_physical", physical, volumes, "1",
     "flatness, computed in physical units", "SimpleITK LabelShapeStatistics"},
    {Id::perimeter_crofton_physical, "perimeter_crofton_physical", physical, images, "unit",
     "perimeter_crofton in physical units", "Legland, Kieu and Devaux 2007; MorphoLibJ"},
    {Id::roundness_physical, "roundness_physical", physical, images, "1",
     "roundness, computed in physical units", ""},
    {Id::surface_crofton_physical, "surface_crofton_physical", physical, volumes, "unit^2",
     "surface_crofton in physical units", "Legland, Kieu and Devaux 2007; MorphoLibJ"},
    {Id::sphericity_physical, "sphericity_physical", physical, volumes, "1",
     "sphericity, computed in physical units", ""},
    {Id::feret_diameter_max_physical, "feret_diameter_max_physical", physical, both, "unit",
     "feret_diameter_max in physical units; in volumes not part of the group", ""},
    {Id::feret_diameter_min_physical, "feret_diameter_min_physical", physical, images, "unit",
     "feret_diameter_min in physical units", ""},
    {Id::inscribed_radius_physical, "inscribed_radius_physical", physical, both, "unit",
     "inscribed_radius in physical units; not part of the group", "scipy.ndimage.distance_transform_edt"},

    {Id::intensity_min, "intensity_min", intensity, both, "sample value", "Smallest sample", kSkimage},
    {Id::intensity_max, "intensity_max", intensity, both, "sample value", "Largest sample", kSkimage},
    {Id::intensity_mean, "intensity_mean", intensity, both, "sample value", "Mean of the samples", kSkimage},
    {Id::intensity_std, "intensity_std", intensity, both, "sample value",
     "Population standard deviation of the samples", kSkimage},
    {Id::intensity_sum, "intensity_sum", intensity, both, "sample value", "Sum of the samples",
     "scipy.ndimage.sum_labels"},
    {Id::intensity_nan, "intensity_nan", intensity, both, "pixels",
     "Number of pixels whose sample is NaN; all other intensity measures ignore them", ""},
    {Id::intensity_median, "intensity_median", intensity, both, "sample value",
     "Median, for integers of at most 16 bits", kSkimage},
    {Id::intensity_p5, "intensity_p5", intensity, both, "sample value",
     "5th percentile, for integers of at most 16 bits", kPercentile},
    {Id::intensity_p25, "intensity_p25", intensity, both, "sample value",
     "25th percentile, for integers of at most 16 bits", kPercentile},
    {Id::intensity_p75, "intensity_p75", intensity, both, "sample value",
     "75th percentile, for integers of at most 16 bits", kPercentile},
    {Id::intensity_p95, "intensity_p95", intensity, both, "sample value",
     "95th percentile, for integers of at most 16 bits", kPercentile},
    {Id::cx_weighted, "cx_weighted", intensity, both, "pixels",
     "x coordinate of the centroid, weighted by the samples", kWeighted},
    {Id::cy_weighted, "cy_weighted", intensity, both, "pixels",
     "y coordinate of the centroid, weighted by the samples", kWeighted},
    {Id::cz_weighted, "cz_weighted", intensity, volumes, "voxels",
     "z coordinate of the centroid, weighted by the samples", kWeighted},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kMeasures; ++i)
    if (kTable[i].id != static_cast<Id>(i)) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

std::span<const Measure, kMeasures> measures() { return kTable; }

std::optional<MeasureId> find_measure(std::string_view name) {
  for (const Measure& measure : measures())
    if (measure.name == name) return measure.id;
  return std::nullopt;
}

MeasureSet measures_of(MeasureGroup group) {
  MeasureSet of_group;
  for (const Measure& measure : kTable)
    if (measure.group == group) of_group.set(static_cast<std::size_t>(measure.id));
  return of_group;
}

MeasureSet by_name_only(Connectivity connectivity) {
  MeasureSet names;
  for (const Id id : {Id::components, Id::inscribed_radius, Id::inscribed_radius_physical})
    names.set(static_cast<std::size_t>(id));
  if (is_3d(connectivity))
    for (const Id id :
         {Id::feret_diameter_max, Id::feret_diameter_max_physical, Id::area_convex, Id::solidity})
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

std::vector<MeasureColumn> columns(const MeasureSet& wanted, std::span<const std::string> images) {
  const MeasureSet of_images = wanted & measures_of(intensity);
  std::vector<MeasureColumn> table;
  for (const MeasureId id : columns(wanted & ~of_images))
    table.push_back({id, 0, std::string(measure_of(id).name)});
  for (std::size_t image = 0; image < std::max<std::size_t>(images.size(), 1); ++image)
    for (const MeasureId id : columns(of_images)) {
      table.push_back({id, image, std::string(measure_of(id).name)});
      if (image < images.size() && !images[image].empty()) table.back().name += "[" + images[image] + "]";
    }
  return table;
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
