#include "io/image/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>

namespace gpuccl::io {
namespace {

struct NamedUnit {
  LengthUnit unit;
  std::string_view name, word;  // "um", "micrometer"
  double picometres;
};

constexpr NamedUnit kUnits[] = {
    {LengthUnit::pm, "pm", "picometer", 1},     {LengthUnit::angstrom, "angstrom", "angstrom", 100},
    {LengthUnit::nm, "nm", "nanometer", 1e3},   {LengthUnit::um, "um", "micrometer", 1e6},
    {LengthUnit::mm, "mm", "millimeter", 1e9},  {LengthUnit::cm, "cm", "centimeter", 1e10},
    {LengthUnit::dm, "dm", "decimeter", 1e11},  {LengthUnit::m, "m", "meter", 1e12},
    {LengthUnit::inch, "inch", "inch", 2.54e10}};

struct OtherName {
  std::string_view name;
  LengthUnit unit;
};

// The micro sign, the letter mu, and how ImageJ and JSON escape the former; the letter and the sign of
// Ångström.
constexpr OtherName kOtherNames[] = {{"\xc2\xb5m", LengthUnit::um},
                                     {"\xce\xbcm", LengthUnit::um},
                                     {"\\u00B5m", LengthUnit::um},
                                     {"\\u03BCm", LengthUnit::um},
                                     {"micron", LengthUnit::um},
                                     {"\xc3\x85", LengthUnit::angstrom},
                                     {"\xe2\x84\xab", LengthUnit::angstrom},
                                     {"\\u00C5", LengthUnit::angstrom},
                                     {"in", LengthUnit::inch},
                                     {"inches", LengthUnit::inch}};

const NamedUnit* find(LengthUnit unit) {
  const auto* const found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                         [&](const NamedUnit& known) { return known.unit == unit; });
  return found == std::end(kUnits) ? nullptr : found;
}

/// "micrometres" as "micrometer".
std::string american_singular(std::string_view name) {
  std::string word(name.substr(0, name.size() - (name.size() > 4 && name.ends_with('s') ? 1 : 0)));
  if (word.ends_with("metre")) word.replace(word.size() - 2, 2, "er");
  return word;
}

}  // namespace

std::string_view name_of(LengthUnit unit) {
  const NamedUnit* const known = find(unit);
  return known == nullptr ? "" : known->name;
}

std::string unit_of_area(LengthUnit unit, bool volume) {
  const std::string name(name_of(unit));
  return name.empty() ? name : name + (volume ? '3' : '2');
}

std::string_view word_of(LengthUnit unit) {
  const NamedUnit* const known = find(unit);
  return known == nullptr ? "" : known->word;
}

LengthUnit length_unit(std::string_view name) {
  const std::string word = american_singular(name);
  for (const NamedUnit& known : kUnits)
    if (name == known.name || word == known.word) return known.unit;
  for (const OtherName& other : kOtherNames)
    if (name == other.name || word == other.name) return other.unit;
  return LengthUnit::unknown;
}

double unit_ratio(LengthUnit from, LengthUnit to) { return find(from)->picometres / find(to)->picometres; }

// The product of three spacings and 2^64 elements is a number, and not 0.
constexpr double kMinNumber = 1e-80, kMaxNumber = 1e80;
constexpr double kSameShare = 1e-3;   // of an element
constexpr double kRoundedOff = 1e-6;  // share of a coordinate that is stored in 32 bits

/// Returns the orientation with axes of the world reversed if they differ between the two spaces.
static Orientation turned(const Orientation& orientation, WorldSpace to) {
  Orientation result = orientation;
  const auto sign = [](WorldSpace space, std::size_t axis) {
    if (axis == 0) return space == WorldSpace::ras ? -1 : 1;
    return axis == 1 && (space == WorldSpace::ras || space == WorldSpace::las) ? -1 : 1;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (sign(orientation.space, axis) == sign(to, axis)) continue;
    for (Vector3& step : result.steps) step[axis] = 0 - step[axis];
    result.origin[axis] = 0 - result.origin[axis];
  }
  result.space = to;
  return result;
}

static double length_of(const Vector3& vector) { return std::hypot(vector[0], vector[1], vector[2]); }

static Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Returns the normal of length 1; 0 if they are parallel.
static Vector3 normal(const Vector3& a, const Vector3& b) {
  Vector3 across = cross(a, b);
  const double length = length_of(across);
  for (double& part : across) part = length > 0 ? part / length : 0;
  return across;
}

