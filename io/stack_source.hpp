#pragma once

#include <memory>
#include <string>

#include "io/reader.hpp"
#include "io/samples.hpp"

namespace gpuccl::io {

/// A file of one of the formats that open_reader knows, told by its first bytes. Throws Error.
std::unique_ptr<SampleSource> open_file(const std::string& path, const ReadOptions& options);

/// A folder of slices. Reads the header of every one. Throws Error.
std::unique_ptr<SampleSource> open_stack(const std::string& folder, const ReadOptions& options);

}  // namespace gpuccl::io
