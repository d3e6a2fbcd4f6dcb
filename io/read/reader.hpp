#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gpuccl/image.hpp"
#include "gpuccl/values.hpp"
#include "io/image/image_info.hpp"
#include "io/image/paths.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// An input whose header was read and is valid. Slices are read on demand, so that a volume need not fit in
/// memory.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const ImageInfo& info() const = 0;
  /// With ForegroundOptions::otsu, decodes the input to find the threshold; afterwards info() contains it.
  /// The first read calls it if nobody has. Throws Error as read() does.
  virtual void find_threshold() = 0;
  /// Reads slices [z0, z1) into the first z1 - z0 slices of `out`, which has the width and height of the
  /// input and need not be cleared. Reading in ascending order is fastest. Throws Error (data, io).
  void read(int z0, int z1, BitVolume& out) { read(z0, z1, out, nullptr); }
  /// Reads and calls `look` with every slice after it has been read, from several threads at once. Counting
  /// while a slice is in the cache is faster, because large volumes do not stay there.
  using Look = std::function<void(BitView slice)>;
  virtual void read(int z0, int z1, BitVolume& out, const Look& look) = 0;
  /// Reads rows [y0, y1) of slice z into the first rows of `out`, which has the width of the input. They are
  /// decoded ahead by a separate thread. Rows that do not follow the ones read last are decoded from the top
  /// of their slice. Throws Error (data, io).
  virtual void read_rows(int z, int y0, int y1, BitVolume& out) = 0;
  /// Returns the type of values (ValueRows::type()), regardless of the foreground rule. Error (data) for
  /// colors without an id, and if slices have different types.
  virtual ValueType value_type() const = 0;
  /// Reads slices [z0, z1) as values of this type. Throws Error (data, io).
  virtual ValueImage read_values(int z0, int z1, double delta) = 0;
  /// Reads rows [y0, y1) of slice z as values, as read_rows() does.
  virtual ValueImage read_value_rows(int z, int y0, int y1, double delta) = 0;
  /// Returns at most three different values of the rows that were read without a foreground rule. Only some
  /// rows are checked.
  virtual std::vector<double> first_values() const = 0;
  /// Returns whether any sample that was read as bits, or as an id, is NaN.
  virtual bool has_nan() const = 0;
  /// Returns the bytes of the input that stay in memory, now or after reading: of a pipe, or of slices that
  /// are stored interleaved.
  virtual std::int64_t held_bytes() const = 0;
  /// Returns the bytes for decoding a slice, in addition to its bits.
  virtual std::int64_t buffer_bytes() const = 0;
  /// Returns SampleSource::group_depth().
  virtual int group_depth() const = 0;
};

/// Opens a file of any format in read_formats(), "-" (stdin), or a stack, a folder of slices in natural
/// name order or in the order of its files.txt. The first bytes determine the format, not the name. Throws
/// Error: no_input if it is missing or cannot be opened, data if it is not a readable image, memory if it is
/// over a limit.
std::unique_ptr<Reader> open_reader(const Source& source, const ReadOptions& options);

/// Opens and reads an image. Sets `info` if it is not null.
BitVolume read_image(const Source& source, const ReadOptions& options, ImageInfo* info = nullptr);

}  // namespace gpuccl::io
