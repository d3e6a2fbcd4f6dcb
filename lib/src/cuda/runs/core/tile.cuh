#pragma once

#include <cstdint>
#include <type_traits>

#include "common/shape.hpp"
#include "cuda/runs/core/value_shape.cuh"
#include "cuda/runs/core/words.cuh"
#include "cuda/runtime/launch.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda::runs {

/// Maximum number of resident threads of an SM of the target device.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int kThreadsOfSm = 1024;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
inline constexpr int kThreadsOfSm = 1536;
#else
inline constexpr int kThreadsOfSm = 2048;
#endif

/// Condition under which neighbors connect: both are foreground, or have the same value (value_shape.cuh).
enum class Elements { bits, values };

/// Block of the image that one thread block labels: `words` x `rows` x `layers` words of bundles of rows
/// (common/shape.hpp), one per thread. Threads are in the order x, y, z.
template <Connectivity connectivity_, int words, int rows, int layers, Elements elements = Elements::bits>
struct Tile {
  static constexpr Connectivity connectivity = connectivity_;
  static constexpr bool kOfValues = elements == Elements::values;
  using Shape = std::conditional_t<kOfValues, ValueShape<connectivity>, cpu::Shape<connectivity>>;
  static constexpr int kSides = static_cast<int>(Shape::sides.size());
  template <int i>
  static constexpr cpu::Side kSide = Shape::sides[i];
  /// Number of neighboring bundles that are read: those at the sides, and those that contain witnesses.
  static constexpr int kNeighbors = kSides == 2 ? 3 : kSides;

  static constexpr int kRowsY = cpu::height_of(Shape::rows);  // rows of a bundle along y
  static constexpr int kRowsZ = cpu::depth_of(Shape::rows);
  static constexpr int kBundleRows = kRowsY * kRowsZ;

  static constexpr int kWords = words;    // along x
  static constexpr int kRows = rows;      // bundles along y
  static constexpr int kLayers = layers;  // bundles along z
  static constexpr int kThreads = words * rows * layers;
  static constexpr int kWarps = kThreads / 32;
  /// Maximum number of pieces of a word. In a label map, each element may be a piece.
  static constexpr int kMaxPieces = kOfValues ? kWordBits : kWordBits / 2;
  static constexpr int kNodes = kThreads * kMaxPieces;  // maximum

  /// Target number of thread blocks per SM. In 3D it is below the limit, because threads need registers; for
  /// values, shared memory limits it.
  static constexpr int kAtOnce =
      kOfValues ? kThreadsOfSm * 5 / (8 * kThreads) : kThreadsOfSm * (layers > 1 ? 3 : 4) / (4 * kThreads);

  static constexpr int kWidth = words * kWordBits;  // in elements
  static constexpr int kHeight = rows * kRowsY;
  static constexpr int kDepth = layers * kRowsZ;

  static_assert(32 % words == 0, "the word to the left is in the same warp");
  static_assert(words % 4 == 0, "a warp writes labels of four words");
};

/// Return the offset of neighboring bundle i.
__device__ constexpr int neighbor_dy(int i) { return i == 1 ? 0 : i == 3 ? 1 : -1; }
__device__ constexpr int neighbor_dz(int i) { return i == 0 ? 0 : -1; }

/// The image as tiles, for kernels. `words` is device memory.
struct TiledImage {
  const Word* words;
  int width, height, depth;
  int pitch;                      // words between rows
  int tiles_x, tiles_y, tiles_z;  // of the whole image
  int first_y, first_z;  // tile of thread block (0, 0, 0): a grid is at most 65535 blocks high and deep

