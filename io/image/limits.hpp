#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "gpuccl/types.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// `limits.memory`, or three quarters of what is available.
std::int64_t memory_limit(const Limits& limits);

/// Checks a page's size as its header states it, before it is turned into an Extent. Throws Error (data).
void check_page_size(std::uint64_t width, std::uint64_t height, const Limits& limits);

/// Checks the numbers of elements along x, y, z as a header states them. Throws Error (data).
Extent checked_extent(const std::array<double, 3>& sizes, const Limits& limits);

/// Checks the number of slices alone.
int checked_slices(double slices, const Limits& limits);

/// Checks the number of consecutive volumes.
double checked_frames(double frames);

/// Checks that the bits of a whole input of this size (of a row of it if it is read in parts), and
/// `buffer_bytes` more, fit. Throws Error (memory).
void check_memory(const Extent& extent, std::int64_t buffer_bytes, const ReadOptions& options);

/// Refuses a header that claims more bytes than Deflate can make of `stored_bytes` (1032 to 1, and some
/// slack). Throws Error (data).
void check_deflate_ratio(double claimed_bytes, std::uint64_t stored_bytes);

/// The reason for refusing such a header: "header claims 6143 MiB from 353 bytes".
std::string claim(double claimed_bytes, std::uint64_t stored_bytes);

/// "640x480", "640x480x12".
std::string to_string(const Extent& extent);

/// Bytes that this process may still take: what the system has available, or less where a control group says
/// so.
std::int64_t available_memory();

}  // namespace gpuccl::io
