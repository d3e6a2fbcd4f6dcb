#include "io/hdf5/hdf5_array.hpp"

#include <limits>

#include "gpuccl/types.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {
namespace {

/// Checks that contiguous samples are in the file, and compact ones complete.
void check_place(const Hdf5Array& array, std::uint64_t file_bytes) {
  const std::optional<std::uint64_t> elements =
      product(array.shape, std::numeric_limits<std::uint64_t>::max() / array.sample_bytes());
  if (!elements) throw Error(Failure::data, "header claims " + sizes_in_words(array.shape) + " elements");
  const std::uint64_t bytes = *elements * array.sample_bytes();
  if (array.offset && (bytes > file_bytes || *array.offset > file_bytes - bytes))
    throw Error(Failure::data, "the file is truncated: " + claim(static_cast<double>(bytes), file_bytes));
  if (!array.compact.empty() && (array.offset || array.compact.size() != bytes)) Hdf5Message::refuse();
}

void check_grid(const Hdf5Array& array) {
  constexpr std::size_t kMostAxes = 32;  // limit of HDF5
  const int bits = array.format.bits;
  if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || array.shape.size() < 2 ||
      array.shape.size() > kMostAxes || array.chunk.size() != array.shape.size() ||
      array.fill.size() != array.sample_bytes())
    Hdf5Message::refuse();
  if (array.format.kind == SampleKind::floating && bits == 8) Hdf5Message::refuse();
  check_chunk(array);
}

}  // namespace

void put(Hdf5Message& message, const Hdf5Array& array) {
  message.put(static_cast<std::int32_t>(array.format.bits));
  message.put(static_cast<std::uint32_t>(array.format.kind));
  message.put_list(array.shape);
  message.put_list(array.chunk);
  message.put_list(array.fill);
  message.put(static_cast<std::uint8_t>(array.swapped));
  message.put(static_cast<std::uint8_t>(array.is_chunked));
  message.put(static_cast<std::uint8_t>(array.offset.has_value()));
  message.put(array.offset.value_or(0));
  message.put_list(array.filters.list());
  message.put_list(array.compact);
  message.put_list(array.axistags);
  message.put_list(array.sizes);
}

Hdf5Array take_hdf5_array(Hdf5Message& message, std::uint64_t file_bytes) {
  using Sizes = std::vector<std::uint64_t>;
  Hdf5Array array;
  array.format.bits = message.take<std::int32_t>();
  const auto kind = message.take<std::uint32_t>();
  if (kind > static_cast<std::uint32_t>(SampleKind::floating)) Hdf5Message::refuse();
  array.format.kind = static_cast<SampleKind>(kind);
  array.shape = message.take_list<Sizes>();
  array.chunk = message.take_list<Sizes>();
  array.fill = message.take_list<std::vector<std::byte>>();
  array.swapped = message.take<std::uint8_t>() != 0;
  array.is_chunked = message.take<std::uint8_t>() != 0;
  const bool has_offset = message.take<std::uint8_t>() != 0;
  const auto offset = message.take<std::uint64_t>();
  if (has_offset) array.offset = offset;
  array.filters = Hdf5Filters(message.take_list<std::vector<Hdf5Filter>>());
  array.compact = message.take_list<std::vector<std::byte>>();
  array.axistags = message.take_list<std::string>();
  array.sizes = message.take_list<std::vector<double>>();
  if (!message.is_taken()) Hdf5Message::refuse();
  check_grid(array);
  array.order = order_of_c(array.shape.size());
  if (!array.is_chunked) check_place(array, file_bytes);
  return array;
}

bool to_next_chunk(const ChunkGrid& grid, std::vector<std::uint64_t>& at) {
  for (std::size_t axis = at.size(); axis-- > 0; at[axis] = 0)
    if (++at[axis] < grid.shape[axis] / grid.chunk[axis] + (grid.shape[axis] % grid.chunk[axis] != 0 ? 1 : 0))
      return true;
  return false;
}

}  // namespace gpuccl::io
