#include "io/npy/npy.hpp"

#include <algorithm>
#include <cstring>

#include "gpuccl/types.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_source.hpp"
#include "io/npy/npy_header.hpp"

namespace gpuccl::io {
namespace {

constexpr std::int64_t kMostBlockBytes = std::int64_t{1} << 22;
constexpr std::int64_t kMostColumns = 64;  // of a block: as many lines of the cache are being read

}  // namespace

FortranSlices::FortranSlices(const RawSamples& raw, const SampleFormat& format, const Extent& extent,
                             std::int64_t memory)
    : raw_(raw), format_(format), extent_(extent) {
  const std::int64_t line = std::int64_t{format.bits / 8} * extent.depth;
  const std::int64_t block = std::min(kMostBlockBytes, memory / 8);
  at_once_ = static_cast<int>(std::clamp<std::int64_t>(
      memory / 8 / (format.row_bytes(extent.width) * extent.height), 1, extent.depth));
  columns_ = static_cast<int>(
      std::clamp<std::int64_t>(block / line, 1, std::min<std::int64_t>(kMostColumns, extent.width)));
  rows_ = static_cast<int>(std::clamp<std::int64_t>(block / (line * columns_), 1, extent.height));
}

std::int64_t FortranSlices::held_bytes() const {
  return format_.row_bytes(extent_.width) * extent_.height * at_once_ +
         std::int64_t{format_.bits / 8} * extent_.depth * columns_ * rows_;
}

void FortranSlices::decode(int z, const SampleSource::Sink& sink) {
  const std::lock_guard lock(lock_);
  const auto pitch = static_cast<std::size_t>(format_.row_bytes(extent_.width));
  const std::size_t slice = pitch * static_cast<std::size_t>(extent_.height);
  if (slices_.empty() || z < first_ || z >= first_ + at_once_) gather(z);
  sink({format_, 0, extent_.height, slices_.data() + static_cast<std::size_t>(z - first_) * slice, pitch});
}

void FortranSlices::gather(int first) {
  const auto sample = static_cast<std::size_t>(format_.bits / 8);
  const std::size_t line = sample * static_cast<std::size_t>(extent_.depth);
  slices_.resize(sample * static_cast<std::size_t>(extent_.width) * static_cast<std::size_t>(extent_.height) *
                 static_cast<std::size_t>(at_once_));
  block_.resize(line * static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
  first_ = first;
  for (int x = 0; x < extent_.width; x += columns_) {
    const int columns = std::min(columns_, extent_.width - x);
    for (int y = 0; y < extent_.height; y += rows_) {
      const int rows = std::min(rows_, extent_.height - y);
      const std::size_t bytes = line * static_cast<std::size_t>(rows);
      for (int i = 0; i < columns; ++i) {
        const std::uint64_t at =
            static_cast<std::uint64_t>(x + i) * static_cast<std::uint64_t>(extent_.height) +
            static_cast<std::uint64_t>(y);
        if (raw_.bytes->read_at(raw_.offset + at * line, block_.data() + static_cast<std::size_t>(i) * bytes,
                                bytes) != bytes) {
          slices_.clear();
          throw Error(Failure::data, "the file is truncated");
        }
      }
      if (sample == 1) transpose<std::uint8_t>(x, columns, y, rows);
      if (sample == 2) transpose<std::uint16_t>(x, columns, y, rows);
      if (sample == 4) transpose<std::uint32_t>(x, columns, y, rows);
      if (sample == 8) transpose<std::uint64_t>(x, columns, y, rows);
    }
  }
  if (raw_.swapped) swap_bytes(format_.bits, slices_.data(), slices_.size());
}

/// Puts the samples of the slices at hand from the block, (x, y, z) with z fastest, into their rows.
template <class Sample>
void FortranSlices::transpose(int x, int columns, int y, int rows) {
  const auto depth = static_cast<std::size_t>(extent_.depth), width = static_cast<std::size_t>(extent_.width);
  const std::size_t column = depth * static_cast<std::size_t>(rows);
  const int last = std::min(first_ + at_once_, extent_.depth);
  for (int j = 0; j < rows; ++j)
    for (int z = first_; z < last; ++z) {
      const std::byte* from =
          block_.data() +
          (static_cast<std::size_t>(j) * depth + static_cast<std::size_t>(z)) * sizeof(Sample);
      const std::size_t row =
          static_cast<std::size_t>(z - first_) * static_cast<std::size_t>(extent_.height) +
          static_cast<std::size_t>(y + j);
      std::byte* to = slices_.data() + (row * width + static_cast<std::size_t>(x)) * sizeof(Sample);
      for (int i = 0; i < columns; ++i, from += column * sizeof(Sample), to += sizeof(Sample))
        std::memcpy(to, from, sizeof(Sample));
    }
}

namespace {

class NpySource final : public SampleSource {
 public:
  NpySource(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
    const NpyHeader header = read_npy_header(*file, options.limits);
    format_ = header.format;
    info_.format = "npy";
    info_.extent = header.extent;
    info_.geometry.has_slice_axis = header.has_slice_axis;
    info_.bits_per_sample = format_.bits;
    info_.photometric = name_of(format_.photometric);
    const std::uint64_t slice_bytes = static_cast<std::uint64_t>(format_.row_bytes(info_.extent.width)) *
                                      static_cast<std::uint64_t>(info_.extent.height);
    if (options.warn &&
        file->size() - header.data > slice_bytes * static_cast<std::uint64_t>(info_.extent.depth))
      options.warn(kBytesIgnored);
    raw_ = {std::move(file), header.data, header.swapped};
    memory_ = memory_limit(options.limits);
    if (header.fortran) fortran_ = std::make_unique<FortranSlices>(raw_, format_, info_.extent, memory_);
    check_memory(info_.extent, buffer_bytes() + held_bytes(), options);
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return format_; }
  std::int64_t buffer_bytes() const override { return raw_buffer_bytes(format_, info_.extent); }
  std::int64_t held_bytes() const override { return fortran_ ? fortran_->held_bytes() : 0; }
  bool in_order() const override { return fortran_ != nullptr; }

  void decode(int z, const Sink& sink) const override {
    decode(z, decoding_memory(info_.extent, memory_), sink);
  }
  void decode_from_top(int z, const Sink& sink) const override { decode(z, 0, sink); }

 private:
  void decode(int z, std::int64_t memory, const Sink& sink) const {
    if (fortran_) {
      fortran_->decode(z, sink);
    } else {
      decode_raw(raw_, format_, info_.extent, z, memory, sink);
    }
  }

  ImageInfo info_;
  SampleFormat format_;
  RawSamples raw_;
  std::int64_t memory_ = 0;
  std::unique_ptr<FortranSlices> fortran_;
};

}  // namespace

std::unique_ptr<SampleSource> open_npy(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  return std::make_unique<NpySource>(std::move(file), options);
}

}  // namespace gpuccl::io
