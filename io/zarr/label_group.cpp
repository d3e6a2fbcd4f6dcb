#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/json.hpp"
#include "io/image/formats.hpp"
#include "io/zarr/zarr.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;  // what is not ours keeps its order

constexpr const char* kCreator = "gpuccl";

/// A document of a store, as it is; null if there is none.
OrderedJson document(const ZarrStore& store, const std::string& key) {
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
  const auto file = store.open(key);
  if (!file) return nullptr;
  if (file->size() > kLargest) throw Error(ErrorCode::data, "'" + key + "' is too long");
  std::string text(file->size(), '\0');
  text.resize(file->read_at(0, text.data(), text.size()));
  OrderedJson json = parse_ordered_json(
      text, kDeepestJson, [&] { throw Error(ErrorCode::data, "'" + key + "' is nested too deep"); });
  if (!json.is_object()) throw Error(ErrorCode::data, "'" + key + "' is not valid");
  return json;
}

/// The member `name` of an object, made an object if it is none.
OrderedJson& object_in(OrderedJson& json, const char* name) {
  OrderedJson& inner = json[name];
  if (!inner.is_object()) inner = OrderedJson::object();
  return inner;
}

void add_to_list(OrderedJson& attributes, const std::string& name) {
  OrderedJson& list = attributes[kLabelsFolder];
  if (!list.is_array()) list = OrderedJson::array();
  if (std::find(list.begin(), list.end(), OrderedJson(name)) == list.end()) list.push_back(name);
}

void write(AtomicFile& file, const OrderedJson& json) {
  const std::string text = json_text(json, 2) + "\n";
  file.write(text.data(), text.size());
}

/// Returns the paths of the arrays of labels, by the attributes of their group.
std::vector<std::string> levels_of(const OrderedJson& attributes) {
  std::vector<std::string> levels = {"0"};
  const OrderedJson::json_pointer list("/multiscales/0/datasets"), in_ome("/ome/multiscales/0/datasets");
  if (!attributes.is_object() || (!attributes.contains(list) && !attributes.contains(in_ome))) return levels;
  for (const OrderedJson& level : attributes.at(attributes.contains(list) ? list : in_ome))
    if (level.is_object() && level.contains("path") && level["path"].is_string())
      levels.push_back(level["path"].get<std::string>());
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

/// Returns the attributes of a group of Zarr v2 or v3; null if there are none.
OrderedJson attributes_of(const ZarrStore& store) {
  OrderedJson json = document(store, "zarr.json");
  if (!json.is_null()) return json.value("attributes", OrderedJson());
  return document(store, ".zattrs");
}

/// Refuses to put labels into an array without a group, or into labels.
void refuse_no_image(const std::string& path) {
  const ZarrFolder store(path);
  const OrderedJson v3 = document(store, "zarr.json");
  const bool is_array = v3.is_null() ? store.open(".zarray") != nullptr
                                     : v3.contains("node_type") && v3["node_type"] == OrderedJson("array");
  if (is_array)
    throw Error(ErrorCode::usage,
                "'" + path +
                    "' is an array without OME-Zarr metadata, which cannot contain labels; use "
                    "another name for them");
  if (is_label_group(path))
    throw Error(ErrorCode::usage,
                "'" + path +
                    "' is a group of labels, which cannot contain other labels; use another "
                    "name for them");
}

/// Refuses a folder, or one in it, that this user can neither write to nor make writable: what is replaced
/// would stay, under a temporary name.
void refuse_unremovable(const fs::path& folder) {
  struct stat status {};
  const bool is_mine = ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
  if (!is_mine && ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    throw Error(ErrorCode::cannot_create,
                "exists and contains folders of another user, which cannot be removed; use another name");
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(folder, unknown))
    if (!entry.is_symlink(unknown) && entry.is_directory(unknown)) refuse_unremovable(entry.path());
}

}  // namespace

int zarr_version_of_image(const std::string& path) {
  std::error_code unknown;
  return fs::exists(fs::path(image_of_labels(path)) / "zarr.json", unknown) ? 3 : 2;
}

