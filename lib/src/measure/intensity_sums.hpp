#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl {

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

/// Adds the samples of one image to sums, a few slices at a time.
class SamplesPass {
 public:
  virtual ~SamplesPass() = default;
  /// Returns the end of the slices, from z to at most `next`, that add() may process together.
  virtual int most_slices(int z, int next) const = 0;
  /// Adds slices [z, next). Rows of the labels are prepared up to `ready`. Returns the row up to which they
  /// are prepared afterwards.
  virtual std::int64_t add(int z, int next, std::int64_t ready) = 0;
  /// Call it after the last slice.
  virtual void finish() = 0;
};

/// Sums of the samples of components, or of the pieces of components in a part of an image.
class IntensitySums {
 public:
  virtual ~IntensitySums() = default;
  /// Returns the number of components.
  virtual std::size_t size() const = 0;

  /// Returns a pass that adds rows [begin, end), or whole slices. `max_bytes`: as in MeasureRequest,
  /// without the memory of counted values. The arguments must outlive the result.
  virtual std::unique_ptr<SamplesPass> pass(const LabelRows& labels, std::int64_t begin, std::int64_t end,
                                            const Components& components, const IntensityImage& image,
                                            std::int64_t max_bytes) = 0;
  /// Appends the state of a component to `saved` as words. add_saved() adds the state of the following part,
  /// whose rows come after these; returns false if the words are invalid.
  virtual void save(std::size_t i, std::vector<std::uint64_t>& saved) const = 0;
  virtual bool add_saved(std::size_t i, std::span<const std::uint64_t> saved) = 0;
  /// Derives the measures of the first `count` components after everything was added.
  virtual Intensities derive(std::size_t count) = 0;
};

/// Components that begin before `first_row`, in the order of all rows or slices, are summed in pieces.
std::unique_ptr<IntensitySums> make_intensity_sums(const Components& components, const IntensityImage& image,
                                                   const MeasureSet& wanted, std::int64_t first_row = 0);

/// The sums of one image.
struct SumsOfImage {
  IntensitySums& sums;
  const IntensityImage& image;
};
/// Adds rows [begin, end) of all images, in one pass over the labels.
void add_samples(const LabelRows& labels, std::int64_t begin, std::int64_t end, const Components& components,
                 std::span<const SumsOfImage> images, std::int64_t max_bytes);

/// Measures the components of all rows from several images. `max_bytes`: also for counted values.
std::vector<Intensities> measure_intensities(const LabelRows& labels, const Components& components,
                                             std::span<const NamedSamples> images, const MeasureSet& wanted,
                                             std::int64_t max_bytes);

/// Returns the bytes gathered per component, without value counts. `are_long`: of 64-bit integers.
std::size_t bytes_of_intensity(bool are_long);

}  // namespace gpuccl
