#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/measures.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"
#include "io/image/paths.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::app {

class Command;
struct LabelOptions;

/// Options of label maps: neighbors connect if their values are equal, or differ by at most a delta.
struct ValueOptions {
  bool by_values = false;
  bool objects = false;  // each value is one object, connected or not: gpuccl measure
  std::optional<double> delta;
  bool per_value = false;     // --largest of each value
  bool keep_values = false;   // values are written instead of labels
  bool split_values = false;  // like keep_values, but only the largest piece of a value keeps it
  bool round = false;         // values to integers
  bool relabel = false;       // labels are written instead of the values of objects
  bool are_classes = false;   // as in label images: gpuccl match --per-value

  bool writes_values() const { return keep_values || split_values; }
  double most_difference() const { return delta.value_or(0); }
  /// Returns whether the report sums up the components of each value, which needs one value per component.
  bool sums_values() const { return by_values && !objects && most_difference() == 0; }
  /// Returns whether the label in tables is the value.
  bool are_labels() const { return objects && !relabel; }
  /// Returns whether tables have a column of values in addition to labels.
  bool has_column() const { return by_values && !are_labels(); }
  /// Returns the interpretation of samples: integers where no delta compares real numbers.
  io::ValueRule rule() const;
  /// Add --values, --delta and --round, and the other options.
  void add_input_to(const Command& command);
  void add_selection_to(const Command& command);
};

/// Returns the rule of connecting in words, for the report.
std::string rule_of(const ValueOptions& options);

/// Error (data) if the options cannot compare values of this type.
void check_value_type(ValueType type, const ValueOptions& options);

/// Error (usage) if options cannot be combined with --values, or need it.
void check_values(const LabelOptions& options);

class Command;
struct ValueOptions;

/// One image of --intensity: a file, and its channel if several are measured.
struct IntensitySource {
  std::size_t file = 0;
  std::string channel;  // number or name; "" if none is chosen
  std::string name;     // in the brackets of columns; "" if there is only one image
};

/// Finds the images that a condition names. Error (usage) if it names none although there are several, or an
/// image that does not exist.
void resolve_images(Condition& condition, std::span<const IntensitySource> sources);

/// Measures to compute in addition to area, bounding box and centroid.
struct MeasureOptions {
  MeasureSet wanted;
  MeasureSet named;                     // those that were requested by name, not by a group
  MeasureSet requested;                 // those of a name or group, not only of `all`
  std::string words;                    // as given
  std::vector<io::Source> intensities;  // images, or folders of images
  io::PlaneChoice intensity_planes = {
      .options = {.prefix = "--intensity-", .per_slice = false}};  // choice among several images in each file
  std::set<std::string> movies;                 // files to which its time point is limited; empty: all
  std::vector<std::string> intensity_channels;  // of each file, if several are measured: numbers or names
  bool all_channels = false;                 // intensity_channels are all; empty until their number is known
  std::vector<std::string> intensity_names;  // patterns such as "*=*_0000", for several inputs
  bool needs_spacing = false;                // because of a measure requested by name, not by `all`
  bool needs_intensity = false;
  bool needs_periodic = false;

  void add_measure_to(const Command& command);
  void add_intensity_to(const Command& command);
  void add_intensity_name_to(const Command& command);

  /// Returns the intensity images of an input: the number of files, and files with channels. `channels`: all
  /// channels, if they were not known before.
  std::size_t intensity_files() const { return std::max(intensities.size(), intensity_names.size()); }
  std::vector<IntensitySource> sources(std::span<const std::string> channels = {}) const;
  /// Returns all channels of an image with these names, by name if that is possible.
  std::vector<std::string> channels_of(const std::vector<std::string>& names) const;

  /// Completes the wanted measures; call it after all options were parsed. An intensity image alone selects
  /// all of its measures, and without one `all` selects the others. For images of values, groups leave out
  /// measures of voids. `compared`: measures in --keep. Throws Error (usage) if measures need an intensity
  /// image, are unavailable with periodic axes, or are measures of voids that were named for an image of
  /// values.
  void resolve(const MeasureSet& compared, const PeriodicAxes& periodic, const ValueOptions& values);

 private:
  void resolve_voids(const MeasureSet& compared, bool objects);
  void resolve_pieces(const MeasureSet& compared, bool objects);
  void resolve_intensity(const MeasureSet& compared);
  void resolve_periodic(const MeasureSet& compared, const PeriodicAxes& periodic);
};

}  // namespace gpuccl::app
