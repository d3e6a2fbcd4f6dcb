#pragma once

#include <cstdint>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Otsu's threshold of an input of whole numbers, one of its values: the smallest that parts the values up to
/// it from the others with the largest variance between the two classes. Samples of 16 bits are decoded once,
/// wider ones twice or a few times more; memory is some MiB a thread, threads are bounded by `memory` bytes.
/// Throws Error as decoding does.
double exact_otsu(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory);

}  // namespace gpuccl::io
