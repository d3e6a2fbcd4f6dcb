#pragma once

#include <memory>
#include <vector>

#include "io/hdf5/hdf5_array.hpp"
#include "io/image/chunk_grid.hpp"

namespace gpuccl::io {

/// The samples of a dataset that is open.
class Hdf5Chunks final : public Chunks {
 public:
  Hdf5Chunks(std::shared_ptr<const InputFile> source, Hdf5Id file, Hdf5Id dataset, Hdf5Array array)
      : source_(std::move(source)),
        file_(std::move(file)),
        dataset_(std::move(dataset)),
        array_(std::move(array)) {}

  const ChunkGrid& grid() const override { return array_; }
  bool read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
            std::vector<std::byte>& samples) const override;
  std::int64_t stored_bytes() const override;
  /// Finds the first thousands of chunks, without reading them.
  void find_chunks() const;

 private:
  bool read_chunk(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                  std::vector<std::byte>& samples) const;
  bool read_piece(const std::vector<std::uint64_t>& at, std::vector<std::byte>& samples) const;

  const std::shared_ptr<const InputFile> source_;  // outlives the file
  const Hdf5Id file_, dataset_;
  const Hdf5Array array_;
};

}  // namespace gpuccl::io
