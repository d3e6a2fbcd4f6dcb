#include "cpu/slices/slice_labeler.hpp"

#include <algorithm>
#include <limits>

#include "cpu/algorithms.hpp"
#include "cpu/slices/measure.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl::cpu {
namespace {

void check_size(Extent extent) {
  const std::int64_t framed = (std::int64_t{extent.width} + 2) * (std::int64_t{extent.height} + 2);
  if (framed > std::int64_t{std::numeric_limits<Index>::max()})
    throw Error(Failure::data, "too many pixels for this algorithm, which counts them in 32 bits");
}

}  // namespace

std::int64_t slice_table_bytes(Connectivity, Extent extent) {
  constexpr std::int64_t kOfSlice =
      sizeof(Pixel) + 3 * sizeof(Label);  // labels, numbers, equivalences or other labels
  const std::int64_t framed = (std::int64_t{extent.width} + 2) * (std::int64_t{extent.height} + 2);
  return kOfSlice * framed + std::int64_t{sizeof(Label)} * extent.elements();
}

Labeled SliceLabeler::label(BitView image) {
  check(image);
  const Extent extent = image.extent;
  check_size(extent);

  Slice slice{extent.width, extent.height};
  pixels_.assign(slice.size(), 0);
  labels_.assign(slice.size(), 0);
  slice.image = pixels_.data();
  slice.labels = labels_.data();

  Labeled result;
  auto labels = std::make_unique<LabelImage>(extent, 0);
  PhaseClock clock{result.phases};
  Label count = 0;
  for (int z = 0; z < extent.depth; ++z) {
    clock("Unpack", [&] { unpack(image, z); });
    label_slice(slice, clock);
    clock("Renumber",
          [&] { renumber(slice, labels->data() + std::int64_t{z} * extent.height * extent.width, count); });
  }
  labels->set_count(count);
  result.statistics_ms = milliseconds([&] { result.components = measure(*labels); });
  result.labels = std::move(labels);
  return result;
}

void SliceLabeler::unpack(BitView image, int z) {
  const Slice slice{image.extent.width, image.extent.height};
  for (int y = 0; y < slice.height; ++y) {
    const std::uint32_t* const words = image.row(y, z);
    Pixel* const row = pixels_.data() + slice.index(0, y);
    for (int x = 0; x < slice.width; ++x) row[x] = static_cast<Pixel>(words[x / 32] >> (x % 32) & 1u);
  }
}

void SliceLabeler::renumber(const Slice& slice, Label* out, Label& count) {
  numbers_.assign(slice.size(), 0);
  for (int y = 0; y < slice.height; ++y) {
    const Label* const row = slice.labels + slice.index(0, y);
    for (int x = 0; x < slice.width; ++x, ++out) {
      const Label label = row[x];
      if (label != 0 && numbers_[label] == 0) {
        if (count == ~Label{0}) throw Error(Failure::data, "more than 4294967295 components");
        numbers_[label] = ++count;
      }
      *out = numbers_[label];
    }
  }
}

}  // namespace gpuccl::cpu
