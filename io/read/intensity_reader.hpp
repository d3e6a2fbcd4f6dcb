#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gpuccl/intensity.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The samples of an input of one channel, as stored, but scaled where its header says so. What goes wrong is
/// a FileError of it.
class IntensityReader final : public IntensityImage {
 public:
  /// A folder is a stack of slices. Throws Error as open_reader() does, and (data) for images of colours.
  IntensityReader(const std::string& path, const ReadOptions& options);

  const ImageInfo& info() const { return source_->info(); }
  std::int64_t held_bytes() const { return held_bytes_; }
  /// Bytes that decoding a slice takes.
  std::int64_t buffer_bytes() const { return source_->buffer_bytes(); }

  Extent extent() const override { return info().extent; }
  bool is_whole() const override { return is_whole_; }
  Values values() const override { return values_; }
  int slices_at_once() const override;
  void read(int z, const Sink& sink) const override;

 private:
  std::string path_;
  std::unique_ptr<SampleSource> source_;
  std::int64_t held_bytes_ = 0, memory_ = 0;
  bool is_whole_ = false;
  Values values_;
};

}  // namespace gpuccl::io