static bool lie_in_plane(const std::array<Vector3, 3>& steps) {
  constexpr double kMinVolume = 1e-6;  // of the box with sides of these lengths
  const Vector3 across = cross(steps[0], steps[1]);
  double volume = 0, box = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    volume += across[i] * steps[2][i];
    box *= length_of(steps[i]);
  }
  return !(std::abs(volume) > kMinVolume * box);
}

Vector3 Orientation::at(const Vector3& point) const {
  Vector3 place = origin;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < 3; ++i) place[axis] += steps[i][axis] * point[i];
  return place;
}

bool Geometry::is_known(int axes) const {
  return std::all_of(spacing.begin(), spacing.begin() + axes, is_spacing);
}

bool is_spacing(double length) { return length >= kMinNumber && length <= kMaxNumber; }

bool needs_unit(const Geometry& geometry, const GivenSpacing& given) {
  return geometry.nifti && geometry.unit == LengthUnit::unknown && given.unit == LengthUnit::unknown;
}

bool assume_unit(Geometry& geometry) {
  if (!geometry.is_in_mm || !geometry.is_known() || geometry.unit != LengthUnit::unknown) return false;
  geometry.unit = LengthUnit::mm;
  return true;
}

std::array<double, 12> NiftiFrame::affine_of_quaternion() const {
  auto [b, c, d, x, y, z] = quatern;
  const double length = std::sqrt(b * b + c * c + d * d);
  const bool is_too_long = length > 1 + kSameShare;  // NIfTI's reference scales it, too
  for (double* const part : {&b, &c, &d}) *part /= is_too_long ? length : 1;
  const double a = is_too_long ? 0 : std::sqrt(std::max(0.0, 1 - (b * b + c * c + d * d)));
  const auto& size = pixdim;
  const double i = size[1], j = size[2], k = size[0] < 0 ? -size[3] : size[3];
  return {(a * a + b * b - c * c - d * d) * i,
          2 * (b * c - a * d) * j,
          2 * (b * d + a * c) * k,
          x,
          2 * (b * c + a * d) * i,
          (a * a + c * c - b * b - d * d) * j,
          2 * (c * d - a * b) * k,
          y,
          2 * (b * d - a * c) * i,
          2 * (c * d + a * b) * j,
          (a * a + d * d - b * b - c * c) * k,
          z};
}

void Geometry::begin_at(int first) {
  if (std::vector<double>& of_slices = coordinates[2].values;
      first < static_cast<std::ptrdiff_t>(of_slices.size()))
    of_slices.erase(of_slices.begin(), of_slices.begin() + first);
  // Slices without a known distance, such as time points that are read as pages, are all in one place.
  if (orientation && spacing[2] > 0)
    orientation->origin = orientation->at({0, 0, static_cast<double>(first)});
  if (!nifti || first == 0) return;
  const std::array<double, 12> affine = nifti->affine_of_quaternion();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (nifti->qform_code > 0) nifti->quatern[3 + axis] += affine[4 * axis + 2] * first;
    if (nifti->sform_code > 0) nifti->srow[4 * axis + 3] += nifti->srow[4 * axis + 2] * first;
  }
}

/// Returns the mean distance of the first `count` coordinates; 0 if there are fewer, or less than two.
static double mean_step(const std::vector<double>& values, std::size_t count) {
  if (count < 2 || values.size() < count) return 0;
  return (values[count - 1] - values[0]) / static_cast<double>(count - 1);
}

/// Returns whether two coordinates are the same position. They may be stored in 32 bits.
static bool are_same(double a, double b, double step) {
  const double rounding = 0x1p-23 * std::max(std::abs(a), std::abs(b)), size = std::abs(step);
  return std::abs(a - b) <= kSameShare * size + std::min(rounding, size / 4);
}

void set_spacing_by_coordinates(Geometry& geometry) {
  if (geometry.is_known()) return;
  Geometry found;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& [values, name] = geometry.coordinates[i];
    const LengthUnit unit = length_unit(name);
    const double step = mean_step(values, values.size());
    if (unit == LengthUnit::unknown || !is_spacing(std::abs(step))) continue;
    bool are_even = true;
    for (std::size_t k = 0; k < values.size(); ++k)
      are_even = are_even && are_same(values[k], values[0] + step * static_cast<double>(k), step);
    if (!are_even) continue;
    if (found.unit == LengthUnit::unknown) found.unit = unit;
    found.spacing[i] = std::abs(step) * unit_ratio(unit, found.unit);
  }
  if (!found.is_known()) return;
  geometry.spacing = found.spacing;
  geometry.unit = found.unit;
}

