#include "io/hdf5/hdf5_dataset.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"

namespace gpuccl::io {
namespace {

constexpr const char* kNoVariable = "This is a netCDF dimension";  // NAME of a scale without coordinates

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

/// Returns the offset of the samples; nothing if they were never written.
std::optional<std::uint64_t> find_contiguous(hid_t dataset) {
  const haddr_t offset = h5().H5Dget_offset(dataset);
  if (offset != HADDR_UNDEF) return offset;
  H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;  // not written, or an error
  checked_hdf5(h5().H5Dget_space_status(dataset, &status));
  if (status != H5D_SPACE_STATUS_NOT_ALLOCATED) checked_hdf5(-1);
  return std::nullopt;
}

/// Samples that lie in the header.
void read_compact(hid_t dataset, hid_t type, Hdf5Array& array) {
  constexpr std::uint64_t kMax = 1 << 16;
  const std::optional<std::uint64_t> elements = product(array.shape, kMax / array.sample_bytes());
  if (!elements) throw Error(ErrorCode::data, "header claims " + sizes_in_words(array.shape) + " elements");
  std::vector<std::byte> samples(static_cast<std::size_t>(*elements) * array.sample_bytes());
  checked_hdf5(h5().H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples.data()));
  array.compact = std::move(samples);
}

Hdf5Filter known_filter(H5Z_filter_t filter, std::span<const unsigned> values, const char* name) {
  using Kind = Hdf5Filter::Kind;
  constexpr H5Z_filter_t kLzf = 32000, kBlosc = 32001, kZstd = 32015;  // as they are registered
  if (filter == H5Z_FILTER_DEFLATE) return {};
  if (filter == kLzf) return {Kind::lzf};
  if (filter == kBlosc && is_built_in(ChunkCodec::blosc)) return {Kind::compressor, ChunkCodec::blosc};
  if (filter == kZstd && is_built_in(ChunkCodec::zstd)) return {Kind::compressor, ChunkCodec::zstd};
  if (filter == H5Z_FILTER_FLETCHER32) return {Kind::checksum};
  if (filter == H5Z_FILTER_SHUFFLE && !values.empty() && values[0] > 0 &&
      values[0] <= Hdf5Filter::kLargestElement)
    return {Kind::shuffle, ChunkCodec::zlib, values[0]};
  throw Error(ErrorCode::data, fmt::format("its filter {}{} is not in this build of gpuccl; write it with "
                                           "gzip, for example with h5repack -f GZIP=1",
                                           filter, name[0] == '\0' ? "" : " (" + std::string(name) + ")"));
}

Hdf5Filters filters_of(hid_t properties) {
  const auto count = static_cast<unsigned>(checked_hdf5(h5().H5Pget_nfilters(properties)));
  std::vector<Hdf5Filter> filters;
  filters.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    std::array<unsigned, 8> values{};
    std::size_t given = values.size();
    unsigned flags = 0, config = 0;
    char name[64] = {};
    const auto filter = static_cast<H5Z_filter_t>(checked_hdf5(
        h5().H5Pget_filter2(properties, i, &flags, &given, values.data(), sizeof name, name, &config)));
    name[sizeof name - 1] = '\0';
    filters.push_back(known_filter(filter, std::span(values).first(std::min(given, values.size())), name));
  }
  return Hdf5Filters(std::move(filters));
}

/// An attribute of the dataset; nothing if there is none of this name and these elements.
std::optional<Hdf5Id> attribute(hid_t dataset, const char* name, hssize_t least, hssize_t most) {
  if (checked_hdf5(h5().H5Aexists(dataset, name)) == 0) return std::nullopt;
  Hdf5Id found(h5().H5Aopen(dataset, name, H5P_DEFAULT));
  const Hdf5Id space(h5().H5Aget_space(found.get()));
  const hssize_t elements = h5().H5Sget_simple_extent_npoints(space.get());
  return least <= elements && elements <= most ? std::optional(std::move(found)) : std::nullopt;
}

