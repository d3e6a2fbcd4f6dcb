#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {

/// Header and directories of a little-endian TIFF whose strips follow one another from kFirstStrip on, all
/// pages in one block, with the directories after them. Readers of stacks, ImageJ among them, compute where
/// the pages of an uncompressed one are; and which form the file has can wait until its size is known.
class TiffDirectories {
 public:
  /// `big`: BigTIFF, offsets of 64 bits.
  TiffDirectories(const TiffPages& pages, bool big) : pages_(pages), big_(big) {}

  std::uint64_t bytes() const;

  /// Behind the strips, of which strip i ends at `strip_ends[i]`, and in front of them.
  void write(const WriteAt& write_at, const std::vector<std::uint64_t>& strip_ends) const;

 private:
  std::string page(std::int64_t slice, std::uint64_t offset,
                   const std::vector<std::uint64_t>& strip_ends) const;

  const TiffPages& pages_;
  bool big_;
};

/// The largest end of the strips at which all offsets of a classic TIFF have 32 bits; may be negative.
std::int64_t last_classic_strip_end(const TiffPages& pages);

}  // namespace gpuccl::io
