#include "app/label/label_checks.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "app/common/messages.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/text_stream.hpp"
#include "io/image/formats.hpp"
#include "io/report/csv_tables.hpp"
#include "io/report/outlines.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code problem;
  return fs::is_directory(path, problem);
}

void check_preview(const LabelPaths& files) {
  if (!files.preview.empty() && format_by_name(files.preview) != io::LabelFormat::png)
    throw io::FileError(files.preview, ErrorCode::usage, "a preview is a PNG; use the extension .png");
}

void check_outlines(const LabelPaths& files) {
  if (!files.outlines.empty()) io::with_path(files.outlines, [&] { io::outline_format(files.outlines); });
}

void check_borders(const LabelOptions& options) {
  if (options.values.most_difference() > 0 && options.periodic != PeriodicAxes{})
    throw Error(ErrorCode::usage, "--periodic and --delta above 0 cannot be combined");
}

/// Checks options for label images in Zarr.
void check_zarr(const LabelOptions& options, io::LabelFormat format, bool batch) {
  const char* const option = options.chunks                  ? "--chunks"
                             : options.pyramid               ? "--pyramid"
                             : options.compression_level > 0 ? "--compress-level"
                                                             : nullptr;
  if (option == nullptr) return;
  if (options.pyramid && format == io::LabelFormat::ozx)
    throw io::FileError(display_name_of_output(options.files.image), ErrorCode::usage,
                        "--pyramid and .ozx cannot be combined; use the extension .zarr");
  if (!io::traits_of(format).has_chunks)
    throw io::FileError(display_name_of_output(options.files.image), ErrorCode::usage,
                        std::string(option) + " is for label images in Zarr; " +
                            (batch ? "add --format zarr" : "use the extension .zarr"));
  const io::Compression compression = options.compression.value_or(io::Compression::deflate);
  constexpr int kHighest = 9;  // highest level except for Zstd
  if (options.compression_level > 0 && compression == io::Compression::none)
    throw Error(ErrorCode::usage, "--compress-level and --compress none cannot be combined");
  if (options.compression_level > kHighest && compression != io::Compression::zstd)
    throw Error(ErrorCode::usage, "--compress-level is at most 9 for deflate and blosc");
}

void check_image_format(const LabelOptions& options, bool batch) {
  const std::string& image = options.files.image;
  const io::LabelFormat format =
      batch           ? options.batch.format()
      : image.empty() ? io::LabelFormat::tiff
                      : io::with_path(display_name_of_output(image), [&] { return io::label_format(image); });
  if (options.compression && !io::traits_of(format).has(*options.compression))
    throw io::FileError(
        display_name_of_output(image), ErrorCode::usage,
        "--compress is for TIFF, for Zarr with none, deflate, zstd or blosc, and for NRRD and "
        "MetaImage with none or deflate");
  check_zarr(options, format, batch);
  if (options.big_tiff && format != io::LabelFormat::tiff)
    throw io::FileError(display_name_of_output(image), ErrorCode::usage,
                        "--bigtiff is for label images in TIFF");
  const io::LabelTraits& traits = io::traits_of(format);
  if (options.label_type != io::LabelType::automatic && !traits.holds(options.label_type))
    throw io::FileError(
        display_name_of_output(image), ErrorCode::usage,
        std::string(traits.title) + " cannot hold " + io::long_name(options.label_type) + "; write a .tiff");
}

/// Checks the options of every run.
void check_any(const LabelOptions& options, bool batch) {
  if (options.selection.min_size > options.selection.max_size)
    throw Error(ErrorCode::usage, "--min-size is above --max-size");
  check_rules(given_options(options));
  check_values(options);
  check_borders(options);
  check_image_format(options, batch);
  if (options.digits < io::kAllDigits && options.files.stats.empty() && options.batch.stats_folder.empty())
    throw Error(ErrorCode::usage, "--digits is for tables of components; give --stats");
  if (!options.lists_components && options.files.json.empty() && options.batch.json_folder.empty() &&
      (options.files.image.empty() || options.files.image == "-"))
    throw Error(ErrorCode::usage, "--no-components is for reports; give --json or -o");
  options.algorithm.check();
}

/// A stream is read once, for one channel.
void check_streams_of_samples(const MeasureOptions& measure) {
  if (measure.intensities.size() < 2 && measure.intensity_channels.empty() && !measure.all_channels) return;
  for (const std::string& image : measure.intensities)
    if (io::TextStream::is_named(image))
      throw Error(ErrorCode::usage,
                  "--intensity " + image + " is a stream, which can serve only one image; use files");
}

