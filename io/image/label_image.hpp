#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"
#include "io/image/image_info.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// Signed and floating-point types, and those of 64 bits, hold values that are written instead of labels.
enum class LabelType { automatic, u8, u16, u32, i8, i16, i32, f32, u64, i64, f64 };

enum class Compression { none, deflate, lzw, zstd, packbits, blosc };
enum class BigTiff { automatic, yes, no };  // automatic: if a file exceeds the 4 GiB of a classic TIFF

struct WriteOptions {
  LabelType type = LabelType::automatic;  // automatic: u16 if N fits, else u32
  Compression compression = Compression::deflate;
  BigTiff big_tiff = BigTiff::automatic;
  std::size_t strips_at_once = SIZE_MAX;  // maximum; also limited by the number of threads
  Geometry geometry = {};
  std::array<int, 3> chunk{};  // of a Zarr, along x, y, z; 0: the default
  int level = 0;               // of the compression of a Zarr; 0: the default
  bool pyramid = false;        // adds smaller scales to a Zarr
  int zarr_format = 0;         // of a Zarr: 2, 3, or 0 for that of the input or image
  bool shards = false;         // writes a row of chunks of a Zarr to one file
  /// Called now and then with the share of rows written, 0 to 1.
  std::function<void(double share)> progress;
};

/// Labels to write: `labels` with `map` applied (may be empty); `count` is the number of labels after
/// mapping. For samples of 64 bits, the mapped label is an index of `wide`, which has the bits of an unsigned
/// type.
struct MappedLabels {
  const LabelRows& labels;
  std::span<const Label> map;
  Label count = 0;
  std::span<const std::uint64_t> wide = {};
};

/// Returns the bits of a sample; `type` is resolved, not automatic.
int bits_per_sample(LabelType type);
/// Returns the kind as NumPy names it: 'u', 'i' or 'f'.
char kind_of(LabelType type);
/// Returns the NumPy name with size and, if there are several bytes, byte order: "|u1", "<i2".
std::string numpy_name(LabelType type);
/// Returns "u8", "i16", "f32".
std::string short_name(LabelType type);
/// Returns "uint8", "int16", "float32".
std::string long_name(LabelType type);

/// Renders rows as samples of `type`.
void render(const MappedLabels& labels, LabelType type, std::int64_t first_row, std::int64_t rows, void* out);

/// Lists the runs of the mapped labels, as LabelRows::list_runs().
inline void list_runs(const MappedLabels& labels, std::int64_t first_row, std::int64_t rows, LabelRuns& out) {
  labels.labels.list_runs(first_row, rows, out, labels.map.empty() ? nullptr : labels.map.data());
}

/// Returns LabelRows::prepare() of the labels as a function.
inline PrepareRows prepare_rows(const MappedLabels& labels) {
  return [&source = labels.labels](std::int64_t first_row, std::int64_t rows) {
    return source.prepare(first_row, rows);
  };
}

/// An encoded strip, ready to be written.
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
  enum class StripPlacement {
    after_others,  // a strip begins where the one before it ends
    known,         // as after_others, and a strip has the size of its samples
    own_files      // the file is a folder, and a strip is some of its files
  };

  StripFile(const StripLayout& strips, StripPlacement places) : strips_(strips), places_(places) {}
  virtual ~StripFile() = default;
  StripFile(const StripFile&) = delete;
  StripFile& operator=(const StripFile&) = delete;

  const StripLayout& strips() const { return strips_; }
  StripPlacement places() const { return places_; }

  /// Returns the bytes before the first strip; empty for a folder.
  virtual std::vector<std::byte> head() const { return {}; }
  virtual void write_head(int file) const;

  /// Throws Error (data) if the format does not allow strips up to `strips_end`.
  virtual void check_end(std::uint64_t /*strips_end*/) const {}
  /// Writes a strip that was encoded without a file into a folder. Only for StripPlacement::own_files.
  virtual void write_strip(int /*folder*/, std::int64_t /*strip*/, std::span<const std::byte> /*bytes*/) {}
  /// Records every strip, in order. Only for StripPlacement::after_others.
  virtual void append(std::int64_t /*strip*/, const StripEntry& /*entry*/) {}
  /// Writes the part after the last strip, and fields of the head that depend on the strips.
  virtual void write_tail(int /*file*/, std::uint64_t /*strips_end*/) const {}

 private:
  StripLayout strips_;
  StripPlacement places_;
};

/// A label image as a StripFile, and its encoders. An encoder for a folder writes strips into the folder
/// `file`, or returns them if `file` is -1. The labels must outlive encoders.
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

}  // namespace gpuccl::io
