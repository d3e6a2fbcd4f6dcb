#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Bytes of the largest header, that of NIfTI-2.
inline constexpr std::size_t kNiftiHeaderBytes = 540;

/// The header of a NIfTI-1 or NIfTI-2. By hand and not by libnifti: that library reads a volume whole, or
/// inflates it again for each part.
struct NiftiHeader {
  RawVolume volume;
  bool is_pair = false;  // samples are in a file of their own
};

/// `start`: the first bytes of a file, as many as a header has if there are so many.
bool is_nifti(std::span<const std::byte> start);
/// Whether it is the header of a pair.
bool is_nifti_pair(std::span<const std::byte> start);

/// Checks what the header specifies but not that the samples are there. Throws Error (data).
NiftiHeader read_nifti_header(std::span<const std::byte> start, const Limits& limits);

}  // namespace gpuccl::io
