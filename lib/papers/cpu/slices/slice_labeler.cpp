#include "papers/cpu/slices/slice_labeler.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "cpu/algorithms.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cpu {

/// Returns area, bounding box and sums of coordinates of each component of a label image.
Components measure(const LabelImage& labels);

namespace {

/// Adds pixels [begin, end) of a row to component i. A slice has fewer than 2^32 pixels, so sums stay below
/// 2^64.
void add_span(Components& components, std::size_t i, int begin, int end, int y, int z) {
  const std::uint64_t length = static_cast<std::uint64_t>(end - begin);
  const std::uint64_t ends = static_cast<std::uint64_t>(begin) + static_cast<std::uint64_t>(end) - 1;
  components.area[i] += length;
  components.sum[i][0] += length * ends / 2;
  components.sum[i][1] += length * static_cast<std::uint64_t>(y);
  components.sum[i][2] += length * static_cast<std::uint64_t>(z);

  Box& box = components.box[i];
  box.min = {std::min(box.min[0], begin), std::min(box.min[1], y), std::min(box.min[2], z)};
  box.max = {std::max(box.max[0], end - 1), std::max(box.max[1], y), std::max(box.max[2], z)};
}

}  // namespace

Components measure(const LabelImage& labels) {
  const Extent extent = labels.extent();
  Components components;
  components.area.resize(labels.count(), 0);
  components.box.resize(labels.count(), Component{}.box);
  components.sum.resize(labels.count(), {});

  const Label* row = labels.data();
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y, row += extent.width)
      for (int begin = 0, end; begin < extent.width; begin = end) {
        for (end = begin + 1; end < extent.width && row[end] == row[begin];) ++end;
        if (row[begin] != 0) add_span(components, row[begin] - 1, begin, end, y, z);
      }
  return components;
}

namespace {

std::int64_t framed_size(Extent extent) {
  return (std::int64_t{extent.width} + 2) * (std::int64_t{extent.height} + 3);
}

void check_size(Extent extent) {
  if (framed_size(extent) > std::int64_t{std::numeric_limits<Index>::max()})
    throw Error(ErrorCode::data, "too many pixels for this algorithm, which counts them in 32 bits");
}

using EightPixels = std::uint64_t;

/// Returns one byte per bit, lowest bit first.
EightPixels unpack(std::uint32_t bits) {
  const EightPixels one_bit_each = (bits & 0xffu) * 0x0101010101010101u & 0x8040201008040201u;
  return (one_bit_each + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
}

/// Expands rows from first to last. The last pixels of a row are written eight at a time, which may write
/// background to the frame and the next row.
void unpack(const Slice& slice, Pixel* pixels) {
  for (int y = 0; y < slice.height; ++y) {
    const std::uint32_t* const words = slice.bits + y * slice.bits_pitch;
    Pixel* const row = pixels + slice.index(0, y);
    for (int x = 0; x < slice.width; x += static_cast<int>(sizeof(EightPixels))) {
      const EightPixels eight = unpack(words[x / 32] >> (x % 32));
      std::memcpy(row + x, &eight, sizeof eight);
    }
  }
}

/// Returns a label image whose memory has been touched, so no phase of an algorithm waits for page faults.
std::unique_ptr<LabelImage> touched_image(Extent extent) {
  constexpr std::int64_t kPage = 4096 / sizeof(Label);
  auto labels = std::make_unique<LabelImage>(extent, 0);
  for (std::int64_t i = 0; i < extent.elements(); i += kPage) labels->data()[i] = 0;
  return labels;
}

}  // namespace

std::int64_t slice_table_bytes(Connectivity, Extent extent) {
  constexpr std::int64_t kOfSlice = sizeof(Pixel) + 2 * sizeof(Label);  // two label images or two tables
  return kOfSlice * framed_size(extent) + std::int64_t{sizeof(Label)} * extent.elements();
}

Label next_number(Label count) {
  if (count == std::numeric_limits<Label>::max())
    throw Error(ErrorCode::data, "more than 4294967295 components");
  return count + 1;
}

Labeling SliceLabeler::label(BitView image) {
  check(image);
  const Extent extent = image.extent;
  check_size(extent);

  Slice slice{extent.width, extent.height};
  if (framed_.width != slice.width || framed_.height != slice.height) {
    pixels_.assign(slice.size() + sizeof(EightPixels), 0);
    framed_ = slice;
  }
  slice.image = pixels_.data();
  slice.bits_pitch = image.row_pitch;

  Labeling result;
  std::unique_ptr<LabelImage> labels;
  result.allocate_ms = milliseconds([&] { labels = touched_image(extent); });
  PhaseClock clock{result.phases};
  Label count = 0;
  for (int z = 0; z < extent.depth; ++z) {
    slice.bits = image.row(0, z);
    slice.labels = labels->data() + std::int64_t{z} * extent.height * extent.width;
    clock("Unpack", [&] { unpack(slice, pixels_.data()); });
    count = label_slice(slice, count, clock);
  }
  labels->set_count(count);
  result.statistics_ms = milliseconds([&] { result.components = measure(*labels); });
  result.labels = std::move(labels);
  return result;
}

}  // namespace gpuccl::cpu