  GPUCCL_HD bool has_word(int word) const {
    return static_cast<unsigned>(word) < static_cast<unsigned>(pitch);
  }
  GPUCCL_HD bool has_row(int y, int z) const {
    return static_cast<unsigned>(y) < static_cast<unsigned>(height) &&
           static_cast<unsigned>(z) < static_cast<unsigned>(depth);
  }
  GPUCCL_HD std::int64_t row(int y, int z) const { return static_cast<std::int64_t>(z) * height + y; }
  GPUCCL_HD std::int64_t word_index(int word, int y, int z) const { return row(y, z) * pitch + word; }
  /// Returns the offset of a plane of a label map, in words.
  GPUCCL_HD std::int64_t plane(int i) const { return i * (row(0, depth) * pitch); }
  GPUCCL_HD std::int64_t tile(int x, int y, int z) const {
    return (static_cast<std::int64_t>(z) * tiles_y + y) * tiles_x + x;
  }
};

/// Coordinates of the word of a bundle that a thread of a tile owns.
template <class Tile>
struct WordPosition {
  int tile_x, tile_y, tile_z;
  int word, row, layer;  // in the tile; row and layer count bundles

  /// Returns the coordinates for this thread, in a launch with one thread block per tile.
  __device__ static WordPosition of_this_thread(const TiledImage& frame) {
    constexpr unsigned kWords = Tile::kWords, kRows = Tile::kRows;
    const unsigned t = threadIdx.x;
    return {static_cast<int>(blockIdx.x),
            static_cast<int>(blockIdx.y) + frame.first_y,
            static_cast<int>(blockIdx.z) + frame.first_z,
            static_cast<int>(t % kWords),
            static_cast<int>(t / kWords % kRows),
            static_cast<int>(t / (kWords * kRows))};
  }

  __device__ int image_word() const { return tile_x * Tile::kWords + word; }
  __device__ int y() const {
    return (tile_y * Tile::kRows + row) * Tile::kRowsY;
  }  // of the bundle's first row
  __device__ int z() const { return (tile_z * Tile::kLayers + layer) * Tile::kRowsZ; }
  __device__ std::int64_t tile(const TiledImage& frame) const { return frame.tile(tile_x, tile_y, tile_z); }
};

template <Connectivity connectivity>
struct TileFor;
template <>
struct TileFor<Connectivity::c4> : Tile<Connectivity::c4, 8, 32, 1> {};
template <>
struct TileFor<Connectivity::c8> : Tile<Connectivity::c8, 8, 32, 1> {};
template <>
struct TileFor<Connectivity::c6> : Tile<Connectivity::c6, 4, 16, 8> {};
template <>
struct TileFor<Connectivity::c18> : Tile<Connectivity::c18, 4, 16, 8> {};
template <>
struct TileFor<Connectivity::c26> : Tile<Connectivity::c26, 8, 8, 8> {};

/// Tile for values. It has as many nodes as shared memory has room for.
template <Connectivity connectivity>
struct ValueTileFor : std::conditional_t<is_3d(connectivity), Tile<connectivity, 4, 8, 8, Elements::values>,
                                         Tile<connectivity, 8, 32, 1, Elements::values>> {};

using cpu::with_connectivity;

/// Calls launch_part(frame, shape) with one thread block per tile, in several launches if a grid cannot be
/// large enough.
template <class Tile, class LaunchPart>
void for_all_tiles(const TiledImage& whole, LaunchPart launch_part) {
  static constexpr int kLimit = 65535;
  const auto rest = [](int tiles, int first) {
    return static_cast<unsigned>(tiles - first < kLimit ? tiles - first : kLimit);
  };
  TiledImage part = whole;
  for (part.first_z = 0; part.first_z < whole.tiles_z; part.first_z += kLimit)
    for (part.first_y = 0; part.first_y < whole.tiles_y; part.first_y += kLimit)
      launch_part(part,
                  LaunchShape{dim3(static_cast<unsigned>(whole.tiles_x), rest(whole.tiles_y, part.first_y),
                                   rest(whole.tiles_z, part.first_z)),
                              dim3(Tile::kThreads)});
}

}  // namespace gpuccl::cuda::runs
