#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl::measuring {

/// The samples of every component, for median and percentiles: all samples of a small component, and the
/// count of each value for a large one. Requires samples with few different values.
class ValueCounts {
 public:
  ValueCounts(const Components& components, IntensityImage::Values values);

  static std::int64_t bytes(const Components& components, IntensityImage::Values values);

  /// Thread-safe.
  void add(std::size_t component, const double* samples, int count);
  /// Appends the counts of a component to `saved` as words. add_saved() adds the counts of another piece of
  /// it; returns false if the words are invalid.
  void save(std::size_t component, std::vector<std::uint64_t>& saved) const;
  bool add_saved(std::size_t component, std::span<const std::uint64_t> saved);
  /// Call it after the last add(). Thread-safe for different components.
  void derive(std::size_t component, MeasureValues& values);

 private:
  IntensityImage::Values values_;
  std::vector<std::uint64_t> areas_, begins_;  // by component: number of samples, first index below
  std::vector<std::uint32_t> taken_;           // by small component
  std::vector<std::uint16_t> samples_;         // of small components, minus the smallest possible value
  std::vector<std::uint64_t> counts_;          // of large components
};

}  // namespace gpuccl::measuring
