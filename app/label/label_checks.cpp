#include "app/label/label_checks.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
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

/// A rule for options. The error is about the file `path`, or about options alone.
struct Rule {
  bool is_broken;
  std::string path, reason;
  ErrorCode code = ErrorCode::usage;
};

/// Throws the error of the first rule that is broken.
void check(std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules) {
    if (!rule.is_broken) continue;
    if (rule.path.empty()) throw Error(rule.code, rule.reason);
    throw io::FileError(rule.path, rule.code, rule.reason);
  }
}

/// Checks the formats of pictures and outlines.
void check_formats(const LabelPaths& files) {
  check({{!files.preview.empty() && files.preview.format != io::LabelFormat::png, files.preview,
          "a preview is a PNG; use the extension .png"}});
  if (!files.outlines.empty()) io::with_path(files.outlines, [&] { io::outline_format(files.outlines); });
}

/// Returns whether a label image is to be one file, though perhaps of a format that only inputs have.
bool names_image(const io::Target& image) {
  return !image.is_folder && (image.format || io::is_image_name(image.path));
}

/// Returns whether there is a report of the components.
bool has_report(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  return !files.json.empty() || !options.batch.json_folder.empty() ||
         (!files.image.empty() && !files.image.is_stdout());
}

/// Returns whether an output contains measures.
bool lists_measures(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  const bool has_geojson = files.outlines.empty()
                               ? !options.batch.outlines_folder.empty()
                               : io::outline_format(files.outlines) == io::OutlineFormat::geojson;
  return !files.stats.empty() || !options.batch.stats_folder.empty() || !files.view.empty() || has_geojson ||
         (has_report(options) && options.lists_components);
}

void check_image_format(const LabelOptions& options, bool batch) {
  const io::Target& image = options.files.image;
  check({{!batch && !image.empty() && !image.format, image,
          "has an unknown extension; use .tiff, .tif, .png, .npy, .nii, .nii.gz, .nrrd, .mha, .mrc, .ozx or "
          ".zarr, for a folder /"}});
  const io::LabelFormat format =
      batch ? options.batch.format() : image.format.value_or(io::LabelFormat::tiff);
  const io::LabelTraits& traits = io::traits_of(format);
  const io::Compression compression = options.compression.value_or(io::Compression::deflate);
  const std::string of_zarr = options.chunks                  ? "--chunks"
                              : options.pyramid               ? "--pyramid"
                              : options.zarr_format != 0      ? "--zarr-format"
                              : options.shards                ? "--shards"
                              : options.compression_level > 0 ? "--compress-level"
                                                              : "";
  constexpr int kHighest = 9;  // level except for Zstd
  check({{options.compression && !traits.has(compression), image.name(),
          "--compress is for TIFF, for Zarr with none, deflate, zstd or blosc, and for NRRD and MetaImage "
          "with none or deflate"},
         {options.pyramid && format == io::LabelFormat::ozx, image.name(),
          "--pyramid and .ozx cannot be combined; use the extension .zarr"},
         {(options.zarr_format == 2 || options.shards) && format == io::LabelFormat::ozx, image.name(),
          "an .ozx is Zarr format 3 without shards; use the extension .zarr"},
         {options.zarr_format == 2 && options.shards, "", "--shards and --zarr-format 2 cannot be combined"},
         {!of_zarr.empty() && !traits.has_chunks, image.name(),
          of_zarr + " is for label images in Zarr; " +
              (batch ? "add --format zarr" : "use the extension .zarr")},
         {options.compression_level > 0 && compression == io::Compression::none, "",
          "--compress-level and --compress none cannot be combined"},
         {options.compression_level > kHighest && compression != io::Compression::zstd, "",
          "--compress-level is at most 9 for deflate and blosc"},
         {options.big_tiff && format != io::LabelFormat::tiff, image.name(),
          "--bigtiff is for label images in TIFF"},
         {options.label_type != io::LabelType::automatic && !traits.holds(options.label_type), image.name(),
          std::string(traits.title) + " cannot hold " + io::long_name(options.label_type) +
              "; write a .tiff"}});
}

/// Checks the options of every run.
void check_any(const LabelOptions& options, bool batch) {
  const LabelPaths& files = options.files;
  check({{options.selection.min_size > options.selection.max_size, "", "--min-size is above --max-size"}});
  check_rules(given_options(options));
  check_values(options);
  check({{options.values.most_difference() > 0 && options.periodic != PeriodicAxes{}, "",
          "--periodic and --delta above 0 cannot be combined"}});
  check_image_format(options, batch);
  const bool lists = lists_measures(options);
  const bool uses_samples = (!options.input.foreground.otsu && !options.input.foreground.threshold &&
                             !(files.preview.empty() && options.batch.preview_folder.empty())) ||
                            (options.selection.keep.measures() & measures_of(MeasureGroup::intensity)).any();
  const std::string of_lists = std::string(" is for tables, reports and GeoJSON; ") +
                               (!options.lists_components && has_report(options) ? "remove --no-components"
                                : batch ? "give --stats, --json-dir or --outlines-dir"
                                        : "give --stats, --json or --outlines X.geojson");
  check({{options.digits < io::kAllDigits && files.stats.empty() && options.batch.stats_folder.empty(), "",
          "--digits is for tables of components; give --stats"},
         {!options.lists_components && !has_report(options), "",
          "--no-components is for reports; give --json or -o"},
         {!lists && !options.measure.words.empty(), "", "--measure" + of_lists},
         {!lists && !uses_samples && options.measure.intensity_files() > 0, "", "--intensity" + of_lists}});
  options.algorithm.check();
}

