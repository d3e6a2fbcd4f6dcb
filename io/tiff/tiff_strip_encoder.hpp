#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "io/deflate/deflater.hpp"
#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {

/// Makes the samples of a strip, as TIFF wants them. Called from several threads.
using FillStrip = std::function<void(std::int64_t strip, std::byte* samples)>;

/// Compresses the samples of strips. Deflate is libdeflate's, the others are libtiff's.
class TiffStripEncoder final : public StripEncoder {
 public:
  /// `pages` stays where it is.
  TiffStripEncoder(const TiffPages& pages, FillStrip fill) : pages_(pages), fill_(std::move(fill)) {}

  EncodedStrip encode(std::int64_t strip) override;

 private:
  const TiffPages& pages_;
  FillStrip fill_;
  std::optional<Deflater> deflater_;
  std::vector<std::byte> samples_, encoded_;
};

}  // namespace gpuccl::io
