#include "io/read/intensity_reader.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "gpuccl/error.hpp"
#include "io/files/file_error.hpp"
#include "io/read/open_samples.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::io {
namespace {

void refuse_colours(const SampleFormat& format) {
  const bool is_gray =
      format.photometric == Photometric::min_is_black || format.photometric == Photometric::min_is_white;
  if (!is_gray)
    throw Error(Failure::data, std::string("has colours (") + name_of(format.photometric) +
                                   "); intensities are those of one channel, saved as gray");
}

bool is_whole(const SampleFormat& format) {
  return format.kind != SampleKind::floating && format.bits <= 32 && !format.is_scaled();
}

/// Of samples of at most 16 bits.
IntensityImage::Values values_of(const SampleFormat& format) {
  if (!is_whole(format) || format.bits > 16) return {};
  const std::int32_t count = 1 << format.bits;
  return {format.kind == SampleKind::signed_integer ? -count / 2 : 0, count};
}

}  // namespace

IntensityReader::IntensityReader(const std::string& path, const ReadOptions& asked) : path_(path) {
  ReadOptions options = asked;
  std::error_code none;
  options.stack = std::filesystem::is_directory(path, none) && !is_zarr(path);
  OpenSamples opened = open_samples(path, options);
  source_ = std::move(opened.source);
  held_bytes_ = opened.held_bytes + source_->held_bytes();
  memory_ = opened.memory;

  const SampleFormat& first = source_->format(0);
  is_whole_ = io::is_whole(first);
  values_ = values_of(first);
  for (int z = 0; z < extent().depth; ++z) {
    const SampleFormat& format = source_->format(z);
    refuse_colours(format);
    is_whole_ &= io::is_whole(format);
    if (format.bits != first.bits || format.kind != first.kind || !is_whole_) values_ = {};
  }
}

int IntensityReader::slices_at_once() const {
  if (source_->in_order()) return 1;
  const std::int64_t affordable = memory_ / 8 / std::max<std::int64_t>(1, source_->buffer_bytes());
  return static_cast<int>(
      std::clamp<std::int64_t>(affordable, 1, 4 * oneapi::tbb::this_task_arena::max_concurrency()));
}

void IntensityReader::read(int z, const Sink& sink) const {
  concerning(path_, [&] {
    const auto width = static_cast<std::size_t>(extent().width);
    std::vector<double> samples(width);
    source_->decode_from_top(z, [&](const SampleRows& rows) {
      for (int i = 0; i < rows.count; ++i) {
        to_values(rows.format, true, rows.data + static_cast<std::size_t>(i) * rows.pitch, 0,
                  static_cast<std::int64_t>(width), samples.data());
        sink(rows.y + i, 1, samples.data());
      }
    });
  });
}

}  // namespace gpuccl::io
