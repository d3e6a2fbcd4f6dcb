#pragma once

#include <cstdint>

#include "gpuccl/measures.hpp"

// Median and percentiles, for the CPU and for kernels.
namespace gpuccl::measuring {

/// A percentile among samples in ascending order, interpolated linearly between two of them as in numpy.
struct Percentile {
  static constexpr int kCount = 5;

  MeasureId id;
  std::uint64_t rank;  // of the lower sample: how many others precede it
  double fraction;     // of the way to the next one

  /// Returns percentile `i` of so many samples, of which there are some.
  GPUCCL_HD static Percentile of(int i, std::uint64_t samples) {
    using enum MeasureId;
    constexpr MeasureId kIds[kCount] = {intensity_median, intensity_p5, intensity_p25, intensity_p75,
                                        intensity_p95};
    constexpr double kShares[kCount] = {0.5, 0.05, 0.25, 0.75, 0.95};
    const double place = kShares[i] * static_cast<double>(samples - 1);
    const auto rank = static_cast<std::uint64_t>(place);
    return {kIds[i], rank, place - static_cast<double>(rank)};
  }
  /// Returns whether a measure is one of these.
  static bool is(MeasureId id) { return MeasureId::intensity_median <= id && id <= MeasureId::intensity_p95; }

  /// `high`: the next sample, or the same one if it is the last.
  GPUCCL_HD double between(double low, double high) const { return low + (high - low) * fraction; }
};

}  // namespace gpuccl::measuring
