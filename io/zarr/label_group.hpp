#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/folders.hpp"

// Label images inside the store of their image.
namespace gpuccl::io {

/// Returns whether `path` is IMAGE/labels/NAME of an existing Zarr IMAGE.
bool is_label_group(const std::string& path);

/// Return IMAGE of such a path, and the path of the label group with the default name in the Zarr `image`.
inline constexpr const char* kOwnLabels = "gpuccl";
std::string image_of_labels(const std::string& path);
std::string own_labels_of(const std::string& image);

/// Returns the Zarr version of IMAGE, 2 or 3.
int zarr_version_of_image(const std::string& path);

/// Refuses to replace an existing folder `path` unless it is a Zarr of labels that gpuccl wrote. Error
/// (cannot_create).
void refuse_foreign_zarr(const std::string& path);

/// Metadata about labels in the store of an image: the list of labels and, if present, the consolidated
/// metadata. These files are renamed into place after the labels.
class LabelGroup {
 public:
  /// `path`: IMAGE/labels/NAME. Creates IMAGE/labels if it does not exist, and removes it if it stays empty.
  /// Error (cannot_create, data; usage for a name that a Zarr cannot list).
  LabelGroup(const std::string& path, const AtomicFile::Options& options);

  /// Hold it from write() until the files have their names, so that no labels that others add are lost.
  FolderLock lock() const { return FolderLock(image_); }
  /// Writes the metadata when the labels in `folder` are complete.
  void write(const AtomicFile& folder);
  /// Returns the files in the order in which they get their names.
  const std::vector<std::unique_ptr<AtomicFile>>& files() const { return files_; }

 private:
  AtomicFile& add(const std::string& key);
  void write_v2(const AtomicFile& folder);
  void write_v3(const AtomicFile& folder);

  std::string image_, name_;
  AtomicFile::Options options_;
  std::optional<ScopedFolder> labels_;  // if it did not exist
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

}  // namespace gpuccl::io
