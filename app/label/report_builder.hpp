#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/label_input.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/report/report.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {

/// Properties of an input that hints depend on.
struct HintInputs {
  double foreground = 0;      // share of the elements
  std::uint64_t largest = 0;  // elements of the largest component
  std::uint64_t filled = 0;   // elements of holes that were filled
  bool more_than_two_values = false, has_one_value = false;
  bool by_values = false;
  bool any_nan = false;                // among the values
  bool needs_unit = false;             // physical measures are requested, or --spacing for a table
  bool has_values_option = true;       // --values can be recommended
  MeasureSet measured;                 // as requested
  bool is_only_channel = false;        // that --channel selects
  bool has_one_threshold = false;      // of Otsu's method, for slices labeled separately
  std::vector<std::string> of_images;  // LabelMeasures::hints()
};

/// Returns a line if the foreground is implausible; else "".
std::string hint_of_foreground(const io::ImageInfo& input, const io::ForegroundOptions& options,
                               const HintInputs& findings);
/// Returns a line if the spacing of a volume is known only within slices, so that physical measures are
/// missing, or if axes are not perpendicular; else "".
std::string hint_of_spacing(const io::ImageInfo& input, Connectivity connectivity);

/// Fields of the report about labeling one part of an image, or all of it.
struct PartFacts {
  std::string foreground_rule;
  std::uint64_t foreground = 0;      // elements of the input
  std::vector<double> first_values;  // Reader::first_values()
  bool any_nan = false;              // among values
  bool otsu_cuts_peak = false;       // io::ImageInfo::otsu_cuts_peak
  std::string algorithm, device_kind, device_name;
  std::vector<int> gpus;
  double total_ms = 0, start_up_ms = 0, read_ms = 0, fill_ms = 0, label_ms = 0, statistics_ms = 0;
  PhaseTimes phases;

  /// Sets the fields that an engine reports.
  void set_engine(const EngineReport& engine);

  /// Converts to text and back. Error (data) if the text is not of such a report.
  std::string text() const;
  static PartFacts of_text(const std::string& text);
};

/// Numbers of the report about the whole image. Tasks store them in this form.
struct ImageCounts {
  HoleCounts holes;                      // that were filled
  std::uint64_t count = 0, dropped = 0;  // components
  std::uint64_t largest = 0;             // size of the largest one before the selection
  std::uint64_t elements_in_boxes = 0;   // sum over the bounding boxes of all
  std::uint64_t single = 0;              // of one element
  std::uint64_t one_is_around = 0;       // 1: those of value 1 touch all borders of the image
};

/// Fields of the report about the whole image.
struct RunFacts : ImageCounts {
  std::vector<PartFacts> pieces;       // of its parts
  std::vector<std::uint64_t> nans;     // samples of components that are NaN, of each image
  bool has_objects_in_pieces = false;  // counted by one process only
  std::vector<io::OfValue> values;     // totals, if these are reported

  // Collective: all parts of the image call these functions.

  /// Takes over what was measured.
  void measured(PartLink& link, const PartResult& part);
  /// Takes over which components remain, after LabelInput::select().
  void selected(PartLink& link, const LabelInput& input, const PartResult& part);
};

/// Builds the report of one input and warns if the result is probably not what the user wants. Call the steps
/// in this order.
class ReportBuilder {
 public:
  /// `files` and `options` must outlive it. `signature`: signature_of() these options.
  ReportBuilder(const LabelPaths& files, const LabelOptions& options, std::string signature, WarnAbout warn)
      : files_(files), options_(options), warn_(std::move(warn)) {
    report.options = std::move(signature);
    report.lists_components = options.lists_components;
  }

  /// After labeling `input`. Times are the longest of any part.
  void labeled(const LabelInput& input, const RunFacts& image);
  void measured(const LabelInput& input, const RunFacts& image);
  /// After selecting components. Moves the totals of values.
  void selected(RunFacts& image);
  /// Before writing the label image. `write.type` is resolved; `requested` is the type that was requested, or
  /// that of the values.
  void image(const io::WriteOptions& write, io::LabelType requested);
  /// After finding contacts. `values`: of all components, if they have values.
  void contacts(std::span<const ValueBits> values, bool any);
  /// When all outputs but the report are complete.
  void written(const LabelOutputs& outputs);

  io::Report report;

 private:
  void warn(const std::string& path, const std::string& line) {
    if (!line.empty()) warn_(path, line);
  }

  const LabelPaths& files_;
  const LabelOptions& options_;
  WarnAbout warn_;
  Connectivity connectivity_ = Connectivity::c8;
};

/// Returns options for writing labels or values up to `largest`. Error as io::resolve_label_type().
io::WriteOptions write_options(const LabelOptions& options, io::LabelType type, const io::Geometry& geometry);
io::WriteOptions write_options(const LabelOptions& options, io::LabelFormat format, io::LabelType requested,
                               Label largest, const io::Geometry& geometry);

}  // namespace gpuccl::app
