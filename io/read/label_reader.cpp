#include "io/read/label_reader.hpp"

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

#include "gpuccl/error.hpp"
#include "io/files/number_text.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/limits.hpp"
#include "io/read/one_image.hpp"
#include "io/read/open_file.hpp"

namespace gpuccl::io {
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

[[noreturn]] void refuse_value(double value) {
  throw Error(Failure::data, "holds the value " + shortest(value) + ", which is no label");
}

Label copy_values(const SampleFormat& format, const std::byte* row, int width, Label* labels) {
  constexpr double kLargest = std::numeric_limits<Label>::max();
  std::array<double, 256> values;
  Label largest = 0;
  constexpr auto kBlock = static_cast<std::int64_t>(values.size());
  for (std::int64_t x = 0; x < width; x += kBlock) {  // the widest row ends in the block before 2^31
    const std::int64_t count = std::min(width - x, kBlock);
    to_values(format, true, row, x, count, values.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const double value = values[static_cast<std::size_t>(i)];
      if (!(value >= 0 && value <= kLargest) || value != static_cast<double>(static_cast<Label>(value)))
        refuse_value(value);
      labels[x + i] = static_cast<Label>(value);
      largest = std::max(largest, labels[x + i]);
    }
  }
  return largest;
}

Label copy_row(const SampleFormat& format, const std::byte* row, int width, Label* labels) {
  if (format.kind == SampleKind::unsigned_integer && format.channels == 1 && !format.is_scaled()) {
    if (format.bits == 8) return copy_samples<std::uint8_t>(row, width, labels);
    if (format.bits == 16) return copy_samples<std::uint16_t>(row, width, labels);
    if (format.bits == 32) return copy_samples<std::uint32_t>(row, width, labels);
  }
  return copy_values(format, row, width, labels);
}

LabelImage read_all(const SampleSource& source, std::int64_t memory) {
  const Extent& extent = source.info().extent;
  if (colors_of(source.format(0).photometric) > 1)
    throw Error(Failure::data, "a colour image holds no labels");
  // Beside the labels, what decodes them, and a row of each image that it is compared by.
  if ((static_cast<double>(extent.elements()) + 2.0 * extent.width) * sizeof(Label) +
          static_cast<double>(source.buffer_bytes() + source.held_bytes()) >
      static_cast<double>(memory))
    throw Error(Failure::memory, "labels of " + to_string(extent) + " elements do not fit in memory");

  LabelImage image(extent, 0);
  oneapi::tbb::enumerable_thread_specific<Label> largest(0);
  for_each_group(source, 0, extent.depth, source.buffer_bytes(), memory, [&](int begin, int end) {
    source.decode_group(begin, end, [&](int z, const SampleRows& rows) {
      Label& most = largest.local();
      for (int i = 0; i < rows.count; ++i) {
        Label* to = image.data() + (static_cast<std::int64_t>(z) * extent.height + rows.y + i) * extent.width;
        most = std::max(most, copy_row(rows.format, rows.data + static_cast<std::size_t>(i) * rows.pitch,
                                       extent.width, to));
      }
    });
  });
  image.set_count(largest.combine([](Label a, Label b) { return std::max(a, b); }));
  return image;
}

}  // namespace

LabelImage read_labels(const std::string& path, const Limits& limits, ImageInfo* info) {
  ReadOptions options;
  options.limits = limits;
  options.limits.memory = memory_limit(limits);
  try {
    const auto source = open_one_image("labels are those of one, saved as a file of its own",
                                       [&] { return open_file(path, options); });
    if (info != nullptr) *info = source->info();
    return read_all(*source, options.limits.memory);
  } catch (const std::bad_alloc&) {
    throw Error(Failure::memory, "not enough memory to read it");
  }
}

}  // namespace gpuccl::io
