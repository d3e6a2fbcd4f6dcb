#pragma once

#include <cstdint>
#include <vector>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The index t of a histogram that separates the bins 0..t from the others with the largest variance between
/// the two classes (Otsu 1979), the smallest such t. 0 for a histogram with a single bin in use or none.
std::size_t otsu_split(const std::vector<std::uint64_t>& histogram);

/// Otsu's threshold over all values of an input, from a histogram. Integers have a bin each if they have
/// at most 16 bits or lie less than 65,536 apart, else 65,536 bins between the least and the greatest; others
/// (floating point, colors) have 256, as in scikit-image. Values that are NaN do not count. Samples of
/// 16 bits are decoded once, others twice, in parallel by as many threads as `memory` bytes allow. Throws
/// Error as decoding does.
double otsu_threshold(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory);

}  // namespace gpuccl::io
