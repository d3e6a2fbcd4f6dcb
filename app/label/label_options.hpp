#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/label/label_paths.hpp"
#include "app/label/measure_options.hpp"
#include "app/options/command_line.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "app/options/option_table.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"
#include "io/image/geometry.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/csv_tables.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {

class Command;

/// Options that apply only to several inputs.
struct BatchOptions {
  bool recursive = false;
  std::optional<std::string> given_format;  // extension of label images
  std::string json_folder;
  std::string stats_folder;
  std::string contacts_folder;
  std::string preview_folder;
  std::string outlines_folder;
  io::Target report;   // JSON lines, one per input
  io::Target summary;  // CSV, one row per input
  bool skip_existing = false;
  bool fail_fast = false;
  bool dry_run = false;     // only prints what would be done
  bool keep_going = false;  // not even a full disk ends the batch
  int jobs = 0;             // 0: chosen from the machine

  /// `with_contacts`: includes tables of contacts.
  void add_to(const Command& command, bool with_contacts = true);
  /// Returns the first of these options that was given and needs several inputs; "" if none was.
  std::string first_used() const;
  /// Returns the extension of label images unless inputs decide: ".tiff".
  std::string extension() const { return "." + given_format.value_or("tiff"); }
  io::LabelFormat format() const { return *io::label_format("any" + extension()); }
};

/// A size in physical units, such as 100um3 or 2.5 mm2.
struct PhysicalSize {
  double size = 0;
  io::LengthUnit unit = io::LengthUnit::unknown;
  int axes = 3;      // 2: an area, 3: a volume
  std::string text;  // as given
};

/// Parses a number of elements, or a size with a unit. Returns the problem, or "".
std::string parse_limit(const std::string& given, std::uint64_t& elements,
                        std::optional<PhysicalSize>& physical);

/// Limits of --min-size and --max-size that have a unit; others are in SelectionOptions.
struct PhysicalLimits {
  std::optional<PhysicalSize> min, max;
};

/// --fill-holes without a number.
inline constexpr std::uint64_t kAllHoles = std::numeric_limits<std::uint64_t>::max();

/// The remedy of commands that cannot select a label image among several.
inline constexpr const char* kSaveLabels =
    "'gpuccl measure FILE OPTION N -o labels.tif' saves one, or label an image with "
    "'gpuccl label FILE --threshold otsu --view PAGE.html'";

struct LabelOptions {
  std::vector<io::Source> inputs;
  LabelPaths files;  // of a single input; for a batch only the folder of label images and the table
  BatchOptions batch;
  InputOptions input;
  ValueOptions values;
  AlgorithmOptions algorithm;
  PeriodicAxes periodic{};                  // axes along which opposite borders touch
  std::optional<std::uint64_t> fill_holes;  // maximum number of elements of a hole; kAllHoles: any
  SelectionOptions selection;
  PhysicalLimits physical_limits;
  io::Source seeds;  // an image, or a folder of images, whose foreground components must contain
  MeasureOptions measure;
  std::optional<io::GivenSpacing> spacing;
  io::PlaneChoice planes = {.options = {.every_frame = true}};
  bool every_frame = false;  // each time point is an input of its own
  bool is_in_parts = false;  // several tasks label the input
  OutputOptions output;
  io::LabelType label_type = io::LabelType::automatic;
  std::optional<io::Compression> compression;  // Deflate if not given
  std::optional<io::BigTiff> big_tiff;         // automatic if not given
  std::optional<std::array<int, 3>> chunks;    // size of the chunks of a Zarr along x, y, z
  int compression_level = 0;                   // level of a Zarr; 0: the default
  bool pyramid = false;                        // whether a Zarr gets smaller scales
  int zarr_format = 0;                         // 2, 3, or 0 for that of the input
  bool shards = false;                         // whether rows of chunks of a Zarr are one file each
  int digits = io::kAllDigits;                 // significant digits of decimals in tables of components
  bool lists_components = true;                // in the report
  bool sandbox = true;                         // on the CPU, only inputs and outputs can be opened
  bool quiet = false;
  bool progress = false;

  /// Returns the defaults of gpuccl measure, whose inputs have objects as values.
  static LabelOptions for_objects();
  void add_to(const Command& command) { add(command, false); }
  /// Adds the options for one input that several processes label in parts.
  void add_for_parts(const Command& command) { add(command, true); }
  /// Returns the pages of an input that has `pages`, if they are labeled separately.
  io::SummaryRows::Pages separate_pages(std::int64_t pages) const;
  /// Checks and completes combinations of options after all are parsed. Error (usage).
  void resolve(bool in_tasks = false);

 private:
  void add(const Command& command, bool in_parts);
};

/// Returns the options that differ from their defaults, in the order of --help.
std::vector<OptionRow> given_options(LabelOptions options);

/// Returns the signature of a run: the options that determine the content of its outputs, quoted for a shell.
/// Options of labels come first, then those of the label image's file. "" if all have their defaults.
std::string signature_of(const LabelOptions& options);

}  // namespace gpuccl::app
