#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "app/common/messages.hpp"
#include "app/label/batch/find_inputs.hpp"
#include "app/label/batch/label_batch.hpp"
#include "app/label/label_paths.hpp"
#include "app/view/batch_page.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/image/formats.hpp"
#include "io/read/intensity_reader.hpp"
#include "io/report/outlines.hpp"
#include "io/zarr/zarr.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

/// Returns the file of `name` in `folder`; "" without a folder.
std::string in_folder(const std::string& folder, const std::string& name, const std::string& extension) {
  return folder.empty() ? "" : (fs::path(folder) / (name + extension)).string();
}

/// Returns the extension of the labels of an input. Options for TIFF select TIFF.
std::string extension_for(const std::string& input, const LabelOptions& options) {
  constexpr const char* kOmeTiff = ".ome.tif";
  const std::string own = io::extension_for_labels(input);
  const bool is_for_tiff = options.compression || options.big_tiff;
  const bool is_asked = options.batch.given_format || options.input.stack || (is_for_tiff && own != kOmeTiff);
  return own.empty() || is_asked ? options.batch.extension() : own;
}

/// Returns the path of the label image of an input. The name of an OME-TIFF has two extensions.
std::string image_in_folder(const std::string& folder, const std::string& name,
                            const std::string& extension) {
  constexpr std::string_view kOme = ".ome";
  const bool has_it = extension.starts_with(kOme) && name.ends_with(kOme);
  return in_folder(folder, has_it ? name.substr(0, name.size() - kOme.size()) : name, extension);
}

/// Returns what to do if two inputs, or an input and a joint output, would be written to the same file.
std::string rename_suggestion(const std::string& input, const std::string& other) {
  if (input == other) return "name it once";
  if (fs::path(input).parent_path() == fs::path(other).parent_path() && fs::path(input).has_parent_path())
    return "label one kind of file at a time, with a pattern or an @list, each into its own folder";
  return "use one output folder for each, or give a folder that contains both and --recursive";
}

/// Two inputs whose outputs have the same name.
class SameOutput : public io::FileError {
 public:
  SameOutput(const std::string& input, const std::string& other, const std::string& reason)
      : FileError(input, ErrorCode::usage, reason), other_(other) {}

  const std::string& other() const { return other_; }

 private:
  std::string other_;
};

/// All files that the batch reads or writes, with the inputs that they belong to.
class Claims {
 public:
  InputClaims inputs;

  /// Adds a joint output, `owner`. `suggestion`: of an input whose output has that name.
  void write(const io::Target& target, const std::string& owner, const std::string& suggestion = "") {
    if (target.empty() || target.is_stream) return;
    const io::FileIdentity identity = io::identify(target);
    inputs.refuse_output(target, identity);
    claim(target, identity, owner, suggestion);
  }
  void write_all(const LabelPaths& files) {
    const std::vector<io::Target> outputs = files.outputs();
    const std::vector<io::FileIdentity> identities = inputs.refuse_outputs(files);
    for (std::size_t i = 0; i < outputs.size(); ++i) claim(outputs[i], identities[i], files.input);
  }

 private:
  void claim(const std::string& path, const io::FileIdentity& identity, const std::string& owner,
             const std::string& suggestion = "") {
    const auto [other, free] = outputs_.emplace(identity, Output{path, owner, suggestion});
    if (free) return;
    if (are_still_one(path, other->second.path))
      throw SameOutput(owner, other->second.owner,
                       "has the same output as " + other->second.owner + ": " + path + "; " +
                           (other->second.suggestion.empty() ? rename_suggestion(owner, other->second.owner)
                                                             : other->second.suggestion));
    other->second = {path, owner, suggestion};
  }

  struct Output {
    std::string path, owner, suggestion;
  };
  std::map<io::FileIdentity, Output> outputs_;
};

/// Claims the outputs of all inputs. If two have the same, and one was found in a folder, neither is labeled,
/// and the others are.
void claim_outputs(std::vector<BatchItem>& plan, const std::vector<BatchInput>& inputs, Claims& claims) {
  std::set<std::string> found;
  std::multimap<std::string, BatchItem*> claimed;  // by input
  for (const BatchInput& input : inputs)
    if (input.is_found) found.insert(input.path);
  for (BatchItem& item : plan) {
    if (item.problem) continue;
    const std::string& path = item.files.input;
    try {
      claims.write_all(item.files);
      claimed.emplace(path, &item);
    } catch (const SameOutput& error) {
      const std::string& other = error.other();
      const bool is_found = found.contains(path) || found.contains(other);
      if (other == path || !is_found || !claimed.contains(other)) throw;
      item.problem = Error(ErrorCode::usage, error.what());
      for (auto [one, end] = claimed.equal_range(other); one != end; ++one)
        if (!one->second->problem)
          one->second->problem = Error(
              ErrorCode::usage, "has the same outputs as " + path + "; " + rename_suggestion(other, path));
    }
  }
}

