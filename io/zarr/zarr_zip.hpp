#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/zarr/zarr_store.hpp"

namespace gpuccl::io {

/// A store in a zip archive, such as an .ozx (RFC-9 of OME-NGFF). Its files are not compressed by the zip, so
/// each is a range of bytes.
class ZarrZip final : public ZarrStore {
 public:
  /// `folder`: of the store in the archive, such as "/labels/cells"; "" is its root. The directory of the
  /// archive may take `memory` bytes. Throws Error (data, memory, io).
  ZarrZip(std::shared_ptr<const InputFile> archive, const std::string& folder, std::int64_t memory);
  std::unique_ptr<const InputFile> open(const std::string& key) const override;
  void check(const std::string& key, std::span<const std::byte> whole) const override;
  std::int64_t held_bytes() const override;

 private:
  struct Entry {
    std::string_view name;  // in directory_
    std::uint64_t begin = 0, bytes = 0;
    std::uint32_t checksum = 0;
    bool is_stored = true;
  };

  /// Finds the central directory, and reads it.
  std::uint64_t read_directory(std::int64_t memory);
  Entry read_entry(std::size_t& at) const;
  const Entry* find(const std::string& name) const;

  std::shared_ptr<const InputFile> archive_;
  std::string folder_;  // "" or ending in "/"
  std::vector<std::byte> directory_;
  std::vector<Entry> entries_;  // by name, and of one name in the order of the archive
};

/// Appends a file of less than 4 GiB, `parts` one after the other, to the bytes of an archive.
void add_to_zip(std::vector<std::byte>& archive, const std::string& name,
                std::initializer_list<std::span<const std::byte>> parts);
/// Writes the directory of an archive whose files end at `end`, in the format of Zip64. Throws Error (io).
void write_zip_directory(int archive, std::uint64_t end);

}  // namespace gpuccl::io
