#pragma once

#include <memory>
#include <string>

#include "io/image/chunks.hpp"
#include "io/image/geometry.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Properties of an image in an array of chunks.
struct ChunkedImage {
  std::string format_name;
  ImageAxes axes;
  Geometry geometry;
};

/// Opens the image; chunks are read and decoded in parallel. Throws Error (data, memory).
std::unique_ptr<SampleSource> open_chunks(std::unique_ptr<const Chunks> chunks, const ChunkedImage& image,
                                          const ReadOptions& options);

}  // namespace gpuccl::io