/// Refuses images in folders that are searched for inputs, because the next run would label them.
void refuse_outputs_among_inputs(const std::vector<BatchItem>& plan,
                                 const std::set<io::FileIdentity>& searched) {
  std::set<fs::path> seen;
  for (const BatchItem& item : plan)
    for (const std::string& path : {item.files.image.path, item.files.preview.path}) {
      if (!io::is_image_name(path)) continue;
      const fs::path folder = fs::path(path).parent_path();
      if (seen.insert(folder).second && searched.contains(io::identify((folder / ".").string())))
        throw io::FileError(
            path, ErrorCode::usage,
            "would be an input of the next run; use an output folder outside of the input folder");
    }
}

/// An input, or a time point of one with a name of its own for its outputs.
struct NamedFrame : BatchInput {
  std::string output;
  std::optional<int> frame;
  std::shared_ptr<io::KeptInputs> kept;
};

/// Returns all inputs, or with --frame all the time points of all inputs.
std::vector<NamedFrame> frames_of(const std::vector<BatchInput>& inputs, const LabelOptions& options) {
  std::vector<NamedFrame> frames;
  for (const BatchInput& input : inputs) {
    int count = 1;
    std::optional<Error> problem = input.problem;
    if (options.every_frame && !problem) {
      io::ReadOptions read;
      read.limits = options.input.limits;
      read.planes = options.planes;
      read.pages_apart = options.algorithm.per_slice;
      problem = error_in(input.path, [&] { count = io::count_frames(input.path, read, "--frame all"); });
    }
    const auto kept = count > 1 ? std::make_shared<io::KeptInputs>() : nullptr;
    for (int frame = 0; frame < count; ++frame) {
      NamedFrame& one = frames.emplace_back(NamedFrame{
          {input.path, input.name, problem, input.is_found, input.in_plate}, input.name, {}, kept});
      if (!options.every_frame) continue;
      one.output = name_of_frame(input.name, frame);
      one.frame = frame;
    }
  }
  return frames;
}

/// Returns the number of time points of a file; 0 if it has no axis of time, or none is to be read by itself.
std::size_t count_all(const io::Source& image, const LabelOptions& options) {
  io::ReadOptions read;
  read.limits = options.input.limits;
  read.planes = options.measure.intensity_planes;
  const bool is_there = image.is_file || image.is_store || image.is_folder;
  if (!is_there || read.planes.frame || options.planes.frame) return 0;
  int count = 0;
  error_in(image, [&] { count = io::count_frames(image, read, "--frame all"); });
  return static_cast<std::size_t>(count);
}

/// The images of one --intensity that belong to inputs by their order; without images, by their names.
struct ImagesInOrder {
  std::vector<io::Source> images;
  bool are_frames = false;  // each is a time point of one file
};

/// Finds them in a file with the time points of the only input, or with one for each input, and in a folder
/// with an image for each time point of the only input.
ImagesInOrder images_in_order(const io::Source& image, const std::vector<NamedFrame>& frames,
                              const LabelOptions& options) {
  ImagesInOrder found;
  if (!io::images_of_plate(image.path, options.input.limits).empty()) return {};
  const bool is_movie = options.every_frame && options.inputs.size() == 1;
  if (image.is_folder && is_movie && frames.size() > 1) {
    for (const BatchInput& input : find_inputs({image}, {}).inputs) {
      if (input.problem || input.name == frames.front().name) return {};
      found.images.push_back(input.path);
    }
    if (found.images.size() != frames.size()) return {};
  } else if (!image.is_folder && !image.empty()) {
    found.are_frames =
        !options.every_frame && frames.size() > 1 && count_all(image, options) == frames.size();
    if (is_movie || found.are_frames) found.images.assign(frames.size(), image);
  }
  return found;
}

/// Refuses a file as --intensity of two inputs, of which the last may be another image of samples.
void check_intensity_of_one(const LabelOptions& options) {
  if (options.inputs.size() != 2 || options.measure.intensities.size() != 1) return;
  const io::Source& image = options.measure.intensities.front();
  const std::string& last = options.inputs.back();
  if (image.is_file)
    throw io::FileError(image, ErrorCode::usage,
                        "is not a folder; for several inputs use --intensity FOLDER/; if '" + last +
                            "' is not an input, join images by commas: --intensity " + image.path + "," +
                            last);
}

}  // namespace

std::string index_of_pages(const LabelOptions& options) {
  return in_folder(options.files.view, "index", ".html");
}

