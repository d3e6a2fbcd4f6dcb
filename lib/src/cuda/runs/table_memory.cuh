#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/runs/numbering.cuh"
#include "cuda/runs/tables.cuh"
#include "cuda/runs/tile.cuh"
#include "cuda/runtime/count_on_host.cuh"
#include "cuda/runtime/device_buffer.hpp"

namespace gpuccl::cuda::runs {

/// Memory for Tables, kept from image to image.
class TableMemory {
 public:
  /// Makes room, and the padding of the bitmap zero.
  template <class Tile, class Link>
  void reserve(const Frame& frame, cudaStream_t stream) {
    constexpr const char* kDoing = "allocating tables of runs";
    const auto tiles = static_cast<std::size_t>(frame.tile(0, 0, frame.tiles_z));
    const auto words = static_cast<std::size_t>(frame.row(0, frame.depth) * frame.pitch);
    const auto blocks = static_cast<std::size_t>(scan_blocks(static_cast<std::int64_t>(words)));
    const std::size_t padded = blocks * static_cast<std::size_t>(kScanWords);
    links_.reserve(tiles * Tile::kNodes * sizeof(Link), kDoing);
    first_node_.reserve(tiles * Tile::kThreads, kDoing);
    nodes_.reserve(tiles, kDoing);
    first_bits_.reserve(padded, kDoing);
    before_.reserve(padded / 4, kDoing);
    scan_.reserve(blocks + 1, kDoing);
    count_.reserve(kDoing);
    check(cudaMemsetAsync(first_bits_.data() + words, 0, (padded - words) * sizeof(Word), stream), kDoing);
  }

  template <class Link>
  Tables<Link> tables() const {
    return {reinterpret_cast<Link*>(links_.data()),
            first_node_.data(),
            nodes_.data(),
            first_bits_.data(),
            before_.data(),
            scan_.data(),
            count_.target()};
  }
  CountOnHost& count() { return count_; }

 private:
  DeviceBuffer<std::byte> links_;
  DeviceBuffer<std::uint16_t> first_node_;
  DeviceBuffer<std::uint32_t> nodes_;
  DeviceBuffer<Word> first_bits_;
  DeviceBuffer<std::uint32_t> before_;
  DeviceBuffer<unsigned long long> scan_;
  CountOnHost count_;
};

}  // namespace gpuccl::cuda::runs
