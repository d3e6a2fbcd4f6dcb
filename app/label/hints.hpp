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
  bool needs_unit = false;        // physical measures are requested
  bool has_values_option = true;  // --values can be recommended
  MeasureSet measured;            // as requested
  std::string_view other_grid;    // how the grid of --intensity differs; "" if it does not
};

/// Returns a line for each way in which the result is probably not what the user wants, with the option that
/// changes it. The wording is the same for every input, so that a batch prints it once.
std::vector<std::string> hints(const io::ImageInfo& input, const io::ForegroundOptions& options,
                               Connectivity connectivity, const Findings& findings);

/// Returns only the line about the foreground; "" if it is plausible.
std::string hint_of_foreground(const io::ImageInfo& input, const io::ForegroundOptions& options,
                               const Findings& findings);
/// Returns a line if the spacing of a volume is known only within slices, so that physical measures are
/// missing; else "".
std::string hint_of_spacing(const io::ImageInfo& input, Connectivity connectivity);
/// Returns a line if components of this connectivity cannot touch; else "".
std::string hint_of_contacts(Connectivity connectivity, bool by_values);
/// Returns a line if some programs do not read the type of the labels; else "".
std::string hint_of_type(io::LabelFormat format, io::LabelType type, io::LabelType asked);

/// Returns the sum of the pixels in all bounding boxes.
std::uint64_t pixels_of_boxes(const Components& components);
/// Returns a line if the bounding boxes of objects overlap so much that the image is probably a photograph;
/// else "".
std::string hint_of_scattered(std::uint64_t objects, std::uint64_t pixels_of_boxes, const Extent& extent);

}  // namespace gpuccl::app
