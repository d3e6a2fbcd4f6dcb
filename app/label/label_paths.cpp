#include "app/label/label_paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

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

/// Returns the name of a channel as a part of a name. Characters that no file has, and the beginning of a
/// part such as "c1", are ~ and two digits, so that two channels, or a name and a number, never have one
/// name.
std::string escaped(const std::string& channel) {
  std::string name;
  for (std::size_t i = 0; i < channel.size(); ++i) {
    const bool is_part = (i == 0 || channel[i - 1] == '-') &&
                         std::string_view("cts").find(channel[i]) != std::string_view::npos &&
                         i + 1 < channel.size() && channel[i + 1] >= '0' && channel[i + 1] <= '9';
    if (is_part || channel[i] == '/' || channel[i] == '~')
      name += fmt::format("~{:02X}", channel[i]);
    else
      name += channel[i];
  }
  return name;
}

[[noreturn]] void refuse_same(const std::string& path) {
  throw io::FileError(path, ErrorCode::usage, "output and input are the same file");
}

}  // namespace

void InputClaims::add(const io::Source& input) {
  if (input.empty()) return;
  const io::InputFiles all = io::files_of_input(input);
  for (const std::string& file : all.files) add_file(file);
  for (const std::string& store : all.stores) {
    add_file(store);
    stores_.insert(io::identify(store));
  }
  if (std::error_code none; input.is_stack && !fs::exists(fs::path(input.path) / io::kSliceList, none))
    stacks_.insert(io::identify(input));
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

std::vector<io::FileIdentity> InputClaims::refuse_outputs(const LabelPaths& files) const {
  const char* const options[] = {"-o",         "--preview", "--view", "--outlines", files.stats_option,
                                 "--contacts", "--summary", "--json"};
  std::vector<io::FileIdentity> identities;
  std::map<io::FileIdentity, Output> taken;
  for (const Output output : kOutputs) {
    const io::Target& target = files.target(output);
    if (target.empty() || target.is_stdout()) continue;
    identities.push_back(io::identify(target));
    if (target.is_stream) continue;
    const auto [other, is_free] = taken.emplace(identities.back(), output);
    if (is_free || !are_still_one(target, files.target(other->second))) continue;
    const auto option = [&](Output of) { return std::string(options[static_cast<std::size_t>(of)]); };
    throw io::FileError(target, ErrorCode::usage,
                        "is the name of two outputs" +
                            (files.in_folders ? " of " + files.input.path
                                              : ", " + option(other->second) + " and " +
                                                    (output == Output::report && files.json_by_default
                                                         ? "the report of -o; set another one with --json"
                                                         : option(output))));
  }
  const bool is_store = !files.image.empty() && io::traits_of(*files.image.format).is_store;
  const std::vector<io::Target> outputs = files.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const io::Target& target = outputs[i];
    if (target.is_stream) continue;
    if (!is_store || target.path != files.image.path || !io::is_label_group(target))
      refuse_output(target, identities[i]);
    else if (files_.contains(identities[i]))
      refuse_same(target);
  }
  for (const std::string& path : {files.image.path, files.preview.path})
    if (!stacks_.empty() && io::is_image_name(path) &&
        stacks_.contains(io::identify((fs::path(path).parent_path() / ".").string())))
      throw io::FileError(path, ErrorCode::usage,
                          "would be a slice of the next run; write it to another folder");
  if (!is_store) return identities;
  const io::FileIdentity store = io::identify(files.image);
  if (folders_.contains(store))
    throw io::FileError(files.image, ErrorCode::usage, "contains input files; use another name");
  for (const std::string& path : outputs)
    if (path != files.image.path && is_any_of(folders_of(path), {store}))
      throw io::FileError(path, ErrorCode::usage, "is inside the Zarr that is replaced: " + files.image.path);
  return identities;
}

bool are_still_one(const std::string& a, const std::string& b) {
  for (int look = 0; look < 3; ++look)
    if (io::identify(a) != io::identify(b)) return false;
  return true;
}

std::string default_report(const std::string& image) {
  if (!io::is_label_group(image)) return io::without_extension(image) + ".json";
  const std::string name = fs::path(image).filename().string();
  return io::without_extension(io::image_of_labels(image)) +
         (name == io::kOwnLabels ? "" : "." + io::without_extension(name)) + ".json";
}

void LabelPaths::add_to_own_store(const io::PlaneChoice& planes) {
  if (!input.is_store || io::identify(input) != io::identify(image)) return;
  std::string of_planes = planes.channel_name.empty() ? "" : "-" + escaped(planes.channel_name);
  for (const auto& [letter, number] :
       {std::pair("-c", planes.channel), std::pair("-t", planes.frame), std::pair("-s", planes.series)})
    if (number) of_planes += letter + std::to_string(*number);
  image = io::own_labels_of(image, of_planes);
}

const io::Target& LabelPaths::target(Output output) const {
  constexpr io::Target LabelPaths::*kTargets[] = {
      &LabelPaths::image, &LabelPaths::preview,  &LabelPaths::view,    &LabelPaths::outlines,
      &LabelPaths::stats, &LabelPaths::contacts, &LabelPaths::summary, &LabelPaths::json};
  return this->*kTargets[static_cast<std::size_t>(output)];
}

std::vector<io::Source> LabelPaths::sources() const {
  std::vector<io::Source> list = {input};
  list.insert(list.end(), intensities.begin(), intensities.end());
  if (!seeds.empty()) list.push_back(seeds);
  return list;
}

bool LabelPaths::any_output() const {
  return std::any_of(std::begin(kOutputs), std::end(kOutputs),
                     [this](Output output) { return !target(output).empty(); });
}

std::vector<io::Target> LabelPaths::outputs() const {
  std::vector<io::Target> list;
  for (const Output output : kOutputs)
    if (!target(output).empty() && !target(output).is_stdout()) list.push_back(target(output));
  return list;
}

std::string LabelPaths::state_of(const io::Source& source) const {
  return *io::KeptInputs::get<std::string>(
      kept, source, [&] { return std::make_shared<std::string>(io::state_of_input(source)); });
}

LabelPaths LabelPaths::with_defaults() const {
  LabelPaths files = *this;
  if (files.json.empty() && !files.image.empty() && !files.image.is_stdout()) {
    files.json = default_report(files.image);
    files.json_by_default = true;
  }
  return files;
}

void refuse_overlap(const LabelPaths& files, const std::string& folder_of_parts) {
  InputClaims inputs;
  for (const io::Source& source : files.sources()) inputs.add(source);
  inputs.refuse_outputs(files);
  if (!folder_of_parts.empty()) inputs.refuse_parts_in(folder_of_parts, files);
}

void refuse_existing(const LabelPaths& files) {
  for (const io::Target& target : files.outputs()) {
    std::error_code problem;
    if (!target.is_stream && fs::exists(target.path, problem))
      throw io::FileError(target, ErrorCode::cannot_create, "exists; move it, or remove --no-clobber");
  }
}

}  // namespace gpuccl::app
