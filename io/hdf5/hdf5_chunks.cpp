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

bool Hdf5Chunks::read_chunk(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                            std::vector<std::byte>& samples) const {
  const Hdf5Place place = find(at);
  if (place.is_stored == 0) return false;
  if (place.bytes > array_.filters.most_stored(samples.size())) Hdf5Message::refuse();
  stored.resize(static_cast<std::size_t>(place.bytes));
  if (place.offset > file_bytes_ ||
      file_->read_at(place.offset, stored.data(), stored.size()) != stored.size())
    throw Error(Failure::data, "the file is truncated");
  array_.filters.decode(stored, place.skipped, samples);
  if (array_.swapped) swap_bytes(array_.format.bits, samples.data(), samples.size());
  return true;
}

/// Returns the place of a chunk, and keeps those of the chunks after it, which the answer contains too.
Hdf5Place Hdf5Chunks::find(const std::vector<std::uint64_t>& at) const {
  constexpr std::size_t kMostKept = 1 << 13;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto known = places_.find(at); known != places_.end()) return known->second;
  Hdf5Message request(Hdf5Word::find);
  request.put_list(at);
  Hdf5Message answer = connection_->ask(request);
  const auto places = answer.take_list<std::vector<Hdf5Place>>();
  if (places.empty() || places.size() > kPlacesAtOnce || !answer.is_taken()) Hdf5Message::refuse();
  if (places_.size() > kMostKept) places_.clear();
  std::vector<std::uint64_t> next = at;
  for (const Hdf5Place& place : places) {
    places_[next] = place;
    if (!to_next_chunk(array_, next)) break;
  }
  return places.front();
}

/// Reads from contiguous samples: a piece is a range along one axis, and all of the axes after it.
bool Hdf5Chunks::read_piece(const std::vector<std::uint64_t>& at, std::vector<std::byte>& samples) const {
  if (!array_.offset && array_.compact.empty()) return false;
  std::uint64_t first = 0, count = 1;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const std::uint64_t begin = at[axis] * array_.chunk[axis];
    first = first * array_.shape[axis] + begin;
    count *= std::min(array_.chunk[axis], array_.shape[axis] - begin);
  }
  const auto bytes = static_cast<std::size_t>(count) * array_.sample_bytes();
  first *= array_.sample_bytes();
  if (!array_.compact.empty())
    std::copy_n(array_.compact.begin() + static_cast<std::ptrdiff_t>(first), bytes, samples.begin());
  else if (file_->read_at(*array_.offset + first, samples.data(), bytes) != bytes)
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
