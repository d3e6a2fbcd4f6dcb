#include "app/label/batch/batch_plan.hpp"

#include <filesystem>
#include <map>

#include "app/common/messages.hpp"
#include "io/files/text_stream.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code problem;
  return fs::is_directory(path, problem);
}

bool has_label_extension(const std::string& path) {
  try {
    io::label_format(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// "labels/", or a folder that is there and is not called like a label image.
bool names_folder(const std::string& path) {
  return !path.empty() && (path.back() == '/' || (!has_label_extension(path) && is_folder(path)));
}

const char* extension(io::LabelFormat format) {
  switch (format) {
    case io::LabelFormat::tiff:
      return ".tiff";
    case io::LabelFormat::png:
      return ".png";
    case io::LabelFormat::npy:
      return ".npy";
  }
  return "";
}

/// The file of `name` in `folder`; nothing where there is no folder for it.
std::string in_folder(const std::string& folder, const std::string& name, const char* extension) {
  return folder.empty() ? "" : (fs::path(folder) / (name + extension)).string();
}

/// Knows every file that is read or written, and whose it is.
class Claims {
 public:
  void read(const std::string& path) { inputs_.emplace(identify(path), path); }

  void write(const std::string& path, const std::string& input) {
    if (path.empty()) return;
    const FileIdentity file = identify(path);
    if (const auto read = inputs_.find(file); read != inputs_.end())
      throw FileError(path, Failure::usage, "output and input are the same file");
    const auto [other, free] = outputs_.emplace(file, input);
    if (!free)
      throw FileError(input, Failure::usage,
                      "has the same output as " + other->second + ": " + path +
                          "; a folder of outputs for each keeps them apart");
  }

 private:
  std::map<FileIdentity, std::string> inputs_, outputs_;
};

void claim_slices(Claims& claims, const std::string& folder) {
  std::vector<std::string> slices;
  claims.read((fs::path(folder) / io::kSliceList).string());
  try {
    slices = io::slice_names(folder);
  } catch (const Error&) {
    return;  // no stack: it will fail when its turn comes
  }
  for (const std::string& slice : slices) claims.read((fs::path(folder) / slice).string());
}

}  // namespace

bool is_batch(const LabelOptions& options) {
  const std::vector<std::string>& inputs = options.inputs;
  const bool folder_of_images =
      !options.input.stack && is_folder(inputs.front()) && !has_label_extension(options.files.image);
  return inputs.size() > 1 || inputs.front().starts_with('@') || !options.batch.first_used().empty() ||
         folder_of_images || names_folder(options.files.image);
}

void check_batch(const LabelOptions& options) {
  const LabelFiles& files = options.files;
  const BatchOptions& batch = options.batch;
  for (const std::string& input : options.inputs)
    if (input == "-")
      throw Error(Failure::usage, options.inputs.size() > 1
                                      ? "standard input cannot be one of several inputs"
                                      : "standard input needs files as outputs, not folders");
    else if (input == "@")
      throw Error(Failure::usage, "'@' needs the name of a list, as in @list.txt");
  if (!files.json.empty()) throw Error(Failure::usage, "--json is for one input; several have --json-dir");
  if (!files.preview.empty()) throw FileError(files.preview, Failure::usage, "--preview is for one input");
  if (files.image.empty() && batch.json_folder.empty() && batch.stats_folder.empty() && files.stats.empty())
    throw Error(Failure::usage, "nothing to write; give -o FOLDER/, --json-dir, --stats-dir or --stats");
  if (!files.image.empty() && !names_folder(files.image) && has_label_extension(files.image))
    throw FileError(files.image, Failure::usage,
                    options.inputs.size() > 1
                        ? "the output of several inputs is a folder; let its name end in /"
                        : batch.first_used() +
                              " is for several inputs and needs a folder as output; let its name end in /");
  if (batch.skip_existing && !files.stats.empty())
    throw Error(Failure::usage,
                "--skip-existing would leave inputs out of the one table of --stats; use --stats-dir");
  for (const std::string& folder : output_folders(options)) {
    std::error_code problem;
    if (fs::exists(folder, problem) && !is_folder(folder))
      throw FileError(folder, Failure::cannot_create, "cannot create: is not a folder");
  }
}

std::vector<std::string> output_folders(const LabelOptions& options) {
  std::vector<std::string> folders;
  for (const std::string& folder :
       {options.files.image, options.batch.json_folder, options.batch.stats_folder})
    if (!folder.empty()) folders.push_back(folder);
  return folders;
}

std::vector<BatchItem> plan_batch(const std::vector<BatchInput>& inputs, const LabelOptions& options) {
  const BatchOptions& batch = options.batch;
  const std::string& images = options.files.image;
  const std::string& reports = batch.json_folder.empty() ? images : batch.json_folder;

  Claims claims;
  for (const std::string& given : options.inputs)
    if (given.starts_with('@') && given != "@-") claims.read(given.substr(1));
  for (const BatchInput& input : inputs) {
    claims.read(input.path);
    if (options.input.stack) claim_slices(claims, input.path);
  }
  if (!TextStream::is_named(batch.report)) claims.write(batch.report, "the report");
  if (!TextStream::is_named(options.files.stats))
    claims.write(options.files.stats, "the table of all components");

  std::vector<BatchItem> plan;
  for (const BatchInput& input : inputs) {
    LabelFiles files;
    files.input = input.path;
    files.image = in_folder(images, input.name, extension(batch.format));
    files.json = in_folder(reports, input.name, ".json");
    files.json_by_default = batch.json_folder.empty();
    files.stats = in_folder(batch.stats_folder, input.name, ".csv");
    if (!input.problem)
      for (const std::string& path : {files.image, files.json, files.stats}) claims.write(path, input.path);
    plan.push_back({files, input.problem});
  }
  return plan;
}

}  // namespace gpuccl::app
