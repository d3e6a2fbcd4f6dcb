#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/plan.hpp"
#include "gpuccl/image.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::bench {

/// An image of a dataset that has been read.
struct Read {
  const io::ImageInfo& info;
  BitView image;
  bool more_than_two_values = false;
};
/// Called with every image that was read.
using Look = std::function<void(const Read& read)>;

/// The images of a dataset, in the order in which they are measured. `path` is one of
/// - an image or volume file;
/// - a folder with YACCLAB's files.txt: its lines name image files or, for volumes, folders of slices;
/// - any other folder: the PNG and TIFF files in it and in its subfolders; a subfolder with a files.txt is a
///   dataset of its own, so that the folder of all of YACCLAB's datasets can be given at once.
/// With `options.stack`, a folder is one volume. A dataset has at most `most` images. Opens no image.
/// Error (no_input): missing, not readable, or without images.
std::vector<ImageSet> read_datasets(const std::string& path, const io::ReadOptions& options,
                                    std::optional<int> most, const Look& look = nullptr);

}  // namespace gpuccl::bench
