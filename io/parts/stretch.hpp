#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strips.hpp"
#include "io/tiff/tiff_label_writer.hpp"

// What one of several parts makes of a label image.
namespace gpuccl::io {

/// Rows [begin, end) of all rows of all slices.
struct Rows {
  std::int64_t begin = 0, end = 0;

  bool empty() const { return begin >= end; }
  std::int64_t count() const { return end - begin; }
};

inline Rows common(const Rows& a, const Rows& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// Those of each slab of cut_into_parts().
std::vector<Rows> rows_of_parts(const Extent& whole, int parts);

/// The strips that begin in some rows, and all rows that these have.
struct OwnStrips {
  StripRange strips;
  Rows rows;

  OwnStrips(const StripLayout& layout, const Rows& own);
};

/// Makes the samples of `own` rows and gives them to take(samples, first row of these), in order.
void make_samples(
    const LabelSource& labels, const WriteOptions& options, const Rows& own,
    const std::function<void(std::span<const std::byte> samples, std::int64_t first_row)>& take);

/// Encodes the strips that begin in `own` rows, of labels that can be rendered in OwnStrips::rows. Gives them
/// to `sink` one after the other, and returns their sizes.
std::vector<std::uint64_t> encode_strips(const TiffLabels& tiff, const StripLayout& layout, const Rows& own,
                                         const std::function<void(double share)>& progress,
                                         const std::function<void(std::string_view strip)>& sink);

/// Where the samples of an uncompressed TIFF end, strip by strip.
std::vector<std::uint64_t> ends_of_samples(const StripLayout& layout);

}  // namespace gpuccl::io
