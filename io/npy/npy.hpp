#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/image/raw_source.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Slices of a volume whose axes are stored in reverse, z fastest: the samples of one are all over the file.
/// Each pass over the file composes the slices that fit in an eighth of the memory.
class FortranSlices {
 public:
  /// Samples are in whole bytes. `format` must outlive this.
  FortranSlices(const RawSamples& raw, const SampleFormat& format, const Extent& extent, std::int64_t memory);

  std::int64_t held_bytes() const;
  /// One slice at a time, fastest in ascending order. Throws Error (data, io).
  void decode(int z, const SampleSource::Sink& sink);

 private:
  void gather(int first);
  template <class Sample>
  void transpose(int x, int columns, int y, int rows);

  const RawSamples raw_;
  const SampleFormat& format_;
  const Extent extent_;
  int at_once_ = 1;             // slices
  int columns_ = 1, rows_ = 1;  // whose samples of all slices are read together
  std::mutex lock_;             // of what follows
  int first_ = 0;               // of the slices that are held
  std::vector<std::byte> slices_, block_;
};

/// An array of numpy: truth values, whole or floating-point numbers, either byte order, C or Fortran order,
/// 2 axes (y, x) or 3 (z, y, x). Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_npy(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
