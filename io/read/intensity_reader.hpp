#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/image.hpp"
#include "gpuccl/measures.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

/// The samples of an input of one channel, as stored, or scaled if its header contains a scale. Errors are
/// FileErrors of the input.
class IntensityReader final : public IntensityImage {
 public:
  /// A folder is a stack of slices. All pages must have one size. Throws Error as open_reader() does, but
  /// with --intensity-channel and similar options if ReadOptions::planes does not select one of several
  /// images, and (data) for images with colors.
  IntensityReader(const Source& source, const ReadOptions& options);

  const ImageInfo& info() const { return info_; }
  std::int64_t held_bytes() const { return held_bytes_; }
  /// Returns the bytes for reading a slice, including a row of converted samples.
  std::int64_t buffer_bytes() const;

  Extent extent() const override { return info().extent; }
  Kind kind() const override { return kind_; }
  Values values() const override { return values_; }
  /// Decodes slices from z on, if the source stores slices together.
  int slices_at_once(int z) const override;
  void read(int z, int first, int end, const Sink& sink) const override;
  void read_long(int z, int first, int end, const LongSink& sink) const override;

 private:
  int slices_ahead() const;
  void load(int z) const;
  template <class Sample>
  void read_rows(int z, const std::function<void(int y, int rows, const Sample* samples)>& sink,
                 void (*convert)(const SampleFormat&, const std::byte* row, std::span<Sample>)) const;

  std::string path_;
  std::unique_ptr<SampleSource> source_;
  ImageInfo info_;
  std::int64_t held_bytes_ = 0, memory_ = 0, slice_bytes_ = 0;
  Kind kind_ = Kind::real;
  Values values_;
  int most_ahead_ = 0;
  mutable std::vector<std::byte> ahead_;  // stored samples of slices [begin_, end_)
  mutable int begin_ = 0, end_ = 0;
};

/// Returns the names of channels of an intensity image, from its header; "" if unnamed. `options`: as for
/// IntensityReader; the channel is ignored. Throws Error as IntensityReader does, and (data) for a stack of
/// slices.
std::vector<std::string> channel_names(const Source& source, ReadOptions options);

/// Returns whether a file that can be opened certainly has one channel.
bool has_one_channel(const Source& source, ReadOptions options);

/// Returns the number of time points of an image, from its header. `options`: those for opening it, except
/// the time point; `option` asks for all of them. Throws Error as open_reader() does, and (data) if there are
/// not several, because pages without a time axis would be slices.
int count_frames(const Source& source, const ReadOptions& options, const std::string& option);

/// Returns the planes of `options`, for reading an image of which some may not be chosen. Its series and time
/// point are then those of `followed`, if it has several. Streams and stacks are not looked into.
PlaneChoice follow_planes(const Source& source, const ReadOptions& options, const PlaneChoice& followed);

/// The foreground of an input as samples, 1 or 0. Components are selected by the markers that they contain.
class MarkerImage final : public IntensityImage {
 public:
  /// Throws Error as open_reader() does. Later errors are FileErrors of the input.
  MarkerImage(const Source& source, const ReadOptions& options);

  std::int64_t held_bytes() const { return reader_->held_bytes(); }
  /// Returns the memory for reading.
  std::int64_t buffer_bytes() const;

  const Geometry& geometry() const { return reader_->info().geometry; }
  Extent extent() const override { return reader_->info().extent; }
  Kind kind() const override { return Kind::whole; }
  Values values() const override { return {}; }
  int slices_at_once(int) const override { return 1; }
  void read(int z, int first, int end, const Sink& sink) const override;

 private:
  int slices_ahead() const;

  std::string path_;
  std::unique_ptr<Reader> reader_;
  mutable BitVolume ahead_;  // slices [begin_, end_) of a volume
  mutable int begin_ = 0, end_ = 0;
};

}  // namespace gpuccl::io
