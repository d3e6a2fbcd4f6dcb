#pragma once

#include <string>

#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::app {

/// The image to show below the labels, and how to read it.
struct ImageBelow {
  std::string path;  // "" if there is none
  io::ReadOptions read;
};
/// Returns the image of --intensity, or else the input; none if the input is a stream, which cannot be read
/// again, or contains objects.
ImageBelow image_below(const LabelPaths& files, const LabelOptions& options);

/// Writes the page of --view of a whole image, with the image below the labels. PartTexts::report is complete
/// except for outputs and times.
void write_label_view(io::AtomicFile& file, const PartTexts& texts, const io::MappedLabels& labels);

}  // namespace gpuccl::app
