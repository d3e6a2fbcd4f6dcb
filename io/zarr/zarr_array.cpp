#include "io/zarr/zarr_array.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gpuccl/types.hpp"
#include "io/files/json.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

/// "NaN", "Infinity", "-Infinity", or the bits as "0x7fc00000".
std::optional<std::uint64_t> bits_in_words(const std::string& text, const SampleFormat& format) {
  const std::uint64_t exponent = format.bits == 16   ? 0x7c00
                                 : format.bits == 32 ? 0x7f800000
                                                     : 0x7ff0000000000000;
  const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1);
  if (text == "NaN") return exponent | (exponent & ~(exponent << 1)) >> 1;
  if (text == "Infinity") return exponent;
  if (text == "-Infinity") return exponent | sign;
  std::uint64_t bits = 0;
  if (!text.starts_with("0x")) return std::nullopt;
  const auto [end, problem] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return bits;
}

std::uint64_t bits_of_number(double number, int bits) {
  std::uint64_t code = 0;
  if (bits == 64) {
    std::memcpy(&code, &number, 8);
  } else if (bits == 32) {
    const auto narrow = static_cast<float>(number);
    std::memcpy(&code, &narrow, 4);
  } else {  // a half: what is normal and exact
    int exponent = 0;
    const double fraction = std::frexp(std::abs(number), &exponent);
    const double scaled = std::ldexp(fraction, 11);
    if (number == 0) return 0;
    if (exponent < -13 || exponent > 16 || scaled != std::trunc(scaled))
      refuse_zarr("its fill_value is not a 16-bit number");
    code = static_cast<std::uint64_t>(exponent + 14) << 10 | (static_cast<std::uint64_t>(scaled) & 1023u);
    if (number < 0) code |= 0x8000;
  }
  return code;
}

/// The bits of the fill value. Some programs, bioformats2raw for one, write numbers as text.
std::uint64_t fill_bits(const Json& value, const SampleFormat& format) {
  if (value.is_null()) return 0;
  if (value.is_string())
    if (const Json number = parse_json(value.get_ref<const std::string&>()); number.is_number())
      return fill_bits(number, format);
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (format.kind == SampleKind::floating) {
    if (value.is_string())
      if (const auto bits = bits_in_words(value.get<std::string>(), format)) return *bits;
    if (value.is_number()) return bits_of_number(value.get<double>(), format.bits);
  } else if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>();
  } else if (value.is_number_integer()) {
    return static_cast<std::uint64_t>(value.get<std::int64_t>());
  } else if (value.is_number() && value.get<double>() == 0) {
    return 0;
  }
  refuse_zarr("fill_value " + json_text(value).substr(0, 60));
}

}  // namespace

std::uint64_t ZarrShards::count() const {
  return std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{1}, std::multiplies<>());
}

std::string ZarrArray::key(const std::vector<std::uint64_t>& at) const {
  std::string key = key_prefix;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    key += (axis > 0 ? std::string(1, key_separator) : "") + std::to_string(at[axis]);
  return key;
}

void complete(ZarrArray& array, const Json& fill_value) {
  constexpr std::size_t kMostAxes = 32;
  constexpr std::uint64_t kMostOfShard = std::uint64_t{1} << 24;  // chunks: an index of 256 MiB
  const std::size_t axes = array.shape.size();
  if (axes < 2 || axes > kMostAxes)
    refuse_zarr(std::to_string(axes) + (axes == 1 ? " axis" : " axes") + ", not 2 or 3: (y, x) or (z, y, x)");
  if (array.chunk.size() != axes) refuse_zarr("chunks with another number of axes than the shape");
  check_chunk(array);
  if (array.shards && !product(array.shards->chunks, kMostOfShard))
    refuse_zarr("shards of " + sizes_in_words(array.shards->chunks) + " chunks");
  if (array.order.empty()) array.order = order_of_c(axes);
  array.axis_names.resize(axes);
  const std::uint64_t bits = fill_bits(fill_value, array.format);
  array.fill.resize(array.sample_bytes());
  std::memcpy(array.fill.data(), &bits, array.fill.size());
}

}  // namespace gpuccl::io
