#include "io/read/open_samples.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/image/formats.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/read/input_files.hpp"
#include "io/zarr/zarr.hpp"

namespace gpuccl::io {
namespace {

/// Returns null for a file of another format, or compressed by gzip.
const InputFormat* recognize(const InputFile& file) {
  const FileStart start(file);
  const auto is = [&](const InputFormat* format) {
    return start.is_of(*format) && (format->is == nullptr || format->is(file));
  };
  if (is(&kHdf5Format)) return &kHdf5Format;  // may follow the header of another format
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), is);
  return found == kFormats.end() ? nullptr : *found;
}

std::unique_ptr<SampleSource> open_gunzipped(const std::shared_ptr<const InputFile>& file,
                                             const ReadOptions& options) {
  auto contents = std::make_shared<GunzippedFile>(file);
  const FileStart start(*contents);
  for (const InputFormat* const format : kFormats)
    if (format->open_gunzipped != nullptr && start.is_of(*format) &&
        (format->is_gunzipped == nullptr || format->is_gunzipped(*contents))) {
      check_format(format->word, file->path(), options.limits);
      return format->open_gunzipped(*file, std::move(contents), options);
    }
  throw unknown_format(*file);
}

/// Refuses to select one of several series or time points in a file with one image.
void check_planes(const InputFormat* format, const PlaneChoice& planes) {
  check_one_series(planes);
  with_channel_number(planes, {});
  if (planes.frame.value_or(0) > 0 && format != nullptr && format->is_one_image)
    throw NoSuchPlane(1, "frame", "contains one image; " + planes.options.prefix + "frame is for several");
}

}  // namespace

std::string recognized_format(const InputFile& file) {
  const InputFormat* const format = recognize(file);
  return std::string(format == nullptr ? "" : format->word);
}

std::unique_ptr<SampleSource> open_file(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  const InputFormat* const format = recognize(*file);
  if (!file->inside().empty() && (format == nullptr || (format->word != "hdf5" && format->word != "zarr")))
    throw Error(ErrorCode::data, "is not an HDF5 file, in which '" + file->inside() + "' would be a dataset");
  const bool selects = format == nullptr ? is_gzip(*file) : format->selects_planes;
  if (!selects) check_planes(format, options.planes);
  if (format == nullptr && !is_gzip(*file)) throw unknown_format(*file);
  // Before the loader reads more than the first bytes.
  if (format != nullptr) check_format(format->word, file->path(), options.limits);
  std::unique_ptr<SampleSource> source =
      format == nullptr ? open_gunzipped(file, options) : format->open(std::move(file), options);
  if (selects) return source;
  if (options.palette == PaletteUse::index && source->format(0).photometric == Photometric::palette)
    source = open_indices(std::move(source));
  return options.planes.channel ? open_channel(std::move(source), *options.planes.channel)
                                : std::move(source);
}

namespace {

/// Opens a source that is not a stack.
OpenSamples open_image(const Source& source, const ReadOptions& options) {
  if (source.is_store) {
    check_format("zarr", source, options.limits);
    return {open_zarr(source, options), 0, options.limits.memory};
  }
  const auto file = std::make_shared<const InputFile>(source, memory_limit(options.limits));
  return {open_file(file, options), file->held_bytes(), options.limits.memory};
}

/// A folder of slices. Opens each slice while it is decoded, so a stack of thousands keeps no files open.
class StackSource final : public SampleSource {
 public:
  StackSource(const std::string& folder, const ReadOptions& options)
      : folder_(folder), names_(slice_names(folder, options.warn, options.limits.follow)), options_(options) {
    options_.planes.pages.reset();  // of the stack, not of its files
    options_.kept = nullptr;        // a stack of thousands keeps no files open
    if (static_cast<std::int64_t>(names_.size()) > options.limits.max_pages)
      throw Error(ErrorCode::data,
                  fmt::format("contains more slices than --max-pages {}", options.limits.max_pages));
    for (const std::string& name : names_) check_slice(name);
    info_.format = "stack";
    info_.extent.depth = static_cast<int>(names_.size());
    check_memory(info_.extent, 0, options);
    options_.warn = nullptr;  // warnings were passed on when the headers were read
  }

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
    return open_image((std::filesystem::path(folder_) / name).string(), options_).source;
  }

  [[noreturn]] static void fail(const std::string& name, const Error& error) {
    throw Error(error.code(), reason_about("slice " + name, error.what()));
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
    if (extent.depth > 1)
      throw Error(ErrorCode::data, fmt::format("contains {} pages, not one", extent.depth));
    if (extent != first)
      throw Error(ErrorCode::data,
                  "is " + to_string(extent) + " but " + names_.front() + " is " + to_string(first));
    const SampleFormat& format = slice.format(0);
    if (format.bits != format_.bits || format.kind != format_.kind || format.channels != format_.channels ||
        format.photometric != format_.photometric)
      throw Error(ErrorCode::data,
                  "is " + describe(format) + " but " + names_.front() + " is " + describe(format_));
  }

  static std::string describe(const SampleFormat& format) {
    return fmt::format("{} with {} samples of {} bits per pixel", name_of(format.photometric),
                       format.channels, format.bits);
  }

  std::string folder_;
  std::vector<std::string> names_;
  ReadOptions options_;
  std::int64_t buffer_bytes_ = 0;
};

/// Returns a function that passes each line on once. Thread-safe.
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

}  // namespace

OpenSamples open_samples(const Source& from, const ReadOptions& requested) {
  if (from.is_stack && from.path == "-")
    throw Error(ErrorCode::usage, "a stack is a folder and cannot come from stdin");

  ReadOptions options = requested;
  constexpr std::int64_t kLargestAxis = std::numeric_limits<int>::max();
  constexpr std::int64_t kMaxPixels = std::int64_t{1} << 40;  // times the bytes of a pixel this is below 2^63
  options.limits.max_pixels = std::min(requested.limits.max_pixels, kMaxPixels);
  options.limits.max_dim = std::min(requested.limits.max_dim, kLargestAxis);
  options.limits.max_pages = std::min(requested.limits.max_pages, kLargestAxis);
  options.limits.memory = memory_limit(requested.limits);
  options.warn = once_each(requested.warn);
  try {
    OpenSamples opened =
        !from.is_stack ? open_image(from, options)
                       : OpenSamples{std::make_unique<StackSource>(from, options), 0, options.limits.memory};
    SampleSource& source = *opened.source;
    const bool has_threshold = options.foreground.threshold || options.foreground.otsu;
    if (source.format(0).photometric == Photometric::palette && has_threshold && options.warn &&
        options.palette == PaletteUse::automatic)
      options.warn(
          "has a palette, and the threshold is for the luma of its colors; --palette index sets it for "
          "the samples");
    if (options.planes.pages && !has_pages(source.info().format))
      opened.source = open_slices(std::move(opened.source), *options.planes.pages, options.spacing);
    return opened;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory, "not enough memory to read it");
  }
}

}  // namespace gpuccl::io
