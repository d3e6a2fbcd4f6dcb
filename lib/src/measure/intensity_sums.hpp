#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/components.hpp"
#include "gpuccl/intensity.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Sums of the samples of components, or of the pieces of components in a part of an image.
class IntensitySums {
 public:
  virtual ~IntensitySums() = default;
  /// Returns the number of components.
  virtual std::size_t size() const = 0;

  /// Adds what rows [begin, end) of all, or whole slices, have. With `max_bytes` as IntensityRequest's, but
  /// for what values take that are counted.
  virtual void add_rows(const LabelSource& labels, std::int64_t begin, std::int64_t end,
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

}  // namespace gpuccl
