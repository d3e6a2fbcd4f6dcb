#include "io/parts/stretch.hpp"

#include <cstddef>
#include <string_view>

#include "gpuccl/parts.hpp"

namespace gpuccl::io {
namespace {

/// The first strip that begins at this row or after it.
std::int64_t strip_from(const StripLayout& layout, std::int64_t row) {
  const std::int64_t height = layout.extent.height;
  return row / height * layout.strips_per_slice +
         (row % height + layout.rows_per_strip - 1) / layout.rows_per_strip;
}

}  // namespace

std::vector<Rows> rows_of_parts(const Extent& whole, int parts) {
  std::vector<Rows> rows;
  for (const Slab& slab : cut_into_parts(whole, parts))
    rows.push_back({std::int64_t{slab.z0} * whole.height + slab.y0,
                    (std::int64_t{slab.z1} - 1) * whole.height + slab.y1});
  return rows;
}

OwnStrips::OwnStrips(const StripLayout& layout, const Rows& own)
    : strips{strip_from(layout, own.begin), strip_from(layout, own.end)} {
  if (strips.begin >= strips.end) return;
  const std::int64_t last = strips.end - 1;
  rows = {layout.first_row(strips.begin), layout.first_row(last) + layout.rows(last)};
}

void make_samples(
    const LabelSource& labels, const WriteOptions& options, const Rows& own,
    const std::function<void(std::span<const std::byte> samples, std::int64_t first_row)>& take) {
  const StripLayout layout(labels.extent(), bits_per_sample(options.type), options.strips_at_once);
  const std::vector<Label> unmapped;
  const MappedLabels mapped{labels, unmapped, labels.count()};
  const std::int64_t pieces = (own.count() + layout.rows_per_strip - 1) / layout.rows_per_strip;
  const auto rows_of = [&](std::int64_t piece) {
    const std::int64_t begin = own.begin + piece * layout.rows_per_strip;
    return Rows{begin, std::min(own.end, begin + layout.rows_per_strip)};
  };
  using Samples = std::vector<std::byte>;
  const auto make = [&](Samples& samples, std::int64_t piece) {
    const Rows rows = rows_of(piece);
    samples.resize(static_cast<std::size_t>(rows.count() * layout.row_bytes));
    render(mapped, options.type, rows.begin, rows.count(), samples.data());
  };
  for_each_strip<Samples>(
      pieces, make, [&](const Samples& samples, std::int64_t piece) { take(samples, rows_of(piece).begin); },
      layout.at_once);
}

std::vector<std::uint64_t> encode_strips(const TiffLabels& tiff, const StripLayout& layout, const Rows& own,
                                         const std::function<void(double share)>& progress,
                                         const std::function<void(std::string_view strip)>& sink) {
  std::vector<std::uint64_t> sizes;
  const auto take = [&](std::span<const std::byte> strip) {
    sink({reinterpret_cast<const char*>(strip.data()), strip.size()});
    sizes.push_back(strip.size());
  };
  make_tiff_strips(tiff.pages, OwnStrips(layout, own).strips, {}, tiff.new_maker, take, progress);
  return sizes;
}

std::vector<std::uint64_t> ends_of_samples(const StripLayout& layout) {
  std::vector<std::uint64_t> ends;
  for (std::int64_t strip = 0; strip < layout.count(); ++strip)
    ends.push_back(kFirstStrip + static_cast<std::uint64_t>((layout.first_row(strip) + layout.rows(strip)) *
                                                            layout.row_bytes));
  return ends;
}

}  // namespace gpuccl::io
