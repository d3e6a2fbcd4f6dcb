#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/zarr/zarr_store.hpp"

// Reads the metadata of Zarr stores. A store may contain anything, so every field is checked.
namespace gpuccl::io {

/// The document `key` of a store; nothing if it is not there. A cache of other documents is left out. Throws
/// Error: data when it is not a JSON object or too long, memory when it may not fit `memory` bytes.
std::optional<nlohmann::json> read_zarr_json(const ZarrStore& store, const std::string& key,
                                             std::int64_t memory);

/// The member `name`, a null value if there is none or `object` is not an object.
const nlohmann::json& member(const nlohmann::json& object, const char* name);

/// The text in the member `name`; "" if there is none.
std::string text_in(const nlohmann::json& object, const char* name);

/// Integers from 0 on in the member `name`. Throws Error (data) for anything else.
std::vector<std::uint64_t> sizes_in(const nlohmann::json& object, const char* name);

/// Throws Error (data) for a Zarr that cannot be read.
[[noreturn]] void refuse_zarr(const std::string& why);

}  // namespace gpuccl::io
