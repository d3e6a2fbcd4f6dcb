#pragma once

#include <memory>
#include <string>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// A folder of slices. Reads the header of every one. Throws Error.
std::unique_ptr<SampleSource> open_stack(const std::string& folder, const ReadOptions& options);

}  // namespace gpuccl::io
