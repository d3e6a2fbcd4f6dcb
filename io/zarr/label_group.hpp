#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/folders.hpp"

// Label images inside the store of their image.
namespace gpuccl::io {

/// Whether `path` is IMAGE/labels/NAME, of a Zarr IMAGE that is there.
bool is_label_group(const std::string& path);

/// IMAGE of that, and the labels that gpuccl adds, under this name, to an image that it is asked to write
/// into.
inline constexpr const char* kOwnLabels = "gpuccl";
std::string image_of_labels(const std::string& path);
std::string own_labels_of(const std::string& image);

/// The version of Zarr, 2 or 3, that IMAGE has.
int zarr_version_of_image(const std::string& path);

/// Refuses to replace the folder `path` if it is there and no Zarr of labels that gpuccl has written. Error
/// (cannot_create).
void refuse_foreign_zarr(const std::string& path);

/// Metadata about labels in the store of an image: the list of labels and, if present, the consolidated
/// metadata. These files are renamed into place after the labels.
class LabelGroup {
 public:
  /// `path`: IMAGE/labels/NAME. Makes IMAGE/labels if it is not there, and takes it away if nothing comes
  /// into it. Error (cannot_create, data; usage for a name that a Zarr cannot list).
  LabelGroup(const std::string& path, const AtomicFile::Options& options);

  /// To be held from write() until the files have their names, or labels that others add meanwhile are lost.
  FolderLock lock() const { return FolderLock(image_); }
  /// When the labels are complete in `folder`.
  void write(const AtomicFile& folder);
  /// In the order in which they are to get their names.
  const std::vector<std::unique_ptr<AtomicFile>>& files() const { return files_; }

 private:
  AtomicFile& add(const std::string& key);
  void write_v2(const AtomicFile& folder);
  void write_v3(const AtomicFile& folder);

  std::string image_, name_;
  AtomicFile::Options options_;
  std::optional<ScopedFolder> labels_;  // that was not there
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

}  // namespace gpuccl::io
