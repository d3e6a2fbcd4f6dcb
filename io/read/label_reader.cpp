#include "io/read/label_reader.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/number_text.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/label_image.hpp"
#include "io/image/limits.hpp"
#include "io/read/one_image.hpp"
#include "io/read/open_samples.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

/// The finalizer of SplitMix64: labels may have their bits anywhere.
std::size_t LabelNumbers::Mixed::operator()(std::uint64_t label) const noexcept {
  label = (label ^ (label >> 30)) * 0xbf58476d1ce4e5b9u;
  label = (label ^ (label >> 27)) * 0x94d049bb133111ebu;
  return label ^ (label >> 31);
}

void LabelNumbers::number_row(std::span<const std::uint64_t> labels, Label* numbers) {
  Recent& recent = recent_.local();
  std::uint64_t label = 0;
  Label number = 0;
  for (std::size_t x = 0; x < labels.size(); ++x) {
    if (labels[x] != label) {
      label = labels[x];
      number = number_of(label, recent);
    }
    numbers[x] = number;
  }
}

Label LabelNumbers::number_of(std::uint64_t label, Recent& recent) {
  if (label == 0) return 0;
  Numbered& last = recent[Mixed()(label) % kRecent];
  if (last.label != label) last = {label, look_up(label)};
  return last.number;
}

Label LabelNumbers::look_up(std::uint64_t label) {
  {
    const std::shared_lock reading(mutex_);
    const auto found = numbers_.find(label);
    if (found != numbers_.end()) return found->second;
  }
  const std::unique_lock writing(mutex_);
  const std::size_t most = std::min<std::size_t>(std::numeric_limits<Label>::max(),
                                                 static_cast<std::size_t>(max_bytes_ / kBytesOfLabel));
  const auto [place, is_new] = numbers_.try_emplace(label, static_cast<Label>(numbers_.size() + 1));
  if (is_new && numbers_.size() > most)
    throw Error(ErrorCode::memory,
                "more than " + std::to_string(most) + " different labels of 64 bits do not fit in memory");
  return place->second;
}

std::vector<std::uint64_t> LabelNumbers::sort(LabelImage& image) {
  std::vector<std::uint64_t> labels;
  labels.reserve(numbers_.size());
  for (const auto& [label, number] : numbers_) labels.push_back(label);
  std::sort(labels.begin(), labels.end());
  std::vector<Label> places(labels.size() + 1, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) places[numbers_[labels[i]]] = static_cast<Label>(i + 1);
  numbers_ = {};

  using Elements = oneapi::tbb::blocked_range<std::int64_t>;
  oneapi::tbb::parallel_for(Elements(0, image.extent().elements(), 1 << 16), [&](const Elements& elements) {
    for (std::int64_t i = elements.begin(); i < elements.end(); ++i)
      image.data()[i] = places[image.data()[i]];
  });
  image.set_count(static_cast<Label>(labels.size()));
  return labels;
}