std::vector<BatchItem> plan_batch(const FoundInputs& found, const LabelOptions& options) {
  const std::vector<BatchInput>& inputs = found.inputs;
  const BatchOptions& batch = options.batch;
  const std::string& images = options.files.image;
  const std::string& reports = batch.json_folder.empty() ? images : batch.json_folder;

  Claims claims;
  for (const std::string& given : options.inputs)
    if (given.starts_with('@') && given != "@-") claims.inputs.add_file(given.substr(1));
  for (const BatchInput& input : inputs) claims.inputs.add(input.path);
  claims.write(batch.report, "the report");
  claims.write(batch.summary, "the summary");
  claims.write(options.files.stats, "the table of all components");
  claims.write(options.files.outlines, "the outlines of all inputs");
  claims.write(index_of_pages(options), "the index of the pages",
               "rename the input, or label it alone with --view FILE.html");

  const std::vector<NamedFrame> frames = frames_of(inputs, options);
  std::vector<ImagesInOrder> in_order;
  std::vector<IntensityImages> by_name;
  const auto one_of = []<class T>(const std::vector<T>& all, std::size_t i) {
    return all.empty() ? T() : all.size() == 1 ? all.front() : all[i];
  };
  for (std::size_t i = 0; i < options.measure.intensity_files(); ++i) {
    const io::Source image = one_of(options.measure.intensities, i);
    const bool is_in_order = !in_order.emplace_back(images_in_order(image, frames, options)).images.empty();
    if (!is_in_order) check_intensity_of_one(options);
    by_name.emplace_back(is_in_order ? std::string() : image.path, one_of(options.measure.intensity_names, i),
                         options.input.limits);
  }
  if (std::string names = options.measure.intensity_names.empty() ? "" : "--intensity-name";
      !names.empty() && std::none_of(in_order.begin(), in_order.end(),
                                     [](const ImagesInOrder& one) { return one.images.empty(); }))
    throw Error(ErrorCode::usage,
                names +
                    " is for folders, but the images of --intensity belong to the inputs by their order; "
                    "remove it");
  IntensityImages seeds(options.seeds, "", options.input.limits, "--seeds");
  std::vector<BatchItem> plan;
  std::map<std::pair<std::string, std::optional<int>>, std::string> named;  // inputs by the name of the image
  std::size_t lacking = 0;  // inputs without an image of --intensity or --seeds
  for (std::size_t at = 0; at < frames.size(); ++at) {
    const NamedFrame& input = frames[at];
    LabelPaths files;
    std::optional<int> intensity_frame;
    std::set<std::string> movies;
    files.input = input.path;
    files.in_folders = true;
    files.kept = input.kept;
    files.json = in_folder(reports, input.output, ".json");
    files.json_by_default = batch.json_folder.empty();
    files.stats = in_folder(batch.stats_folder, input.output, ".csv");
    files.contacts = in_folder(batch.contacts_folder, input.output, ".csv");
    files.preview = in_folder(batch.preview_folder, input.output, ".png");
    files.in_coco = !options.files.outlines.empty();
    files.outlines =
        in_folder(batch.outlines_folder, input.output, files.in_coco ? ".coco.json" : ".geojson");
    files.view = in_folder(options.files.view, page_name(input.output), "");
    std::optional<Error> problem = input.problem;
    try {
      files.image = image_in_folder(images, input.output, extension_for(input.path, options));
      for (std::size_t i = 0; i < by_name.size(); ++i) {
        files.intensities.push_back(in_order[i].images.empty() ? by_name[i].find(input, options.input.stack)
                                                               : in_order[i].images[at]);
        if (in_order[i].are_frames) {
          intensity_frame = static_cast<int>(at);
          movies.insert(files.intensities.back().path);
        }
        claims.inputs.add(files.intensities.back());
      }
      files.seeds = seeds.find(input, options.input.stack);
      claims.inputs.add(files.seeds);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::no_input) ++lacking;
      if (!problem) problem = error;
    }
    const std::string name = (fs::path(input.name).parent_path() / io::name_of_image(input.path)).string();
    const auto [other, is_new] = named.emplace(std::pair(name, input.frame), input.path);
    if (files.in_coco && !is_new)
      throw io::FileError(input.path, ErrorCode::usage,
                          "has the same file_name in COCO as " + other->second + ": " + name +
                              "; label the folder above both with --recursive, or rename one");
    plan.push_back({files, problem, input.frame, intensity_frame, movies, name, input.in_plate});
  }
  // The names of images are meant otherwise: one error, unless a report lists the failure of each input.
  if (lacking > 1 && lacking == plan.size() && batch.report.empty())
    throw io::FileError(
        plan.front().files.input, ErrorCode::no_input,
        plan.front().problem->what() + (" (all " + std::to_string(lacking) + " inputs fail)"));
  claim_outputs(plan, inputs, claims);
  refuse_outputs_among_inputs(plan, found.searched);
  return plan;
}

}  // namespace gpuccl::app
