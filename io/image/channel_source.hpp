#pragma once

#include <memory>

#include "io/image/samples.hpp"

namespace gpuccl::io {

/// One channel of the pixels of `source`, as gray. Throws Error (data) if it has no such channel, or samples
/// that are not in whole bytes.
std::unique_ptr<SampleSource> open_channel(std::unique_ptr<SampleSource> source, int channel);

}  // namespace gpuccl::io