/// A text of any kind that libhdf5 has; "" if there is none.
std::string text_in(hid_t dataset, const char* name) {
  constexpr std::size_t kMax = std::size_t{1} << 20;
  const std::optional<Hdf5Id> found = attribute(dataset, name, 1, 1);
  if (!found) return "";
  const Hdf5Id type(h5().H5Aget_type(found->get()));
  if (h5().H5Tget_class(type.get()) != H5T_STRING) return "";
  if (checked_hdf5(h5().H5Tis_variable_str(type.get())) > 0) {
    char* text = nullptr;
    checked_hdf5(h5().H5Aread(found->get(), type.get(), static_cast<void*>(&text)));
    const std::string copy(text == nullptr ? "" : text);
    h5().H5free_memory(text);
    return copy.size() <= kMax ? copy : "";
  }
  const std::size_t bytes = h5().H5Tget_size(type.get());
  if (bytes == 0 || bytes > kMax) return "";
  std::string text(bytes, '\0');
  checked_hdf5(h5().H5Aread(found->get(), type.get(), text.data()));
  return text.substr(0, text.find('\0'));
}

/// Returns `least` to `most` numbers of an attribute; none if they are none.
std::vector<double> numbers_in(hid_t dataset, const char* name, hssize_t least, hssize_t most) {
  const std::optional<Hdf5Id> found = attribute(dataset, name, least, most);
  if (!found) return {};
  const Hdf5Id type(h5().H5Aget_type(found->get())), space(h5().H5Aget_space(found->get()));
  if (h5().H5Tget_class(type.get()) != H5T_INTEGER && h5().H5Tget_class(type.get()) != H5T_FLOAT) return {};
  std::vector<double> numbers(static_cast<std::size_t>(h5().H5Sget_simple_extent_npoints(space.get())));
  checked_hdf5(h5().H5Aread(found->get(), *h5().H5T_NATIVE_DOUBLE_g, numbers.data()));
  return numbers;
}

/// Returns the numbers of an attribute, separated by spaces, or its text.
std::string numbers_as_text(hid_t dataset, const char* name) {
  constexpr hssize_t kMax = 256;
  const std::optional<Hdf5Id> found = attribute(dataset, name, 1, std::numeric_limits<hssize_t>::max());
  if (!found) return "";
  const Hdf5Id type(h5().H5Aget_type(found->get())), space(h5().H5Aget_space(found->get()));
  const hssize_t count = h5().H5Sget_simple_extent_npoints(space.get());
  if (count > kMax)
    throw Error(ErrorCode::data, fmt::format("has {} numbers in its attribute {}", count, name));
  std::string text;
  const auto add_all = [&](auto number, hid_t memory_type) {
    std::vector<decltype(number)> numbers(static_cast<std::size_t>(count));
    checked_hdf5(h5().H5Aread(found->get(), memory_type, numbers.data()));
    for (const auto one : numbers) {
      if constexpr (std::is_same_v<decltype(number), double>)  // all digits: integers are compared exactly
        text += (text.empty() ? "" : " ") + SampleValue::of(one).text();
      else
        text += fmt::format("{}{}", text.empty() ? "" : " ", one);
    }
  };
  const H5T_class_t kind = h5().H5Tget_class(type.get());
  if (kind == H5T_FLOAT)
    add_all(0.0, *h5().H5T_NATIVE_DOUBLE_g);
  else if (kind != H5T_INTEGER)
    return text_in(dataset, name);
  else if (h5().H5Tget_sign(type.get()) == H5T_SGN_2)
    add_all(0LL, *h5().H5T_NATIVE_LLONG_g);
  else
    add_all(0ULL, *h5().H5T_NATIVE_ULLONG_g);
  return text;
}

constexpr double kDefaultFill = 0x1.ep+122;  // NC_FILL_FLOAT and NC_FILL_DOUBLE of netCDF

