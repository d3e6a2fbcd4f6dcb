#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

/// Totals of one value.
struct OfValue {
  ValueBits value = 0;
  std::uint64_t components = 0, elements = 0, largest = 0;

  friend bool operator==(const OfValue&, const OfValue&) = default;
};

/// Returns the totals of each value of the components, in ascending order.
std::vector<OfValue> sum_up_values(const ValueColumn& column, const Components& components);

/// Merges totals, such as those of several parts.
std::vector<OfValue> sum_up_values(ValueType type, const std::vector<OfValue>& all);

/// A file and its size. An empty path means that there is no file.
struct ReportedFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::string state = {};  // of a file that was read: state_of_input()
};

/// Holes that were filled before labeling.
struct FilledHoles {
  std::uint64_t count = 0, elements = 0;
  double milliseconds = 0;  // finding and filling them
};

/// An image whose samples were measured.
struct ReportedIntensity {
  ImageInfo image;
  std::string name;         // in the brackets of columns; empty: the only image
  std::uint64_t bytes = 0;  // 0 if it is not a regular file
  std::string state;        // state_of_input()
  std::uint64_t nans = 0;   // samples of components that are NaN
};

/// Everything the JSON report of one input contains (schema: data/report.schema.json).
struct Report {
  std::string options;  // signature of the run
  ImageInfo input;
  std::uint64_t input_bytes = 0;  // 0 if it is not a regular file
  std::string input_state;        // state_of_input()
  double foreground = 0;          // share of foreground elements, 0 to 1

  std::vector<ReportedIntensity> intensities;

  std::string algorithm;
  int connectivity = 8;
  std::vector<std::string> periodic;  // axes: "x", "y", "z"
  bool volume = false;                // boxes and centroids have a z axis
  std::string device_kind;            // "cpu", "cuda"
  std::string device_name;
  std::string sandbox;    // "landlock"; empty: the process was not restricted
  std::vector<int> gpus;  // CUDA devices that labeled
  std::uint64_t components = 0;
  bool lists_components = true;
  std::uint64_t dropped = 0;
  std::optional<FilledHoles> holes;  // with --fill-holes
  std::string label_type;            // "u8" to "f64"; empty without an output
  std::string order;                 // "raster", "size", "label"

  ValueColumn value;                           // of label maps
  std::optional<std::vector<OfValue>> values;  // totals of each value, after the components

  ReportedFile output;                    // the label image
  ReportedFile seeds;                     // only in reports of runs with --seeds
  ReportedFile preview, stats, contacts;  // a table that went to a stream is not a file
  ReportedFile outlines;                  // left out of the report if there are none

  std::vector<std::string> hints;  // how the result may not be what the user wants, and remedies

  double total_ms = 0, start_up_ms = 0, read_ms = 0, label_ms = 0, statistics_ms = 0, write_ms = 0;
  PhaseTimes phases;
};

/// Returns whether a text with this beginning, without white space, is a report.
bool is_report(std::string_view beginning);

/// Streams the report with one component per line, so that millions of components take no memory.
void stream_report(const TextSink& sink, const Report& report, const Components& components,
                   const MeasureTable& measured = MeasureTable(), const TableSection& stretch = {});

}  // namespace gpuccl::io
