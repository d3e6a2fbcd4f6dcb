#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpuccl/components.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

// What samples of another image say of components.
namespace gpuccl {

/// An image of samples, one channel, that is read slice by slice.
class IntensityImage {
 public:
  virtual ~IntensityImage() = default;

  virtual Extent extent() const = 0;
  /// What samples are: whole numbers of at most 32 bits, whole numbers of which some have more, or others.
  enum class Kind { whole, long_whole, real };
  virtual Kind kind() const = 0;
  /// Which values there can be, where these are few: [first, first + count). A count of 0: many.
  struct Values {
    std::int32_t first = 0, count = 0;
  };
  virtual Values values() const = 0;
  /// How many slices may be read at a time, by a thread each; 1: in ascending order.
  virtual int slices_at_once() const = 0;
  /// Passes the rows of slice z from the top: rows [y, y + rows), extent().width samples each. Error (data,
  /// io).
  using Sink = std::function<void(int y, int rows, const double* samples)>;
  virtual void read(int z, const Sink& sink) const = 0;
  /// The same where kind() is long_whole.
  using LongSink = std::function<void(int y, int rows, const WholeNumber* samples)>;
  virtual void read_long(int z, const LongSink& sink) const = 0;
};

/// The measures of MeasureGroup::intensity of some components.
class Intensities {
 public:
  Intensities() = default;
  explicit Intensities(std::size_t components);

  bool empty() const { return values_.empty(); }
  /// May be called by several threads at once.
  void set(std::size_t i, const MeasureValues& values);
  /// After set(), by one thread at a time, if there are large ones.
  void set_large(std::size_t i, const MeasureValues& values);
  /// Those of component i as words behind `saved`, and takes such. False if they cannot be.
  void save(std::size_t i, std::vector<std::uint64_t>& saved) const;
  bool set_saved(std::size_t i, std::span<const std::uint64_t> saved);
  /// Puts those of component i into their places.
  void get(std::size_t i, MeasureValues& values) const;

  std::uint64_t nans = 0;  // samples of components that are no number

 private:
  std::vector<double> values_;
  std::unordered_map<std::size_t, std::array<WholeNumber, kWholeMeasures.size()>> large_;
};

struct IntensityRequest {
  MeasureSet wanted;
  /// Bytes that may be taken beside bytes_of_intensity() of each component: to count values for median and
  /// percentiles, 2 for each element of a component at most, and for parts of components in slices that are
  /// measured at a time.
  std::int64_t max_bytes = INT64_MAX;
};

/// Whether median or percentiles are wanted, which need an image of few values.
bool needs_value_counts(const MeasureSet& wanted);
/// Whether values are counted: these are wanted, and there are few values.
bool counts_values(const MeasureSet& wanted, const IntensityImage& image);

/// Bytes of what is gathered of one component, values counted for percentiles apart; `long_samples`: from an
/// image of Kind::long_whole.
std::size_t bytes_of_intensity(bool long_samples);

/// Measures `components`, which are those of `labels`, from an image of the same extent. Sums of whole
/// numbers are exact; others are summed slice by slice, of an image of one slice row by row, from the first
/// to the last, whatever the threads, slabs and parts, so that values are always the same. NaNs are left out.
/// Error (memory) over max_bytes.
Intensities measure_intensity(const LabelSource& labels, const Components& components,
                              const IntensityImage& image, const IntensityRequest& request);

}  // namespace gpuccl
