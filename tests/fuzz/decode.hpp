#pragma once

#include <oneapi/tbb/global_control.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/foreground.hpp"
#include "io/read/open_samples.hpp"

namespace gpuccl::fuzz {

/// An input takes the same way each time, and there is as much to do for others.
inline const oneapi::tbb::global_control kOneThread(oneapi::tbb::global_control::max_allowed_parallelism, 1);

/// Small enough that thousands of inputs are done in a second; what an image holds is the same again and
/// again.
inline io::ReadOptions small_options() {
  io::ReadOptions options;
  options.limits.memory = std::int64_t{64} << 20;
  options.limits.max_pixels = std::int64_t{1} << 11;
  options.limits.max_pages = 16;
  options.warn = [](const std::string&) {};
  return options;
}

/// Takes every sample of what `open` opens through the rule that the number chooses.
template <class Open>
void decode(unsigned choice, Open open) {
  const io::ReadOptions options = small_options();
  io::ForegroundOptions rule;
  rule.raw = (choice & 1) != 0;
  rule.invert = (choice & 2) != 0;
  rule.otsu = (choice & 12) == 4;
  if ((choice & 12) == 8) rule.threshold = 100;
  if ((choice & 12) == 12)
    rule.values = {*io::SampleInterval::parse("1"), *io::SampleInterval::parse("190..200")};
  try {
    const std::unique_ptr<io::SampleSource> source = open(options);
    const Extent extent = source->info().extent;
    if (rule.otsu) rule.threshold = io::otsu_threshold(*source, rule, options.limits.memory).number();
    for (int z = 0; z < extent.depth && z < 16; ++z)
      source->decode_group(z, z + 1, [&, z](int, const io::SampleRows& rows) {
        const io::Foreground foreground(rows.format, rule, rule.threshold);
        const Extent slice = source->slice_extent(z);
        if (slice.width > extent.width || slice.height > extent.height) __builtin_trap();
        std::vector<std::uint32_t> row(static_cast<std::size_t>(words_per_row(slice.width)));
        if (rows.y < 0 || rows.count <= 0 || rows.count > slice.height - rows.y) __builtin_trap();
        for (int i = 0; i < rows.count; ++i)
          foreground.pack(rows.data + static_cast<std::size_t>(i) * rows.pitch, slice.width, row.data());
      });
  } catch (const Error& error) {
    if (std::strlen(error.what()) == 0) __builtin_trap();  // a refusal without a reason
  }
}

inline std::shared_ptr<const io::InputFile> file_of(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  return std::make_shared<const io::InputFile>(std::vector<std::byte>(bytes, bytes + size));
}

/// Opens the bytes as an image, by a rule that their last byte chooses, if `is_wanted(file)`: what is of
/// another format is left to its own fuzzer, above all HDF5, for which a process is started.
template <class IsWanted>
void decode_if(IsWanted is_wanted, const std::uint8_t* data, std::size_t size) {
  const std::shared_ptr<const io::InputFile> file = file_of(data, size);
  if (!is_wanted(*file)) return;
  decode(size > 0 ? data[size - 1] : 0,
         [&](const io::ReadOptions& options) { return io::open_file(file, options); });
}

}  // namespace gpuccl::fuzz
