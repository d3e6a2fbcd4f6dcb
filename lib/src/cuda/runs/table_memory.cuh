#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/runs/numbering.cuh"
#include "cuda/runs/tables.cuh"
#include "cuda/runs/tile.cuh"
#include "cuda/runtime/count_on_host.cuh"
#include "cuda/runtime/device_buffer.hpp"

namespace gpuccl::cuda::runs {

/// Lengths of the arrays of Tables.
template <class Tile>
struct TableLengths {
  std::size_t tiles, words, blocks, padded_words;

  explicit TableLengths(const Frame& frame)
      : tiles(static_cast<std::size_t>(frame.tile(0, 0, frame.tiles_z))),
        words(static_cast<std::size_t>(frame.row(0, frame.depth) * frame.pitch)),
        blocks(static_cast<std::size_t>(scan_blocks(static_cast<std::int64_t>(words)))),
        padded_words(blocks * static_cast<std::size_t>(kScanWords)) {}

  std::size_t links() const { return tiles * Tile::kNodes; }
  std::size_t first_nodes() const { return tiles * Tile::kThreads; }
  std::size_t before() const { return padded_words / 4; }
  std::size_t scan() const { return blocks + 1; }
};

/// Makes the padding of the bitmap of first elements zero.
template <class Tile>
void clear_padding(Word* first_bits, const TableLengths<Tile>& lengths, cudaStream_t stream) {
  const std::size_t bytes = (lengths.padded_words - lengths.words) * sizeof(Word);
  if (bytes > 0)
    check(cudaMemsetAsync(first_bits + lengths.words, 0, bytes, stream), "clearing tables of runs");
}

/// Memory for Tables, kept from image to image.
class TableMemory {
 public:
  /// Makes room, and the padding of the bitmap zero.
  template <class Tile, class Link>
  void reserve(const Frame& frame, cudaStream_t stream) {
    constexpr const char* kDoing = "allocating tables of runs";
    const TableLengths<Tile> lengths(frame);
    links_.reserve(lengths.links() * sizeof(Link), kDoing);
    first_node_.reserve(lengths.first_nodes(), kDoing);
    nodes_.reserve(lengths.tiles, kDoing);
    first_bits_.reserve(lengths.padded_words, kDoing);
    before_.reserve(lengths.before(), kDoing);
    scan_.reserve(lengths.scan(), kDoing);
    count_.reserve(kDoing);
    clear_padding(first_bits_.data(), lengths, stream);
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
