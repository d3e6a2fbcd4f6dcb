#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/bit_volume.hpp"
#include "io/image/image_info.hpp"

namespace gpuccl::io {

/// What is refused by header arithmetic, before anything is allocated.
struct Limits {
  std::int64_t max_pixels = std::int64_t{1} << 36;  // a page
  std::int64_t max_dim = 2147483647;                // an axis
  std::int64_t max_pages = 1000000;
  std::int64_t memory = 0;  // bytes for the bits of the input; 0: three quarters of what is available
};

/// Which samples are foreground.
struct ForegroundOptions {
  bool raw = false;  // sample bits as stored: no photometric inversion
  bool invert = false;
  std::optional<double> threshold;  // value > threshold
  bool otsu = false;                // threshold by Otsu's method over the whole input
};

struct ReadOptions {
  ForegroundOptions foreground;
  Limits limits;
  bool stack = false;     // the path is a folder whose files are slices
  bool in_parts = false;  // a few slices or rows at a time: limits.memory is not for the bits of the whole
  /// One line for the user about something odd but harmless ("alpha channel ignored").
  std::function<void(const std::string& line)> warn;
};

/// An input whose header was read and found good. Slices come on demand, so that a volume need not fit in
/// memory.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const ImageInfo& info() const = 0;
  /// Reads slices [z0, z1) into the first z1 - z0 slices of `out`, which has the width and height of the
  /// input and need not be cleared. Reading in ascending order is fastest. Throws Error (data, io).
  virtual void read(int z0, int z1, BitVolume& out) = 0;
  /// Reads rows [y0, y1) of slice z into the first rows of `out`, which has the width of the input. They are
  /// decoded ahead by a thread of their own; rows that do not follow those read last are decoded from the top
  /// of their slice. Throws Error (data, io).
  virtual void read_rows(int z, int y0, int y1, BitVolume& out) = 0;
  /// Bytes of the input that are held in memory, as those of a pipe must be.
  virtual std::int64_t held_bytes() const = 0;
  /// Bytes that decoding a slice takes beside its bits.
  virtual std::int64_t buffer_bytes() const = 0;
};

/// Opens a PNG, a TIFF (pages are slices), "-" (stdin), or, with `stack`, a folder of slices in natural name
/// order or in the order of its files.txt. The format is told by the first bytes, not by the name.
/// Throws Error: no_input when missing or unreadable, data when it is not a readable image, memory when over
/// a limit.
std::unique_ptr<Reader> open_reader(const std::string& path, const ReadOptions& options);

/// Opens and reads everything. `info`, if not null, is filled.
BitVolume read_image(const std::string& path, const ReadOptions& options, ImageInfo* info = nullptr);

/// Whether a file of a folder is taken for an image: .png, .tif or .tiff in any case, and not hidden.
bool is_image_name(const std::filesystem::path& name);

/// The file of a folder that, if there is one, says which slices are stacked and in what order.
inline constexpr const char* kSliceList = "files.txt";

/// Slice files of a folder in the order in which they are stacked (names only, no path). `warn`, if not null,
/// hears of files that are left out. Throws Error (no_input, data, io).
std::vector<std::string> slice_names(const std::filesystem::path& folder,
                                     const std::function<void(const std::string& line)>& warn = nullptr);

}  // namespace gpuccl::io