namespace {

template <class Sample>
Label copy_samples(const std::byte* row, int width, Label* labels) {
  Label largest = 0;
  for (int x = 0; x < width; ++x) {
    Sample sample;
    std::memcpy(&sample, row + static_cast<std::size_t>(x) * sizeof(Sample), sizeof(Sample));
    labels[x] = sample;
    largest = std::max<Label>(largest, sample);
  }
  return largest;
}

constexpr double kLargestLabel = std::numeric_limits<Label>::max();

bool is_long(const SampleFormat& format) {
  return format.kind != SampleKind::floating && format.bits == 64 && !format.is_scaled();
}

/// Returns pixel x of a row of samples of 64 bits.
std::uint64_t long_sample(const SampleFormat& format, const std::byte* row, std::int64_t x) {
  std::uint64_t sample;
  std::memcpy(&sample, row + x * format.channels * static_cast<std::int64_t>(sizeof sample), sizeof sample);
  return sample;
}

bool is_negative(const SampleFormat& format, std::uint64_t sample) {
  return format.kind == SampleKind::signed_integer && static_cast<std::int64_t>(sample) < 0;
}

[[noreturn]] void refuse_value(const std::string& value) {
  throw Error(ErrorCode::data, "contains the value " + value + ", which is not a label");
}

[[noreturn]] void refuse_large(const std::string& value) {
  throw Error(ErrorCode::data,
              "contains the value " + value + ", above 4294967295; store larger labels as 64-bit integers");
}

[[noreturn]] void refuse_long(const SampleFormat& format, std::uint64_t sample) {
  if (is_negative(format, sample)) refuse_value(std::to_string(static_cast<std::int64_t>(sample)));
  refuse_large(std::to_string(sample));
}

/// Reads a row of values. NaN is background, and sets `any_nan`.
Label copy_values(const SampleFormat& format, const std::byte* row, int width, Label* labels,
                  std::atomic<bool>& any_nan) {
  std::array<double, 256> values;
  Label largest = 0;
  constexpr auto kBlock = static_cast<std::int64_t>(values.size());
  for (std::int64_t x = 0; x < width; x += kBlock) {  // the widest row ends in the block before 2^31
    const std::int64_t count = std::min(width - x, kBlock);
    to_values(format, true, row, x, count, values.data());
    for (std::int64_t i = 0; i < count; ++i) {
      double value = values[static_cast<std::size_t>(i)];
      if (std::isnan(value)) {
        any_nan = true;
        value = 0;
      }
      if (!(value >= 0 && value <= kLargestLabel) ||
          value != static_cast<double>(static_cast<Label>(value))) {
        if (is_long(format)) refuse_long(format, long_sample(format, row, x + i));
        if (value > kLargestLabel && std::isfinite(value)) refuse_large(shortest(value));
        refuse_value(shortest(value));
      }
      labels[x + i] = static_cast<Label>(value);
      largest = std::max(largest, labels[x + i]);
    }
  }
  return largest;
}

Label copy_row(const SampleFormat& format, const std::byte* row, int width, Label* labels,
               std::atomic<bool>& any_nan) {
  if (format.kind == SampleKind::unsigned_integer && format.channels == 1 && !format.is_scaled()) {
    if (format.bits == 8) return copy_samples<std::uint8_t>(row, width, labels);
    if (format.bits == 16) return copy_samples<std::uint16_t>(row, width, labels);
    if (format.bits == 32) return copy_samples<std::uint32_t>(row, width, labels);
  }
  return copy_values(format, row, width, labels, any_nan);
}

/// Returns the labels of a row of any type of samples.
std::vector<std::uint64_t> long_row(const SampleFormat& format, const std::byte* row, int width,
                                    std::atomic<bool>& any_nan) {
  if (!is_long(format)) {
    std::vector<Label> labels(static_cast<std::size_t>(width));
    copy_row(format, row, width, labels.data(), any_nan);
    return {labels.begin(), labels.end()};
  }
  std::vector<std::uint64_t> labels(static_cast<std::size_t>(width));
  for (int x = 0; x < width; ++x) {
    labels[static_cast<std::size_t>(x)] = long_sample(format, row, x);
    if (is_negative(format, labels[static_cast<std::size_t>(x)]))
      refuse_long(format, labels[static_cast<std::size_t>(x)]);
  }
  return labels;
}

bool has_long(const SampleSource& source) {
  for (int z = 0; z < source.info().extent.depth; ++z)
    if (is_long(source.format(z))) return true;
  return false;
}

/// Reads all labels, as read_labels().
LabelImage read_all(const SampleSource& source, std::int64_t memory, std::vector<std::uint64_t>* long_labels,
                    std::atomic<bool>& any_nan) {
  const Extent& extent = source.info().extent;
  if (colors_of(source.format(0).photometric) > 1)
    refuse_colors(
        source.format(0).photometric,
        "labels are values of one channel; 'gpuccl measure FILE --channel N -o labels.tif' saves one");
  // The labels, the buffers of the decoder, and a row of each of two images that are compared.
  const double bytes = (static_cast<double>(extent.elements()) + 2.0 * extent.width) * sizeof(Label) +
                       static_cast<double>(source.buffer_bytes() + source.held_bytes());
  if (bytes > static_cast<double>(memory))
    throw Error(ErrorCode::memory, "labels of " + to_string(extent) + " pixels do not fit in memory");

  LabelImage image(extent, 0);
  std::optional<LabelNumbers> numbers;
  if (long_labels != nullptr && has_long(source)) numbers.emplace(memory - static_cast<std::int64_t>(bytes));
  oneapi::tbb::enumerable_thread_specific<Label> largest(0);
  for_each_group(source, 0, extent.depth, source.buffer_bytes(), memory, [&](int begin, int end) {
    source.decode_group(begin, end, [&](int z, const SampleRows& rows) {
      Label& most = largest.local();
      for (int i = 0; i < rows.count; ++i) {
        Label* to = image.data() + (static_cast<std::int64_t>(z) * extent.height + rows.y + i) * extent.width;
        const std::byte* from = rows.data + static_cast<std::size_t>(i) * rows.pitch;
        if (numbers)
          numbers->number_row(long_row(rows.format, from, extent.width, any_nan), to);
        else
          most = std::max(most, copy_row(rows.format, from, extent.width, to, any_nan));
      }
    });
  });
  if (numbers)
    *long_labels = numbers->sort(image);
  else
    image.set_count(largest.combine([](Label a, Label b) { return std::max(a, b); }));
  return image;
}

}  // namespace

