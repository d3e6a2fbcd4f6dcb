#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/image/deflater.hpp"
#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {

/// Compresses strips one after the other; several encoders work at the same time. Deflate is libdeflate's,
/// the others are libtiff's.
class StripEncoder {
 public:
  /// The samples of a strip of `rows` rows as they go into the file; valid until the next call. May change
  /// `samples`.
  std::span<const std::byte> encode(const TiffPages& pages, std::int64_t rows, std::span<std::byte> samples);

 private:
  std::optional<Deflater> deflater_;
  std::vector<std::byte> encoded_;
};

}  // namespace gpuccl::io
