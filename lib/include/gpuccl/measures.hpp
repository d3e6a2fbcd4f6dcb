#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

#pragma GCC visibility push(default)
namespace gpuccl {

/// Axes x, y, z with periodic borders, as in simulation boxes.
using PeriodicAxes = std::array<bool, 3>;

/// Wrapping of a component along a periodic axis.
enum class Wrap : std::uint8_t {
  none,
  across,  // it continues at the opposite border
  around   // it meets itself: it percolates (spanning cluster)
};

/// The components of a periodic image.
struct Wrapped {
  std::vector<Label> map;  // label -> final label in raster order; 0 stays 0
  /// Unwrapped components: box and sums continue beyond the border. A box begins within the image and
  /// may end beyond it. Along an axis with Wrap::around, coordinates are those in the image.
  Components components;
  std::vector<std::array<Wrap, 3>> wraps;  // per component
};

/// Throws Error (usage) if a periodic axis has one element, or is z and slices are labeled separately.
void check_periodic(const Extent& extent, Connectivity connectivity, const PeriodicAxes& periodic);

/// Merges components of `labels` that touch across opposite borders. Requires labels without periodic
/// axes, their `components`, and for a multi-label image one of `values` each; only equal values are
/// merged.
/// Reads rows in ascending order. Time: O(border runs + components), plus two labels per row if x is
/// periodic. Throws as check_periodic(), and Error (data) if unwrapped coordinates exceed 2^31.
Wrapped wrap(const LabelRows& labels, const Components& components, Connectivity connectivity,
             const PeriodicAxes& periodic, std::span<const std::uint64_t> values = {});

// Measures of components (region properties) beyond area, bounding box and centroid.

/// Groups of measures. Basic ones are part of Components; all others must be requested.
enum class MeasureGroup { basic, shape, topology, border, periodic, physical, intensity };

/// Dimensions of a measure: images (4- and 8-connectivity, also slices labeled separately), volumes (6,
/// 18, 26), or both.
enum class MeasuredIn { both, images, volumes };

/// All measures, in the order of their columns.
enum class MeasureId : std::uint8_t {
#define GPUCCL_MEASURE(id, ...) id,
#include "gpuccl/measures.def"
  count
};
inline constexpr std::size_t kMeasures = static_cast<std::size_t>(MeasureId::count);

/// A row of the table of measures.
struct Measure {
  MeasureId id;
  std::string_view name;  // column name; that of scikit-image if it has the measure
  MeasureGroup group;
  MeasuredIn in;
  std::string_view unit;  // pixels or voxels; for physical measures the unit of the spacing
  std::string_view definition;
  std::string_view source;  // paper or program; "" if the definition suffices
};

/// Returns all measures in the order of MeasureId.
std::span<const Measure, kMeasures> measures();
/// Returns true for measures in the unit of the spacing, which need a known spacing.
inline bool is_physical(const Measure& measure) { return measure.name.ends_with("_physical"); }
inline const Measure& measure_of(MeasureId id) { return measures()[static_cast<std::size_t>(id)]; }
/// Returns the measure of that name; none if there is none.
std::optional<MeasureId> find_measure(std::string_view name);

std::string_view name_of(MeasureGroup group);

/// A set of measures.
using MeasureSet = std::bitset<kMeasures>;

/// Returns all measures of a group.
MeasureSet measures_of(MeasureGroup group);

/// Returns the measures of areas, boxes and samples, for which the places of elements among each other do not
/// matter.
MeasureSet measures_without_shape();

/// Returns the measures of components that may continue across periodic borders, where boxes are unrolled;
/// of an image that is not periodic, all but the group `periodic`.
MeasureSet measures_across_borders(const PeriodicAxes& periodic);

/// Returns measures that take much memory or time with this connectivity, which names of groups should
/// not include.
MeasureSet by_name_only(Connectivity connectivity);

/// Returns the measures that are not basic, in order.
std::vector<MeasureId> columns(const MeasureSet& wanted);

/// A column of a table of measures.
struct MeasureColumn {
  MeasureId id;
  std::size_t image = 0;  // index of the image of an intensity measure's samples
  std::string name;       // "extent", or "intensity_mean[dapi]" if there are several images
};
/// As columns(), with the intensity measures of each image after those of the previous image. `images`:
/// names, one per image; columns of an image without a name have no brackets.
std::vector<MeasureColumn> columns(const MeasureSet& wanted, std::span<const std::string> images);

/// Integer sample of up to 64 bits, or a sum of samples.
__extension__ typedef __int128 WholeNumber;

/// Measures whose integer values may exceed the precision of a double.
inline constexpr std::array kWholeMeasures{MeasureId::intensity_min, MeasureId::intensity_max,
                                           MeasureId::intensity_sum};

/// Measures of one component; missing values are NaN.
class MeasureValues {
 public:
  MeasureValues() { values_.fill(std::numeric_limits<double>::quiet_NaN()); }
  double& operator[](MeasureId id) { return values_[static_cast<std::size_t>(id)]; }
  double operator[](MeasureId id) const { return values_[static_cast<std::size_t>(id)]; }