void check_single(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  const std::string& input = options.inputs.front();
  if (!options.input.stack && io::is_folder_of_images(input))
    throw io::FileError(
        input, ErrorCode::no_input,
        "is a folder; use --stack to read it as one volume, or -o FOLDER/ to label each image in it");
  if (!files.any_output() && options.batch.summary.empty())
    throw Error(
        ErrorCode::usage,
        options.values.objects
            ? "nothing to write; give -o, --json, --stats, --summary, --preview or --outlines"
            : "nothing to write; give -o, --json, --stats, --summary, --contacts, --preview, --outlines or "
              "--view");
  if (options.input.stack && options.inputs.front() == "-")
    throw Error(ErrorCode::usage, "--stack needs a folder, not standard input");
  for (const std::string& image : options.measure.intensities)
    if (io::are_one_stream(options.inputs.front(), image))
      throw io::FileError(image, ErrorCode::usage, "cannot be both input and --intensity");
  check_streams_of_samples(options.measure);
  if (io::are_one_stream(input, options.seeds))
    throw io::FileError(options.seeds, ErrorCode::usage, "cannot be both input and --seeds");
  if (options.input.has_hysteresis() && io::TextStream::is_named(input))
    throw io::FileError(input, ErrorCode::usage, "is read twice with --threshold LOW:HIGH; use a file");
  check_preview(files);
  check_outlines(files);
}

void check_batch(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  const BatchOptions& batch = options.batch;
  for (const std::string& input : options.inputs)
    if (input == "-")
      throw Error(ErrorCode::usage,
                  options.inputs.size() > 1
                      ? "standard input cannot be one of several inputs"
                      : "standard input cannot be labeled into a folder; set files as outputs");
    else if (input == "@")
      throw Error(ErrorCode::usage, "'@' needs the name of a list, as in @list.txt");
    else if (input.starts_with('@') && io::is_image_name(input.substr(1)))
      throw io::FileError(input.substr(1), ErrorCode::usage,
                          "is an image, not a list of inputs; remove the '@'");
  if (options.every_frame && (options.planes.pages || options.input.stack))
    throw Error(ErrorCode::usage, "--frame all cannot be combined with --page and --stack");
  if (!files.json.empty())
    throw Error(ErrorCode::usage,
                "--json is for one input; for several use --json-dir, or --report for one file or stream");
  for (const auto& [path, option] : {std::pair(files.contacts, std::string("--contacts")),
                                     {files.preview, "--preview"},
                                     {files.outlines, "--outlines"}})
    if (!path.empty())
      throw io::FileError(path, ErrorCode::usage,
                          option + " is for one input; for several use " + option + "-dir");
  if (!files.view.empty() && !names_folder(files.view))
    throw io::FileError(files.view, ErrorCode::usage,
                        "several inputs need a folder for their pages; use --view FOLDER/");
  if (!files.any_output() && options.inputs.size() == 2 && format_by_name(options.inputs.back()) &&
      !fs::exists(options.inputs.back()))
    throw io::FileError(
        options.inputs.back(), ErrorCode::usage,
        "does not exist; to write a label image of that name, use -o " + options.inputs.back());
  std::error_code none;
  const bool is_report_of_one = !batch.report.empty() && !options.every_frame && options.inputs.size() == 1 &&
                                fs::is_regular_file(options.inputs.front(), none);
  if (output_folders(options).empty() && files.stats.empty() && batch.summary.empty())
    throw Error(
        ErrorCode::usage,
        is_report_of_one
            ? "--report is for several inputs; for one use --json " + batch.report
            : "nothing to write; give -o FOLDER/, --json-dir, --stats-dir, --contacts-dir, --preview-dir, "
              "--outlines-dir, --view FOLDER/, --stats or --summary");
  if (batch.recursive && options.inputs.size() == 1 && fs::is_regular_file(options.inputs.front()) &&
      !names_folder(files.image))
    throw io::FileError(options.inputs.front(), ErrorCode::usage, "is one file; remove --recursive");
  if (!files.image.empty() && !names_folder(files.image) && format_by_name(files.image)) {
    const std::string first = batch.first_used();
    const std::string option = options.every_frame ? "--frame all"
                               : first.empty()     ? "--intensity-name"
                                                   : first;
    if (options.inputs.size() == 1 && io::TextStream::is_named(files.image))
      throw Error(ErrorCode::usage, option + " and -o - cannot be combined");
    throw io::FileError(
        display_name_of_output(files.image), ErrorCode::usage,
        options.inputs.size() > 1
            ? "several inputs need an output folder, whose name ends in /; for slices of one "
              "volume give their folder and --stack"
            : option + " needs an output folder, whose name ends in /" +
                  (io::traits_of(*format_by_name(files.image)).is_store ? ", not .zarr/" : "") +
                  (is_report_of_one ? "; for the report of one input use --json" : ""));
  }
  if (batch.skip_existing && !(files.stats.empty() && batch.summary.empty()) && files.image.empty() &&
      batch.json_folder.empty())
    throw Error(
        ErrorCode::usage,
        "--skip-existing takes rows of --stats and --summary from reports; add -o FOLDER/ or --json-dir");
  if (batch.skip_existing && !options.lists_components && !(files.stats.empty() && batch.summary.empty()))
    throw Error(ErrorCode::usage,
                "--skip-existing takes rows of --stats and --summary from reports; remove --no-components");
  for (const std::string& folder : output_folders(options)) {
    std::error_code problem;
    if (fs::exists(folder, problem) && !is_folder(folder))
      throw io::FileError(folder, ErrorCode::cannot_create, "cannot create: is not a folder");
  }
}

}  // namespace

