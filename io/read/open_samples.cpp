#include "io/read/open_samples.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/limits.hpp"
#include "io/image/source_part.hpp"
#include "io/read/allowed_formats.hpp"
#include "io/read/open_file.hpp"
#include "io/read/stack_source.hpp"
#include "io/zarr/ome_image.hpp"
#include "io/zarr/zarr_source.hpp"

namespace gpuccl::io {
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
