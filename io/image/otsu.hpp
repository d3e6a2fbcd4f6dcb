#pragma once

#include <cstdint>
#include <vector>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The index t of a histogram that separates the bins 0..t from the others with the largest variance between
/// the two classes (Otsu 1979), the smallest such t. 0 for a histogram with a single bin in use or none.
std::size_t otsu_split(const std::vector<std::uint64_t>& histogram);

/// Otsu's threshold over all values of an input: exact for whole numbers, from a histogram of 256 bins
/// between the smallest and the largest value for others (floating point, colours). Values that are no number
/// do not count. Slices are decoded in parallel, by as many threads as `memory` bytes allow. Throws Error as
/// decoding does.
double otsu_threshold(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory);

}  // namespace gpuccl::io
