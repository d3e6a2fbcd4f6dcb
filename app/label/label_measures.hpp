#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/read/intensity_reader.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {

/// Measures of the components of one input, with the images of samples for intensity.
class LabelMeasures {
 public:
  /// `files` and `options` must outlive it.
  LabelMeasures(const LabelPaths& files, const LabelOptions& options) : files_(files), options_(options) {}

  /// Says what is wanted of an input that is labeled by this connectivity. Error (data) if it has no spacing
  /// and physical measures were asked for, Error (usage) if what --keep compares is not measured in such an
  /// input, and as check_spacing().
  void plan(const io::ImageInfo& input, Connectivity connectivity);
  /// Receives one line about the file `path`.
  using Warn = std::function<void(const std::string& path, const std::string& line)>;
  /// Opens the images of samples that are given; request() names them. Error (data) if one is of another size
  /// than the input, or has another number of channels than the first where all are measured.
  void open_intensities(const io::ReadOptions& read, const io::ImageInfo& input, const Warn& warn);
  /// Opens the images of markers, of --seeds and of a second threshold, before open_intensities(). `read`:
  /// the options that the input is read by. Error (data) if a mask is of another size.
  void open_markers(const io::ReadOptions& read, const io::ImageInfo& input);
  /// Adds to a condition that a component needs a marker of each image, after open_intensities().
  void add_markers_to(Condition& condition) const;
  /// Returns the images of samples, with all channels if these were asked for.
  const std::vector<IntensitySource>& sources() const { return sources_; }
  /// In what its elements lie otherwise than those of the input, as io::grid_difference() reports it.
  std::string_view grid_difference() const { return grid_difference_; }

  /// A line about measures that were asked for by name and that labelings of this kind do not have; "" if all
  /// are there.
  std::string left_out() const;

  const MeasureRequest& request() const { return request_; }
  /// Whether there is anything to measure.
  bool any() const;
  bool needs_background() const { return gpuccl::needs_background(request_); }
  /// Returns the report's entries of the images of samples, with the number of NaN samples of each.
  std::vector<io::ReportedIntensity> intensities(std::span<const std::uint64_t> nans) const;

  /// Bytes of the images of samples: that they hold from the start, and that decoding takes.
  std::int64_t held_bytes() const;
  std::int64_t buffer_bytes() const;
  /// Bytes that values of samples take at most while they are counted, of so many elements of components.
  double bytes_of_counts(std::int64_t elements) const;

  /// Sums of components that shall be gathered while they are labeled, which MeasureRequest::gathered then
  /// takes.
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

/// A line about so many samples that are NaN; "" if there are none.
std::string hint_of_nans(std::uint64_t nans);

}  // namespace gpuccl::app