/// Returns the name of an axis by its dimension scale: its axis or standard name of CF, or that of the scale.
std::string name_by_scale(hid_t scale) {
  if (std::string axis = text_in(scale, "axis"); axis.size() == 1) return axis;
  const std::string units = text_in(scale, "units");
  std::string standard = text_in(scale, "standard_name");
  if (standard == "time" || units.find(" since ") != std::string::npos) return "time";  // CF, section 4.4
  const bool is_pressure = units == "Pa" || units == "hPa" || units == "mbar" || units == "millibar";
  const std::string positive = lower_case(text_in(scale, "positive"));
  if (is_pressure || positive == "up" || positive == "down") return "z";  // section 4.3
  if (const NamedAxis axis{standard}; axis.is_x() || axis.is_y() || axis.is_depth()) return standard;
  if (const std::string name = text_in(scale, "NAME"); !name.empty() && !name.starts_with(kNoVariable))
    return name.substr(name.rfind('/') + 1);
  std::string path(256, '\0');
  h5().H5Iget_name(scale, path.data(), path.size());
  path.resize(path.find('\0'));
  return path.substr(path.rfind('/') + 1);
}

/// Returns the values of a dimension scale for an axis; none if they are not finite numbers, or cannot be
/// read.
std::vector<double> coordinates_in(hid_t scale, std::uint64_t elements) {
  if (h5().H5Iget_type(scale) != H5I_DATASET || hdf5_shape(scale) != std::vector{elements}) return {};
  std::vector<double> values(static_cast<std::size_t>(elements));
  if (h5().H5Dread(scale, *h5().H5T_NATIVE_DOUBLE_g, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return {};
  const auto number_in = [&](const char* name, double otherwise) {
    const std::vector<double> numbers = numbers_in(scale, name, 1, 1);
    return numbers.empty() ? otherwise : numbers.front();
  };
  const double factor = number_in(kCfAttributes[0], 1), offset = number_in(kCfAttributes[1], 0);
  for (double& value : values) value = value * factor + offset;
  const bool are_finite =
      std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  return are_finite ? values : std::vector<double>();
}

/// Returns the labels of axes; none without labels.
std::vector<std::string> axis_labels_of(hid_t dataset, std::size_t axes) {
  const auto count = static_cast<hssize_t>(axes);
  const std::optional<Hdf5Id> found = attribute(dataset, "DIMENSION_LABELS", count, count);
  if (!found) return {};
  const Hdf5Id type(h5().H5Aget_type(found->get()));
  if (h5().H5Tget_class(type.get()) != H5T_STRING || checked_hdf5(h5().H5Tis_variable_str(type.get())) <= 0)
    return {};
  std::vector<char*> labels(axes);
  checked_hdf5(h5().H5Aread(found->get(), type.get(), static_cast<void*>(labels.data())));
  std::vector<std::string> names;
  for (char* const label : labels) {
    names.emplace_back(label == nullptr ? "" : label);
    h5().H5free_memory(label);
  }
  return names;
}

/// Reads the names, coordinates and units of axes from their dimension scales, as netCDF-4 has them.
void read_scales(hid_t dataset, Hdf5Array& array) {
  const std::size_t axes = array.shape.size();
  const auto count = static_cast<hssize_t>(axes);
  const std::optional<Hdf5Id> list = attribute(dataset, "DIMENSION_LIST", count, count);
  if (!list) return;
  const Hdf5Id type(h5().H5Aget_type(list->get()));
  if (h5().H5Tget_class(type.get()) != H5T_VLEN) return;
  const Hdf5Id element(h5().H5Tget_super(type.get()));
  if (h5().H5Tget_class(element.get()) != H5T_REFERENCE ||
      h5().H5Tget_size(element.get()) != sizeof(hobj_ref_t))
    return;
  std::vector<hvl_t> scales(axes);
  checked_hdf5(h5().H5Aread(list->get(), type.get(), scales.data()));
  array.axis_names.resize(axes);
  array.scales.resize(axes);
  std::uint64_t left = Hdf5Message::kMaxBytes / 2 / sizeof(double);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const hvl_t& of_axis = scales[axis];
    const hid_t found = of_axis.len == 0 ? H5I_INVALID_HID
                                         : h5().H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, of_axis.p);
    h5().H5free_memory(of_axis.p);
    if (found < 0) continue;  // as in a copy of the dataset without its scales
    const Hdf5Id scale(found);
    array.axis_names[axis] = name_by_scale(scale.get());
    if (array.shape[axis] > left) continue;
    try {
      if (text_in(scale.get(), "NAME").starts_with(kNoVariable)) continue;
      array.scales[axis] = {coordinates_in(scale.get(), array.shape[axis]), text_in(scale.get(), "units")};
    } catch (const Error&) {  // the image does not need them
    }
    left -= array.scales[axis].values.size();
  }
}

