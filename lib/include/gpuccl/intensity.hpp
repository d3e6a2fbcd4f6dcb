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

// Measures of components from the samples of another image.
namespace gpuccl {

/// An image of samples with one channel, read slice by slice.
class IntensityImage {
 public:
  virtual ~IntensityImage() = default;

  virtual Extent extent() const = 0;
  /// Type of samples: integers of at most 32 bits, integers with more bits, floating point.
  enum class Kind { whole, long_whole, real };
  virtual Kind kind() const = 0;
  /// Range [first, first + count) of possible values if these are few; otherwise count is 0.
  struct Values {
    std::int32_t first = 0, count = 0;
  };
  virtual Values values() const = 0;
  /// Returns how many slices may be read concurrently; 1: in ascending order.
  virtual int slices_at_once() const = 0;
  /// Receives rows [y, y + rows) of slice z from the top, extent().width samples each. read() throws
  /// Error (data, io).
  using Sink = std::function<void(int y, int rows, const double* samples)>;
  virtual void read(int z, const Sink& sink) const = 0;
  /// As Sink, for Kind::long_whole.
  using LongSink = std::function<void(int y, int rows, const WholeNumber* samples)>;
  virtual void read_long(int z, const LongSink& sink) const = 0;
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
  /// bytes per element of a component), and for components in slices that are measured concurrently.
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
Intensities measure_intensity(const LabelSource& labels, const Components& components,
                              const IntensityImage& image, const IntensityRequest& request);

}  // namespace gpuccl
