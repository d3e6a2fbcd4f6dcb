#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/read/intensity_reader.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {

/// Measures of the components of one input, and the images of --intensity.
class LabelMeasures {
 public:
  /// `files` and `options` must outlive it.
  LabelMeasures(const LabelPaths& files, const LabelOptions& options) : files_(files), options_(options) {}

  /// Plans the measures of an input labeled with this connectivity. Error (data) if physical measures are
  /// requested and it has no spacing, Error (usage) if --keep compares a measure that such an input does not
  /// have, and as check_spacing().
  void plan(const io::ImageInfo& input, Connectivity connectivity);
  /// Opens the images of --intensity, which request() then contains. Error (data) if one differs in size from
  /// the input, or, with all channels, in the number of channels from the first image.
  void open_intensities(const io::ReadOptions& read, const io::ImageInfo& input, const WarnAbout& warn);
  /// Opens the images of markers: --seeds, and the input with the higher threshold. Call it before
  /// open_intensities(). `read`: the read options of the input. Error (data) if a mask has another size.
  void open_markers(const io::ReadOptions& read, const io::ImageInfo& input);
  /// Adds the condition that a component contains a marker of each image. Call it after open_intensities().
  void add_markers_to(Condition& condition) const;
  /// Returns the images of --intensity, with all channels if these were requested.
  const std::vector<IntensitySource>& sources() const { return sources_; }
  /// Returns how the grid of the image differs from that of the input (io::grid_difference()).
  std::string_view grid_difference() const { return grid_difference_; }

  /// Returns a warning about measures that were requested by name and that labelings of this kind lack;
  /// "" if there are none.
  std::string left_out() const;

  const MeasureRequest& request() const { return request_; }
  /// Returns whether there is anything to measure.
  bool any() const;
  bool needs_background() const { return gpuccl::needs_background(request_); }
  /// Returns the report's entries of intensity images, with the number of NaN samples of each.
  std::vector<io::ReportedIntensity> intensities(std::span<const std::uint64_t> nans) const;

  /// Memory of intensity images in bytes: held from the start, and for decoding.
  std::int64_t held_bytes() const;
  std::int64_t buffer_bytes() const;
  /// Returns an upper bound of the bytes for counting sample values (percentiles) of `elements` elements.
  double bytes_of_counts(std::int64_t elements) const;

  /// Returns the sums to gather while components are labeled, for MeasureRequest::gathered.
  SumsLayout gathered() const { return layout_of_sums(request_.wanted, request_.connectivity); }

 private:
  std::vector<int> channels(const io::ReadOptions& read) const;
  void open_intensity(const io::ReadOptions& read, const io::ImageInfo& input, const IntensitySource& source,
                      const std::string& path);

  const LabelPaths& files_;
  const LabelOptions& options_;
  MeasureRequest request_;
  std::vector<IntensitySource> sources_;
  std::vector<std::unique_ptr<io::IntensityReader>> images_;  // one per source
  std::vector<io::ReportedIntensity> reported_;
  std::vector<std::unique_ptr<io::MarkerImage>> markers_;
  std::string_view grid_difference_;
};

/// Returns a warning about `nans` samples that are NaN; "" if there are none.
std::string hint_of_nans(std::uint64_t nans);

}  // namespace gpuccl::app
