#include "io/read/intensity_reader.hpp"

#include <fmt/core.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/number_text.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/formats.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/read/open_samples.hpp"

namespace gpuccl::io {
namespace {

void require_one_channel(const SampleFormat& format) {
  const bool is_gray =
      format.photometric == Photometric::min_is_black || format.photometric == Photometric::min_is_white;
  if (format.photometric == Photometric::palette)
    throw Error(ErrorCode::data, "has a palette of colors; --palette index measures its indices");
  if (!is_gray)
    refuse_colors(format.photometric, "intensities need one channel; select one with --intensity-channel N");
}

IntensityImage::Kind kind_of(const SampleFormat& format) {
  if (format.kind == SampleKind::floating || !format.missing.empty()) return IntensityImage::Kind::real;
  if (format.is_scaled() && !format.has_narrow_integers()) return IntensityImage::Kind::real;
  return format.bits <= 32 ? IntensityImage::Kind::whole : IntensityImage::Kind::long_whole;
}

/// Returns the range of values of integers of at most 16 bits.
IntensityImage::Values values_of(const SampleFormat& format) {
  if (kind_of(format) != IntensityImage::Kind::whole || format.bits > 16) return {};
  const std::int32_t count = 1 << format.bits;
  const std::int32_t least = format.kind == SampleKind::signed_integer ? -count / 2 : 0;
  return {least + static_cast<std::int32_t>(format.intercept), count};
}

void to_doubles(const SampleFormat& format, const std::byte* row, std::span<double> samples) {
  to_values(format, true, row, 0, std::ssize(samples), samples.data());
}

/// The samples of a row of integers, as stored.
void to_whole_numbers(const SampleFormat& format, const std::byte* row, std::span<WholeNumber> samples) {
  if (format.bits < 64) {
    std::vector<double> values(samples.size());
    to_doubles(format, row, values);
    std::transform(values.begin(), values.end(), samples.begin(),
                   [](double value) { return static_cast<WholeNumber>(value); });
    return;
  }
  const bool is_signed = format.kind == SampleKind::signed_integer;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, row + i * static_cast<std::size_t>(format.channels) * sizeof bits, sizeof bits);
    samples[i] = is_signed ? WholeNumber{static_cast<std::int64_t>(bits)} : WholeNumber{bits};
  }
}

}  // namespace

IntensityReader::IntensityReader(const Source& source, const ReadOptions& requested) : path_(source) {
  ReadOptions options = requested;
  options.pages_apart = false;
  options.any_order = true;
  OpenSamples opened = open_samples(source, options);
  source_ = std::move(opened.source);
  info_ = source_->info();
  info_.value_rule = value_rule(source_->format(0));
  held_bytes_ = opened.held_bytes + source_->held_bytes();
  memory_ = opened.memory;

  const SampleFormat& first = source_->format(0);
  kind_ = kind_of(first);
  values_ = values_of(first);
  for (int z = 0; z < extent().depth; ++z) {
    const SampleFormat& format = source_->format(z);
    require_one_channel(format);
    kind_ = std::max(kind_, kind_of(format));  // the most general kind
    if (format.bits != first.bits || format.kind != first.kind || format.intercept != first.intercept ||
        kind_ != Kind::whole)
      values_ = {};
  }
  slice_bytes_ = first.row_bytes(extent().width) * extent().height;
  most_ahead_ = slices_ahead();
  held_bytes_ += most_ahead_ * slice_bytes_;
}

namespace {

using PlaneAxis = std::optional<int> PlaneChoice::*;

/// Returns the number of images that a file claims along an axis of this name. `is_named`: whether it has an
/// axis of time, if not null.
std::int64_t claimed_images(const Source& source, ReadOptions options, PlaneAxis axis,
                            const std::string& name, bool* is_named = nullptr) {
  options.planes.*axis = std::numeric_limits<int>::max();  // that no image has
  try {
    open_samples(source, options);
  } catch (const NoSuchPlane& no_such) {
    if (is_named != nullptr) *is_named = no_such.is_named();
    if (no_such.axis() == name) return no_such.size();
    throw;
  }
  throw Error(ErrorCode::internal, "has an image of every number");
}

/// Returns the number of images in a file along an axis. Checks the claim before a caller makes anything for
/// each image: against the limits, and by opening the last image. Throws Error (data, memory).
int count_images(const Source& source, ReadOptions options, PlaneAxis axis, const std::string& name,
                 bool* is_named = nullptr) {
  constexpr std::int64_t kBytesOfImage = 2048;  // names of inputs and outputs, and an outcome
  options.in_parts = true;
  const std::int64_t count = claimed_images(source, options, axis, name, is_named);
  const std::int64_t most = std::min<std::int64_t>(options.limits.max_pages, std::numeric_limits<int>::max());
  if (count > most)
    throw Error(ErrorCode::data, fmt::format("contains {} images for {}{}, more than --max-pages {}", count,
                                             options.planes.options.prefix, name, most));
  options.planes.*axis = static_cast<int>(count - 1);
  options.warn = nullptr;
  if (count > 1) open_samples(source, options);
  const std::int64_t memory = memory_limit(options.limits);
  if (count > memory / kBytesOfImage)
    throw Error(ErrorCode::memory,
                fmt::format("needs {} of memory for {} images, the limit is {}; increase --memory",
                            bytes_in_words(static_cast<double>(count * kBytesOfImage)), count,
                            bytes_in_words(static_cast<double>(memory))));
  return static_cast<int>(count);
}

}  // namespace

