#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/label/label_options.hpp"
#include "app/parts/found_part.hpp"
#include "app/parts/task_folder.hpp"
#include "gpuccl/labels.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::app {

/// What parts are together.
struct JoinedParts {
  std::vector<FoundPart> parts;
  std::vector<std::uint64_t> labels;  // labels_id() of each
  std::uint64_t count = 0, dropped = 0, largest = 0;

  /// The same for the same labels.
  std::uint64_t id() const;
  /// How labels are written: the type that all of them fit.
  io::WriteOptions write_options(const LabelOptions& options, const io::Geometry& geometry) const;

  /// How many sections of a file it is.
  std::size_t sections() const;
  void write(const TaskFolder& folder) const;
  /// Error (data, no_input).
  static JoinedParts read(const TaskFolder& folder);
};

/// Tells labels of a part from others.
std::uint64_t labels_id(const io::CheckedFile& labels);

}  // namespace gpuccl::app
