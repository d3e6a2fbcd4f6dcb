#include "app/label/label_options.hpp"

#include <cmath>

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {
namespace {

constexpr const char* kAll = "all";  // holes
constexpr const char* kPeriodicHelp = "Connect opposite borders along these axes, as in x,y,z";

void add_fill_holes(const Command& command, std::optional<std::uint64_t>& fill_holes) {
  const Option option = command.add_optional_value(
      "--fill-holes", "[MAX]", kAll, "Fill holes before labeling; with MAX, only holes of at most MAX pixels",
      [&fill_holes](const std::string& given) {
        fill_holes = given == kAll ? kAllHoles : parse_number<std::uint64_t>(given);
        return fill_holes && *fill_holes > 0 ? "" : "'" + given + "' is not an integer of at least 1";
      });
  option.prints([&]() -> std::optional<std::string> {
    if (!fill_holes) return std::nullopt;
    return *fill_holes == kAllHoles ? kAll : std::to_string(*fill_holes);
  });
  option.excludes("--periodic");
}

void add_keep(const Command& command, Condition& keep) {
  const Option option =
      command.add_value("--keep", "EXPRESSION",
                        "Keep only components that satisfy EXPRESSION, such as 'area >= 50 and extent > 0.6'",
                        [&keep](const std::string& given) -> std::string {
                          try {
                            keep = parse_condition(given);
                            return "";
                          } catch (const Error& error) {
                            return error.what();
                          }
                        });
  option.prints([&keep] { return keep.steps.empty() ? std::nullopt : std::optional(keep.text); });
}

/// Parses "100um3", "2.5mm2", "2.5 mm^2" and "0.2ml". Returns none for other text.
std::optional<PhysicalSize> parse_size_with_unit(const std::string& text) {
  PhysicalSize size;
  if (text.ends_with("ml") || text.ends_with("mL")) {
    std::optional<PhysicalSize> volume = parse_size_with_unit(text.substr(0, text.size() - 2) + "cm3");
    if (volume) volume->text = text;
    return volume;
  }
  size.text = text;
  if (text.empty() || (text.back() != '2' && text.back() != '3')) return std::nullopt;
  size.axes = text.back() - '0';
  std::string rest = text.substr(0, text.size() - 1);
  if (rest.ends_with('^')) rest.pop_back();
  const std::size_t digits = rest.find_last_of("0123456789.") + 1;  // 0 of none
  const std::size_t unit = rest.find_first_not_of(' ', digits);
  if (digits == 0 || unit == std::string::npos) return std::nullopt;
  const std::optional<double> number = parse_number<double>(rest.substr(0, digits));
  size.unit = io::length_unit(rest.substr(unit));
  if (!number || !std::isfinite(*number) || *number < 0 || size.unit == io::LengthUnit::unknown)
    return std::nullopt;
  size.size = *number;
  return size;
}

}  // namespace

std::string parse_limit(const std::string& given, std::uint64_t& elements,
                        std::optional<PhysicalSize>& physical) {
  if (const auto number = parse_number<std::uint64_t>(given)) {
    elements = *number;
    return "";
  }
  physical = parse_size_with_unit(given);
  return physical ? "" : "'" + given + "' is neither an integer nor a size such as 100um3 or 2.5mm2";
}

namespace {

void add_limit(const Command& command, const char* name, std::uint64_t& elements,
               std::optional<PhysicalSize>& physical, const char* help) {
  const Option option = command.add_value(
      name, "N|SIZE", help,
      [&elements, &physical](const std::string& given) { return parse_limit(given, elements, physical); });
  option.prints([&] { return std::optional(physical ? physical->text : std::to_string(elements)); });
}

void add_selection(const Command& command, SelectionOptions& selection, PhysicalLimits& limits,
                   bool of_objects) {
  command.group("Selection");
  add_limit(command, "--min-size", selection.min_size, limits.min,
            "Drop components of fewer pixels, or smaller than a size such as 100um3");
  add_limit(command, "--max-size", selection.max_size, limits.max,
            "Drop components of more pixels, or larger than a size");
  add_number(command, "--largest", selection.largest, 0, std::numeric_limits<std::uint64_t>::max(), "N",
             "Keep only the N largest components [0: all]");
  add_keep(command, selection.keep);
  add_switch(command, "--clear-border", selection.clear_border, "Remove components that touch the border");
  if (of_objects) {
    add_choice<LabelOrder>(
        command, "--order", selection.order,
        {{"label", LabelOrder::value}, {"raster", LabelOrder::raster}, {"size", LabelOrder::size}},
        "List objects by label, in raster order, or by size, largest first [label]");
  } else {
    add_choice<LabelOrder>(command, "--order", selection.order,
                           {{"raster", LabelOrder::raster}, {"size", LabelOrder::size}},
                           "Number components in raster order, or by size, largest first [raster]");
  }
}

void add_inputs(const Command& command, std::vector<io::Source>& inputs, const std::string& help) {
  command
      .add_values("INPUT", "", help,
                  [&inputs](const std::string& given) {
                    inputs.push_back(given);
                    return given.empty() ? "a name is missing" : std::string();
                  })
      .required();
  command.group("Output", Effect::run);
}

void add_outlines(const Command& command, LabelPaths& files) {
  add_path(command, "--outlines", files.outlines, "FILE",
           "Outlines of 2D components: .geojson, or .json for COCO, also of several inputs");
}

void add_files(const Command& command, std::vector<io::Source>& inputs, LabelPaths& files) {
  add_inputs(command, inputs,
             "PNG, TIFF (pages are slices), .npy, NIfTI, NRRD, MetaImage, MRC, OME-Zarr, HDF5 "
             "(FILE:/DATASET), PNM, BMP, JPEG; - for standard input; with --stack a folder. For several "
             "inputs also folders, "
             "and @FILE with one name per line");
  add_path(command, "-o,--output", files.image, "FILE",
           "Label image: .tif, .png, .npy, .nii, .nrrd, .mha, .mrc, .ozx or .zarr; FOLDER/ for several",
           wrong_path);
  add_text_path(command, "--json", files.json, "json",
                "Report; - for standard output [next to the label image, with .json]");
  add_text_path(command, "--stats", files.stats, "csv",
                "Table of components in CSV, one for all inputs; - for standard output");
  add_path(command, "--preview", files.preview, "FILE", "Color picture of the labels over the image, in PNG");
  add_outlines(command, files);
}

void add_contacts_and_view(const Command& command, LabelPaths& files) {
  add_text_path(command, "--contacts", files.contacts, "csv",
                "Table of components that touch, in CSV; - for standard output");
  add_text_path(command, "--view", files.view, "html",
                "HTML page that shows labels and table; FOLDER/ for several inputs");
}

void add_files_of_parts(const Command& command, std::vector<io::Source>& inputs, LabelPaths& files,
                        bool of_objects) {
  add_inputs(command, inputs, "Input, as for gpuccl label: a file, a Zarr, or a folder with --stack");
  add_path(command, "-o,--output", files.image, "FILE",
           "Label image: .tif, .tiff, .png, .npy, .nii, .nii.gz, .nrrd, .mha, .mrc, .ozx or .zarr");
  add_text_path(command, "--json", files.json, "json", "Report [next to the label image, with .json]");
  add_path(command, "--preview", files.preview, "FILE", "Color picture of the labels over the image, in PNG");
  add_outlines(command, files);
  add_text_path(command, "--stats", files.stats, "csv", "Table of components in CSV");
  if (!of_objects)
    add_text_path(command, "--contacts", files.contacts, "csv", "Table of components that touch, in CSV");
}

const Choices<io::LabelType>& label_types() {
  using io::LabelType;
  static const Choices<LabelType> types = {{"auto", LabelType::automatic}, {"u8", LabelType::u8},
                                           {"uint8", LabelType::u8},       {"u16", LabelType::u16},
                                           {"uint16", LabelType::u16},     {"u32", LabelType::u32},
                                           {"uint32", LabelType::u32}};
  return types;
}

const Choices<io::BigTiff>& big_tiffs() {
  using io::BigTiff;
  static const Choices<BigTiff> choices = {
      {"auto", BigTiff::automatic}, {"yes", BigTiff::yes}, {"no", BigTiff::no}};
  return choices;
}

const Choices<io::Compression>& compressions() {
  using io::Compression;
  static const Choices<Compression> schemes = {
      {"none", Compression::none},  {"deflate", Compression::deflate}, {"gzip", Compression::deflate},
      {"lzw", Compression::lzw},    {"zstd", Compression::zstd},       {"packbits", Compression::packbits},
      {"blosc", Compression::blosc}};
  return schemes;
}

/// Returns none for other text. One number is for all axes.
std::optional<std::array<int, 3>> parse_chunks(const std::string& text) {
  const std::vector<std::string> words = split(text, ',');
  std::array<int, 3> chunks{1, 1, 1};
  if (words.empty() || words.size() > chunks.size()) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<int> size = parse_number<int>(words[i]);
    if (!size || *size < 1) return std::nullopt;
    if (words.size() == 1) chunks.fill(*size);
    chunks[i] = *size;
  }
  return chunks;
}

/// Declares an option of the label image.
void of_image(const Option& option) { option.changes(Effect::file).needs("--output FILE"); }

/// Options of label images in Zarr.
void add_zarr(const Command& command, LabelOptions& options) {
  constexpr int kHighest = 22;  // highest level of Zstd
  of_image(add_number(command, "--compress-level", options.compression_level, 1, kHighest, "N",
                      "Level of the compression of a label Zarr [deflate 1, zstd 3, blosc 5]")
               .prints([&]() -> std::optional<std::string> {
                 if (options.compression_level == 0) return std::nullopt;
                 return std::to_string(options.compression_level);
               }));
  of_image(command
               .add_value("--chunks", "X,Y,Z",
                          "Chunks of a label Zarr in pixels; one number is for all axes [1024,1024,1]",
                          [&options](const std::string& given) {
                            options.chunks = parse_chunks(given);
                            return options.chunks
                                       ? std::string()
                                       : "'" + given + "' is not N, X,Y or X,Y,Z, integers of at least 1";
                          })
               .prints([&]() -> std::optional<std::string> {
                 if (!options.chunks) return std::nullopt;
                 const auto& [x, y, z] = *options.chunks;
                 return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
               }));
  of_image(add_switch(command, "--pyramid", options.pyramid, "Write smaller scales of a label Zarr, too"));
  of_image(add_choice<int>(command, "--zarr-format", options.zarr_format, {{"2", 2}, {"3", 3}},
                           "Zarr format of a label Zarr: 2 (OME-Zarr 0.4) or 3 (0.5) [as the input, or 2]"));
  of_image(add_switch(command, "--shards", options.shards,
                      "Write each row of chunks of a label Zarr to one file, in Zarr format 3"));
}

void add_format(const Command& command, LabelOptions& options) {
  of_image(add_choice<io::LabelType>(command, "--label-type", options.label_type, label_types(),
                                     std::string(options.values.objects ? "With --relabel: type" : "Type") +
                                         " of the labels; auto: u16 if they fit, else u32 [auto]"));
  // The default is not printed, whether it was given or not.
  of_image(add_choice<io::Compression>(
               command, "--compress", options.compression, compressions(),
               "Compression of a label TIFF or Zarr; for NRRD and MetaImage none or deflate [deflate]")
               .prints([&] {
                 return word_of(compressions(), options.compression.value_or(io::Compression::deflate));
               }));
  of_image(
      add_choice<io::BigTiff>(command, "--bigtiff", options.big_tiff, big_tiffs(),
                              "Write a BigTIFF; auto: if the file exceeds 4 GiB [auto]")
          .prints([&] { return word_of(big_tiffs(), options.big_tiff.value_or(io::BigTiff::automatic)); }));
  add_zarr(command, options);
}

void add_planes_of_input(const Command& command, io::PlaneChoice& planes, bool* every_frame) {
  add_planes(command, "--", planes,
             {"Channel to read, from 0: of pixels or planes; of an OME-TIFF or OME-Zarr also its name",
              every_frame != nullptr ? "Time point to read, from 0, or all, each as an input of its own"
                                     : "Time point to read, from 0: of a TIFF, NIfTI, NRRD, MetaImage or MRC",
              "Index of the image to read from a TIFF with several, from 0",
              "Page or slice to read, or a range of them, from 0", every_frame});
}

}  // namespace

