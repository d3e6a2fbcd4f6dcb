#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/file_names.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {

/// The image of an OME-Zarr, or a Zarr array; chunks are read and decoded in parallel. Throws Error.
std::unique_ptr<SampleSource> open_zarr(const std::string& path, const ReadOptions& options);
std::unique_ptr<SampleSource> open_zarr(std::shared_ptr<const ZarrStore> store, const ReadOptions& options);

/// Returns a label image as OME-Zarr, a folder whose name will be `path`. A label group has the Zarr version
/// of its image, others that of the options, of the input, or 2. Chunks of background are left out.
/// options.type is resolved. Error (usage) for another version than that of the image.
LabelFile zarr_label_file(const std::string& path, const Extent& extent, const WriteOptions& options);

/// Returns a label image as OME-Zarr 0.5 in a zip that does not compress (RFC-9 of OME-NGFF), with one scale.
LabelFile ozx_label_file(const Extent& extent, const WriteOptions& options);

/// An image in a plate or well of OME-Zarr.
struct PlateImage {
  std::string path;              // in the store, such as "A/1/0"; of a well or "" if its images are unknown
  std::optional<Error> problem;  // why it cannot be read, if that is known
};

/// Returns the images of a plate or well, a folder or a zip (.ozx); none for anything else.
std::vector<PlateImage> images_of_plate(const std::string& path, const Limits& limits);
/// Returns the path of such an image, as in "plate.zarr/A/1/0" and "plate.ozx:/A/1/0".
std::string path_in_plate(const std::string& plate, const std::string& image);

// Label images inside the store of their image.

/// Returns the Zarr version of the image of a label group, 2 or 3.
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
