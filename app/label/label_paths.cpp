#include "app/label/label_paths.hpp"

#include <filesystem>
#include <map>

#include "app/common/messages.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/file_names.hpp"
#include "io/read/slice_names.hpp"
#include "io/write/label_writer.hpp"
#include "io/zarr/label_group.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

bool is_special(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  return (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) ||
         io::descriptor_named(path) >= 0;
}

bool lies_in(const std::string& path, const io::FileIdentity& folder) {
  std::error_code none;
  for (fs::path at = fs::weakly_canonical(path, none).parent_path(); at.has_relative_path();
       at = at.parent_path())
    if (io::identify(at.string()) == folder) return true;
  return false;
}

/// A Zarr is replaced as a whole, with what else lies in it.
void refuse_paths_in_replaced_zarr(const LabelPaths& files) {
  if (files.image.empty() || io::label_format(files.image) != io::LabelFormat::zarr) return;
  const io::FileIdentity store = io::identify(files.image);
  for (const std::string& path : {files.input, files.intensity, files.json, files.stats, files.preview})
    if (!path.empty() && path != "-" && lies_in(path, store))
      throw io::FileError(path, Failure::usage, "lies in the Zarr that is replaced: " + files.image);
}

}  // namespace

std::string default_report(const std::string& image) {
  return io::without_extension(io::is_label_group(image) ? io::image_of_labels(image) : image) + ".json";
}

void LabelPaths::add_to_own_store() {
  if (io::is_zarr(input) && io::identify(input) == io::identify(image)) image = io::own_labels_of(image);
}

bool LabelPaths::any_output() const {
  return !image.empty() || !json.empty() || !stats.empty() || !preview.empty();
}

std::vector<std::string> LabelPaths::outputs() const {
  std::vector<std::string> list;
  for (const std::string& path : {image, preview, stats, json})
    if (!path.empty() && path != "-") list.push_back(path);
  return list;
}

LabelPaths LabelPaths::with_defaults() const {
  LabelPaths files = *this;
  if (files.json.empty() && !files.image.empty()) {
    files.json = default_report(files.image);
    files.json_by_default = true;
  }
  return files;
}

void refuse_overlap(const LabelPaths& files, bool stack) {
  std::map<io::FileIdentity, std::string> inputs;
  const auto add = [&](const std::string& input, bool is_stack) {
    inputs[io::identify_input(input)] = input;
    if (!is_stack) return;
    inputs[io::identify((fs::path(input) / io::kSliceList).string())] = input;
    for (const std::string& slice : io::concerning(input, [&] { return io::slice_names(input); }))
      inputs[io::identify(fs::path(input) / slice)] = slice;
  };
  std::error_code none;
  add(files.input, stack);
  if (!files.intensity.empty())
    add(files.intensity, fs::is_directory(files.intensity, none) && !io::is_zarr(files.intensity));

  std::map<io::FileIdentity, std::string> taken;
  for (const std::string& path : files.outputs()) {
    if (is_special(path)) continue;  // /dev/null may be named twice
    const io::FileIdentity file = io::identify(path);
    if (inputs.contains(file))
      throw io::FileError(path, Failure::usage, "output and input are the same file");
    if (!taken.emplace(file, path).second)
      throw io::FileError(path, Failure::usage, "is the name of two outputs");
  }
  refuse_paths_in_replaced_zarr(files);
}

void refuse_existing(const LabelPaths& files) {
  for (const std::string& path : files.outputs()) {
    std::error_code problem;
    if (!is_special(path) && fs::exists(fs::path(path), problem))
      throw io::FileError(path, Failure::cannot_create, "exists, and --no-clobber was given");
  }
}

}  // namespace gpuccl::app
