#pragma once

#include "cuda/device/image_ref.cuh"
#include "cuda/runs/core/bundle.cuh"

// Sources from which LocalMerge reads the image. All other phases read bits.
namespace gpuccl::cuda::runs {

/// The bits of the frame.
struct FromBits {
  template <class Tile>
  __device__ Bundle<Tile> load(const TiledImage& frame, int word, int y, int z) const {
    return Bundle<Tile>::load(frame, word, y, z);
  }
};

/// One byte per element, nonzero is foreground, in rows with the padding of the bits. LocalMerge packs the
/// bytes and writes the bits to the frame, for the other phases.
struct FromBytes {
  const uint4* pixels;
  Word* bits;

  template <class Tile>
  __device__ Bundle<Tile> load(const TiledImage& frame, int word, int y, int z) const {
    Bundle<Tile> bundle{};
    for_each_row<Tile>(frame, word, y, z, [&](int i, std::int64_t index) {
      const uint4 low = __ldcs(pixels + 2 * index), high = __ldcs(pixels + 2 * index + 1);
      bundle.row[i] = pack_bytes(low.x) | pack_bytes(low.y) << 4 | pack_bytes(low.z) << 8 |
                      pack_bytes(low.w) << 12 | pack_bytes(high.x) << 16 | pack_bytes(high.y) << 20 |
                      pack_bytes(high.z) << 24 | pack_bytes(high.w) << 28;
      bits[index] = bundle.row[i];
    });
    return bundle;
  }
};

}  // namespace gpuccl::cuda::runs