/// Returns whether the fill value is the one of numbers that netCDF writes where a program sets none.
bool has_default_fill(const Hdf5Array& array) {
  const auto is_fill = [&](auto value) {
    return array.fill.size() == sizeof value && std::memcmp(array.fill.data(), &value, sizeof value) == 0;
  };
  return array.format.kind == SampleKind::floating &&
         (is_fill(static_cast<float>(kDefaultFill)) || is_fill(kDefaultFill));
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

Hdf5Array read_hdf5_array(hid_t dataset) {
  const Hdf5Id type(h5().H5Dget_type(dataset)), properties(h5().H5Dget_create_plist(dataset));
  const std::optional<Hdf5Samples> samples = hdf5_samples(type.get());
  if (!samples) throw Error(ErrorCode::data, "contains no numbers of 8, 16, 32 or 64 bits");
  Hdf5Array array;
  array.format = samples->format;
  array.swapped = samples->swapped;
  array.shape = hdf5_shape(dataset);
  const std::size_t axes = array.shape.size();
  if (axes < 2) throw Error(ErrorCode::data, fmt::format("has {} axes, not 2 or 3", axes));
  array.order = order_of_c(axes);
  array.fill = fill_of(properties.get(), type.get(), array);
  const auto layout = static_cast<H5D_layout_t>(checked_hdf5(h5().H5Pget_layout(properties.get())));
  if (checked_hdf5(h5().H5Pget_external_count(properties.get())) > 0)
    throw Error(ErrorCode::data,
                "has its samples in another file; copy them into one file, for example with h5repack");
  if (layout == H5D_VIRTUAL)
    throw Error(ErrorCode::data, "has its samples in other datasets (virtual); copy them into one");
  array.is_chunked = layout == H5D_CHUNKED;
  if (array.is_chunked) {
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    if (static_cast<std::size_t>(checked_hdf5(
            h5().H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()))) != axes)
      throw Error(ErrorCode::data, "has chunks with another number of axes than its shape");
    array.chunk.assign(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(axes));
    if (!product(array.chunk, UINT32_MAX / array.sample_bytes()))
      throw Error(ErrorCode::data, "damaged: its chunks of " + sizes_in_words(array.chunk) +
                                       " samples exceed HDF5's limit of 4 GiB per chunk");
    array.filters = filters_of(properties.get());
  } else {
    array.chunk = piece_of(array.shape, array.sample_bytes());
    if (layout == H5D_COMPACT)
      read_compact(dataset, type.get(), array);
    else
      array.offset = find_contiguous(dataset);
  }
  check_chunk(array);
  read_scales(dataset, array);
  if (const auto labels = axis_labels_of(dataset, axes); !labels.empty()) {
    array.axis_names.resize(axes);
    for (std::size_t i = 0; i < axes; ++i)
      if (array.axis_names[i].empty()) array.axis_names[i] = labels[i];
  }
  array.axistags = text_in(dataset, "axistags");
  array.sizes = numbers_in(dataset, "element_size_um", 2, 3);
  for (std::size_t i = 0; i < array.cf.size(); ++i) array.cf[i] = numbers_as_text(dataset, kCfAttributes[i]);
  if (array.cf[2].empty() && !array.scales.empty() && has_default_fill(array))
    array.cf[2] = fmt::format("{}", kDefaultFill);
  return array;
}

