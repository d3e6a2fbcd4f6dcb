#include "app/label/label_paths.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/read/input_files.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

/// Returns the existing folders above `path`. A link is followed.
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

[[noreturn]] void refuse_same(const std::string& path) {
  throw io::FileError(path, ErrorCode::usage, "output and input are the same file");
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

void InputClaims::add_intensity(const std::string& path) { add(path, io::is_folder_of_images(path)); }

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
    throw io::FileError(path, ErrorCode::usage, "is inside a Zarr that is an input");
}

void InputClaims::refuse_parts_in(const std::string& folder, const LabelPaths& files) const {
  const io::FileIdentity parts = io::identify((fs::path(folder) / "any").parent_path().string());
  for (const std::string& path : files.outputs())
    if (is_any_of(folders_of(path), {parts}))
      throw io::FileError(path, ErrorCode::usage, "is inside the folder of parts; use another folder");
  if (!stores_.empty() && is_any_of(folders_of(folder + "/any"), stores_))
    throw io::FileError(folder, ErrorCode::usage, "is inside a Zarr that is an input");
}

void InputClaims::refuse_outputs(const LabelPaths& files,
                                 std::span<const io::FileIdentity> identities) const {
  const bool is_store = !files.image.empty() && io::traits_of(files.format).is_store;
  const std::vector<std::string> outputs = files.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& path = outputs[i];
    if (is_special(path)) continue;
    if (!is_store || path != files.image || !io::is_label_group(path))
      refuse_output(path, identities[i]);
    else if (files_.contains(identities[i]))
      refuse_same(path);
  }
  for (const std::string& path : {files.image, files.preview})
    if (!stacks_.empty() && io::is_image_name(path) &&
        stacks_.contains(io::identify((fs::path(path).parent_path() / ".").string())))
      throw io::FileError(path, ErrorCode::usage,
                          "would be a slice of the next run; write it to another folder");
  if (!is_store) return;
  const io::FileIdentity store = io::identify(files.image);
  if (folders_.contains(store))
    throw io::FileError(files.image, ErrorCode::usage, "contains input files; use another name");
  for (const std::string& path : files.outputs())
    if (path != files.image && is_any_of(folders_of(path), {store}))
      throw io::FileError(path, ErrorCode::usage, "is inside the Zarr that is replaced: " + files.image);
}

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

void LabelPaths::set_image(const std::string& path) {
  image = path;
  if (!image.empty()) format = io::with_path(image, [&] { return io::label_format(image); });
}

void LabelPaths::add_to_own_store() {
  if (io::is_store(input) && io::identify(input) == io::identify(image)) image = io::own_labels_of(image);
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

std::string LabelPaths::state_of(const std::string& path, bool stack) const {
  return *io::KeptInputs::get<std::string>(
      kept, path, [&] { return std::make_shared<std::string>(io::state_of_input(path, stack)); });
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

  constexpr const char* kOptions[] = {"-o",      "--preview",  "--view",    "--outlines",
                                      "--stats", "--contacts", "--summary", "--json"};
  std::vector<io::FileIdentity> identities;
  std::map<io::FileIdentity, const char*> taken;  // by which option
  for (const Output output : kOutputs) {
    const std::string& path = files.path(output);
    if (path.empty() || path == "-") continue;
    identities.push_back(io::identify(path));
    if (is_special(path)) continue;
    const char* const option = kOptions[static_cast<std::size_t>(output)];
    const auto [other, is_free] = taken.emplace(identities.back(), option);
    if (is_free) continue;
    const bool is_default = output == Output::report && files.json_by_default;
    throw io::FileError(path, ErrorCode::usage,
                        std::string("is the name of two outputs, ") + other->second + " and " +
                            (is_default ? "the report of -o; set another one with --json" : option));
  }
  inputs.refuse_outputs(files, identities);
  if (!folder_of_parts.empty()) inputs.refuse_parts_in(folder_of_parts, files);
}

void refuse_existing(const LabelPaths& files) {
  for (const std::string& path : files.outputs()) {
    std::error_code problem;
    if (!is_special(path) && fs::exists(fs::path(path), problem))
      throw io::FileError(path, ErrorCode::cannot_create, "exists; move it, or remove --no-clobber");
  }
}

}  // namespace gpuccl::app
