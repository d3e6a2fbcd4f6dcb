#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/measure_options.hpp"
#include "app/label/memory_plan.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/read/intensity_reader.hpp"
#include "io/read/reader.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {

/// Returns which image to read in a file of --intensity. Time point and series are those of the input if the
/// file has several and no option selects one.
io::PlaneChoice planes_of_intensity(const io::Source& image, const LabelOptions& options,
                                    const std::shared_ptr<io::KeptInputs>& kept);

/// Returns the minimum number of pixels of objects of at least this size. Throws Error (data) if the input
/// has no spacing in a unit, (usage) for an area of a volume or a volume of an image.
std::uint64_t elements_from(const PhysicalSize& size, const io::ImageInfo& input, Connectivity connectivity);

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
  /// Returns hints about the images opened: grids that differ from that of the input, and measures they lack.
  const std::vector<std::string>& hints() const { return hints_; }

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
  std::vector<std::string> channels(io::ReadOptions read) const;
  void refuse_twice(const std::vector<std::string>& channels, const io::Source& image,
                    io::ReadOptions read) const;
  void open_intensity(const io::ReadOptions& read, const io::ImageInfo& input, const std::string& name,
                      const io::Source& source);
  void add_hint(const std::string& line);
  void compare_grids(const io::ImageInfo& input, io::Geometry grid, const std::string& image,
                     const std::string& matched);

  const LabelPaths& files_;
  const LabelOptions& options_;
  MeasureRequest request_;
  std::vector<IntensitySource> sources_;
  std::vector<std::unique_ptr<io::IntensityReader>> images_;  // one per source
  std::vector<io::ReportedIntensity> reported_;
  std::vector<std::unique_ptr<io::MarkerImage>> markers_;
  std::vector<std::string> hints_;
};

/// Holes of the whole image.
struct HoleCounts {
  std::uint64_t count = 0, elements = 0;
};

/// An open input, checked against the options, and its measures.
class LabelInput {
 public:
  /// Opens the input and its intensity images. `files` and `options` must outlive it. Throws as
  /// io::open_reader(), and Error (usage, data) if the options do not fit the input.
  LabelInput(const LabelPaths& files, const LabelOptions& options, WarnAbout warn);

  const LabelPaths& files() const { return files_; }
  const LabelOptions& options() const { return options_; }
  const io::ImageInfo& info() const { return info_; }
  Extent extent() const { return info_.extent; }
  Connectivity connectivity() const { return connectivity_; }
  bool is_volume() const { return extent().depth > 1 || is_3d(connectivity_); }

  /// Returns the type of values of a label map; none for a binary image. Objects of floating-point samples
  /// have values of 64 bits.
  const std::optional<ValueType>& value_type() const { return value_type_; }
  /// A column of such values.
  io::ValueColumn column(std::span<const ValueBits> values) const {
    return value_type_ ? io::ValueColumn{true, *value_type_, values, options_.values.are_labels()}
                       : io::ValueColumn{};
  }
  std::string foreground_rule() const;

  const LabelMeasures& measures() const { return measures_; }
  /// Returns whether measuring reads rows. Measures of periodic images do not.
  bool measures_rows() const { return measures_.any() && options_.periodic == PeriodicAxes{}; }

  // Collective: all parts of the input call these functions.

  /// Keeps the holes to fill, which do not touch the border, and numbers them. `background`: result of
  /// unite_part().
  HoleCounts select_holes(PartLink& link, PartResult& background) const;
  /// Merges components across periodic borders, after unite_part(), and measures how they wrap.
  void wrap(PartLink& link, PartResult& part) const;
  /// Applies the filters, and numbers the components that remain.
  void select(PartLink& link, PartResult& part) const;

  /// Returns the work of labeling rows of this extent.
  LabelWork work(const Extent& extent) const;

  /// Returns the bytes of memory that may be used, as of when the input was opened.
  std::int64_t memory() const { return memory_; }

  /// Returns whether --channel selects the only channel.
  bool is_only_channel() const { return is_only_channel_; }

  io::Reader& reader() const { return *reader_; }
  /// Finds the threshold, if the rule needs to read the input for it; afterwards info() contains it.
  void find_threshold();
  bool is_open() const { return reader_ != nullptr; }
  /// Frees the reader.
  void close() { reader_.reset(); }

  /// Returns the state of `path`, one of the files that are read, when this input was opened.
  const std::string& state_of(const std::string& path) const;
  /// Returns format, extent and the states of all files that are read. It differs between processes only if
  /// the input has changed.
  std::string state() const;
  /// Returns the first file whose state differs from `before`; none if none differs.
  std::optional<std::string> changed(const std::string& before) const;
  /// Error (data) if the input has changed since state() was first asked for.
  void check_state() const;

 private:
  /// Returns the states of what is read, as of the first call.
  const std::vector<std::string>& states() const;

  const LabelPaths& files_;
  const LabelOptions& options_;
  Connectivity connectivity_ = Connectivity::c8;
  bool is_only_channel_ = false;
  std::int64_t memory_;
  std::unique_ptr<io::Reader> reader_;
  io::ImageInfo info_;
  SelectionOptions selection_;  // the filters, with size limits in pixels of this input
  std::optional<ValueType> value_type_, sample_type_;
  LabelMeasures measures_;
  mutable std::vector<std::string> states_;
  mutable bool is_shared_ = false;  // with other processes, which have asked for state()
};

}  // namespace gpuccl::app