void set_spacing(Geometry& geometry, const GivenSpacing& given) {
  if (needs_unit(geometry, given)) geometry.unit = LengthUnit::mm;
  if (given.unit != LengthUnit::unknown) {
    geometry = in_unit(geometry, given.unit);
    geometry.unit = given.unit;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(given.spacing[i] > 0)) continue;
    double& spacing = geometry.spacing[i];
    if (geometry.orientation) {
      Vector3& step = geometry.orientation->steps[i];  // of a NIfTI it may have another length than pixdim
      const double length = length_of(step);
      if (length > 0)
        for (double& part : step) part *= given.spacing[i] / length;
    }
    spacing = given.spacing[i];
  }
  geometry.nifti.reset();
  geometry.resolution = {};
  drop_unusable(geometry);
}

Geometry in_unit(const Geometry& geometry, LengthUnit unit) {
  Geometry result = geometry;
  if (geometry.unit == LengthUnit::unknown || geometry.unit == unit) return result;
  const double ratio = unit_ratio(geometry.unit, unit);
  const auto scale = [ratio](Vector3& vector) {
    for (double& length : vector) length *= ratio;
  };
  scale(result.spacing);
  if (result.orientation) {
    for (Vector3& step : result.orientation->steps) scale(step);
    scale(result.orientation->origin);
  }
  result.unit = unit;
  return result;
}

Orientation in_lps(const Orientation& orientation) { return turned(orientation, WorldSpace::lps); }

Orientation in_ras(const Orientation& orientation) { return turned(orientation, WorldSpace::ras); }

Orientation plain_orientation(const Geometry& geometry) {
  Orientation orientation;
  for (std::size_t i = 0; i < 3; ++i)
    orientation.steps[i][i] = is_spacing(geometry.spacing[i]) ? geometry.spacing[i] : 1;
  return orientation;
}

Orientation orientation_of(const Geometry& geometry) {
  return geometry.orientation ? *geometry.orientation : plain_orientation(geometry);
}

std::optional<PhysicalScale> physical_scale(const Geometry& geometry, int axes) {
  if (!geometry.is_known(axes)) return std::nullopt;
  const bool volume = axes == 3 && !geometry.has_areas;
  PhysicalScale scale{1, orientation_of(geometry), unit_of_area(geometry.unit, volume)};
  const Vector3 lengths = layer_distances(geometry);
  for (std::size_t axis = 0; axis < (volume ? 3 : 2); ++axis) scale.element *= lengths[axis];
  if (axes == 3 && !geometry.orientation)
    scale.orientation.origin[2] = geometry.first_slice * geometry.spacing[2];
  return scale;
}

bool is_flat(const Geometry& geometry) {
  const Orientation orientation = orientation_of(geometry);
  return !is_spacing(geometry.spacing[2]) && orientation.steps[0][2] == 0 && orientation.steps[1][2] == 0 &&
         orientation.origin[2] == 0;
}

std::optional<std::array<std::size_t, 3>> world_axes(const Orientation& orientation) {
  std::array<std::size_t, 3> axes{3, 3, 3};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double step = orientation.steps[i][axis];
      if (step == 0) continue;
      if (!(step > 0) || axes[i] != 3) return std::nullopt;
      axes[i] = axis;
    }
  const bool is_each = (1u << axes[0] | 1u << axes[1] | 1u << axes[2]) == 7;
  return is_each ? std::optional(axes) : std::nullopt;
}

bool is_unturned(const Orientation& orientation) {
  return world_axes(orientation) == std::array<std::size_t, 3>{0, 1, 2};
}

bool is_plain(const Orientation& orientation) {
  return is_unturned(orientation) && orientation.origin == Vector3{};
}