  /// Sets one of kWholeMeasures, exactly and as a double.
  void set_whole(MeasureId id, WholeNumber value) {
    constexpr WholeNumber kEveryDouble = WholeNumber{1} << std::numeric_limits<double>::digits;
    (*this)[id] = static_cast<double>(value);
    if (value <= -kEveryDouble || value >= kEveryDouble) large_[place(id)] = value;
  }
  /// Returns the exact value if its magnitude is 2^53 or more, otherwise 0.
  WholeNumber large(MeasureId id) const {
    const std::size_t at = place(id);
    return at < large_.size() ? large_[at] : 0;
  }
  /// Removes the exact values.
  void forget_large() { large_.fill(0); }
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

/// An image of samples, and its name in tables: "" if it is the only one.
struct NamedSamples {
  const IntensityImage* image = nullptr;
  std::string name = {};
  bool is_hidden = false;  // only for conditions: no columns, percentiles or median; last
};

/// Measures to compute, with inputs and limits.
struct MeasureRequest {
  MeasureSet wanted;
  Connectivity connectivity = Connectivity::c8;
  std::array<double, 3> spacing{};  // distance of elements along x, y, z; 0: unknown
  /// Labels of the inverted image with complementary() connectivity. Components that touch the border
  /// may be missing (enclosed_background()). Must outlive the call. Required if needs_background().
  const Labeling* background = nullptr;
  /// Limit in bytes in addition to sums of components: for rows of Feret diameters, for components that
  /// several threads measure, and for counted values of samples (at most 2 bytes per element).
  std::int64_t max_bytes = INT64_MAX;
  PeriodicAxes periodic = {};                       // axes without border, for measures_across_borders()
  std::span<const std::array<Wrap, 3>> wraps = {};  // per component, for a periodic image
  /// Sums that a labeler has gathered; used if they fit the request.
  GatheredSums* gathered = nullptr;
  /// Labels may touch other labels or consist of several pieces. Each is measured as if it were alone;
  /// cavities and tunnels are not measured.
  bool labels_touch = false;
  bool in_pieces = false;                  // counting holes requires counting pieces
  std::vector<NamedSamples> samples = {};  // of the same extent; must outlive the call
};

/// Returns true if cavities are counted, which are components of the background.
bool needs_background(const MeasureRequest& request);
struct Measured;

/// Measured sums of the components of one labeling, from which values are derived on request. Reading
/// is thread-safe.
class MeasureTable {
 public:
  MeasureTable();
  explicit MeasureTable(std::unique_ptr<Measured> measured);
  ~MeasureTable();
  MeasureTable(MeasureTable&&) noexcept;
  MeasureTable& operator=(MeasureTable&&) noexcept;

  /// True once measured, even if no measure was requested.
  bool any() const { return measured_ != nullptr; }
  /// Returns the requested measures; empty if nothing was measured.
  const MeasureSet& wanted() const;
  /// Returns the requested measures of these dimensions that are not basic, in order.
  std::vector<MeasureId> columns() const;
  /// As columns(), with the intensity measures of each image after those of the image before.
  std::vector<MeasureColumn> table_columns() const;
  /// Returns the values of component i, with the intensities of the first image.
  MeasureValues values(const Components& components, std::size_t i) const;
  /// Replaces the intensities in `values` by those of another image.
  void get_intensities(std::size_t i, std::size_t image, MeasureValues& values) const;

  /// The state, for gpuccl itself.
  Measured& state() const { return *measured_; }

 private:
  std::unique_ptr<Measured> measured_;
};

/// Measures `components` of `labels` in one pass over all rows, using all threads. Values do not depend
/// on threads, slabs or how labels are stored. Time: O(runs) plus what the measures need at boundaries.
/// Integer samples are summed exactly. Floating-point samples are summed slice by slice (row by row in 2D)
/// in a fixed order; NaNs are ignored.
/// Throws Error: usage if a required background is missing, or a measure does not hold across borders; memory
/// over MeasureRequest::max_bytes; data and io from reading samples.
MeasureTable measure(const LabelRows& labels, const Components& components, const MeasureRequest& request);

/// An image of samples with one channel, read slice by slice.
class IntensityImage {
 public:
  virtual ~IntensityImage() = default;

  virtual Extent extent() const = 0;
  /// Type of samples: integers of up to 32 bits, longer integers, or floating point.
  enum class Kind { whole, long_whole, real };
  virtual Kind kind() const = 0;
  /// Range [first, first + count) of possible values if there are few, otherwise a count of 0.
  struct Values {
    std::int32_t first = 0, count = 0;
  };
  virtual Values values() const = 0;
  /// Returns how many slices may be read concurrently, from slice z on; 1: in ascending order. Not
  /// thread-safe: it may read ahead.
  virtual int slices_at_once(int z) const = 0;
  /// Columns of the rows that are read, if only labels in these are measured.
  struct Columns {
    int first = 0, count = 0;
  };
  virtual Columns columns() const { return {0, extent().width}; }
  /// Receives rows [y, y + rows) of slice z from the top, columns().count samples each. read() throws
  /// Error (data, io).
  using Sink = std::function<void(int y, int rows, const double* samples)>;
  /// Passes on rows [first, end) if reads_bands() is true, otherwise all rows.
  virtual void read(int z, int first, int end, const Sink& sink) const = 0;
  /// Sink and read() for Kind::long_whole.
  using LongSink = std::function<void(int y, int rows, const WholeNumber* samples)>;
  virtual void read_long(int /*z*/, int /*first*/, int /*end*/, const LongSink& /*sink*/) const {}
  /// Returns true if several threads may read rows of the same slice.
  virtual bool reads_bands() const { return false; }
};

/// Returns true if median or percentiles are requested, which need an image with few values.
bool needs_value_counts(const MeasureSet& wanted);

}  // namespace gpuccl
#pragma GCC visibility pop
