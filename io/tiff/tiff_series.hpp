#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// One image of a TIFF: which of its planes it has, and how they follow each other.
struct TiffSeries {
  std::int64_t first = 0;  // plane, counted from 0
  std::int64_t channels = 1, slices = 1, frames = 1;
  std::string order = "CZT";  // the axis along which planes follow each other first
  bool is_scattered = false;  // planes follow each other in another way
  Vector3 spacing{};          // of OME; 0: unknown
  LengthUnit unit = LengthUnit::unknown;

  /// More than any file has where a description specifies more than that.
  std::int64_t planes() const {
    std::int64_t all = channels;
    const bool is_too_large =
        __builtin_mul_overflow(all, slices, &all) || __builtin_mul_overflow(all, frames, &all);
    return is_too_large ? std::int64_t{1} << 50 : all;
  }
};

/// The planes that are the slices of what is chosen, in ascending order. Throws Error (data).
std::vector<std::int64_t> chosen_planes(const std::vector<TiffSeries>& series, const PlaneChoice& choice);

/// Refuses a scattered one. Throws Error (data).
void check_order(const TiffSeries& series);

/// The one of `series` that is chosen. Throws Error (data).
const TiffSeries& chosen_series(const std::vector<TiffSeries>& series, const PlaneChoice& choice);

}  // namespace gpuccl::io
