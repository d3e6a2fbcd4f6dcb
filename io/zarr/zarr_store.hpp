#pragma once

#include <memory>
#include <string>

#include "io/files/descriptor.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// The files of a Zarr store by their keys: "0/.zarray", "c/0/1".
class ZarrStore {
 public:
  virtual ~ZarrStore() = default;
  /// Null if there is no such file. May be called from several threads at once. Throws Error: data for a key
  /// that is not a name inside of the store, or that is not a file; no_input, io.
  virtual std::unique_ptr<const InputFile> open(const std::string& key) const = 0;
};

/// A store that is a folder. No symbolic link in it is followed unless `follow` says so: nothing outside of
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

}  // namespace gpuccl::io
