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

/// What samples add up to in each of some components, or in what parts of an image have of them.
class IntensitySums {
 public:
  virtual ~IntensitySums() = default;
  /// Of components.
  virtual std::size_t size() const = 0;

  /// Adds what rows [begin, end) of all, or whole slices, have. With `max_bytes` as IntensityRequest's, but
  /// for what values take that are counted.
  virtual void add_rows(const LabelSource& labels, std::int64_t begin, std::int64_t end,
                        const Components& components, const IntensityImage& image,
                        std::int64_t max_bytes) = 0;
  /// What is known of a component as words behind `saved`. Adds such of the part that follows, which has rows
  /// behind those here; false if it cannot be of such.
  virtual void save(std::size_t i, std::vector<std::uint64_t>& saved) const = 0;
  virtual bool add_saved(std::size_t i, std::span<const std::uint64_t> saved) = 0;
  /// Measures of the first so many components, when all is added.
  virtual Intensities derive(std::size_t count) = 0;
};

/// Of components that begin before `first_row`, of all rows or whole slices, only parts are added up.
std::unique_ptr<IntensitySums> make_intensity_sums(const Components& components, const IntensityImage& image,
                                                   const MeasureSet& wanted, std::int64_t first_row = 0);

}  // namespace gpuccl
