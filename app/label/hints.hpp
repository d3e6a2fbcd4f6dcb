#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {

/// Properties of an input that hints depend on.
struct Findings {
  double foreground = 0;      // share of the elements
  std::uint64_t largest = 0;  // elements of the largest component
  std::uint64_t filled = 0;   // elements of holes that were filled
  bool more_than_two_values = false;
  bool by_values = false;
  bool any_nan = false;           // among the values
  bool given_spacing = false;     // by --spacing, not by the file
  bool needs_unit = false;        // physical measures are asked for
  bool has_values_option = true;  // --values can be recommended
  MeasureSet measured;            // as asked for
  std::string_view other_grid;    // in what that of --intensity differs; "" if in nothing
};

/// A line for each way in which the result is probably not what was meant, with the option that changes it.
/// The same words for every input, so that a batch prints them once.
std::vector<std::string> hints(const io::ImageInfo& input, const io::ForegroundOptions& options,
                               Connectivity connectivity, const Findings& findings);

/// The line about the foreground alone; "" if it is plausible.
std::string hint_of_foreground(const io::ImageInfo& input, const io::ForegroundOptions& options,
                               const Findings& findings);
/// A line where the spacing of a volume is known in its slices alone, so that nothing is measured by it; ""
/// where not.
std::string hint_of_spacing(const io::ImageInfo& input, Connectivity connectivity);
/// A line where components by this connectivity cannot touch; "" where they can.
std::string hint_of_contacts(Connectivity connectivity, bool by_values);
/// A line where labels have got a type that some programs do not read; "" where not.
std::string hint_of_type(io::LabelFormat format, io::LabelType type, io::LabelType asked);

/// Returns the number of pixels in all bounding boxes, of an image of objects.
std::uint64_t pixels_of_boxes(const Components& components);
/// A line if objects, with so many pixels in their bounding boxes, are scattered over each other, as the
/// values of a photograph are; "" if not.
std::string hint_of_scattered(std::uint64_t objects, std::uint64_t pixels_of_boxes, const Extent& extent);

}  // namespace gpuccl::app
