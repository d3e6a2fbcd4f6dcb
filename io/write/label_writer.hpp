#pragma once

#include <cstdint>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strip_file.hpp"

namespace gpuccl::io {

enum class LabelFormat { tiff, png, npy, nifti, nifti_gz, nrrd, metaimage, zarr };

/// The names of these.
inline constexpr const char* kWrittenFormats = "TIFF, PNG, .npy, NIfTI, NRRD, MetaImage, OME-Zarr";

/// By the extension of `path`: .tif .tiff .png .npy .nii .nii.gz .nrrd .mha .zarr, or IMAGE.zarr/labels/NAME;
/// a Zarr that is there may have any name, and standard output, "-", is .npy. Error (usage) for any other.
LabelFormat label_format(const std::string& path);

/// The type that `count` labels are written as. Error (data) when they do not fit the type or format asked
/// for, (usage) when the format does not have the type.
LabelType resolve_label_type(LabelType asked, Label count, LabelFormat format);

/// Whether label images of this format can be compressed so when that is asked for.
bool takes_compression(LabelFormat format, Compression compression);

/// Returns a warning that lists the parts of `geometry` that `format` cannot store for this many slices, and
/// a format that can; "" if nothing is lost.
std::string lost_geometry(LabelFormat format, const Geometry& geometry, int depth);

/// Bytes that write_labels() takes for each strip that is under way, of labels of which no row has more than
/// `runs` runs. options.type is resolved.
std::int64_t bytes_of_strip(LabelFormat format, const WriteOptions& options, Extent extent,
                            std::int64_t runs);

/// Returns the number of slices whose labels a strip needs at the same time.
int slices_of_strip(LabelFormat format, const WriteOptions& options, Extent extent);

/// A label image of such a format, which gets the name `path`: what write_labels() writes, and what parts
/// write together. options.type is resolved. Throws Error (data, usage) for what the format cannot hold.
LabelFile new_label_file(LabelFormat format, const std::string& path, const Extent& extent, Label count,
                         const WriteOptions& options);

/// Writes the label image into `file`, of a Zarr a folder, which the caller commits. Rows are rendered and
/// compressed strip by strip, in parallel (oneTBB); memory is a few strips. Throws Error (data, io). The
/// file's bytes depend on nothing but labels and options.
void write_labels(AtomicFile& file, LabelFormat format, const MappedLabels& labels,
                  const WriteOptions& options);

}  // namespace gpuccl::io