void check_single(const LabelOptions& options) {
  const io::Source& input = options.inputs.front();
  const MeasureOptions& measure = options.measure;
  check({{!options.input.stack && input.is_folder, input,
          "is a folder; use --stack to read it as one volume, or -o FOLDER/ to label each image in it",
          ErrorCode::no_input},
         {!options.files.any_output() && options.batch.summary.empty(), "",
          std::string("nothing to write; give -o, --json, --stats, --summary, ") +
              (options.values.objects ? "--preview or --outlines"
                                      : "--contacts, --preview, --outlines or --view")},
         {options.input.stack && input.path == "-", "", "--stack needs a folder, not standard input"}});
  for (const std::string& image : measure.intensities)
    check({{io::are_one_stream(input, image), image, "cannot be both input and --intensity"}});
  const bool is_read_once =
      measure.intensities.size() < 2 && measure.intensity_channels.empty() && !measure.all_channels;
  for (const io::Source& image : measure.intensities)
    check({{!is_read_once && image.is_stream, "",
            "--intensity " + image.path + " is a stream, which can serve only one image; use files"}});
  check({{io::are_one_stream(input, options.seeds), options.seeds, "cannot be both input and --seeds"},
         {options.input.has_hysteresis() && input.is_stream, input,
          "is read twice with --threshold LOW:HIGH; use a file"}});
  check_formats(options.files);
}

void check_batch(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  const BatchOptions& batch = options.batch;
  const bool is_one = options.inputs.size() == 1;
  for (const std::string& input : options.inputs)
    check({{input == "-", "",
            is_one ? "standard input cannot be labeled into a folder; set files as outputs"
                   : "standard input cannot be one of several inputs"},
           {input == "@", "", "'@' needs the name of a list, as in @list.txt"},
           {input.starts_with('@') && io::is_image_name(input.substr(1)), input.substr(1),
            "is an image, not a list of inputs; remove the '@'"}});
  check({{options.every_frame && options.input.stack, "", "--frame all and --stack cannot be combined"},
         {!files.json.empty(), "",
          "--json is for one input; for several use --json-dir, or --report for one file or stream"}});
  for (const auto& [target, option] :
       {std::pair(&files.contacts, std::string("--contacts")), {&files.preview, "--preview"}})
    check({{!target->empty(), *target, option + " is for one input; for several use " + option + "-dir"}});
  if (!files.outlines.empty())
    check({{io::with_path(files.outlines, [&] { return io::outline_format(files.outlines); }) !=
                io::OutlineFormat::coco,
            files.outlines, "GeoJSON is for one input; for several use --outlines-dir, or .json for COCO"}});
  const io::Source &first = options.inputs.front(), &last = options.inputs.back();
  std::error_code none;
  const bool is_file = is_one && first.is_file;
  const bool is_report_of_one = !batch.report.empty() && !options.every_frame && is_file;
  const bool has_tables = !files.stats.empty() || !batch.summary.empty() || !files.outlines.empty();
  const std::string used = options.every_frame          ? "--frame all"
                           : batch.first_used().empty() ? "--intensity-name"
                                                        : batch.first_used();
  const bool names_file = names_image(files.image);
  check(
      {{!files.view.empty() && !files.view.is_folder, files.view,
        "several inputs need a folder for their pages; use --view FOLDER/"},
       {!files.any_output() && options.inputs.size() == 2 && io::label_format(last) &&
            !fs::exists(last.path, none),
        last, "does not exist; to write a label image of that name, use -o " + last.path},
       {output_folders(options).empty() && !has_tables, "",
        is_report_of_one
            ? "--report is for several inputs; for one use --json " + batch.report.path
            : "nothing to write; give -o FOLDER/, --json-dir, --stats-dir, --contacts-dir, --preview-dir, "
              "--outlines-dir, --view FOLDER/, --stats, --summary or --outlines"},
       {batch.recursive && is_file && !files.image.is_folder, first, "is one file; remove --recursive"},
       {names_file && is_one && files.image.is_stream, "", used + " and -o - cannot be combined"},
       {names_file, files.image.name(),
        is_one ? used + " needs an output folder, whose name ends in /" +
                     (files.image.format == io::LabelFormat::zarr ? ", not .zarr/" : "") +
                     (is_report_of_one ? "; for the report of one input use --json" : "")
               : "several inputs need an output folder, whose name ends in /; for slices of one volume "
                 "give their folder and --stack"},
       {batch.skip_existing && has_tables && files.image.empty() && batch.json_folder.empty(), "",
        "--skip-existing takes rows of --stats and --summary from reports; add -o FOLDER/ or --json-dir"},
       {batch.skip_existing && !files.outlines.empty() && batch.outlines_folder.empty(), "",
        "--skip-existing takes annotations of --outlines from a file for each input; add --outlines-dir DIR"},
       {batch.skip_existing && has_tables && !options.lists_components, "",
        "--skip-existing takes rows of --stats and --summary from reports; remove --no-components"}});
  for (const std::string& folder : output_folders(options))
    check({{fs::exists(folder, none) && !fs::is_directory(folder, none), folder,
            "cannot create: is not a folder", ErrorCode::cannot_create}});
}

}  // namespace

