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

/// The chunks of an array, decoded. May be used by several threads at once.
class ZarrChunks {
 public:
  /// `path`: of the array in the store, "" or ending in "/".
  ZarrChunks(std::shared_ptr<const ZarrStore> store, std::string path, ZarrArray array)
      : store_(std::move(store)), path_(std::move(path)), array_(std::move(array)) {}

  const ZarrArray& array() const { return array_; }

  /// Decodes the chunk with this index along each axis into `samples`, in the byte order of this machine;
  /// false if it is not there. `stored` is for what it is decoded from. Throws Error (data, io, no_input).
  bool read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
            std::vector<std::byte>& samples) const;

  /// Memory of a chunk, of what it is decoded from, and of all that is kept beside them.
  std::int64_t samples_bytes() const { return static_cast<std::int64_t>(array_.chunk_bytes()); }
  std::int64_t stored_bytes() const;
  std::int64_t held_bytes() const;

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

  std::shared_ptr<const ZarrStore> store_;
  std::string path_;
  ZarrArray array_;
  mutable std::mutex lock_;
  mutable std::deque<std::shared_ptr<const Shard>> shards_;  // those used last
};

}  // namespace gpuccl::io