std::vector<std::string> channel_names(const Source& source, ReadOptions options) {
  if (source.is_folder)
    throw Error(ErrorCode::data,
                "is a stack of slices, whose channels are not counted; name them with "
                "--intensity-channel");
  std::vector<std::string> names;
  options.planes.channels_found = &names;
  names.resize(static_cast<std::size_t>(count_images(source, options, &PlaneChoice::channel, "channel")));
  return names;
}

bool has_one_channel(const Source& source, ReadOptions options) {
  options.warn = nullptr;
  try {
    return claimed_images(source, options, &PlaneChoice::channel, "channel") == 1;
  } catch (const Error&) {  // the number is not known; the chosen channel has been opened
    return false;
  }
}

int count_frames(const Source& source, const ReadOptions& options, const std::string& option) {
  bool is_named = false;
  const int count = source.is_folder  // a stack
                        ? 1
                        : count_images(source, options, &PlaneChoice::frame, "frame", &is_named);
  if (count == 1 && !is_named)
    throw Error(
        ErrorCode::data,
        "contains one time point; " + option +
            " is for several; save its pages with a time axis, or each time point as "
            "a file in a folder" +
            (options.pages_apart || !options.planes.options.per_slice ? "" : ", or use --per-slice instead"));
  return count;
}

PlaneChoice follow_planes(const Source& source, const ReadOptions& requested, const PlaneChoice& followed) {
  ReadOptions options = requested;
  PlaneChoice& planes = options.planes;
  if (!(followed.series || followed.frame) || planes.pages || source.is_stream || source.is_folder)
    return planes;
  if (!planes.channel && planes.channel_name.empty()) planes.channel = 0;
  options.warn = nullptr;
  const auto follow = [&](PlaneAxis axis, const char* name) {
    try {
      if (!(planes.*axis) && followed.*axis && claimed_images(source, options, axis, name) > 1)
        planes.*axis = followed.*axis;
    } catch (const Error&) {  // whoever opens the image reports what is wrong with it
    }
  };
  follow(&PlaneChoice::series, "series");
  follow(&PlaneChoice::frame, "frame");
  planes.channel = requested.planes.channel;
  return planes;
}

std::int64_t IntensityReader::buffer_bytes() const {
  const std::size_t of_sample = sizeof(double) + (kind_ == Kind::long_whole ? sizeof(WholeNumber) : 0);
  return source_->buffer_bytes() + static_cast<std::int64_t>(of_sample) * extent().width;
}

/// Returns how many slices are decoded together: groups for all threads, or what fits; 0 for single slices.
int IntensityReader::slices_ahead() const {
  constexpr std::int64_t kShare = 64;  // of the memory: there are several images
  const std::int64_t group = source_->group_depth();
  if (group == 1) return 0;
  const std::int64_t usual = 4 * oneapi::tbb::this_task_arena::max_concurrency();
  const std::int64_t most = memory_ / kShare / std::max<std::int64_t>(1, slice_bytes_);
  const std::int64_t groups = std::min((usual + group - 1) / group, most / group);
  return static_cast<int>(std::min<std::int64_t>(groups > 0 ? groups * group : most, extent().depth));
}

void IntensityReader::load(int z) const {
  begin_ = end_ = 0;
  const int end = std::min(extent().depth, z - z % most_ahead_ + most_ahead_);
  ahead_.resize(static_cast<std::size_t>((end - z) * slice_bytes_));
  with_path(path_, [&] {
    for_each_group(*source_, z, end, source_->buffer_bytes(), memory_, [&](int first, int last) {
      source_->decode_group(first, last, [&](int slice, const SampleRows& rows) {
        const std::int64_t bytes = rows.format.row_bytes(extent().width);
        std::byte* to = ahead_.data() + (slice - z) * slice_bytes_ + rows.y * bytes;
        for (int i = 0; i < rows.count; ++i, to += bytes)
          std::memcpy(to, rows.data + static_cast<std::size_t>(i) * rows.pitch,
                      static_cast<std::size_t>(bytes));
      });
    });
  });
  begin_ = z;
  end_ = end;
}

