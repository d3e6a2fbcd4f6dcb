#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/chunk_codecs.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// Chunks of a label image. By default, they are one slice deep, because labels are written slice by slice,
/// and as wide and high as viewers prefer. A strip is a row of chunks.
struct ZarrLabelLayout {
  int width, height, depth;  // of a chunk
  std::int64_t columns;      // of chunks
  StripLayout strips;

  /// Requires a resolved options.type.
  ZarrLabelLayout(const Extent& extent, const WriteOptions& options)
      : width(side(options.chunk[0], extent.width, kSide)),
        height(0),
        depth(side(options.chunk[2], extent.depth, 1)),
        strips(extent, bits_per_sample(options.type), options.strips_at_once) {
    constexpr std::int64_t kStripBytes = std::int64_t{2} << 20;
    constexpr std::int64_t kMin = 64;
    const auto usual = std::clamp<std::int64_t>(kStripBytes / strips.row_bytes, kMin, kSide);
    height = side(options.chunk[1], extent.height, static_cast<int>(usual));
    columns = (std::int64_t{extent.width} + width - 1) / width;
    strips.rows_per_strip = height;
    strips.strips_per_slice = (std::int64_t{extent.height} + height - 1) / height;
    strips.slices_per_strip = depth;
  }

  std::int64_t chunk_samples() const { return std::int64_t{width} * height * depth; }

 private:
  static constexpr int kSide = 1024;

  static int side(int requested, int extent, int usual) {
    return std::min(requested > 0 ? requested : usual, extent);
  }
};

/// Level of a pyramid of labels: every `steps`-th element of level 0 along x, y and z.
struct ZarrLevel {
  std::array<int, 3> steps{1, 1, 1};
  Extent extent;
};

/// Returns the levels of labels of this size, to be written to `path`. A label group has those of its image
/// if there are several, as OME-Zarr requires. Otherwise there is one without a pyramid; in a pyramid, each
/// level halves the axes with the finest spacing, so that elements become and stay cubes, until the largest
/// axis has at most 256 elements.
std::vector<ZarrLevel> zarr_levels(const std::string& path, const Extent& extent,
                                   const WriteOptions& options);

/// Returns the scales of the image in the Zarr `image` as levels of labels of this size. None if the image
/// has another size, or a scale that is no smaller than the one before, or no integer fraction of it.
std::vector<ZarrLevel> levels_of_image(const std::string& image, const Extent& extent);

/// Returns codec and level for a version of Zarr. Throws Error (usage) for other compressions.
ChunkCompression zarr_compression(const WriteOptions& options, int version);

/// Metadata of an OME-Zarr of labels.
struct ZarrLabelHeader {
  int version = 2;       // of Zarr: 2 with OME-Zarr 0.4, 3 with 0.5
  bool shards = false;   // a row of chunks along x is one file
  std::string group;     // its name in the labels of an image; "": a store of its own
  WriteOptions options;  // with the type resolved
  std::vector<ZarrLevel> levels;
};

/// Returns the documents of a label image with their keys: a group, and one array per level, "0", "1" and so
/// on.
std::vector<std::pair<std::string, std::string>> zarr_label_metadata(const ZarrLabelHeader& header);

}  // namespace gpuccl::io
