#pragma once

#include <string>

#include "app/label/value_options.hpp"
#include "gpuccl/measures.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::app {

class Command;
struct ValueOptions;

/// Measures to compute in addition to area, bounding box and centroid.
struct MeasureOptions {
  MeasureSet wanted;
  MeasureSet named;                  // of these, those that were not asked for by a group
  std::string words;                 // as given
  std::string intensity;             // image, or folder of images
  io::PlaneChoice intensity_planes;  // of several in it
  std::string intensity_name;        // "*=*_0000": what its name is made of, of several inputs
  bool needs_spacing = false;        // asked for by name, not by `all`
  bool needs_intensity = false;
  bool needs_periodic = false;

  void add_measure_to(const Command& command);
  void add_intensity_to(const Command& command);
  void add_intensity_name_to(const Command& command);

  /// To be called when all options were taken: an image of intensities alone asks for all of its measures,
  /// and without one `all` means the others. `compared`: by --keep. Of images of values groups mean those of
  /// their measures that do not look at what is around a component. Error (usage) if measures of intensity
  /// are asked for without an image, or others than those of periodic axes where there are such, or of what
  /// is around by their names.
  void settle(const MeasureSet& compared, const PeriodicAxes& periodic, const ValueOptions& values);

 private:
  void settle_values(const MeasureSet& compared, bool objects);
  void settle_intensity(const MeasureSet& compared);
  void settle_periodic(const MeasureSet& compared, const PeriodicAxes& periodic);
};

}  // namespace gpuccl::app
