#include "app/label/input_claims.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/read/input_files.hpp"
#include "io/read/slice_names.hpp"
#include "io/write/label_writer.hpp"
#include "io/zarr/label_group.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

/// The folders that `path` lies in, of one that does not exist as far as they do; of a link where it leads.
std::vector<io::FileIdentity> folders_of(const std::string& path) {
  std::vector<io::FileIdentity> folders;
  std::error_code none;
  const fs::path file = fs::absolute(io::follow_links(path).value_or(path), none);
  for (fs::path at = fs::weakly_canonical(file, none).parent_path(); at.has_relative_path();
       at = at.parent_path())
    folders.push_back(io::identify(at.string()));
  return folders;
}

bool is_any_of(const std::vector<io::FileIdentity>& folders, const std::set<io::FileIdentity>& known) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const io::FileIdentity& folder) { return known.contains(folder); });
}

bool is_zarr_of_labels(const std::string& image) {
  return !image.empty() && io::label_format(image) == io::LabelFormat::zarr;
}

[[noreturn]] void refuse_same(const std::string& path) {
  throw io::FileError(path, Failure::usage, "output and input are the same file");
}

}  // namespace

void InputClaims::add(const std::string& input, bool stack) {
  const io::InputFiles all = io::files_of_input(input, stack);
  for (const std::string& file : all.files) add_file(file);
  for (const std::string& store : all.stores) {
    add_file(store);
    stores_.insert(io::identify(store));
  }
  if (std::error_code none; stack && !fs::exists(fs::path(input) / io::kSliceList, none))
    stacks_.insert(io::identify(input));
}

void InputClaims::add_intensity(const std::string& path) {
  std::error_code none;
  add(path, fs::is_directory(path, none) && !io::is_zarr(path));
}

void InputClaims::add_file(const std::string& path) {
  files_.insert(io::identify_input(path));
  if (path != "-") add_folders_of(path);
}

void InputClaims::add_folders_of(const std::string& path) {
  if (!seen_.insert(fs::path(path).parent_path().string()).second) return;
  const std::vector<io::FileIdentity> folders = folders_of(path);
  folders_.insert(folders.begin(), folders.end());
}

void InputClaims::refuse_output(const std::string& path, const io::FileIdentity& identity) const {
  if (files_.contains(identity)) refuse_same(path);
  if (!stores_.empty() && is_any_of(folders_of(path), stores_))
    throw io::FileError(path, Failure::usage, "is inside a Zarr that is an input");
}

void InputClaims::refuse_parts_in(const std::string& folder, const LabelPaths& files) const {
  const io::FileIdentity parts = io::identify((fs::path(folder) / "any").parent_path().string());
  for (const std::string& path : files.outputs())
    if (is_any_of(folders_of(path), {parts}))
      throw io::FileError(path, Failure::usage, "is inside the folder of parts; use another folder");
  if (!stores_.empty() && is_any_of(folders_of(folder + "/any"), stores_))
    throw io::FileError(folder, Failure::usage, "is inside a Zarr that is an input");
}

void InputClaims::refuse_outputs(const LabelPaths& files,
                                 std::span<const io::FileIdentity> identities) const {
  const bool is_zarr = is_zarr_of_labels(files.image);
  const std::vector<std::string> outputs = files.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& path = outputs[i];
    if (is_special(path)) continue;
    if (!is_zarr || path != files.image || !io::is_label_group(path))
      refuse_output(path, identities[i]);
    else if (files_.contains(identities[i]))
      refuse_same(path);
  }
  for (const std::string& path : {files.image, files.preview})
    if (!stacks_.empty() && io::is_image_name(path) &&
        stacks_.contains(io::identify((fs::path(path).parent_path() / ".").string())))
      throw io::FileError(path, Failure::usage,
                          "would be a slice of the next run; write it to another folder");
  if (!is_zarr) return;
  const io::FileIdentity store = io::identify(files.image);
  if (folders_.contains(store))
    throw io::FileError(files.image, Failure::usage, "contains input files; use another name");
  for (const std::string& path : files.outputs())
    if (path != files.image && is_any_of(folders_of(path), {store}))
      throw io::FileError(path, Failure::usage, "is inside the Zarr that is replaced: " + files.image);
}

}  // namespace gpuccl::app
