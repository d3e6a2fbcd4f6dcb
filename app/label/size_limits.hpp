#pragma once

#include <optional>
#include <string>

#include "app/options/command_line.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"

namespace gpuccl::app {

/// A size in physical units, such as 100um3 or 2.5 mm2.
struct PhysicalSize {
  double size = 0;
  io::LengthUnit unit = io::LengthUnit::unknown;
  int axes = 3;      // 2: an area, 3: a volume
  std::string text;  // as given
};

/// Limits of --min-size and --max-size that have a unit; others are in SelectionOptions.
struct PhysicalLimits {
  std::optional<PhysicalSize> min, max;
};

/// Adds both options.
void add_size_limits(const Command& command, SelectionOptions& selection, PhysicalLimits& limits);

/// `selection` with the limits as numbers of elements of `input`. Throws Error (data) if the input has no
/// spacing in a unit, (usage) for an area of a volume or a volume of an image.
SelectionOptions with_limits(const SelectionOptions& selection, const PhysicalLimits& limits,
                             const io::ImageInfo& input, Connectivity connectivity);

}  // namespace gpuccl::app
