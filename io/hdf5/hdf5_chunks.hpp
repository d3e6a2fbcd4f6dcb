#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_connection.hpp"
#include "io/image/chunk_grid.hpp"

namespace gpuccl::io {

/// Samples of an open dataset. libhdf5 finds the chunks; this class reads and decodes them. Thread-safe.
class Hdf5Chunks final : public Chunks {
 public:
  Hdf5Chunks(std::shared_ptr<const ByteSource> file, std::uint64_t file_bytes,
             std::unique_ptr<Hdf5Connection> connection, Hdf5Array array)
      : file_(std::move(file)),
        file_bytes_(file_bytes),
        connection_(std::move(connection)),
        array_(std::move(array)) {}

  const ChunkGrid& grid() const override { return array_; }
  bool read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
            std::vector<std::byte>& samples) const override;
  std::int64_t stored_bytes() const override;

 private:
  bool read_chunk(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                  std::vector<std::byte>& samples) const;
  bool read_piece(const std::vector<std::uint64_t>& at, std::vector<std::byte>& samples) const;
  Hdf5Place find(const std::vector<std::uint64_t>& at) const;

  const std::shared_ptr<const ByteSource> file_;
  const std::uint64_t file_bytes_;
  const std::unique_ptr<Hdf5Connection> connection_;
  const Hdf5Array array_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::uint64_t>, Hdf5Place> places_;  // cache
};

}  // namespace gpuccl::io
