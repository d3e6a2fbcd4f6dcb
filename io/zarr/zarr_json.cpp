#include "io/zarr/zarr_json.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "gpuccl/types.hpp"
#include "io/files/json.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {

using Json = nlohmann::json;

std::optional<Json> read_zarr_json(const ZarrStore& store, const std::string& key, std::int64_t memory) {
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
  constexpr std::int64_t kBytesOfEach = 64;  // parsed, a character takes no more, and white space nothing
  constexpr std::uint64_t kInAnyCase = 1 << 16;
  const auto file = store.open(key);
  if (!file) return std::nullopt;
  const std::uint64_t size = file->size();
  if (size > kLargest) refuse_zarr(key + " of " + bytes_in_words(static_cast<double>(size)));
  const auto check_memory = [&](std::int64_t bytes) {
    if (size > kInAnyCase && bytes > memory)
      throw Error(Failure::memory, key + " of " + bytes_in_words(static_cast<double>(size)) +
                                       " may not fit in memory when it is parsed");
  };
  check_memory(static_cast<std::int64_t>(size));
  std::string text(size, '\0');
  text.resize(file->read_at(0, text.data(), text.size()));
  check_memory(kBytesOfEach *
               std::count_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) == 0; }));
  Json json = parse_json(text, kDeepestJson, [&] { refuse_zarr(key + " is nested too deep"); });
  if (!json.is_object()) refuse_zarr(key + " is not valid");
  json.erase("consolidated_metadata");
  return json;
}

const Json& member(const Json& object, const char* name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::string text_in(const Json& object, const char* name) {
  const Json& text = member(object, name);
  return text.is_string() ? text.get<std::string>() : "";
}

std::vector<std::uint64_t> sizes_in(const Json& object, const char* name) {
  const Json& list = member(object, name);
  if (!list.is_array()) refuse_zarr(std::string("no ") + name);
  std::vector<std::uint64_t> sizes;
  for (const Json& size : list) {
    if (!size.is_number_unsigned()) refuse_zarr(std::string(name) + " " + json_text(list).substr(0, 60));
    sizes.push_back(size.get<std::uint64_t>());
  }
  return sizes;
}

void refuse_zarr(const std::string& why) {
  throw Error(Failure::data, "not a usable Zarr array (" + why + ")");
}

}  // namespace gpuccl::io