LabelImage read_labels(const std::string& path, std::vector<std::uint64_t>* long_labels, const Limits& limits,
                       ImageInfo* info, const std::function<void(const std::string&)>& warn) {
  if (long_labels != nullptr) long_labels->clear();
  ReadOptions options;
  options.limits = limits;
  options.limits.memory = memory_limit(limits);
  try {
    const auto source = open_one_image(
        "save the one with labels as a separate file, or label an image with 'gpuccl label --threshold otsu "
        "--view PAGE.html'",
        [&] { return open_file(path, options); });
    if (info != nullptr) *info = source->info();
    std::atomic<bool> any_nan = false;
    LabelImage labels = read_all(*source, options.limits.memory, long_labels, any_nan);
    if (any_nan && warn) warn(kHintOfNan);
    return labels;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory, "not enough memory to read it");
  }
}

std::string fingerprint_of_labels(const std::string& path, const Limits& limits) {
  constexpr std::int64_t kAtOnce = std::int64_t{1} << 22;  // elements
  ReadOptions options;
  options.limits = limits;
  options.limits.memory = memory_limit(limits);
  options.in_parts = true;
  const std::unique_ptr<Reader> reader = open_reader(path, options);
  const Extent extent = reader->info().extent;
  const ValueType type = reader->value_type();
  ContentHash hash;
  const auto add = [&](const ValueImage& image, std::int64_t first_row) {
    for (std::int64_t row = 0; row < image.extent().rows(); ++row)
      hash.add(type, first_row + row, image.row(row));
  };
  const std::int64_t of_slice = std::int64_t{extent.width} * extent.height;
  if (of_slice <= 4 * kAtOnce) {
    const auto step = static_cast<int>(std::max<std::int64_t>(1, kAtOnce / of_slice));
    for (int z = 0; z < extent.depth; z += std::min(step, extent.depth - z))
      add(reader->read_values(z, z + std::min(step, extent.depth - z), 0), std::int64_t{z} * extent.height);
  } else {
    const auto step = static_cast<int>(std::max<std::int64_t>(1, kAtOnce / extent.width));
    for (int z = 0; z < extent.depth; ++z)
      for (int y = 0; y < extent.height; y += std::min(step, extent.height - y))
        add(reader->read_value_rows(z, y, y + std::min(step, extent.height - y), 0),
            std::int64_t{z} * extent.height + y);
  }
  return hash.text(extent);
}

}  // namespace gpuccl::io
