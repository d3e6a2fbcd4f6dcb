#include <nlohmann/json.hpp>
#include <numeric>

#include "gpuccl/types.hpp"
#include "io/zarr/zarr_array.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

/// "<u2": byte order, kind and bytes of a sample.
void parse_type(const std::string& type, ZarrArray& array) {
  if (type.size() != 3) refuse_zarr("type " + type.substr(0, 60));
  const char order = type[0], kind = type[1], bytes = type[2];
  const bool is_known =
      kind == 'u' || kind == 'i' || (kind == 'f' && bytes != '1') || (kind == 'b' && bytes == '1');
  const bool is_size = bytes == '1' || bytes == '2' || bytes == '4' || bytes == '8';
  if (!is_known || !is_size || (order != '<' && order != '>' && order != '|')) refuse_zarr("type " + type);
  array.format.bits = (bytes - '0') * 8;
  array.format.kind = kind == 'i'   ? SampleKind::signed_integer
                      : kind == 'f' ? SampleKind::floating
                                    : SampleKind::unsigned_integer;
  array.swapped = order == '>';
}

}  // namespace

ZarrArray parse_zarr_v2(const Json& zarray) {
  ZarrArray array;
  array.shape = sizes_in(zarray, "shape");
  array.chunk = sizes_in(zarray, "chunks");
  parse_type(text_in(zarray, "dtype"), array);
  if (text_in(zarray, "order") == "F") {
    array.order.resize(array.shape.size());
    std::iota(array.order.rbegin(), array.order.rend(), std::size_t{0});
  }
  const Json& filters = member(zarray, "filters");
  if (filters.is_array())
    for (const Json& filter : filters) array.codecs.add(zarr_codec(text_in(filter, "id")));
  const Json& compressor = member(zarray, "compressor");
  if (!compressor.is_null()) array.codecs.add(zarr_codec(text_in(compressor, "id")));
  const std::string separator = text_in(zarray, "dimension_separator");
  if (!separator.empty() && separator != "." && separator != "/")
    refuse_zarr("dimension_separator " + separator);
  array.key_separator = separator == "/" ? '/' : '.';
  complete(array, member(zarray, "fill_value"));
  return array;
}

}  // namespace gpuccl::io