io::SummaryRows::Pages LabelOptions::separate_pages(std::int64_t pages) const {
  if (!algorithm.per_slice) return {};
  return {static_cast<int>(std::min<std::int64_t>(pages, std::numeric_limits<int>::max())),
          planes.pages ? planes.pages->begin : 0};
}

LabelOptions LabelOptions::for_objects() {
  LabelOptions options;
  options.values.objects = true;
  options.planes.options.per_slice = false;
  options.algorithm.engine.device = DeviceChoice::cpu;
  options.selection.order = LabelOrder::value;
  return options;
}

void LabelOptions::resolve(bool in_tasks) {
  is_in_parts = in_tasks;
  planes.options.every_frame &= !in_tasks;
  if (values.objects) {
    values.by_values = true;
    values.keep_values = !values.relabel && !files.image.empty();
  }
  if (periodic != PeriodicAxes{} && (!seeds.empty() || input.has_hysteresis()))
    throw Error(ErrorCode::usage, std::string(seeds.empty() ? "--threshold LOW:HIGH" : "--seeds") +
                                      " and --periodic cannot be combined");
  selection.periodic = periodic;
  measure.resolve(selection.keep.measures(), periodic, values);
  if (!measure.all_channels) resolve_images(selection.keep, measure.sources());
}

