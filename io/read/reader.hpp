#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gpuccl/image.hpp"
#include "gpuccl/values.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// An input whose header was read and found good. Slices come on demand, so that a volume need not fit in
/// memory.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const ImageInfo& info() const = 0;
  /// With ForegroundOptions::otsu: decodes the input to find the threshold, which info() states from then on.
  /// The first reading does it otherwise. Throws Error as read() does.
  virtual void find_threshold() = 0;
  /// Reads slices [z0, z1) into the first z1 - z0 slices of `out`, which has the width and height of the
  /// input and need not be cleared. Reading in ascending order is fastest. Throws Error (data, io).
  void read(int z0, int z1, BitVolume& out) { read(z0, z1, out, nullptr); }
  /// Reads and calls `look` with every slice after it has been read, from several threads at once. Counting
  /// while a slice is in the cache is faster, because large volumes do not stay there.
  using Look = std::function<void(BitView slice)>;
  virtual void read(int z0, int z1, BitVolume& out, const Look& look) = 0;
  /// Reads rows [y0, y1) of slice z into the first rows of `out`, which has the width of the input. They are
  /// decoded ahead by a thread of their own; rows that do not follow those read last are decoded from the top
  /// of their slice. Throws Error (data, io).
  virtual void read_rows(int z, int y0, int y1, BitVolume& out) = 0;
  /// The type of samples as they are stored, whatever is foreground. Error (data) for colours, and where
  /// slices have different types.
  virtual ValueType value_type() const = 0;
  /// Reads slices [z0, z1) as values of this type. Throws Error (data, io).
  virtual ValueImage read_values(int z0, int z1, double delta) = 0;
  /// Reads rows [y0, y1) of slice z; decodes as much of the slice as that needs.
  virtual ValueImage read_value_rows(int z, int y0, int y1, double delta) = 0;
  /// Whether what was read without a threshold has, in some of its rows that were looked at, more than two
  /// values.
  virtual bool has_more_than_two_values() const = 0;
  /// Whether any sample of the rows that were read for bits is NaN.
  virtual bool has_nan() const = 0;
  /// Bytes of the input that are held in memory, now or once it is read: those of a pipe, or of slices that
  /// are stored across each other.
  virtual std::int64_t held_bytes() const = 0;
  /// Bytes that decoding a slice takes in addition to its bits.
  virtual std::int64_t buffer_bytes() const = 0;
};

/// Opens a PNG, a TIFF (pages are slices), a .npy array, a NIfTI, a Zarr, "-" (stdin), or, with `stack`, a
/// folder of slices in natural name order or in the order of its files.txt. The first bytes decide the
/// format, not the name. Throws Error: no_input when missing or unreadable, data when it is not a readable
/// image, memory when over a limit.
std::unique_ptr<Reader> open_reader(const std::string& path, const ReadOptions& options);

/// Opens and reads everything. `info`, if not null, is filled.
BitVolume read_image(const std::string& path, const ReadOptions& options, ImageInfo* info = nullptr);

}  // namespace gpuccl::io