/// Returns the cosine of the angle between two steps; 0 if one has no length.
static double cosine(const Vector3& a, const Vector3& b) {
  const double lengths = length_of(a) * length_of(b);
  return lengths > 0 ? (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / lengths : 0;
}

bool is_sheared(const Geometry& geometry, int axes) {
  if (!geometry.orientation) return false;
  const auto& [x, y, z] = geometry.orientation->steps;
  const auto are_oblique = [](const Vector3& a, const Vector3& b) {
    return std::abs(cosine(a, b)) > kSameShare;
  };
  return are_oblique(x, y) || (axes > 2 && (are_oblique(x, z) || are_oblique(y, z)));
}

Vector3 layer_distances(const Geometry& geometry) {
  Vector3 distances = geometry.spacing;
  if (!is_sheared(geometry, 3)) return distances;
  const auto& [x, y, z] = geometry.orientation->steps;
  const double of_xy = cosine(x, y);
  distances[1] *= std::sqrt(1 - of_xy * of_xy);
  distances[2] *= std::abs(cosine(normal(x, y), z));
  return distances;
}

void drop_unusable(Geometry& geometry) {
  std::optional<Orientation>& orientation = geometry.orientation;
  if (!orientation) return;
  const auto is_usable = [](double number) { return std::abs(number) <= kMaxNumber; };
  const auto are_usable = [&](const Vector3& vector) {
    return std::all_of(vector.begin(), vector.end(), is_usable);
  };
  if (!are_usable(orientation->origin) ||
      !std::all_of(orientation->steps.begin(), orientation->steps.end(), are_usable)) {
    orientation.reset();
    return;
  }
  std::array<Vector3, 3>& steps = orientation->steps;
  const bool is_flat = length_of(steps[2]) == 0;
  if (is_flat) steps[2] = normal(steps[0], steps[1]);
  if (is_flat && is_spacing(geometry.spacing[2]))
    for (double& along : steps[2]) along *= geometry.spacing[2];
  if (lie_in_plane(steps)) return orientation.reset();
  for (std::size_t i = 0; i < (is_flat ? 2 : 3); ++i) {
    double& spacing = geometry.spacing[i];
    const double length = length_of(steps[i]);
    if (is_spacing(spacing) && std::abs(length - spacing) > kSameShare * spacing) spacing = length;
  }
}

Resolution resolution_of(const Geometry& geometry) {
  if (geometry.resolution.is_known() || !geometry.is_known()) return geometry.resolution;
  return {1 / geometry.spacing[0], 1 / geometry.spacing[1], ResolutionUnit::none};
}

static bool points_elsewhere(const Vector3& one, const Vector3& other) {
  const double length = length_of(one), other_length = length_of(other);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (std::abs(one[axis] / length - other[axis] / other_length) > kSameShare) return true;
  return false;
}

/// As grid_difference(), by the coordinates along one axis of `size` elements.
static std::string_view coordinate_difference(const Coordinates& one, const Coordinates& other, int size) {
  const auto count = static_cast<std::size_t>(size);
  const double step = mean_step(one.values, count), its = mean_step(other.values, count);
  if (step == 0 || its == 0 || one.unit != other.unit) return "";
  if (step * its < 0) return "direction";
  if (!are_same(step, its, step)) return "spacing";
  for (std::size_t k = 0; k < count; ++k)
    if (!are_same(one.values[k], other.values[k], step)) return k == 0 ? "origin" : "spacing";
  return "";
}

std::string_view grid_difference(const Geometry& one, const Geometry& other, const Extent& extent) {
  const bool have_units = one.unit != LengthUnit::unknown && other.unit != LengthUnit::unknown;
  const Geometry its = have_units ? in_unit(other, one.unit) : other;
  const int sizes[] = {extent.width, extent.height, extent.depth};
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = one.spacing[i], b = its.spacing[i];
    if (sizes[i] > 1 && is_spacing(a) && is_spacing(b) && std::abs(a - b) > kSameShare * std::max(a, b))
      return "spacing";
    const std::string_view differs = coordinate_difference(one.coordinates[i], its.coordinates[i], sizes[i]);
    if (!differs.empty()) return differs;
  }
  if (!one.orientation || !its.orientation) return "";
  const Orientation a = in_lps(*one.orientation), b = in_lps(*its.orientation);
  double element = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    if (sizes[i] > 1 && points_elsewhere(a.steps[i], b.steps[i])) return "direction";
    element = std::min(element, length_of(a.steps[i]));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double x = a.origin[axis], y = b.origin[axis];
    if (std::abs(x - y) > kSameShare * element + kRoundedOff * std::max(std::abs(x), std::abs(y)))
      return "origin";
  }
  return "";
}

}  // namespace gpuccl::io
