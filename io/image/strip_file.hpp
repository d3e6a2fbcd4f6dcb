#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "io/image/label_image.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// A strip as it goes into a file.
struct EncodedStrip {
  std::span<const std::byte> bytes;  // valid until the encoder encodes the next strip
  std::uint32_t checksum = 0;        // of the samples, of the kind that the format has; 0 if it has none
};

/// Encodes strips one after the other. Several encoders work at the same time.
class StripEncoder {
 public:
  virtual ~StripEncoder() = default;

  virtual EncodedStrip encode(std::int64_t strip) = 0;
};
using NewStripEncoder = std::function<std::unique_ptr<StripEncoder>()>;

/// Properties of an encoded strip that the tail of a file refers to.
struct StripEntry {
  std::uint64_t bytes = 0, checksum = 0;
};

/// A file of an image: a head, strips that are encoded independently of each other, and a tail. One process
/// encodes all strips, or each of several processes encodes some; the bytes are the same. Files are written
/// through their descriptors. If strips are separate files, these are descriptors of the folder.
class StripFile {
 public:
  enum class Places {
    after_others,  // a strip begins where the one before it ends
    known,         // as after_others, and a strip has the size of its samples
    own_files      // the file is a folder, and a strip is some of its files
  };

  StripFile(const StripLayout& strips, Places places) : strips_(strips), places_(places) {}
  virtual ~StripFile() = default;
  StripFile(const StripFile&) = delete;
  StripFile& operator=(const StripFile&) = delete;

  const StripLayout& strips() const { return strips_; }
  Places places() const { return places_; }

  /// Returns the bytes before the first strip; empty for a folder.
  virtual std::vector<std::byte> head() const { return {}; }
  virtual void write_head(int file) const;

  /// Throws Error (data) if the format does not allow strips up to `strips_end`.
  virtual void check_end(std::uint64_t /*strips_end*/) const {}
  /// Writes a strip that was encoded without a file into a folder. Only for Places::own_files.
  virtual void write_strip(int /*folder*/, std::int64_t /*strip*/, std::span<const std::byte> /*bytes*/) {}
  /// Records every strip, in order. Only for Places::after_others.
  virtual void append(std::int64_t /*strip*/, const StripEntry& /*entry*/) {}
  /// Writes the part after the last strip, and fields of the head that depend on the strips.
  virtual void write_tail(int /*file*/, std::uint64_t /*strips_end*/) const {}

 private:
  StripLayout strips_;
  Places places_;
};

/// A label image as such a file. new_encoder(labels, file) makes an encoder. For a folder, it writes directly
/// into it, or returns the strips if `file` is -1. The labels must outlive encoders.
struct LabelFile {
  std::unique_ptr<StripFile> file;
  std::function<std::unique_ptr<StripEncoder>(const MappedLabels& labels, int file)> new_encoder;
};

using TakeStrip = std::function<void(std::int64_t strip, const EncodedStrip& encoded)>;
using TellProgress = std::function<void(double share)>;

/// Encodes strips in parallel (oneTBB), after `prepare` for their rows, and passes them to `take` in order.
/// `progress`, if not null, is called now and then with the share of these strips that is done.
void encode_strips(const StripLayout& strips, StripRange range, const PrepareRows& prepare,
                   const NewStripEncoder& new_encoder, const TakeStrip& take, const TellProgress& progress);

/// Writes a complete file in this way. Throws Error (data, io).
void write_strip_file(int descriptor, StripFile& file, const PrepareRows& prepare,
                      const NewStripEncoder& new_encoder, const TellProgress& progress);

}  // namespace gpuccl::io
