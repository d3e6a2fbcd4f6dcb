#include "io/read/open_file.hpp"

#include "gpuccl/types.hpp"
#include "io/bmp/bmp.hpp"
#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/image/channel_source.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/image/source_part.hpp"
#include "io/jpeg/jpeg.hpp"
#include "io/metaimage/metaimage.hpp"
#include "io/mgh/mgh.hpp"
#include "io/nifti/nifti.hpp"
#include "io/npy/npy.hpp"
#include "io/nrrd/nrrd.hpp"
#include "io/png/png.hpp"
#include "io/pnm/pnm.hpp"
#include "io/read/formats.hpp"
#include "io/read/unknown_format.hpp"
#include "io/tiff/tiff.hpp"
#include "io/zarr/ome_image.hpp"
#include "io/zarr/zarr.hpp"

namespace gpuccl::io {

namespace {

std::unique_ptr<SampleSource> open_all(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  // Checks that a format is allowed before its loader reads more than the first bytes.
  const auto is_allowed = [&, path = file->path()](bool found, const char* format) {
    if (found) check_format(format, path, options.limits);
    return found;
  };
  if (is_allowed(is_png(*file), "png")) return open_png(std::move(file), options);
  if (is_allowed(is_npy(*file), "npy")) return open_npy(std::move(file), options);
  if (is_allowed(is_jpeg(*file), "jpeg")) return open_jpeg(std::move(file), options);
  if (is_allowed(is_pnm(*file), "pnm")) return open_pnm(std::move(file), options);
  if (is_allowed(is_bmp(*file), "bmp")) return open_bmp(std::move(file), options);
  if (is_allowed(is_nifti(*file), "nifti")) return open_nifti(std::move(file), options);
  if (is_allowed(is_nrrd(*file), "nrrd")) return open_nrrd(std::move(file), options);
  if (is_allowed(is_metaimage(*file), "metaimage")) return open_metaimage(std::move(file), options);
  if (is_gzip(*file)) {
    auto contents = std::make_shared<GunzippedFile>(file);
    if (is_allowed(is_nifti(*contents), "nifti")) return open_nifti(*file, std::move(contents), options);
    if (is_allowed(is_mgh(*contents), "mgh")) return open_mgh(std::move(contents), options);
  }
  // Last, because it has no magic number.
  if (is_allowed(is_mgh(*file), "mgh")) return open_mgh(std::move(file), options);
  throw unknown_format(*file);
}

}  // namespace

std::unique_ptr<SampleSource> open_file(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  if (is_hdf5(*file)) {
    check_format("hdf5", file->path(), options.limits);
    return open_hdf5(std::move(file), options);
  }
  if (!file->inside().empty())
    throw Error(Failure::data, "is not an HDF5 file, in which '" + file->inside() + "' would be a dataset");
  if (is_tiff(*file)) {
    check_format("tiff", file->path(), options.limits);
    return open_tiff(std::move(file), options);
  }
  if (options.planes.series.value_or(0) > 0)
    throw Error(Failure::data, "contains one image; --series is for a TIFF with several");
  if (options.planes.frame.value_or(0) > 0 &&
      (is_png(*file) || is_npy(*file) || is_jpeg(*file) || is_pnm(*file) || is_bmp(*file)))
    throw NoSuchPlane(1, "--frame", "contains one image; --frame is for several");
  std::unique_ptr<SampleSource> source = open_all(std::move(file), options);
  if (options.palette == PaletteUse::index && source->format(0).photometric == Photometric::palette)
    source = open_indices(std::move(source));
  return options.planes.channel ? open_channel(std::move(source), *options.planes.channel)
                                : std::move(source);
}

std::shared_ptr<const InputFile> open_input(const std::string& path, const ReadOptions& options) {
  auto file = std::make_shared<const InputFile>(path, memory_limit(options.limits));
  if (options.opened) options.opened->add(split_input(path).file, file->size());
  return file;
}

std::unique_ptr<SampleSource> open_file(const std::string& path, const ReadOptions& options) {
  if (is_zarr(path)) check_format("zarr", path, options.limits);
  if (is_zarr(path)) return open_zarr(path, options);
  return open_file(open_input(path, options), options);
}

}  // namespace gpuccl::io
