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
#include <unordered_map>
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

/// Bytes that wrap() needs per component.
inline constexpr std::size_t kBytesToWrap =
    Components::kBytesEach + 2 * sizeof(Label) + 3 * sizeof(std::int32_t) + 2 * 3 * sizeof(Wrap);

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
  /// may be missing (enclosed_background()), in parts also those that belong to others
  /// (cavities_of_part(), cavities_of_slab()). Must outlive the call. Required if needs_background().
  const Labeling* background = nullptr;
  /// Limit in bytes in addition to bytes_of_sums() per component: for rows of Feret diameters, and
  /// for components that several threads measure.
  std::int64_t max_bytes = INT64_MAX;
  PeriodicAxes periodic = {};                       // axes without border, for measures_across_borders()
  std::span<const std::array<Wrap, 3>> wraps = {};  // per component, for a periodic image
  /// Sums that a labeler has gathered; used if they fit the request.
  GatheredSums* gathered = nullptr;
  bool in_parts = false;  // sums will be added to those of other parts
  /// Labels may touch other labels or consist of several pieces. Each is measured as if it were alone;
  /// cavities and tunnels are not measured.
  bool labels_touch = false;
  bool in_pieces = false;     // counting holes requires counting pieces
  bool long_samples = false;  // integer samples of more than 32 bits
  /// Images of samples for measure_part(), measure_slab() and empty_measures(). For whole images use
  /// measure_intensity().
  std::vector<NamedSamples> samples = {};
};

/// Returns true if cavities are counted, which are components of the background.
bool needs_background(const MeasureRequest& request);
/// Returns true if the connected pieces of each label are counted, for `components` or holes.
bool counts_pieces(const MeasureRequest& request);

class Intensities;
class IntensitySums;
class MeasureSums;

/// Measured sums of the components of one labeling, from which values are derived on request. Reading
/// is thread-safe, modifying is not.
class MeasureTable {
 public:
  MeasureTable();
  explicit MeasureTable(std::unique_ptr<MeasureSums> sums);
  ~MeasureTable();
  MeasureTable(MeasureTable&&) noexcept;
  MeasureTable& operator=(MeasureTable&&) noexcept;

  /// Returns the requested measures; empty if nothing was measured.
  const MeasureSet& wanted() const;
  /// Returns the requested measures of these dimensions that are not basic, in order.
  std::vector<MeasureId> columns() const;
  /// As columns(), with the intensity measures of each image after those of the image before.
  std::vector<MeasureColumn> table_columns() const;
  /// Adds intensity measures of the same components, of another image if there are some already.
  void add(Intensities intensities, const NamedSamples& image = {});
  /// Adds the number of connected pieces of each component.
  void add_pieces(std::vector<std::uint64_t> pieces);
  /// Returns true if a component has more than one piece, as far as pieces were counted.
  bool any_in_pieces() const;
  /// Removes measures that were needed only for a condition from wanted() and columns().
  void show_only(const MeasureSet& wanted);
  /// Renumbers components: component i becomes map[i + 1] - 1, or is removed if that is 0, as in
  /// Selection::map.
  void select(const std::vector<Label>& map);
  /// Appends the sums of component i to `saved`; add_saved() adds them to another part of the same
  /// component. For floating-point samples, parts must be added in ascending order of rows. Requires
  /// MeasureRequest::in_parts. Throws Error (data) if `saved` is malformed.
  void save(std::size_t i, std::vector<std::uint64_t>& saved) const;
  void add_saved(std::size_t i, std::span<const std::uint64_t> saved);
  /// Adds samples gathered in parts.
  void add(std::unique_ptr<IntensitySums> sums, const NamedSamples& image = {});
  /// Derives the intensities of the first `components` components, after all parts were added.
  /// Returns the number of NaN samples of each image.
  std::vector<std::uint64_t> derive_intensities(std::size_t components);
  /// Returns an empty set of the same measures for other components.
  MeasureTable empty_like(const Components& components) const;
  /// True once measured, even if no measure was requested.
  bool any() const { return sums_ != nullptr; }
  /// Returns the values of component i, with the intensities of the first image. Thread-safe.
  MeasureValues values(const Components& components, std::size_t i) const;
  /// Replaces the intensities in `values` by those of another image. Thread-safe.
  void get_intensities(std::size_t i, std::size_t image, MeasureValues& values) const;
  /// Returns the bytes held in addition to bytes_of_sums() per component.
  std::int64_t extra_bytes() const;

