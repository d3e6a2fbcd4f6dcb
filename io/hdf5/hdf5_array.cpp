#include "io/hdf5/hdf5_array.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "gpuccl/types.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_source.hpp"

namespace gpuccl::io {
namespace {

/// IEEE's numbers of 16, 32 and 64 bits.
bool is_ieee(hid_t type, std::size_t bits) {
  struct Fields {
    std::size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
  } found{};
  if (h5().H5Tget_fields(type, &found.sign, &found.exponent, &found.exponent_bits, &found.mantissa,
                         &found.mantissa_bits) < 0)
    return false;
  const std::size_t exponent = bits == 16 ? 5 : bits == 32 ? 8 : 11, mantissa = bits - 1 - exponent;
  return found.sign == bits - 1 && found.exponent == mantissa && found.exponent_bits == exponent &&
         found.mantissa == 0 && found.mantissa_bits == mantissa;
}

/// The sample of chunks that are not there.
std::vector<std::byte> fill_of(hid_t properties, hid_t type, const Hdf5Array& array) {
  std::vector<std::byte> fill(array.sample_bytes());
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  checked_hdf5(h5().H5Pfill_value_defined(properties, &defined));
  if (defined == H5D_FILL_VALUE_UNDEFINED) return fill;
  checked_hdf5(h5().H5Pget_fill_value(properties, type, fill.data()));
  if (array.swapped) swap_bytes(array.format.bits, fill.data(), fill.size());
  return fill;
}

/// Samples that lie together are read as many at a time as stay in the cache: whole rows or slices, if they
/// fit.
std::vector<std::uint64_t> piece_of(const std::vector<std::uint64_t>& shape, std::size_t sample_bytes) {
  std::uint64_t left = (std::uint64_t{1} << 18) / sample_bytes;
  std::vector<std::uint64_t> piece(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 0 && left > 1;) {
    piece[axis] = std::clamp<std::uint64_t>(shape[axis], 1, left);
    left = piece[axis] < shape[axis] ? 1 : left / piece[axis];
  }
  return piece;
}

void find_contiguous(hid_t dataset, const std::shared_ptr<const InputFile>& file, Hdf5Array& array) {
  const haddr_t offset = h5().H5Dget_offset(dataset);
  const std::optional<std::uint64_t> elements =
      product(array.shape, std::numeric_limits<std::uint64_t>::max() / array.sample_bytes());
  if (!elements) throw Error(Failure::data, "header claims " + sizes_in_words(array.shape) + " elements");
  if (offset == HADDR_UNDEF) {  // not written, or an error
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
    checked_hdf5(h5().H5Dget_space_status(dataset, &status));
    if (status != H5D_SPACE_STATUS_NOT_ALLOCATED) checked_hdf5(-1);
    return;
  }
  const std::uint64_t bytes = *elements * array.sample_bytes();
  if (bytes > file->size() || offset > file->size() - bytes)
    throw Error(Failure::data, "the file is truncated: " + claim(static_cast<double>(bytes), file->size()));
  array.bytes = file;
  array.offset = offset;
}

/// Samples that lie in the header.
void read_compact(hid_t dataset, hid_t type, Hdf5Array& array) {
  constexpr std::uint64_t kMost = 1 << 16;
  const std::optional<std::uint64_t> elements = product(array.shape, kMost / array.sample_bytes());
  if (!elements) throw Error(Failure::data, "header claims " + sizes_in_words(array.shape) + " elements");
  std::vector<std::byte> samples(static_cast<std::size_t>(*elements) * array.sample_bytes());
  checked_hdf5(h5().H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples.data()));
  array.bytes = std::make_shared<const InputFile>(std::move(samples));
}

}  // namespace

std::optional<Hdf5Samples> hdf5_samples(hid_t type) {
  const H5T_class_t kind = h5().H5Tget_class(type);
  if (kind == H5T_ENUM) return hdf5_samples(Hdf5Id(h5().H5Tget_super(type)).get());
  const std::size_t bytes = h5().H5Tget_size(type), bits = 8 * bytes;
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_BITFIELD) return std::nullopt;
  if (bytes > 8 || !std::has_single_bit(bytes)) return std::nullopt;
  const H5T_order_t order = h5().H5Tget_order(type);
  if (h5().H5Tget_precision(type) != bits || h5().H5Tget_offset(type) != 0 ||
      (bytes > 1 && order != H5T_ORDER_LE && order != H5T_ORDER_BE))
    return std::nullopt;
  if (kind == H5T_FLOAT && (bits == 8 || !is_ieee(type, bits))) return std::nullopt;
  Hdf5Samples samples;
  samples.format.bits = static_cast<int>(bits);
  samples.format.kind = kind == H5T_FLOAT ? SampleKind::floating
                        : kind == H5T_INTEGER && checked_hdf5(h5().H5Tget_sign(type)) == H5T_SGN_2
                            ? SampleKind::signed_integer
                            : SampleKind::unsigned_integer;
  samples.swapped = bytes > 1 && order == H5T_ORDER_BE;
  return samples;
}

std::vector<std::uint64_t> hdf5_shape(hid_t dataset) {
  const Hdf5Id space(h5().H5Dget_space(dataset));
  if (h5().H5Sget_simple_extent_type(space.get()) != H5S_SIMPLE) return {};
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  const auto axes = static_cast<std::size_t>(checked_hdf5(h5().H5Sget_simple_extent_ndims(space.get())));
  checked_hdf5(h5().H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr));
  return {sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(axes)};
}

Hdf5Array read_hdf5_array(hid_t dataset, const std::shared_ptr<const InputFile>& file) {
  const Hdf5Id type(h5().H5Dget_type(dataset)), properties(h5().H5Dget_create_plist(dataset));
  const std::optional<Hdf5Samples> samples = hdf5_samples(type.get());
  if (!samples) throw Error(Failure::data, "contains no numbers of 8, 16, 32 or 64 bits");
  Hdf5Array array;
  array.format = samples->format;
  array.swapped = samples->swapped;
  array.shape = hdf5_shape(dataset);
  const std::size_t axes = array.shape.size();
  if (axes < 2) throw Error(Failure::data, "has " + std::to_string(axes) + " axes, not 2 or 3");
  array.order = order_of_c(axes);
  array.fill = fill_of(properties.get(), type.get(), array);
  const auto layout = static_cast<H5D_layout_t>(checked_hdf5(h5().H5Pget_layout(properties.get())));
  if (checked_hdf5(h5().H5Pget_external_count(properties.get())) > 0)
    throw Error(Failure::data,
                "has its samples in another file; copy them into one file, for example with h5repack");
  if (layout == H5D_VIRTUAL)
    throw Error(Failure::data, "has its samples in other datasets (virtual); copy them into one");
  array.is_chunked = layout == H5D_CHUNKED;
  if (array.is_chunked) {
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    if (static_cast<std::size_t>(checked_hdf5(
            h5().H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()))) != axes)
      throw Error(Failure::data, "has chunks with another number of axes than its shape");
    array.chunk.assign(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(axes));
    if (!product(array.chunk, UINT32_MAX / array.sample_bytes()))
      throw Error(Failure::data, "damaged: its chunks of " + sizes_in_words(array.chunk) +
                                     " samples exceed HDF5's limit of 4 GiB per chunk");
    array.filters = Hdf5Filters(properties.get());
  } else {
    array.chunk = piece_of(array.shape, array.sample_bytes());
    layout == H5D_COMPACT ? read_compact(dataset, type.get(), array) : find_contiguous(dataset, file, array);
  }
  check_chunk(array);
  return array;
}

}  // namespace gpuccl::io