Hdf5Place find_hdf5_chunk(hid_t dataset, const Hdf5Array& array, const std::vector<std::uint64_t>& at) {
  std::vector<hsize_t> first(at.size());
  for (std::size_t axis = 0; axis < at.size(); ++axis) first[axis] = at[axis] * array.chunk[axis];
  // It looks a chunk up as what reads it does, so that both mean the same one; others of its functions walk
  // through all chunks before it.
  hsize_t bytes = 0;
  const herr_t result = h5().H5Dget_chunk_storage_size(dataset, first.data(), &bytes);
  // Libraries before 1.12 call it an error, and give no number to it.
  if (result < 0 && hdf5_says("chunk storage is not allocated")) return {};
  checked_hdf5(result);
  if (bytes > array.filters.most_stored(array.chunk_bytes()))
    throw Error(ErrorCode::data, fmt::format("has {} bytes, more than its shape can take", bytes));
  // Destination of the samples, which no call writes to, and none can.
  static void* const nowhere = ::mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Hdf5Reads reads;
  std::uint32_t skipped = 0;
  note_hdf5_reads(&reads);
  const herr_t found = h5().H5Dread_chunk(dataset, H5P_DEFAULT, first.data(), &skipped, nowhere);
  note_hdf5_reads(nullptr);
  // Libraries from 1.12 on give it 0 bytes, as they do a damaged record of a chunk.
  if (found < 0 && bytes == 0 && hdf5_says("chunk address isn't defined")) return {};
  checked_hdf5(found);
  if (bytes == 0) throw Error(ErrorCode::data, "is stored in 0 bytes; the file is damaged");
  if (reads.times != 1 || reads.bytes != bytes) throw Error(ErrorCode::data, "is not stored in one piece");
  return {reads.offset, reads.bytes, skipped, 1};
}

/// Checks that contiguous samples are in the file, and compact ones complete.
static void check_place(const Hdf5Array& array, std::uint64_t file_bytes) {
  const std::optional<std::uint64_t> elements =
      product(array.shape, std::numeric_limits<std::uint64_t>::max() / array.sample_bytes());
  if (!elements) throw Error(ErrorCode::data, "header claims " + sizes_in_words(array.shape) + " elements");
  const std::uint64_t bytes = *elements * array.sample_bytes();
  if (array.offset && (bytes > file_bytes || *array.offset > file_bytes - bytes))
    throw Error(ErrorCode::data, "the file is truncated: " + claim(static_cast<double>(bytes), file_bytes));
  if (!array.compact.empty() && (array.offset || array.compact.size() != bytes)) Hdf5Message::refuse();
}

static void check_grid(const Hdf5Array& array) {
  constexpr std::size_t kMaxAxes = 32;  // limit of HDF5
  const int bits = array.format.bits;
  if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || array.shape.size() < 2 ||
      array.shape.size() > kMaxAxes || array.chunk.size() != array.shape.size() ||
      array.fill.size() != array.sample_bytes())
    Hdf5Message::refuse();
  if (!array.scales.empty() && array.scales.size() != array.shape.size()) Hdf5Message::refuse();
  if (array.format.kind == SampleKind::floating && bits == 8) Hdf5Message::refuse();
  check_chunk(array);
}

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
  message.put(static_cast<std::uint8_t>(array.axis_names.size()));
  for (const std::string& name : array.axis_names) message.put_list(name);
  message.put(static_cast<std::uint8_t>(array.scales.size()));
  for (const Coordinates& scale : array.scales) {
    message.put_list(scale.values);
    message.put_list(scale.unit);
  }
  message.put_list(array.axistags);
  message.put_list(array.sizes);
  for (const std::string& text : array.cf) message.put_list(text);
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
  array.axis_names.resize(message.take<std::uint8_t>());
  for (std::string& name : array.axis_names) name = message.take_list<std::string>();
  array.scales.resize(message.take<std::uint8_t>());
  for (Coordinates& scale : array.scales) {
    scale.values = message.take_list<std::vector<double>>();
    scale.unit = message.take_list<std::string>();
  }
  array.axistags = message.take_list<std::string>();
  array.sizes = message.take_list<std::vector<double>>();
  for (std::string& text : array.cf) text = message.take_list<std::string>();
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
