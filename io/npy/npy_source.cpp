#include "io/npy/npy_source.hpp"

#include "io/image/limits.hpp"
#include "io/image/raw_source.hpp"
#include "io/npy/fortran_slices.hpp"
#include "io/npy/npy_header.hpp"

namespace gpuccl::io {
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
