#include <cmath>
#include <limits>
#include <numeric>

#include "gpuccl/types.hpp"
#include "io/image/chunks.hpp"

namespace gpuccl::io {

std::uint64_t ChunkGrid::chunk_elements() const {
  return std::accumulate(chunk.begin(), chunk.end(), std::uint64_t{1}, std::multiplies<>());
}

void check_chunk(const ChunkGrid& grid) {
  constexpr std::uint64_t kMostBytes = std::numeric_limits<int>::max();
  for (const std::uint64_t size : grid.chunk)
    if (size == 0) throw Error(Failure::data, "header claims chunks of " + sizes_in_words(grid.chunk));
  if (!product(grid.chunk, kMostBytes / grid.sample_bytes()))
    throw Error(Failure::data, "header claims chunks of " + sizes_in_words(grid.chunk) + ", 2 GiB or more");
  // Looking for a chunk takes as long as reading so many samples, whether it is there or not.
  constexpr std::uint64_t kWorthLooking = 1024, kMostTiny = std::uint64_t{1} << 20;
  double chunks = 1;
  for (std::size_t axis = 0; axis < grid.shape.size() && axis < grid.chunk.size(); ++axis)
    chunks *= std::ceil(static_cast<double>(grid.shape[axis]) / static_cast<double>(grid.chunk[axis]));
  if (grid.chunk_elements() < kWorthLooking && chunks > static_cast<double>(kMostTiny))
    throw Error(Failure::data, "header claims more than " + std::to_string(kMostTiny) + " chunks of only " +
                                   std::to_string(grid.chunk_elements()) +
                                   " samples each; write it with larger chunks");
}

std::vector<std::size_t> order_of_c(std::size_t axes) {
  std::vector<std::size_t> order(axes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& sizes, std::uint64_t most) {
  std::uint64_t all = 1;
  for (const std::uint64_t size : sizes) {
    if (size != 0 && all > most / size) return std::nullopt;
    all *= size;
  }
  return all;
}

std::string sizes_in_words(const std::vector<std::uint64_t>& sizes) {
  std::string words;
  for (const std::uint64_t size : sizes) words += (words.empty() ? "" : "x") + std::to_string(size);
  return words;
}

}  // namespace gpuccl::io
