#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/label/describe.hpp"
#include "app/label/label_options.hpp"
#include "app/parts/task_folder.hpp"
#include "gpuccl/labels.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"
#include "io/report/value_table.hpp"

namespace gpuccl::app {

/// State of joined parts.
struct JoinedParts {
  std::vector<PieceReport> parts;
  std::vector<std::uint64_t> labels;  // labels_id() of each
  std::uint64_t count = 0, dropped = 0, largest = 0;
  HoleCounts holes;                                     // that were filled
  std::uint64_t nans = 0;                               // samples of components that are NaN
  io::LabelType image_type = io::LabelType::automatic;  // resolved, if there is a label image
  Label image_largest = 0;                              // label, or value instead of labels
  std::vector<io::OfValue> values;                      // of an image of values

  /// Whether the type of a label image was settled, for these labels. Error (data).
  void check_image(bool keeps_values) const;
  /// Returns an id that depends only on the labels.
  std::uint64_t id() const;
  /// Returns the number of sections of its file.
  std::size_t sections() const;
  void write(const TaskFolder& folder) const;
  /// Error (data, no_input).
  static JoinedParts read(const TaskFolder& folder);
};

/// Tells labels of a part from others.
std::uint64_t labels_id(const io::CheckedFile& labels);

}  // namespace gpuccl::app
