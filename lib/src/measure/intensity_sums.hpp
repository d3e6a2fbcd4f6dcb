#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl {

/// Adds the samples of one image to sums, some slices at a time.
class SamplesPass {
 public:
  virtual ~SamplesPass() = default;
  /// Returns the end of the slices from z on, at most `next`, that add() may take together.
  virtual int most_slices(int z, int next) const = 0;
  /// Adds slices [z, next). The labels have rows up to `ready`; returns up to where they have them
  /// afterwards, because they may be made on the way.
  virtual std::int64_t add(int z, int next, std::int64_t ready) = 0;
  /// After the last slice.
  virtual void finish() = 0;
};

/// Sums of the samples of components, or of the pieces of components in a part of an image.
class IntensitySums {
 public:
  virtual ~IntensitySums() = default;
  /// Returns the number of components.
  virtual std::size_t size() const = 0;

  /// Returns what adds rows [begin, end) of all, or whole slices. With `max_bytes` as IntensityRequest's, but
  /// for what values take that are counted. The arguments must outlive the result.
  virtual std::unique_ptr<SamplesPass> pass(const LabelSource& labels, std::int64_t begin, std::int64_t end,
                                            const Components& components, const IntensityImage& image,
                                            std::int64_t max_bytes) = 0;
  /// Appends the state of a component to `saved` as words. add_saved() adds the state of the following part,
  /// whose rows come after these; returns false if the words are invalid.
  virtual void save(std::size_t i, std::vector<std::uint64_t>& saved) const = 0;
  virtual bool add_saved(std::size_t i, std::span<const std::uint64_t> saved) = 0;
  /// Measures of the first so many components, when all is added.
  virtual Intensities derive(std::size_t count) = 0;
};

/// Components that begin before `first_row`, counted over all rows or whole slices, are summed in pieces.
std::unique_ptr<IntensitySums> make_intensity_sums(const Components& components, const IntensityImage& image,
                                                   const MeasureSet& wanted, std::int64_t first_row = 0);

/// The sums of one image.
struct SumsOfImage {
  IntensitySums& sums;
  const IntensityImage& image;
};
/// Adds what rows [begin, end) have of all images, in one pass over the labels.
void add_samples(const LabelSource& labels, std::int64_t begin, std::int64_t end,
                 const Components& components, std::span<const SumsOfImage> images, std::int64_t max_bytes);

/// As measure_intensity(), of several images.
std::vector<Intensities> measure_intensities(const LabelSource& labels, const Components& components,
                                             std::span<const NamedSamples> images,
                                             const IntensityRequest& request);

}  // namespace gpuccl
