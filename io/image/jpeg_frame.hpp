#pragma once

#include <cstdint>
#include <optional>

#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Frame header of a JPEG stream.
struct JpegFrame {
  int process = 0;  // the n of its marker SOFn: 0 baseline, 1 extended, 2 progressive, 3 lossless ...
  std::int64_t width = 0, height = 0;
  int components = 0;
  bool several_scans = false;  // a component's coefficients are complete only after the last

  bool is_lossless() const { return process % 4 == 3; }
  /// Bytes that a decoder takes for coefficients: all of them if they come in several scans.
  std::int64_t coefficient_bytes() const;
};

/// Reads the headers of a stream of `bytes` bytes at `offset`. None if there is no frame header: such a
/// stream is damaged, and decoding it says how. Throws Error (io).
std::optional<JpegFrame> read_jpeg_frame(const InputFile& file, std::uint64_t offset, std::uint64_t bytes);

}  // namespace gpuccl::io
