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
/// encodes all strips, or several processes encode some each; the bytes are the same. Files are written
/// through their descriptors, which are those of folders where strips are files of their own.
class StripFile {
 public:
  enum class Places {
    after_others,  // a strip begins where the one before it ends
    known,         // the same, and a strip has the size of its samples
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

  /// Throws Error (data) if the strips may not reach so far.
  virtual void check_end(std::uint64_t /*strips_end*/) const {}
  /// Writes a strip that was encoded for no file yet into a folder. Of Places::own_files alone.
  virtual void write_strip(int /*folder*/, std::int64_t /*strip*/, std::span<const std::byte> /*bytes*/) {}
  /// Takes note of every strip, in order. Of Places::after_others alone.
  virtual void append(std::int64_t /*strip*/, const StripEntry& /*entry*/) {}
  /// Writes what comes after the last strip, and what the head could not say before.
  virtual void write_tail(int /*file*/, std::uint64_t /*strips_end*/) const {}

 private:
  StripLayout strips_;
  Places places_;
};

/// A label image as such a file. new_encoder(labels, file) makes an encoder, for a folder one that writes
/// straight into it, or with -1 one that returns the strips of a folder, too. The labels outlive encoders.
struct LabelFile {
  std::unique_ptr<StripFile> file;
  std::function<std::unique_ptr<StripEncoder>(const MappedLabels& labels, int file)> new_encoder;
};

using TakeStrip = std::function<void(std::int64_t strip, const EncodedStrip& encoded)>;
using TellProgress = std::function<void(double share)>;

/// Encodes some strips in parallel (oneTBB) and gives them to `take` in order, after `prepare` for their
/// rows. `progress`, if any, is called now and then with the share of these strips that is done.
void encode_strips(const StripLayout& strips, StripRange range, const PrepareRows& prepare,
                   const NewStripEncoder& new_encoder, const TakeStrip& take, const TellProgress& progress);

/// Writes a whole file in this way. Throws Error (data, io).
void write_strip_file(int descriptor, StripFile& file, const PrepareRows& prepare,
                      const NewStripEncoder& new_encoder, const TellProgress& progress);

}  // namespace gpuccl::io
