#include "io/read/open_samples.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/bmp/bmp.hpp"
#include "io/files/file_error.hpp"
#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/jpeg/jpeg.hpp"
#include "io/metaimage/metaimage.hpp"
#include "io/mgh/mgh.hpp"
#include "io/nifti/nifti.hpp"
#include "io/npy/npy.hpp"
#include "io/nrrd/nrrd.hpp"
#include "io/png/png.hpp"
#include "io/pnm/pnm.hpp"
#include "io/read/formats.hpp"
#include "io/read/input_files.hpp"
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

namespace {

/// Slices are opened one by one when they are decoded, so that a stack of thousands holds no files open.
class StackSource final : public SampleSource {
 public:
  StackSource(const std::string& folder, const ReadOptions& options)
      : folder_(folder), names_(slice_names(folder, options.warn, options.limits.follow)), options_(options) {
    const std::filesystem::path list = std::filesystem::path(folder) / kSliceList;
    std::error_code none;
    if (const auto bytes = std::filesystem::file_size(list, none); options.opened && !none)
      options.opened->add(list.string(), bytes);
    options_.planes.pages.reset();  // of the stack, not of its files
    if (static_cast<std::int64_t>(names_.size()) > options.limits.max_pages)
      throw Error(Failure::data,
                  fmt::format("contains more slices than --max-pages {}", options.limits.max_pages));
    for (const std::string& name : names_) check_slice(name);
    info_.format = "stack";
    info_.extent.depth = static_cast<int>(names_.size());
    check_memory(info_.extent, 0, options);
    options_.warn = nullptr;  // warnings were passed on when the headers were read
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return format_; }
  std::int64_t buffer_bytes() const override { return buffer_bytes_; }

  void decode(int z, const Sink& sink) const override {
    with_slice(z, [&](const SampleSource& slice) { slice.decode(0, sink); });
  }
  void decode_from_top(int z, const Sink& sink) const override {
    with_slice(z, [&](const SampleSource& slice) { slice.decode_from_top(0, sink); });
  }

 private:
  template <class Work>
  void with_slice(int z, Work work) const {
    const std::string& name = names_[static_cast<std::size_t>(z)];
    try {
      const std::unique_ptr<SampleSource> slice = open_slice(name);
      compare(*slice);
      work(*slice);
    } catch (const Error& error) {
      fail(name, error);
    }
  }

  std::unique_ptr<SampleSource> open_slice(const std::string& name) const {
    return open_file((std::filesystem::path(folder_) / name).string(), options_);
  }

  [[noreturn]] static void fail(const std::string& name, const Error& error) {
    throw Error(error.failure(), reason_about("slice " + name, error.what()));
  }

  void check_slice(const std::string& name) {
    try {
      const std::unique_ptr<SampleSource> slice = open_slice(name);
      if (&name == &names_.front()) {
        info_ = slice->info();
        format_ = slice->format(0);
      }
      compare(*slice);
      buffer_bytes_ = std::max(buffer_bytes_, slice->buffer_bytes() + slice->held_bytes());
    } catch (const Error& error) {
      fail(name, error);
    }
  }

  void compare(const SampleSource& slice) const {
    Extent first = info_.extent;
    first.depth = 1;
    const Extent& extent = slice.info().extent;
    if (extent.depth > 1) throw Error(Failure::data, fmt::format("contains {} pages, not one", extent.depth));
    if (extent != first)
      throw Error(Failure::data,
                  "is " + to_string(extent) + " but " + names_.front() + " is " + to_string(first));
    const SampleFormat& format = slice.format(0);
    if (format.bits != format_.bits || format.kind != format_.kind || format.channels != format_.channels ||
        format.photometric != format_.photometric)
      throw Error(Failure::data,
                  "is " + describe(format) + " but " + names_.front() + " is " + describe(format_));
  }

  static std::string describe(const SampleFormat& format) {
    return fmt::format("{} with {} samples of {} bits per pixel", name_of(format.photometric),
                       format.channels, format.bits);
  }

  std::string folder_;
  std::vector<std::string> names_;
  ReadOptions options_;
  ImageInfo info_;
  SampleFormat format_;
  std::int64_t buffer_bytes_ = 0;
};

}  // namespace

std::unique_ptr<SampleSource> open_stack(const std::string& folder, const ReadOptions& options) {
  return std::make_unique<StackSource>(folder, options);
}

namespace {

/// Passes every line on once, from whatever thread.
std::function<void(const std::string&)> once_each(std::function<void(const std::string&)> warn) {
  if (!warn) return nullptr;
  struct Said {
    std::mutex mutex;
    std::set<std::string> lines;
  };
  return [warn = std::move(warn), said = std::make_shared<Said>()](const std::string& line) {
    const std::lock_guard lock(said->mutex);
    if (said->lines.insert(line).second) warn(line);
  };
}

OpenSamples open(const std::string& path, const ReadOptions& options) {
  if (options.stack) return {open_stack(path, options), 0, options.limits.memory};
  if (is_zarr(path)) {
    check_format("zarr", path, options.limits);
    return {open_zarr(path, options), 0, options.limits.memory};
  }
  const std::shared_ptr<const InputFile> file = open_input(path, options);
  return {open_file(file, options), file->held_bytes(), options.limits.memory};
}

}  // namespace

OpenSamples open_samples(const std::string& path, const ReadOptions& asked) {
  if (asked.stack && path == "-")
    throw Error(Failure::usage, "a stack is a folder and cannot come from stdin");

  ReadOptions options = asked;
  constexpr std::int64_t kLargestAxis = std::numeric_limits<int>::max();
  constexpr std::int64_t kMostPixels = std::int64_t{1}
                                       << 40;  // times the bytes of a pixel this is below 2^63
  options.limits.max_pixels = std::min(asked.limits.max_pixels, kMostPixels);
  options.limits.max_dim = std::min(asked.limits.max_dim, kLargestAxis);
  options.limits.max_pages = std::min(asked.limits.max_pages, kLargestAxis);
  options.limits.memory = memory_limit(asked.limits);
  options.warn = once_each(asked.warn);
  try {
    OpenSamples opened = open(path, options);
    SampleSource& source = *opened.source;
    const bool has_threshold = options.foreground.threshold || options.foreground.otsu;
    if (source.format(0).photometric == Photometric::palette && has_threshold && options.warn &&
        options.palette == PaletteUse::automatic)
      options.warn(
          "has a palette, and the threshold is for the luma of its colors; --palette index sets it for "
          "the samples");
    if (options.planes.pages && source.info().format != "tiff")
      opened.source = open_slices(std::move(opened.source), *options.planes.pages);
    return opened;
  } catch (const std::bad_alloc&) {
    throw Error(Failure::memory, "not enough memory to read it");
  }
}

}  // namespace gpuccl::io