int IntensityReader::slices_at_once(int z) const {
  if (most_ahead_ > 0) {
    if (z < begin_ || z >= end_) load(z);
    return end_ - z;
  }
  if (source_->in_order()) return 1;
  const std::int64_t affordable = memory_ / 8 / std::max<std::int64_t>(1, buffer_bytes());
  return static_cast<int>(
      std::clamp<std::int64_t>(affordable, 1, 4 * oneapi::tbb::this_task_arena::max_concurrency()));
}

template <class Sample>
void IntensityReader::read_rows(int z, const std::function<void(int y, int rows, const Sample*)>& sink,
                                void (*convert)(const SampleFormat&, const std::byte*,
                                                std::span<Sample>)) const {
  with_path(path_, [&] {
    std::vector<Sample> samples(static_cast<std::size_t>(extent().width));
    const auto pass_on = [&](const SampleRows& rows) {
      for (int i = 0; i < rows.count; ++i) {
        convert(rows.format, rows.data + static_cast<std::size_t>(i) * rows.pitch, samples);
        sink(rows.y + i, 1, samples.data());
      }
    };
    if (z < begin_ || z >= end_) return source_->decode_from_top(z, pass_on);
    const int rows = extent().height;
    pass_on({source_->format(z), 0, rows, ahead_.data() + (z - begin_) * slice_bytes_,
             static_cast<std::size_t>(slice_bytes_ / std::max(1, rows))});
  });
}

void IntensityReader::read(int z, int, int, const Sink& sink) const { read_rows(z, sink, to_doubles); }
void IntensityReader::read_long(int z, int, int, const LongSink& sink) const {
  read_rows(z, sink, to_whole_numbers);
}

constexpr int kRowsAtOnce = 512;

/// Passes rows of bits on; the first is row y of its slice.
static void send_rows(BitView bits, int y, const IntensityImage::Sink& sink) {
  std::vector<double> samples(static_cast<std::size_t>(bits.extent.width));
  for (int i = 0; i < bits.extent.height; ++i) {
    for (int x = 0; x < bits.extent.width; ++x) samples[static_cast<std::size_t>(x)] = bits(x, i) ? 1 : 0;
    sink(y + i, 1, samples.data());
  }
}

MarkerImage::MarkerImage(const Source& source, const ReadOptions& options)
    : path_(source), reader_(open_reader(source, options)) {
  with_path(path_, [&] { reader_->find_threshold(); });
}

int MarkerImage::slices_ahead() const {
  constexpr std::int64_t kBitsAtOnce = std::int64_t{1} << 26;
  const Extent all = extent();
  const std::int64_t slice = std::max<std::int64_t>(1, std::int64_t{all.width} * all.height);
  return static_cast<int>(std::clamp<std::int64_t>(kBitsAtOnce / slice, 1, 64));
}

std::int64_t MarkerImage::buffer_bytes() const {
  Extent at_once = extent();
  at_once.depth = std::min(at_once.depth, slices_ahead());
  if (extent().depth == 1) at_once.height = std::min(at_once.height, kRowsAtOnce);
  constexpr std::int64_t kBits = 8;
  return reader_->buffer_bytes() + at_once.elements() / kBits +
         std::int64_t{at_once.width} * static_cast<std::int64_t>(sizeof(double));
}

void MarkerImage::read(int z, int, int, const Sink& sink) const {
  with_path(path_, [&] {
    const Extent all = extent();
    if (all.depth == 1) {
      for (int y = 0; y < all.height; y += kRowsAtOnce) {
        const int end = std::min(all.height, y + kRowsAtOnce);
        BitVolume rows({all.width, end - y, 1});
        reader_->read_rows(0, y, end, rows);
        send_rows(rows.view(), y, sink);
      }
      return;
    }
    if (z < begin_ || z >= end_) {
      begin_ = z;
      end_ = std::min(all.depth, z + slices_ahead());
      ahead_ = BitVolume({all.width, all.height, end_ - begin_});
      reader_->read(begin_, end_, ahead_);
    }
    send_rows(ahead_.view().slices(z - begin_, z - begin_ + 1), 0, sink);
  });
}

}  // namespace gpuccl::io
