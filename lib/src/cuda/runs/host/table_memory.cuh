#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runs/core/forest.cuh"
#include "cuda/runs/core/tile.cuh"
#include "cuda/runtime/device_buffer.hpp"

namespace gpuccl::cuda::runs {

/// Lengths of the arrays of LabelState.
template <class Tile>
struct TableLengths {
  std::size_t tiles;
  BitmapLengths first;

  explicit TableLengths(const TiledImage& frame)
      : tiles(static_cast<std::size_t>(frame.tile(0, 0, frame.tiles_z))),
        first{frame.row(0, frame.depth) * frame.pitch} {}

  std::size_t links() const { return tiles * Tile::kNodes; }
  std::size_t first_nodes() const { return tiles * Tile::kThreads; }
};

/// Memory for LabelState, reused for the next image.
class TableMemory {
 public:
  template <class Tile, class Link>
  void reserve(const TiledImage& frame) {
    constexpr const char* kDoing = "allocating tables of runs";
    const TableLengths<Tile> lengths(frame);
    links_.reserve(lengths.links() * sizeof(Link), kDoing);
    first_node_.reserve(lengths.first_nodes(), kDoing);
    nodes_.reserve(lengths.tiles, kDoing);
    first_.reserve(lengths.first.words, kDoing);
  }

  template <class Link>
  LabelState<Link> tables() const {
    return {reinterpret_cast<Link*>(links_.data()), first_node_.data(), nodes_.data(), first_.bitmap()};
  }
  /// Returns the bitmap of first elements.
  BitmapMemory& first() { return first_; }

 private:
  DeviceBuffer<std::byte> links_;
  DeviceBuffer<std::uint16_t> first_node_;
  DeviceBuffer<std::uint32_t> nodes_;
  BitmapMemory first_;
};

}  // namespace gpuccl::cuda::runs
