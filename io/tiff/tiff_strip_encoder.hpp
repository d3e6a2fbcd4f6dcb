#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "io/deflate/deflater.hpp"
#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {

/// Makes the samples of a strip, as TIFF wants them. Called from several threads.
using FillStrip = std::function<void(std::int64_t strip, std::byte* samples)>;

/// Compresses the samples of strips. Deflate is libdeflate's, the others are libtiff's.
class StripEncoder final : public StripMaker {
 public:
  /// `pages` and `fill` stay where they are.
  StripEncoder(const TiffPages& pages, const FillStrip& fill) : pages_(pages), fill_(fill) {}

  std::span<const std::byte> make(std::int64_t strip) override;

 private:
  const TiffPages& pages_;
  const FillStrip& fill_;
  std::optional<Deflater> deflater_;
  std::vector<std::byte> samples_, encoded_;
};

}  // namespace gpuccl::io
