#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gpuccl::io {

/// A line for each thing that is odd about the names of all images in a folder of slices, in their natural
/// order: images of several formats, and a number that is missing.
std::vector<std::string> slice_hints(const std::vector<std::string>& names);

/// The extensions of images, for messages.
inline constexpr const char* kImageExtensions =
    ".png, .tif, .tiff, .npy, .nii, .nii.gz, .hdr, .nrrd, .nhdr, .mha, .mhd, .mgh, .mgz, .pbm, .pgm, "
    ".ppm, .pnm, .bmp, .jpg, .jpeg, .h5, .hdf5, .he5 or .zarr";

/// Whether a file of a folder is taken for an image: one of these in any case, and not hidden.
bool is_image_name(const std::filesystem::path& name);

/// Returns the warning about files of a folder that are skipped by name.
std::string skipped_by_name(std::size_t count);

/// The file of a folder that, if there is one, says which slices are stacked and in what order.
inline constexpr const char* kSliceList = "files.txt";

/// Slice files of a folder in the order in which they are stacked (names only, no path). `warn`, if not null,
/// hears of files that are left out. The list is a file of the folder and names such, unless others are to be
/// followed. Throws Error (no_input, data, io).
std::vector<std::string> slice_names(const std::filesystem::path& folder,
                                     const std::function<void(const std::string& line)>& warn = nullptr,
                                     bool follow = false);

}  // namespace gpuccl::io
