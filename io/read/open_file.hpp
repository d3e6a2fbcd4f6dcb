#pragma once

#include <memory>
#include <string>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

/// Opens an input and records it in options.opened. Throws as InputFile does.
std::shared_ptr<const InputFile> open_input(const std::string& path, const ReadOptions& options);

/// An image in one of the formats that open_reader knows, recognized by its first bytes. Throws Error.
std::unique_ptr<SampleSource> open_file(std::shared_ptr<const InputFile> file, const ReadOptions& options);
std::unique_ptr<SampleSource> open_file(const std::string& path, const ReadOptions& options);

}  // namespace gpuccl::io
