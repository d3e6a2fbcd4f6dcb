#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl::measuring {

/// The samples of every component, for median and percentiles: all samples of a small component, and the
/// count of each value for a large one. Samples have few different values.
class ValueCounts {
 public:
  ValueCounts(const Components& components, IntensityImage::Values values);

  static bool are_wanted(const MeasureSet& wanted);
  static std::int64_t bytes(const Components& components, IntensityImage::Values values);

  /// May be called by several threads at once.
  void add(std::size_t component, const double* samples, int count);
  /// Appends the counts of a component to `saved` as words. add_saved() adds the counts of another piece of
  /// it; returns false if the words are invalid.
  void save(std::size_t component, std::vector<std::uint64_t>& saved) const;
  bool add_saved(std::size_t component, std::span<const std::uint64_t> saved);
  /// Call it after the last add(). Other threads may call it for other components.
  void derive(std::size_t component, MeasureValues& values);

 private:
  IntensityImage::Values values_;
  std::vector<std::uint64_t> areas_, begins_;  // of each component; where it begins in one of those below
  std::vector<std::uint32_t> taken_;           // by each small component
  std::vector<std::uint16_t> samples_;         // of small ones, minus the smallest possible value
  std::vector<std::uint64_t> counts_;          // of large ones
};

}  // namespace gpuccl::measuring
