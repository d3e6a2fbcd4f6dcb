#include "app/label/label_paths.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "app/label/input_claims.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/zarr/label_group.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::app {
namespace fs = std::filesystem;

bool is_special(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  return (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) ||
         io::descriptor_named(path) >= 0;
}

std::string default_report(const std::string& image) {
  if (!io::is_label_group(image)) return io::without_extension(image) + ".json";
  const std::string name = fs::path(image).filename().string();
  return io::without_extension(io::image_of_labels(image)) +
         (name == io::kOwnLabels ? "" : "." + io::without_extension(name)) + ".json";
}

void LabelPaths::add_to_own_store() {
  if (io::is_zarr(input) && io::identify(input) == io::identify(image)) image = io::own_labels_of(image);
}

const std::string& LabelPaths::path(Output output) const {
  constexpr std::string LabelPaths::*kPaths[] = {
      &LabelPaths::image, &LabelPaths::preview,  &LabelPaths::view,    &LabelPaths::outlines,
      &LabelPaths::stats, &LabelPaths::contacts, &LabelPaths::summary, &LabelPaths::json};
  return this->*kPaths[static_cast<std::size_t>(output)];
}

bool LabelPaths::any_output() const {
  return std::any_of(std::begin(kOutputs), std::end(kOutputs),
                     [this](Output output) { return !path(output).empty(); });
}

std::vector<std::string> LabelPaths::outputs() const {
  std::vector<std::string> list;
  for (const Output output : kOutputs)
    if (!path(output).empty() && path(output) != "-") list.push_back(path(output));
  return list;
}

LabelPaths LabelPaths::with_defaults() const {
  LabelPaths files = *this;
  if (files.json.empty() && !files.image.empty() && files.image != "-") {
    files.json = default_report(files.image);
    files.json_by_default = true;
  }
  return files;
}

void refuse_overlap(const LabelPaths& files, bool stack, const std::string& folder_of_parts) {
  InputClaims inputs;
  inputs.add(files.input, stack);
  for (const std::string& path : files.intensities) inputs.add_intensity(path);
  if (!files.seeds.empty()) inputs.add_intensity(files.seeds);

  std::vector<io::FileIdentity> identities;
  std::set<io::FileIdentity> taken;
  for (const std::string& path : files.outputs()) {
    identities.push_back(io::identify(path));
    if (!is_special(path) && !taken.insert(identities.back()).second)
      throw io::FileError(path, Failure::usage, "is the name of two outputs");
  }
  inputs.refuse_outputs(files, identities);
  if (!folder_of_parts.empty()) inputs.refuse_parts_in(folder_of_parts, files);
}

void refuse_existing(const LabelPaths& files) {
  for (const std::string& path : files.outputs()) {
    std::error_code problem;
    if (!is_special(path) && fs::exists(fs::path(path), problem))
      throw io::FileError(path, Failure::cannot_create, "exists; remove --no-clobber to replace it");
  }
}

}  // namespace gpuccl::app