void refuse_foreign_zarr(const std::string& path) {
  std::error_code unknown;
  if (!fs::is_directory(path, unknown) || fs::is_empty(path, unknown)) return;
  const ZarrFolder store(path);
  const OrderedJson attributes = attributes_of(store);
  std::vector<std::string> known = levels_of(attributes);
  known.insert(known.end(), {".zgroup", ".zattrs", ".zmetadata", "zarr.json"});
  for (const auto& entry : fs::directory_iterator(path, unknown)) {
    const std::string name = entry.path().filename().string();
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(
          ErrorCode::cannot_create,
          "exists and contains '" + name + "', which would be lost; remove it first, or use another name");
  }
  const OrderedJson creator =
      attributes.is_object() ? attributes.value("_creator", OrderedJson()) : OrderedJson();
  if (creator.is_object() && creator.value("name", OrderedJson()) == OrderedJson(kCreator))
    return refuse_unremovable(path);
  throw Error(ErrorCode::cannot_create,
              "exists and is not a Zarr of labels written by gpuccl; remove it first, or use another name");
}

LabelGroup::LabelGroup(const std::string& path, const AtomicFile::Options& options)
    : image_(image_of_labels(path)), name_(fs::path(path).filename().string()), options_(options) {
  options_.overwrite = true;  // they are added to
  refuse_no_image(image_);
  const std::string folder = (fs::path(image_) / kLabelsFolder).string();
  for (const std::string& name : {folder, path}) {
    std::error_code unknown;
    if (fs::is_symlink(name, unknown))
      throw Error(ErrorCode::cannot_create,
                  "cannot create: '" + name + "' is a symbolic link, which is not followed in a Zarr store");
  }
  if (name_.starts_with(".z") || name_ == "zarr.json")
    throw Error(ErrorCode::usage,
                "the labels of a Zarr cannot be called " + name_ + ", as its own metadata are");
  if (!is_utf8(name_))
    throw Error(ErrorCode::usage, "the name of labels in a Zarr is UTF-8, and this is not");
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown)) labels_.emplace(image_, kLabelsFolder);
}

AtomicFile& LabelGroup::add(const std::string& key) {
  return *files_.emplace_back(std::make_unique<AtomicFile>((fs::path(image_) / key).string(), options_));
}

void LabelGroup::write(const AtomicFile& folder) {
  zarr_version_of_image(folder.path()) == 2 ? write_v2(folder) : write_v3(folder);
}

void LabelGroup::write_v2(const AtomicFile& folder) {
  const ZarrFolder image(image_), labels(fmt::format("/proc/self/fd/{}", folder.descriptor()));
  const OrderedJson group = {{"zarr_format", 2}};
  if (!image.open("labels/.zgroup")) io::write(add("labels/.zgroup"), group);
  OrderedJson attributes = document(image, "labels/.zattrs");
  if (attributes.is_null()) attributes = OrderedJson::object();
  add_to_list(attributes, name_);
  io::write(add("labels/.zattrs"), attributes);
  OrderedJson all = document(image, ".zmetadata");
  if (all.is_null()) return;
  OrderedJson& metadata = object_in(all, "metadata");
  metadata["labels/.zgroup"] = group;
  metadata["labels/.zattrs"] = attributes;
  std::vector<std::string> keys = {".zgroup", ".zattrs"};
  for (const std::string& level : levels_of(attributes_of(labels)))
    keys.insert(keys.end(), {level + "/.zarray", level + "/.zattrs"});
  for (const std::string& key : keys) metadata["labels/" + name_ + "/" + key] = document(labels, key);
  io::write(add(".zmetadata"), all);
}

void LabelGroup::write_v3(const AtomicFile& folder) {
  const ZarrFolder image(image_), labels(fmt::format("/proc/self/fd/{}", folder.descriptor()));
  OrderedJson group = document(image, "labels/zarr.json");
  if (group.is_null())
    group = {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", {{"ome", {{"version", "0.5"}}}}}};
  add_to_list(object_in(object_in(group, "attributes"), "ome"), name_);
  group.erase("consolidated_metadata");
  io::write(add("labels/zarr.json"), group);
  OrderedJson root = document(image, "zarr.json");
  if (!root.is_object() || !root.contains("consolidated_metadata") ||
      !root["consolidated_metadata"].is_object())
    return;
  OrderedJson& metadata = object_in(root["consolidated_metadata"], "metadata");
  metadata["labels"] = group;
  metadata["labels/" + name_] = document(labels, "zarr.json");
  for (const std::string& level : levels_of(attributes_of(labels)))
    metadata["labels/" + name_ + "/" + level] = document(labels, level + "/zarr.json");
  io::write(add("zarr.json"), root);
}

}  // namespace gpuccl::io