std::optional<io::LabelFormat> format_by_name(const std::string& path) {
  try {
    return io::label_format(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool names_folder(const std::string& path) {
  return !path.empty() && (path.back() == '/' || (!format_by_name(path) && is_folder(path)));
}

bool is_batch(const LabelOptions& options) {
  const std::vector<std::string>& inputs = options.inputs;
  const bool folder_of_images =
      !options.input.stack && io::is_folder_of_images(inputs.front()) && !format_by_name(options.files.image);
  return inputs.size() > 1 || inputs.front().starts_with('@') || !options.batch.first_used().empty() ||
         options.every_frame || !options.measure.intensity_names.empty() || folder_of_images ||
         names_folder(options.files.image) || names_folder(options.files.view);
}

void check(const LabelOptions& options, bool batch) {
  const LabelPaths& files = options.files;
  batch ? check_batch(options) : check_single(options);
  const auto is_stdout = [](const std::string& path) {
    return path == "-" || io::descriptor_named(path) == STDOUT_FILENO;
  };
  const std::string streams[] = {files.image,    files.json,           files.stats,
                                 files.contacts, options.batch.report, options.batch.summary};
  if (std::count_if(std::begin(streams), std::end(streams), is_stdout) > 1)
    throw Error(ErrorCode::usage,
                "only one of -o, --json, --stats, --contacts, --report and --summary can be standard output");
  check_any(options, batch);
}

void check_for_parts(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  if (options.inputs.size() > 1)
    throw Error(ErrorCode::usage, "labels one input; use gpuccl label for several");
  const std::string& input = options.inputs.front();
  if (input.starts_with('@'))
    throw io::FileError(input, ErrorCode::usage,
                        "is a list of inputs, but parts label one; for a file of that name use ./" + input);
  if (io::TextStream::is_named(input))
    throw Error(ErrorCode::usage,
                (input == "-" ? "standard input" : input) + " cannot be read in parts; use a file");
  for (const std::string& image : options.measure.intensities)
    if (io::TextStream::is_named(image))
      throw Error(ErrorCode::usage, "--intensity " + image + " cannot be read in parts; use a file");
  if (io::TextStream::is_named(options.seeds))
    throw Error(ErrorCode::usage, "--seeds " + options.seeds + " cannot be read in parts; use a file");
  if (!files.any_output())
    throw Error(ErrorCode::usage,
                "nothing to write; give -o, --json, --stats, --contacts, --preview or --outlines");
  for (const std::string& path : {files.image, files.json, files.stats, files.contacts, files.outlines})
    if (io::TextStream::is_named(path))
      throw Error(ErrorCode::usage, "parts can write only files: " + path + " cannot be an output");
  if (names_folder(files.image))
    throw io::FileError(display_name_of_output(files.image), ErrorCode::usage,
                        "is a folder, but parts label one input; give -o a file name");
  check_preview(files);
  check_outlines(files);
  check_any(options, false);
}

void check_pages(const io::ImageInfo& input, const LabelOptions& options) {
  if (!input.has_smaller_pages) return;
  const MeasureSet wanted = options.measure.wanted | options.selection.keep.measures();
  const bool measures_border = std::any_of(measures().begin(), measures().end(), [&](const Measure& measure) {
    return measure.group == MeasureGroup::border && wanted[static_cast<std::size_t>(measure.id)];
  });
  const char* const option = options.selection.clear_border         ? "--clear-border"
                             : options.periodic != PeriodicAxes{}   ? "--periodic"
                             : measures_border                      ? "a measure of the border"
                             : !options.measure.intensities.empty() ? "--intensity"
                                                                    : nullptr;
  if (option != nullptr)
    throw Error(ErrorCode::usage, "its pages have different sizes, and " + std::string(option) +
                                      " needs pages of equal size; use --series N to label one");
}

void check_labels_background(const EngineOptions& engine, Connectivity connectivity,
                             const std::string& work) {
  try {
    check_options(engine, complementary(connectivity));
  } catch (const Error& error) {
    throw Error(error.code(), work + " labels the background: " + error.what());
  }
}

LabelPaths paths_of(const LabelOptions& options) {
  LabelPaths files = options.files.with_defaults();
  files.summary = options.batch.summary;
  files.input = options.inputs.front();
  files.intensities = options.measure.intensities;
  files.seeds = options.seeds;
  files.add_to_own_store();
  files.set_image(files.image);
  return files;
}

void check_outputs(const LabelPaths& files, const LabelOptions& options, const std::string& folder_of_parts) {
  refuse_overlap(files, options.input.stack, folder_of_parts);
  if (!options.output.file.overwrite) refuse_existing(files);
}

std::vector<std::string> output_folders(const LabelOptions& options) {
  std::vector<std::string> folders;
  const BatchOptions& batch = options.batch;
  for (const std::string& folder :
       {options.files.image, batch.json_folder, batch.stats_folder, batch.contacts_folder,
        batch.preview_folder, batch.outlines_folder, options.files.view})
    if (!folder.empty()) folders.push_back(folder);
  return folders;
}

static Sandbox sandbox_for(const LabelOptions& options) {
  Sandbox sandbox;
  const bool is_on_cpu = options.algorithm.engine.device == DeviceChoice::cpu || !has_gpu_driver();
  if (options.sandbox && is_on_cpu) sandbox.close();
  if (options.input.limits.follow) sandbox.read("/");
  return sandbox;
}

/// Allows files without a name that collect what goes to a stream or a joint table later. Links in the folder
/// are not followed, because others may create them.
static void add_temporary_folder(Sandbox& sandbox) { sandbox.write_below(io::folder_for_temporary_files()); }

Sandbox sandbox_of(const LabelPaths& files, const LabelOptions& options, const std::string& parts) {
  Sandbox sandbox = sandbox_for(options);
  sandbox.read_input(files.input);
  for (const std::string& path : files.intensities) sandbox.read_input(path);
  sandbox.read_input(files.seeds);
  for (const std::string& output : files.outputs()) sandbox.write_next_to(output);
  if (files.image == "-") add_temporary_folder(sandbox);
  if (!parts.empty()) sandbox.write_below(parts);
  return sandbox;
}

Sandbox sandbox_of(const std::vector<std::string>& inputs, const std::vector<std::string>& folders,
                   const LabelOptions& options) {
  Sandbox sandbox = sandbox_for(options);
  for (const std::string& input : inputs) sandbox.read_input(input);
  for (const std::string& given : options.inputs)
    if (given.starts_with('@')) sandbox.read_input(given.substr(1));
  for (const std::string& path : options.measure.intensities) sandbox.read_input(path);
  sandbox.read_input(options.seeds);
  for (const std::string& folder : folders) sandbox.write_below(folder, true);
  for (const std::string& file : {options.files.stats, options.batch.summary, options.batch.report})
    sandbox.write_next_to(file);
  if (!options.files.stats.empty() || !options.batch.summary.empty()) add_temporary_folder(sandbox);
  return sandbox;
}

void enter_sandbox_of_join(const LabelPaths& files, const LabelOptions& options, const std::string& parts) {
  LabelOptions on_cpu = options;
  on_cpu.algorithm.engine.device = DeviceChoice::cpu;
  sandbox_of(files, on_cpu, parts).enter();
}

}  // namespace gpuccl::app
