#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/read/open_samples.hpp"
#include "io/write/contact_sheet.hpp"

namespace gpuccl::app {

/// Opens an image to be shown below labels; a folder is a stack. FileError.
io::OpenSamples open_below(const std::string& path, io::ReadOptions options);

/// An image below the labels of a page: one byte per pixel, the mean of `factor` by `factor` elements, of
/// every `step`-th slice.
class ViewImage {
 public:
  /// Returns an upper bound of the bytes for packing an image of `pixels` pixels.
  static std::int64_t most_bytes(std::int64_t pixels);

  /// Opens the image; FileError.
  ViewImage(const std::string& path, const io::ReadOptions& options);

  const Extent& extent() const { return source_->info().extent; }
  /// Reads the image, and reduces it until it fits into `most_bytes` bytes.
  std::vector<std::string> pack(int step, std::size_t most_bytes);

  int factor() const { return factor_; }
  int width() const { return (extent().width + factor_ - 1) / factor_; }
  int height() const { return (extent().height + factor_ - 1) / factor_; }
  /// Returns the samples that are shown as black and as white.
  const io::GrayRange& range() const { return range_; }

 private:
  std::vector<float> read(int step) const;
  std::vector<std::vector<std::uint8_t>> pixels(const std::vector<float>& means, int depth) const;

  std::string path_;
  std::unique_ptr<io::SampleSource> source_;
  std::int64_t memory_ = 0;
  int factor_ = 1;
  io::GrayRange range_;
};

}  // namespace gpuccl::app
