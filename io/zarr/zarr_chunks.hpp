#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/zarr/zarr_array.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {

/// Files of a store, or parts of them.
class ZarrChunks final : public Chunks {
 public:
  /// `path`: of the array in the store, "" or ending in "/".
  ZarrChunks(std::shared_ptr<const ZarrStore> store, std::string path, ZarrArray array)
      : store_(std::move(store)), path_(std::move(path)), array_(std::move(array)) {}

  const ChunkGrid& grid() const override { return array_; }
  bool read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
            std::vector<std::byte>& samples) const override;
  std::int64_t stored_bytes() const override;
  std::int64_t held_bytes() const override;

 private:
  /// A shard that is open, and where its chunks are: offset and bytes of each.
  struct Shard {
    std::string key;
    std::unique_ptr<const InputFile> file;  // null: there is none
    std::vector<std::uint64_t> index;
  };
  struct Piece {
    std::uint64_t offset, bytes;
  };

  void read_piece(const InputFile& file, Piece piece, std::vector<std::byte>& stored,
                  std::vector<std::byte>& samples) const;
  std::shared_ptr<const Shard> shard(const std::string& key) const;
  std::shared_ptr<const Shard> open_shard(const std::string& key) const;
  void give_up_shards() const;

  static constexpr std::size_t kShardsAtHand = 64;

  std::shared_ptr<const ZarrStore> store_;
  std::string path_;
  ZarrArray array_;
  mutable std::mutex lock_;
  mutable std::deque<std::shared_ptr<const Shard>> shards_;  // those used last
  mutable std::size_t most_at_hand_ = kShardsAtHand;         // fewer where descriptors are few
};

}  // namespace gpuccl::io
