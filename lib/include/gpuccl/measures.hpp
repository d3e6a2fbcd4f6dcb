#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/periodic.hpp"
#include "gpuccl/sums_layout.hpp"

// What is measured of components beyond area, box and centroid.
namespace gpuccl {

/// Basic measures are part of Components; all others are measured when they are asked for.
enum class MeasureGroup { basic, shape, topology, border, periodic, physical, intensity };

/// Of which labelings a measure is: those of images (4- and 8-connectivity, also of every slice on its own),
/// those of volumes (6, 18, 26), or both.
enum class MeasuredIn { both, images, volumes };

/// In the order of their columns.
enum class MeasureId : std::uint8_t {
  area,
  x0,
  y0,
  z0,
  x1,
  y1,
  z1,
  cx,
  cy,
  cz,
  area_physical,
  cx_physical,
  cy_physical,
  cz_physical,
  width,
  height,
  depth,
  extent,
  equivalent_diameter_area,
  moments_central_2_0,
  moments_central_1_1,
  moments_central_0_2,
  moments_central_2_0_0,
  moments_central_1_1_0,
  moments_central_1_0_1,
  moments_central_0_2_0,
  moments_central_0_1_1,
  moments_central_0_0_2,
  inertia_tensor_0_0,
  inertia_tensor_0_1,
  inertia_tensor_0_2,
  inertia_tensor_1_1,
  inertia_tensor_1_2,
  inertia_tensor_2_2,
  inertia_tensor_eigvals_0,
  inertia_tensor_eigvals_1,
  inertia_tensor_eigvals_2,
  axis_major_length,
  axis_middle_length,
  axis_minor_length,
  orientation,
  eccentricity,
  elongation,
  flatness,
  perimeter,
  perimeter_crofton,
  roundness,
  surface_crofton,
  surface_crofton_3,
  sphericity,
  feret_diameter_max,
  euler_number,
  holes,
  cavities,
  tunnels,
  border_sides,
  border_x0,
  border_x1,
  border_y0,
  border_y1,
  border_z0,
  border_z1,
  wraps_x,
  wraps_y,
  wraps_z,
  equivalent_diameter_area_physical,
  axis_major_length_physical,
  axis_middle_length_physical,
  axis_minor_length_physical,
  elongation_physical,
  flatness_physical,
  perimeter_crofton_physical,
  roundness_physical,
  surface_crofton_physical,
  sphericity_physical,
  feret_diameter_max_physical,
  intensity_min,
  intensity_max,
  intensity_mean,
  intensity_std,
  intensity_sum,
  intensity_nan,
  intensity_median,
  intensity_p5,
  intensity_p25,
  intensity_p75,
  intensity_p95,
  cx_weighted,
  cy_weighted,
  cz_weighted,
  count
};
inline constexpr std::size_t kMeasures = static_cast<std::size_t>(MeasureId::count);

struct Measure {
  MeasureId id;
  std::string_view name;  // of its column; scikit-image's where it has the measure
  MeasureGroup group;
  MeasuredIn in;
  std::string_view unit;  // lengths are in elements, of physical measures in the unit of the spacing
  std::string_view definition;
  std::string_view source;  // "" if the definition says all
};

/// All of them, in the order of MeasureId.
std::span<const Measure, kMeasures> measures();
/// Whether it is in the unit of the spacing, and so there only where that is known.
inline bool is_physical(const Measure& measure) { return measure.name.ends_with("_physical"); }
inline const Measure& measure_of(MeasureId id) { return measures()[static_cast<std::size_t>(id)]; }

std::string_view name_of(MeasureGroup group);

/// Which measures are wanted.
using MeasureSet = std::bitset<kMeasures>;

/// All of a group.
MeasureSet measures_of(MeasureGroup group);

/// Those that take much memory or time in labelings by this connectivity, so that the name of a group should
/// not stand for them.
MeasureSet by_name_only(Connectivity connectivity);

/// Those that are not basic, in order.
std::vector<MeasureId> columns(const MeasureSet& wanted);

/// Samples of up to 64 bits, and sums of them.
__extension__ typedef __int128 WholeNumber;

/// The measures that may be whole numbers which no double is.
inline constexpr std::array kWholeMeasures{MeasureId::intensity_min, MeasureId::intensity_max,
                                           MeasureId::intensity_sum};

/// The values of one component; NaN is what it does not have.
class MeasureValues {
 public:
  MeasureValues() { values_.fill(std::numeric_limits<double>::quiet_NaN()); }
  double& operator[](MeasureId id) { return values_[static_cast<std::size_t>(id)]; }
  double operator[](MeasureId id) const { return values_[static_cast<std::size_t>(id)]; }

  /// Sets one of kWholeMeasures, and the double next to it.
  void set_whole(MeasureId id, WholeNumber value) {
    constexpr WholeNumber kEveryDouble = WholeNumber{1} << std::numeric_limits<double>::digits;
    (*this)[id] = static_cast<double>(value);
    if (value <= -kEveryDouble || value >= kEveryDouble) large_[place(id)] = value;
  }
  /// The exact value of one that set_whole() found to be 2^53 or more from zero, else 0.
  WholeNumber large(MeasureId id) const {
    const std::size_t at = place(id);
    return at < large_.size() ? large_[at] : 0;
  }
  bool any_large() const { return large_ != std::array<WholeNumber, kWholeMeasures.size()>{}; }

