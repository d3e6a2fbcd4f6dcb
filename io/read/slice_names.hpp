#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gpuccl::io {

/// Returns warnings about the names of all images in a folder of slices, which are in natural order: several
/// formats, and missing numbers.
std::vector<std::string> slice_hints(const std::vector<std::string>& names);

/// The extensions of images, for messages.
inline constexpr const char* kImageExtensions =
    ".png, .tif, .tiff, .npy, .nii, .nii.gz, .hdr, .nrrd, .nhdr, .mha, .mhd, .mgh, .mgz, .pbm, .pgm, "
    ".ppm, .pnm, .bmp, .jpg, .jpeg, .h5, .hdf5, .he5 or .zarr";

/// Returns whether a file in a folder is an image by its name: one of these extensions, in upper or lower
/// case, and not hidden.
bool is_image_name(const std::filesystem::path& name);

/// Returns the warning about files of a folder that are skipped by name.
std::string skipped_by_name(std::size_t count);

/// The file of a folder that, if it exists, lists the slices of the stack in order.
inline constexpr const char* kSliceList = "files.txt";

/// Returns the names of the slices of a folder, without path, in the order of the stack. `warn`, if not null,
/// receives warnings about files that are left out. The list and its entries must be in the folder, unless
/// `follow` is set. Throws Error (no_input, data, io).
std::vector<std::string> slice_names(const std::filesystem::path& folder,
                                     const std::function<void(const std::string& line)>& warn = nullptr,
                                     bool follow = false);

}  // namespace gpuccl::io
