#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// The files of a Zarr store by their keys: "0/.zarray", "c/0/1".
class ZarrStore {
 public:
  virtual ~ZarrStore() = default;
  /// Returns null if there is no such file. Thread-safe. Throws Error: data for a key that is not a name
  /// inside the store, or that is not a file; no_input, io.
  virtual std::unique_ptr<const InputFile> open(const std::string& key) const = 0;
  /// Compares `whole`, all bytes of the file `key`, with the checksum that the store keeps of it, if any.
  /// Throws Error (data).
  virtual void check(const std::string& /*key*/, std::span<const std::byte> /*whole*/) const {}
  /// Returns the memory that the store holds.
  virtual std::int64_t held_bytes() const { return 0; }
};

/// A store that is a folder. Without `follow`, symbolic links in it are not followed, so nothing outside of
/// it is read.
class ZarrFolder final : public ZarrStore {
 public:
  /// Throws Error (no_input).
  explicit ZarrFolder(const std::string& path, bool follow = false);
  std::unique_ptr<const InputFile> open(const std::string& key) const override;

 private:
  Descriptor folder_;
  bool follow_;
};

// Reads the metadata of Zarr stores. A store may contain anything, so every field is checked.

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
