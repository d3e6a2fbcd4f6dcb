#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Returns `limits.memory`, or three quarters of the available memory.
std::int64_t memory_limit(const Limits& limits);

/// Checks the size of a page in its header, before it becomes an Extent. Throws Error (data).
void check_page_size(std::uint64_t width, std::uint64_t height, const Limits& limits);

/// Checks the numbers of elements along x, y, z in a header. Throws Error (data).
Extent checked_extent(const std::array<double, 3>& sizes, const Limits& limits);

/// Checks the number of slices alone.
int checked_slices(double slices, const Limits& limits);

/// Checks the number of samples of an element. Throws Error (data).
int checked_channels(double channels);

/// Checks the number of consecutive volumes.
double checked_frames(double frames);

/// Checks that memory is enough for the bits of an input of this size (of one row if it is read in parts) and
/// for `buffer_bytes`. Throws Error (memory).
void check_memory(const Extent& extent, std::int64_t buffer_bytes, const ReadOptions& options);

/// Refuses a header that claims more bytes than Deflate can make of `stored_bytes` (1032 to 1, and some
/// slack). Throws Error (data).
void check_deflate_ratio(double claimed_bytes, std::uint64_t stored_bytes);

/// Returns the reason for refusing such a header: "header claims 6143 MiB from 353 bytes".
std::string claim(double claimed_bytes, std::uint64_t stored_bytes);

/// "640x480", "640x480x12".
std::string to_string(const Extent& extent);

/// Returns the bytes that this process may still use: those available in the system, or fewer if a control
/// group limits them.
std::int64_t available_memory();

/// Frame header of a JPEG stream.
struct JpegFrame {
  int process = 0;  // the n of its marker SOFn: 0 baseline, 1 extended, 2 progressive, 3 lossless ...
  std::int64_t width = 0, height = 0;
  int components = 0;
  bool several_scans = false;  // a component's coefficients are complete only after the last
  std::uint64_t exif = 0;      // offset of EXIF data; 0: none
  bool has_more = false;       // pictures after this one (multi-picture format)

  bool is_lossless() const { return process % 4 == 3; }
  /// Returns the memory of a decoder for coefficients: all of them if there are several scans.
  std::int64_t coefficient_bytes() const;
};

/// Reads the headers of a stream of `bytes` bytes at `offset`. Returns none if there is no frame header:
/// decoding then reports the damage. Throws Error (io).
std::optional<JpegFrame> read_jpeg_frame(const InputFile& file, std::uint64_t offset, std::uint64_t bytes);

}  // namespace gpuccl::io
