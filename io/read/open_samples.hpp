#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

/// Returns the format of a file, by its first bytes: "png". "" for other formats, and for files compressed by
/// gzip.
std::string recognized_format(const InputFile& file);

/// Opens an image in one of the formats in read_formats(), recognized by its first bytes. Throws Error.
std::unique_ptr<SampleSource> open_file(std::shared_ptr<const InputFile> file, const ReadOptions& options);

struct OpenSamples {
  std::unique_ptr<SampleSource> source;
  std::int64_t held_bytes = 0;  // of a pipe
  std::int64_t memory = 0;      // the limit
};

/// Opens the samples of a source. Throws Error as open_reader() does. Passes on every warning once.
OpenSamples open_samples(const Source& source, const ReadOptions& options);

}  // namespace gpuccl::io