 private:
  static std::size_t place(MeasureId id) {
    std::size_t at = 0;
    while (at < kWholeMeasures.size() && kWholeMeasures[at] != id) ++at;
    return at;
  }

  std::array<double, kMeasures> values_;
  std::array<WholeNumber, kWholeMeasures.size()> large_{};
};

class IntensityImage;

struct MeasureRequest {
  MeasureSet wanted;
  Connectivity connectivity = Connectivity::c8;
  std::array<double, 3> spacing{};  // from an element to the next along x, y, z; 0: unknown
  /// Labels of the inverted image by complementary() of the connectivity, of which components that touch the
  /// border may be left out (enclosed_background()), and in parts those that begin in others
  /// (cavities_of_part(), cavities_of_slab()). They must outlive the call; needed if needs_background().
  const Labeled* background = nullptr;
  /// Bytes that may be taken beside bytes_of_sums() of each component: for rows of Feret diameters, and for
  /// what threads have measured of components that others measure too.
  std::int64_t max_bytes = INT64_MAX;
  std::span<const std::array<Wrap, 3>> wraps = {};  // of each component of a periodic image
  /// Sums of the components that a labeler has gathered; taken if they are what is needed.
  GatheredSums* gathered = nullptr;
  bool in_parts = false;      // sums are added to those of other parts of the same components
  bool long_samples = false;  // of intensity: whole numbers of more than 32 bits, of which more is gathered
  /// Samples of which measure_part(), measure_slab() and measure_nothing() gather what parts have, too; those
  /// of the whole are measure_intensity()'s.
  const IntensityImage* samples = nullptr;
};

/// Whether cavities are to be counted, which are components of the background.
bool needs_background(const MeasureRequest& request);

class Intensities;
class IntensitySums;
class MeasureSums;

/// What was measured of the components of one labeling: integer sums, from which values are derived when they
/// are asked for.
class Measured {
 public:
  Measured();
  explicit Measured(std::unique_ptr<MeasureSums> sums);
  ~Measured();
  Measured(Measured&&) noexcept;
  Measured& operator=(Measured&&) noexcept;

  /// None if nothing was measured.
  const MeasureSet& wanted() const;
  /// Those of them that are measured in such a labeling and not basic, in order.
  std::vector<MeasureId> columns() const;
  /// What was measured of the same components from samples.
  void add(Intensities intensities);
  /// Leaves what else was measured, for a condition, out of wanted() and columns().
  void show_only(const MeasureSet& wanted);
  /// Component i goes on as map[i + 1] - 1, or is gone where that is 0; as Selection::map.
  void select(const std::vector<Label>& map);
  /// What is known of component i as words behind `saved`, and adds such to what is known of another part of
  /// the same component: that of rows which follow, if samples are not whole numbers. Of
  /// MeasureRequest::in_parts. Error (data) if it cannot be of such.
  void save(std::size_t i, std::vector<std::uint64_t>& saved) const;
  void add_saved(std::size_t i, std::span<const std::uint64_t> saved);
  /// Takes samples that were gathered in parts.
  void add(std::unique_ptr<IntensitySums> sums);
  /// Measures intensities of the first so many components, when all their parts were added. Returns how many
  /// of their samples are no number.
  std::uint64_t derive_intensities(std::size_t components);
  /// The same measures, of nothing yet, of other components.
  Measured of_others(const Components& components) const;
  /// Whether there is anything, be it of no measure.
  bool any() const { return sums_ != nullptr; }
  /// Of component i, of which `components` are what else is known. May be called from several threads at
  /// once.
  MeasureValues values(const Components& components, std::size_t i) const;
  /// Bytes that are held beside bytes_of_sums() of each component.
  std::int64_t bytes_beside() const;

 private:
  std::unique_ptr<MeasureSums> sums_;
  std::unique_ptr<IntensitySums> intensity_sums_;  // until they are derived
  std::unique_ptr<Intensities> intensities_;
  std::vector<Label> selected_;  // what component i was when it was measured; empty: the same
};

/// Bytes of the sums of one component of an image of this size at most; rows of Feret diameters come on top,
/// 8 each.
std::size_t bytes_of_sums(const MeasureRequest& request, const Extent& extent);

/// The sums that these measures are derived from, as far as a labeler can gather them.
SumsLayout layout_of_sums(const MeasureSet& wanted, Connectivity connectivity);

/// Measures `components`, which are those of `labels`, in one pass over all rows by all threads. The values
/// do not depend on how labels are stored, on slabs or threads.
/// Error (usage) without a background that is needed, Error (memory) over MeasureRequest::max_bytes.
Measured measure(const LabelSource& labels, const Components& components, const MeasureRequest& request);

/// How many rows before and behind some are looked at to measure these: of an image of one slice, or whole
/// slices of a volume.
struct RowsAround {
  std::int64_t before = 0, behind = 0;
};
RowsAround rows_measured_around(const Extent& extent, Connectivity connectivity);

/// The same measures of nothing yet, to which what is known of parts of the components is added.
Measured measure_nothing(const Extent& extent, const Components& components, MeasureRequest request);

}  // namespace gpuccl
