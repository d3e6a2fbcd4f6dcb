#pragma once

#include <memory>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The slices of `source` in `range`, as an input of its own. Throws Error (data) if it has not all of them.
std::unique_ptr<SampleSource> open_slices(std::unique_ptr<SampleSource> source, const PageRange& range);

/// The indices of samples that have a palette, as gray.
std::unique_ptr<SampleSource> open_indices(std::unique_ptr<SampleSource> source);

/// One channel of the pixels of `source`, as gray. Throws Error (data) if it has no such channel, or samples
/// that are not in whole bytes.
std::unique_ptr<SampleSource> open_channel(std::unique_ptr<SampleSource> source, int channel);

}  // namespace gpuccl::io
