#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// Bytes that are read at given offsets.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Copies `count` bytes from `offset` on, fewer only at the end, and returns how many. May be called from
  /// several threads at once. Throws Error (data, io).
  virtual std::size_t read_at(std::uint64_t offset, void* out, std::size_t count) const = 0;
};

/// Records the files that InputFile opens from now on, so that no AtomicFile of this process replaces one.
void protect_inputs();
/// Returns whether the file was recorded.
bool is_protected_input(std::uint64_t device, std::uint64_t inode);

/// The bytes of an input. A regular file is read, never mapped, so that one that shrinks in the meantime is
/// an error and not a signal. The bytes of a pipe, which cannot be read at an offset, are kept in
/// memory.
class InputFile final : public ByteSource {
 public:
  /// `path` may be "-" for stdin. Throws Error: no_input when missing or unreadable, io when reading fails,
  /// memory if a pipe has more than `max_held` bytes.
  InputFile(const std::string& path, std::int64_t max_held);
  /// Takes an open regular file of `size` bytes.
  InputFile(Descriptor file, std::uint64_t size) : descriptor_(std::move(file)), size_(size) {}
  /// Takes bytes in memory.
  explicit InputFile(std::vector<std::byte> bytes);
  /// Takes `size` bytes of another file, which is at least `begin + size` long.
  InputFile(std::shared_ptr<const InputFile> whole, std::uint64_t begin, std::uint64_t size)
      : whole_(std::move(whole)), begin_(begin), size_(size) {}
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Returns the path as given; empty for other sources.
  const std::string& path() const { return path_; }
  /// Returns the selected array, such as "/volume/raw" in "cells.h5:/volume/raw"; empty if none is.
  const std::string& inside() const { return inside_; }
  std::uint64_t size() const { return size_; }
  /// Returns -1 if all bytes are in memory.
  int descriptor() const { return descriptor_.get(); }
  /// Returns the number of bytes held in memory.
  std::int64_t held_bytes() const { return static_cast<std::int64_t>(held_.capacity()); }
  /// Throws Error (io).
  std::size_t read_at(std::uint64_t offset, void* out, std::size_t count) const override;

 private:
  void hold_all(int descriptor, std::int64_t max_held);

  std::string path_, inside_;
  Descriptor descriptor_;  // none: held_
  std::vector<std::byte> held_;
  std::shared_ptr<const InputFile> whole_;  // of which this is a part
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

/// The name of an input: of a file, or of an array in one, as in "cells.h5:/volume/raw".
struct InputName {
  std::string file;
  std::string inside;  // "/volume/raw"; empty: what is in the file
};

/// Splits a path at the first ":/" after the name of a file. A path that is a file, or contains none, is not
/// split.
InputName split_input(const std::string& path);

/// Returns whether `path` begins with the name of a file and a colon, as in "cells.h5:volume".
bool looks_inside(const std::string& path);

/// Returns the path of the file `name` that contains the samples of the file `header`.
std::string companion_path(const std::string& header, const std::string& name);

/// Opens the file `name` that contains the samples of the file `header`. It must be in the folder of the
/// header or below it, also after following links, unless `follow` is set: a header from elsewhere must not
/// name other files. Throws Error: data if the name leads out of
/// the folder, no_input if there is no such file, and as InputFile does.
std::shared_ptr<const InputFile> open_companion(const std::string& header, const std::string& name,
                                                bool follow);

/// Lines of a text header before samples. Texts in addition to the header's fields, such as a history, may be
/// long, up to a limit.
class HeaderLines {
 public:
  explicit HeaderLines(const ByteSource& file) : file_(file) {}

  /// Returns the next line without its Unix or Windows line end; none at the end of the file. Throws Error
  /// (data) if the text is longer than any header.
  std::optional<std::string> next();
  /// Returns the offset of the byte after the last line.
  std::uint64_t position() const { return position_; }

 private:
  const ByteSource& file_;
  std::string waiting_;  // what was read from position() on
  std::uint64_t position_ = 0;
};

/// Objects made for inputs, by path, which all images in the same file use: time points of a batch, or
/// channels. Thread-safe.
class KeptInputs {
 public:
  /// Returns the object of this type and path in `kept`, which `make` makes if there is none yet. Without
  /// `kept`, or if `make` throws, nothing is kept.
  template <class Kept, class Make>
  static std::shared_ptr<Kept> get(const std::shared_ptr<KeptInputs>& kept, const std::string& path,
                                   Make make) {
    if (!kept) return make();
    const std::lock_guard lock(kept->mutex_);
    std::shared_ptr<void>& object = kept->objects_[{typeid(Kept), path}];
    if (!object) object = make();
    return std::static_pointer_cast<Kept>(object);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::type_index, std::string>, std::shared_ptr<void>> objects_;
};

}  // namespace gpuccl::io
