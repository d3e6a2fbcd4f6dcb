#pragma once

#include <string>

#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {

/// The image to show below the labels, and how to read it.
struct ImageBelow {
  std::string path;  // "" if there is none
  io::ReadOptions read;
};
/// Returns the image of --intensity, or else the input; none if the input is a stream, which cannot be read
/// again, or contains objects.
ImageBelow image_below(const LabelPaths& files, const LabelOptions& options);

/// Writes the page of --view, with the image below the labels. `report` is complete except for outputs and
/// times.
void write_label_view(io::AtomicFile& file, const LabelPaths& files, const LabelOptions& options,
                      const io::Report& report, const io::MappedLabels& labels, const Components& components,
                      const Measured& measured);

}  // namespace gpuccl::app