bool is_batch(const LabelOptions& options) {
  const std::vector<io::Source>& inputs = options.inputs;
  const bool folder_of_images =
      !options.input.stack && inputs.front().is_folder && !names_image(options.files.image);
  return inputs.size() > 1 || inputs.front().path.starts_with('@') || !options.batch.first_used().empty() ||
         options.every_frame || !options.measure.intensity_names.empty() || folder_of_images ||
         options.files.image.is_folder || options.files.view.is_folder;
}

void check(const LabelOptions& options, bool batch) {
  const LabelPaths& files = options.files;
  batch ? check_batch(options) : check_single(options);
  const auto is_stdout = [](const io::Target& target) {
    return target.is_stdout() || io::descriptor_named(target) == STDOUT_FILENO;
  };
  const io::Target streams[] = {files.image,    files.json,           files.stats,
                                files.contacts, options.batch.report, options.batch.summary};
  check({{std::count_if(std::begin(streams), std::end(streams), is_stdout) > 1, "",
          "only one of -o, --json, --stats, --contacts, --report and --summary can be standard output"}});
  check_any(options, batch);
}

void check_for_parts(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  const io::Source& input = options.inputs.front();
  const auto check_source = [](const std::string& name, const io::Source& source) {
    check({{source.is_stream, "", name + " cannot be read in parts; use a file"}});
  };
  check({{options.inputs.size() > 1, "", "labels one input; use gpuccl label for several"},
         {input.path.starts_with('@'), input,
          "is a list of inputs, but parts label one; for a file of that name use ./" + input.path}});
  check_source(display_name(input), input);
  for (const io::Source& image : options.measure.intensities)
    check_source("--intensity " + image.path, image);
  check_source("--seeds " + options.seeds.path, options.seeds);
  check({{!files.any_output(), "",
          "nothing to write; give -o, --json, --stats, --contacts, --preview or --outlines"}});
  for (const io::Target& target : {files.image, files.json, files.stats, files.contacts, files.outlines})
    check({{target.is_stream, "", "parts can write only files: " + target.path + " cannot be an output"}});
  check(
      {{files.image.is_folder, files.image, "is a folder, but parts label one input; give -o a file name"}});
  check_formats(files);
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
  LabelPaths files = options.files;
  files.summary = options.batch.summary;
  files.input = {options.inputs.front().path, options.input.stack};
  files.intensities = options.measure.intensities;
  files.seeds = options.seeds;
  files.add_to_own_store(options.planes);
  return files.with_defaults();
}

void check_outputs(const LabelPaths& files, const LabelOptions& options, const std::string& folder_of_parts) {
  refuse_overlap(files, folder_of_parts);
  if (!options.output.file.overwrite) refuse_existing(files);
}

std::vector<std::string> output_folders(const LabelOptions& options) {
  std::vector<std::string> folders;
  const BatchOptions& batch = options.batch;
  for (const std::string& folder :
       {options.files.image.path, batch.json_folder, batch.stats_folder, batch.contacts_folder,
        batch.preview_folder, batch.outlines_folder, options.files.view.path})
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
  for (const io::Source& source : files.sources()) sandbox.read_input(source);
  for (const std::string& output : files.outputs()) sandbox.write_next_to(output);
  if (files.image.is_stdout()) add_temporary_folder(sandbox);
  if (!parts.empty()) sandbox.write_below(parts);
  return sandbox;
}

Sandbox sandbox_of(const std::vector<std::string>& inputs, const std::vector<std::string>& folders,
                   const LabelOptions& options) {
  Sandbox sandbox = sandbox_for(options);
  for (const std::string& input : inputs) sandbox.read_input(input);
  for (const std::string& given : options.inputs)
    if (given.starts_with('@')) sandbox.read_input(given.substr(1));
  for (const io::Source& image : options.measure.intensities) sandbox.read_input(image);
  sandbox.read_input(options.seeds);
  for (const std::string& folder : folders) sandbox.write_below(folder, true);
  for (const io::Target& file :
       {options.files.stats, options.batch.summary, options.batch.report, options.files.outlines})
    sandbox.write_next_to(file);
  if (!options.files.stats.empty() || !options.batch.summary.empty() || !options.files.outlines.empty())
    add_temporary_folder(sandbox);
  return sandbox;
}

void enter_sandbox_of_join(const LabelPaths& files, const LabelOptions& options, const std::string& parts) {
  LabelOptions on_cpu = options;
  on_cpu.algorithm.engine.device = DeviceChoice::cpu;
  sandbox_of(files, on_cpu, parts).enter();
}

}  // namespace gpuccl::app
