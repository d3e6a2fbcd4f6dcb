#include "io/image/geometry.hpp"

#include <cmath>

#include "support/test.hpp"

namespace gpuccl::io {
namespace {

const Orientation kTilted{WorldSpace::ras, {{{0, 2, 0}, {-3, 0, 0}, {0, 0.5, 4}}}, {10, -20, 30}};

TEST_CASE("units of length have the names that programs write") {
  for (const char* name : {"um", "\xc2\xb5m", "\xce\xbcm", "\\u00B5m", "\\u03BCm", "micron", "microns",
                           "micrometer", "micrometers", "micrometre"})
    CHECK(length_unit(name) == LengthUnit::um);
  CHECK(length_unit("nm") == LengthUnit::nm);
  CHECK(length_unit("inches") == LengthUnit::inch);
  for (const char* name : {"", "pixel", "pixels", "s", "second", "ms", "MM"})
    CHECK(length_unit(name) == LengthUnit::unknown);
  CHECK(name_of(length_unit("millimetres")) == "mm");
  CHECK(unit_ratio(LengthUnit::inch, LengthUnit::mm) == 25.4);
  CHECK(unit_ratio(LengthUnit::um, LengthUnit::nm) == 1000);
}

TEST_CASE("elements of another grid differ in spacing, direction or origin") {
  const Geometry um{.spacing = {2, 3, 4}, .unit = LengthUnit::um, .orientation = kTilted};
  const auto difference = [&](const Geometry& other, const Extent& extent = {5, 5, 5}) {
    CHECK(grid_difference(um, other, extent) == grid_difference(other, um, extent));
    return grid_difference(um, other, extent);
  };
  CHECK(difference(um).empty());
  CHECK(difference(in_unit(um, LengthUnit::nm)).empty());
  Geometry turned_axes = um;
  turned_axes.orientation = in_lps(kTilted);
  CHECK(difference(turned_axes).empty());
  CHECK(difference({}).empty());
  CHECK(difference({.spacing = {2, 3, 0}}).empty());
  CHECK(difference({.spacing = {2, 3.002, 4}}).empty());

  CHECK(difference({.spacing = {2, 3.004, 4}}) == "spacing");
  CHECK(difference({.spacing = {2, 3, 4}, .unit = LengthUnit::nm}) == "spacing");
  CHECK(difference({.spacing = {2, 3, 5}}) == "spacing");
  CHECK(difference({.spacing = {2, 3, 5}}, {5, 5, 1}).empty());
  Geometry moved = um;
  moved.orientation->origin[1] += 0.001;
  CHECK(difference(moved).empty());
  moved.orientation->origin[1] += 0.01;
  CHECK(difference(moved) == "origin");
  for (double& step : moved.orientation->steps[2]) step = -step;
  CHECK(difference(moved) == "direction");
  CHECK(difference(moved, {5, 5, 1}) == "origin");
}

TEST_CASE("coordinates of the same elements are compared if their units are the same") {
  Geometry levels;
  levels.coordinates[2] = {{1000, 850, 500, 200}, "hPa"};
  Geometry other = levels;
  other.begin_at(1);
  CHECK(grid_difference(levels, other, {5, 5, 3}) == "spacing");
  levels.begin_at(1);
  CHECK(grid_difference(levels, other, {5, 5, 3}).empty());
  CHECK(grid_difference(levels, {}, {5, 5, 3}).empty());
  for (double& value : other.coordinates[2].values) value += 1;
  CHECK(grid_difference(levels, other, {5, 5, 3}) == "origin");
  CHECK(grid_difference(levels, other, {5, 5, 1}).empty());
  other.coordinates[2].unit = "Pa";
  CHECK(grid_difference(levels, other, {5, 5, 3}).empty());
  Geometry utm;  // northings in steps of 10 m, in 64 bits or rounded to 32
  utm.coordinates[0] = {{0, 10}, "m"};
  utm.coordinates[1] = {{5e6, 5e6 + 10, 5e6 + 20, 5e6 + 30}, "m"};
  other = utm;
  for (double& value : other.coordinates[1].values) value += 0.25;
  CHECK(grid_difference(utm, other, {1, 4, 1}).empty());
  for (double& value : other.coordinates[1].values) value += 4.75;
  CHECK(grid_difference(utm, other, {1, 4, 1}) == "origin");
  set_spacing_by_coordinates(utm);
  CHECK(utm.spacing == Vector3{10, 10, 0});
  utm.spacing = {};
  utm.coordinates[1].values[2] += 5;
  set_spacing_by_coordinates(utm);
  CHECK_FALSE(utm.is_known());
}

TEST_CASE("axes of the world are turned as those who take others for granted expect") {
  const Orientation lps = in_lps(kTilted);
  CHECK(lps.space == WorldSpace::lps);
  CHECK(lps.origin == Vector3{-10, 20, 30});
  CHECK(lps.steps[1] == Vector3{3, 0, 0});
  CHECK(lps.steps[2] == Vector3{0, -0.5, 4});
  CHECK(!std::signbit(lps.steps[0][0]));
  CHECK(in_ras(lps).steps == kTilted.steps);
  CHECK(in_ras(kTilted).origin == kTilted.origin);
  Orientation las = kTilted;
  las.space = WorldSpace::las;
  CHECK(in_lps(las).origin == Vector3{10, 20, 30});
  Orientation of_nobody = kTilted;
  of_nobody.space = WorldSpace::right_handed;
  CHECK(in_lps(of_nobody).origin == kTilted.origin);
  CHECK(kTilted.at({1, 2, 3}) == Vector3{4, -16.5, 42});
}

TEST_CASE("a spacing that is given replaces sizes and leaves directions") {
  const double tilted = std::hypot(0.5, 4);  // the length of the third step
  Geometry geometry{.spacing = {2, 3, tilted}, .unit = LengthUnit::um, .orientation = kTilted};
  geometry.resolution = {300, 300, ResolutionUnit::inch};
  geometry.nifti.emplace();
  set_spacing(geometry, {{4, 3, 0}, LengthUnit::unknown});
  CHECK(geometry.spacing == Vector3{4, 3, tilted});
  CHECK(geometry.unit == LengthUnit::um);
  CHECK(geometry.orientation->steps[0] == Vector3{0, 4, 0});
  CHECK(geometry.orientation->steps[1] == Vector3{-3, 0, 0});
  CHECK(geometry.orientation->origin == kTilted.origin);
  CHECK(!geometry.resolution.is_known());
  CHECK(!geometry.nifti);

  set_spacing(geometry, {{4000, 3000, 0}, LengthUnit::nm});
  CHECK(geometry.spacing == Vector3{4000, 3000, 1000 * tilted});
  CHECK(geometry.orientation->origin == Vector3{10000, -20000, 30000});
  CHECK(geometry.orientation->steps[2] == Vector3{0, 500, 4000});

  Geometry none;
  set_spacing(none, {{1, 2, 0}, LengthUnit::mm});
  CHECK(none.is_known());
  CHECK(!none.is_known(3));
  CHECK(resolution_of(none).y == 0.5);
}

TEST_CASE("steps that lie in a plane are no orientation, and a third of no length is completed") {
  const std::array<Vector3, 3> singular[] = {{{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                             {{{1, 2, 3}, {2, 4, 6}, {0, 0, 1}}},
                                             {{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}},
                                             {{{0.1, 0.2, 0.3}, {0, 1, 0}, {0.1, 1.2, 0.3}}},
                                             {}};
  for (const std::array<Vector3, 3>& steps : singular) {
    Geometry geometry{.orientation = Orientation{WorldSpace::lps, steps, {}}};
    drop_unusable(geometry);
    CHECK(!geometry.orientation);
  }
  Geometry flat{.spacing = {2, 1, 5},
                .orientation = Orientation{WorldSpace::ras, {{{0, 2, 0}, {0, 0, 3}, {}}}, {1, 2, 3}}};
  drop_unusable(flat);
  REQUIRE(flat.orientation);
  CHECK(flat.orientation->steps[2] == Vector3{5, 0, 0});
  drop_unusable(flat);                      // again, as after --spacing
  CHECK(flat.spacing == Vector3{2, 3, 5});  // that of the steps that have a length
  Geometry small{.orientation = Orientation{WorldSpace::ras, {{{1e-70, 0, 0}, {0, 1e70, 0}, {0, 0, 1}}}, {}}};
  drop_unusable(small);
  CHECK(small.orientation);
}

TEST_CASE("elements of sheared images have the size of the determinant") {
  Geometry geometry{.spacing = {2, 3, 5},
                    .orientation = Orientation{WorldSpace::ras, {{{0, 2, 0}, {3, 0, 0}, {0, 3, 4}}}, {}}};
  CHECK(is_sheared(geometry, 3));
  CHECK(!is_sheared(geometry, 2));
  CHECK(physical_scale(geometry, 3)->element == Approx(24.0));
  CHECK(physical_scale(geometry, 2)->element == Approx(6.0));
  geometry.orientation->steps = {{{2, 0, 0}, {1.8, 2.4, 0}, {0, 0, 5}}};
  CHECK(is_sheared(geometry, 2));
  CHECK(physical_scale(geometry, 2)->element == Approx(4.8));
  CHECK(physical_scale(geometry, 3)->element == Approx(24.0));
  geometry.orientation->steps = {{{2, 0, 0}, {1e-4, 3, 0}, {0, 0, 5}}};  // rounded
  CHECK(layer_distances(geometry) == geometry.spacing);
}

TEST_CASE("a quaternion that is too long is scaled to a rotation") {
  NiftiFrame unit, longer;
  unit.pixdim = longer.pixdim = {1, 2, 3, 4};
  unit.quatern = {0, 0.6, 0.8, 5, 6, 7};
  longer.quatern = {0, 0.9, 1.2, 5, 6, 7};
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(longer.affine_of_quaternion()[i] == Approx(unit.affine_of_quaternion()[i]).margin(1e-12));
}

TEST_CASE("numbers that cannot be computed with are no geometry") {
  CHECK(!is_spacing(0));
  CHECK(!is_spacing(-1));
  CHECK(!is_spacing(1e-300));
  CHECK(!is_spacing(std::numeric_limits<double>::infinity()));
  CHECK(!is_spacing(std::nan("")));
  for (const double bad : {std::nan(""), 1e300, -std::numeric_limits<double>::infinity()}) {
    Geometry geometry{.orientation = kTilted};
    geometry.orientation->steps[2][1] = bad;
    drop_unusable(geometry);
    CHECK(!geometry.orientation);
  }
  Geometry tilted{.orientation = kTilted};
  drop_unusable(tilted);
  CHECK(tilted.orientation);
  CHECK(!is_plain(kTilted));
  CHECK(is_plain(plain_orientation({.spacing = {2, 3, 0}})));
}

}  // namespace
}  // namespace gpuccl::io