 private:
  void add_image(const NamedSamples& image);

  std::unique_ptr<MeasureSums> sums_;
  std::vector<std::string> images_;  // names, one per image
  std::size_t hidden_ = 0;           // number of them that are hidden: the last ones
  std::vector<std::unique_ptr<IntensitySums>> intensity_sums_;  // until derive_intensities()
  std::vector<Intensities> intensities_;
  std::vector<std::uint64_t> pieces_;  // per component; empty: not counted
  std::vector<Label> selected_;        // index of component i when measured; empty: unchanged
};

/// Returns an upper bound of the bytes per component. Feret diameters take 8 more bytes per row.
std::size_t bytes_of_sums(const MeasureRequest& request, const Extent& extent);

/// Returns the sums that these measures are derived from, as far as a labeler can gather them.
SumsLayout layout_of_sums(const MeasureSet& wanted, Connectivity connectivity);

/// Measures `components` of `labels` in one pass over all rows, using all threads. Values do not depend
/// on threads, slabs or how labels are stored. Time: O(runs) plus what the measures need at boundaries.
/// Throws Error: usage if a required background is missing, or a measure does not hold across borders; memory
/// over MeasureRequest::max_bytes.
MeasureTable measure(const LabelRows& labels, const Components& components, const MeasureRequest& request);

/// Rows before and after a range that are needed to measure it: rows of a 2D image, or whole slices.
struct RowsAround {
  std::int64_t before = 0, behind = 0;
};
RowsAround rows_measured_around(const Extent& extent, Connectivity connectivity);

/// Returns empty sums of the components, to which sums of parts are added with add_saved().
MeasureTable empty_measures(const Extent& extent, const Components& components, MeasureRequest request);

// Measures of components from the samples of another image.

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

/// Intensity measures of the components of an image.
class Intensities {
 public:
  Intensities() = default;
  explicit Intensities(std::size_t components);

  bool empty() const { return values_.empty(); }
  /// Sets the values of component i. Thread-safe for different components.
  void set(std::size_t i, const MeasureValues& values);
  /// Sets exact values beyond 2^53. Not thread-safe: call after all components were set().
  void set_large(std::size_t i, const MeasureValues& values);
  /// Appends the values of component i to `saved`; set_saved() restores them and returns false if
  /// `saved` is malformed.
  void save(std::size_t i, std::vector<std::uint64_t>& saved) const;
  bool set_saved(std::size_t i, std::span<const std::uint64_t> saved);
  /// Writes the intensity measures of component i to `values`.
  void get(std::size_t i, MeasureValues& values) const;

  std::uint64_t nans = 0;  // NaN samples in components

 private:
  std::vector<double> values_;
  std::unordered_map<std::size_t, std::array<WholeNumber, kWholeMeasures.size()>> large_;
};

/// Measures to compute, and the memory limit.
struct IntensityRequest {
  MeasureSet wanted;
  /// Limit in bytes in addition to bytes_of_intensity() per component: for counting values (at most 2
  /// bytes per element of a component), and for components in rows that are measured concurrently.
  std::int64_t max_bytes = INT64_MAX;
};

/// Returns true if median or percentiles are requested, which need an image with few values.
bool needs_value_counts(const MeasureSet& wanted);
/// Returns true if values are counted: percentiles are requested and there are few values.
bool counts_values(const MeasureSet& wanted, const IntensityImage& image);

/// Returns the bytes gathered per component, without value counts; `long_samples`: for
/// Kind::long_whole.
std::size_t bytes_of_intensity(bool long_samples);

/// Measures `components` of `labels` from an image of the same extent. Integer sums are exact.
/// Floating-point samples are summed slice by slice (row by row in 2D) in a fixed order, so values do
/// not depend on threads, slabs or parts. NaNs are ignored.
/// Throws Error: memory over max_bytes; data and io from reading.
Intensities measure_intensity(const LabelRows& labels, const Components& components,
                              const IntensityImage& image, const IntensityRequest& request);

}  // namespace gpuccl
#pragma GCC visibility pop