void LabelOptions::add(const Command& command, bool in_parts) {
  const bool of_objects = values.objects;
  in_parts ? add_files_of_parts(command, inputs, files, of_objects) : add_files(command, inputs, files);
  if (!in_parts && !of_objects) add_contacts_and_view(command, files);
  add_number(command, "--digits", digits, 1, io::kAllDigits, "N",
             "Significant digits of decimals in tables of components [all]")
      .changes(Effect::file);
  command
      .add_flag(
          "--no-components", [this] { lists_components = false; },
          "Leave the list of components out of the report")
      .prints([this] { return switch_text(!lists_components); })
      .changes(Effect::file);
  if (of_objects)
    add_switch(command, "--relabel", values.relabel, "Write labels 1 to N instead of the values of objects")
        .changes(Effect::labels);
  add_format(command, *this);
  output.add_to(command);
  const std::string memory = in_parts
                                 ? "Memory limit of each process; parts that need more are labeled in slabs"
                                 : "Memory limit; larger inputs are processed in slabs";
  of_objects ? input.add_for_labels(command, memory) : input.add_to(command, memory);
  if (!in_parts)
    command
        .add_flag(
            "--no-sandbox", [this] { sandbox = false; },
            "Do not restrict the process to its input and output folders")
        .prints([this] { return switch_text(!sandbox); })
        .changes(Effect::nothing);
  of_objects ? static_cast<void>(add_round(command, values.round)) : values.add_input_to(command);
  add_planes_of_input(command, planes, in_parts ? nullptr : &every_frame);
  add_spacing(command, spacing);
  if (of_objects) {
    add_connectivity(command, algorithm.connectivity);
    add_threads(command, algorithm.threads);
  } else {
    algorithm.add_to(command);
    add_periodic(command, periodic, kPeriodicHelp);
    add_fill_holes(command, fill_holes);
  }
  add_selection(command, selection, physical_limits, of_objects);
  add_path(command, "--seeds", seeds, "MASK",
           "Keep only components with a nonzero pixel in MASK; for several inputs a folder", wrong_path);
  if (!of_objects) values.add_selection_to(command);
  command.group("Measures");
  measure.add_measure_to(command);
  measure.add_intensity_to(command);
  if (!in_parts) {
    measure.add_intensity_name_to(command);
    batch.add_to(command, !of_objects);
  }
  command.group("Messages", Effect::nothing);
  const Option silence = add_switch(command, "--quiet", quiet, "Print errors only");
  if (!in_parts)
    add_switch(command, "--progress", progress, "Print progress to standard error").excludes(silence);
}

