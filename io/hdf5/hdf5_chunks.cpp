#include "io/hdf5/hdf5_chunks.hpp"

#include <algorithm>
#include <string>

#include "gpuccl/types.hpp"
#include "io/image/raw_source.hpp"
#include "io/image/reason.hpp"

namespace gpuccl::io {

bool Hdf5Chunks::read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                      std::vector<std::byte>& samples) const {
  samples.resize(array_.chunk_bytes());
  if (!array_.is_chunked) return read_piece(at, samples);
  try {
    return read_chunk(at, stored, samples);
  } catch (const Error& error) {
    std::string where;
    for (const std::uint64_t place : at) where += (where.empty() ? "" : ".") + std::to_string(place);
    throw Error(error.failure(), reason_about("chunk " + where, error.what()));
  }
}

/// libhdf5 finds and reads the chunk; it is decoded in parallel with others.
bool Hdf5Chunks::read_chunk(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                            std::vector<std::byte>& samples) const {
  std::vector<hsize_t> first(at.size());
  for (std::size_t axis = 0; axis < at.size(); ++axis) first[axis] = at[axis] * array_.chunk[axis];
  std::uint32_t skipped = 0;
  {
    const Hdf5Lock lock;
    // It looks a chunk up as what reads it does, so that both mean the same one; others of its functions walk
    // through all chunks before it.
    hsize_t bytes = 0;
    const herr_t result = h5().H5Dget_chunk_storage_size(dataset_.get(), first.data(), &bytes);
    // Libraries before 1.12 call it an error, and give no number to it.
    if (result < 0 && hdf5_says("chunk storage is not allocated")) return false;
    checked_hdf5(result);
    if (bytes == 0) return false;
    if (bytes > array_.filters.most_stored(samples.size()))
      throw Error(Failure::data, "has " + std::to_string(bytes) + " bytes, more than its shape can take");
    stored.resize(static_cast<std::size_t>(bytes));
    checked_hdf5(h5().H5Dread_chunk(dataset_.get(), H5P_DEFAULT, first.data(), &skipped, stored.data()));
  }
  array_.filters.decode(stored, skipped, samples);
  if (array_.swapped) swap_bytes(array_.format.bits, samples.data(), samples.size());
  return true;
}

void Hdf5Chunks::find_chunks() const {
  constexpr int kMost = 1 << 14;
  if (!array_.is_chunked) return;
  std::vector<hsize_t> first(array_.shape.size(), 0);
  for (int i = 0; i < kMost; ++i) {
    hsize_t bytes = 0;
    h5().H5Dget_chunk_storage_size(dataset_.get(), first.data(), &bytes);
    std::size_t axis = first.size();
    while (axis > 0 && (first[axis - 1] += array_.chunk[axis - 1]) >= array_.shape[axis - 1])
      first[--axis] = 0;
    if (axis == 0) return;
  }
}

/// Reads from contiguous samples: a piece is a range along one axis, and all of the axes after it.
bool Hdf5Chunks::read_piece(const std::vector<std::uint64_t>& at, std::vector<std::byte>& samples) const {
  if (!array_.bytes) return false;
  std::uint64_t first = 0, count = 1;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const std::uint64_t begin = at[axis] * array_.chunk[axis];
    first = first * array_.shape[axis] + begin;
    count *= std::min(array_.chunk[axis], array_.shape[axis] - begin);
  }
  const auto bytes = static_cast<std::size_t>(count) * array_.sample_bytes();
  if (array_.bytes->read_at(array_.offset + first * array_.sample_bytes(), samples.data(), bytes) != bytes)
    throw Error(Failure::data, "the file is truncated");
  if (array_.swapped) swap_bytes(array_.format.bits, samples.data(), bytes);
  return true;
}

std::int64_t Hdf5Chunks::stored_bytes() const {
  if (!array_.is_chunked) return 0;
  const std::size_t most = array_.filters.most_stored(array_.chunk_bytes());
  return static_cast<std::int64_t>(array_.filters.empty() ? most : most + 2 * array_.chunk_bytes());
}

}  // namespace gpuccl::io