static OptionTable table_of(LabelOptions options) {
  OptionTable table;
  options.add_to(Command(table));
  return table;
}

std::vector<OptionRow> given_options(LabelOptions options) {
  // Each time point of a batch asks for it.
  static const OptionTable of_label = table_of({}), of_measure = table_of(LabelOptions::for_objects());
  const OptionTable& usual = options.values.objects ? of_measure : of_label;
  return given_options(table_of(std::move(options)), usual);
}

std::string signature_of(const LabelOptions& options) {
  const std::vector<OptionRow> given = given_options(options);
  std::string text = options.values.objects ? "measure" : "";
  for (const Effect effect : {Effect::labels, Effect::file})
    for (const OptionRow& row : given)
      if (row.effect == effect) text += (text.empty() ? "" : " ") + shell_text(row);
  return text;
}

static const Choices<std::string>& formats() {
  static const Choices<std::string> choices = [] {
    Choices<std::string> all;
    for (const char* const extension :
         {"tiff", "ome.tif", "png", "npy", "nii", "nii.gz", "nrrd", "mha", "mrc", "ozx", "zarr"})
      all.emplace_back(extension, extension);
    return all;
  }();
  return choices;
}

void BatchOptions::add_to(const Command& command, bool with_contacts) {
  command.group("Several inputs", Effect::run);
  add_switch(command, "--recursive", recursive, "Search folders with their subfolders");
  add_choice<std::string>(command, "--format", given_format, formats(),
                          "Format of the label images [that of a volume or array, else tiff]")
      .needs("--output FOLDER/");
  add_path(command, "--json-dir", json_folder, "DIR", "Folder for reports [that of the label images]",
           wrong_folder);
  add_path(command, "--stats-dir", stats_folder, "DIR", "Folder for one table of components per input",
           wrong_folder);
  if (with_contacts)
    add_path(command, "--contacts-dir", contacts_folder, "DIR", "Folder for one table of contacts per input",
             wrong_folder);
  add_path(command, "--preview-dir", preview_folder, "DIR", "Folder for one color picture per input",
           wrong_folder);
  add_path(command, "--outlines-dir", outlines_folder, "DIR",
           "Folder for the outlines of each input, in GeoJSON, or COCO with --outlines", wrong_folder);
  add_text_path(command, "--report", report, "json",
                "Status of each input, one line of JSON each; - for standard output");
  add_text_path(command, "--summary", summary, "csv",
                "Table with one row per input: counts, areas, rule, hints; - for standard output");
  add_switch(command, "--skip-existing", skip_existing,
             "Skip inputs whose outputs are current and made with the same options")
      .excludes("--view");
  const Option keep = add_switch(command, "--keep-going", keep_going,
                                 "Continue after a failure (the default), even when the disk is full");
  add_switch(command, "--fail-fast", fail_fast, "Start no further inputs after a failure").excludes(keep);
  add_switch(command, "--dry-run", dry_run, "Print each input and its outputs; read no image, write nothing");
  add_number(command, "--jobs", jobs, 1, 255, "N", "Inputs to process at once [threads + 8]");
}

std::string BatchOptions::first_used() const {
  BatchOptions given = *this, usual;
  OptionTable now, as_usual;
  given.add_to(Command(now));
  usual.add_to(Command(as_usual));
  for (const OptionRow& row : given_options(now, as_usual))
    if (row.long_name() != "--summary" && row.long_name() != "--dry-run") return row.long_name();
  return "";
}

}  // namespace gpuccl::app
