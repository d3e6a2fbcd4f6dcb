#include "io/nifti/nifti_source.hpp"

#include <array>
#include <filesystem>
#include <system_error>

#include "gpuccl/error.hpp"
#include "io/files/file_names.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_source.hpp"
#include "io/nifti/nifti_header.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

using Start = std::array<std::byte, kNiftiHeaderBytes>;

/// x is the axis that varies fastest, and z the slowest, as in other formats.
class NiftiSource final : public SampleSource {
 public:
  explicit NiftiSource(const NiftiHeader& header) : format_(header.format) {
    info_.format = "nifti";
    info_.extent = header.extent;
    info_.bits_per_sample = format_.bits;
    info_.photometric = name_of(format_.photometric);
    info_.geometry = header.geometry;
    raw_.offset = header.data;
    raw_.swapped = header.swapped;
  }

  void set_samples(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
    if (end_of_samples() > static_cast<double>(file->size()))
      throw Error(Failure::data, "the file ends early: " + claim(end_of_samples(), file->size()));
    raw_.bytes = std::move(file);
    check_memory(info_.extent, buffer_bytes(), options);
  }

  void set_samples(const InputFile& file, std::shared_ptr<GunzippedFile> contents,
                   const ReadOptions& options) {
    check_deflate_ratio(end_of_samples(), file.size());
    contents->expect(static_cast<std::uint64_t>(end_of_samples()), memory_limit(options.limits));
    zipped_ = std::move(contents);
    raw_.bytes = zipped_;
    check_memory(info_.extent, buffer_bytes() + held_bytes(), options);
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return format_; }
  std::int64_t buffer_bytes() const override { return raw_buffer_bytes(format_, info_.extent); }
  std::int64_t held_bytes() const override { return zipped_ ? zipped_->held_bytes() : 0; }
  bool in_order() const override { return zipped_ && zipped_->is_streamed(); }
  void decode_from_top(int z, const Sink& sink) const override {
    decode_raw(raw_, format_, info_.extent, z, sink);
  }

 private:
  /// In floating point: it may pass 2^63.
  double end_of_samples() const {
    const Extent& extent = info_.extent;
    return static_cast<double>(format_.row_bytes(extent.width)) * extent.height * extent.depth +
           static_cast<double>(raw_.offset);
  }

  ImageInfo info_;
  SampleFormat format_;
  RawSamples raw_;
  std::shared_ptr<GunzippedFile> zipped_;
};

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

/// The samples of a pair: a.img or a.img.gz beside a.hdr or a.hdr.gz.
std::unique_ptr<SampleSource> open_pair(const NiftiHeader& header, const std::string& path,
                                        const ReadOptions& options) {
  fs::path name = path;
  if (lower_extension(name) == ".gz") name.replace_extension();
  if (lower_extension(name) != ".hdr")
    throw Error(Failure::data,
                "the header of a NIfTI; let its name end in .hdr and that of its samples in .img");
  auto source = std::make_unique<NiftiSource>(header);
  const std::int64_t memory = memory_limit(options.limits);
  const fs::path plain = fs::path(name).replace_extension(".img"), zipped = plain.string() + ".gz";
  if (is_there(plain)) {
    source->set_samples(std::make_shared<const InputFile>(plain.string(), memory), options);
  } else if (is_there(zipped)) {
    const auto file = std::make_shared<const InputFile>(zipped.string(), memory);
    source->set_samples(*file, std::make_shared<GunzippedFile>(file), options);
  } else {
    throw Error(Failure::no_input, "its samples are missing: no " + plain.filename().string() + " beside it");
  }
  return source;
}

}  // namespace

bool is_nifti(const InputFile& file) {
  Start start;
  return is_nifti(std::span(start.data(), file.read_at(0, start.data(), start.size())));
}

bool is_nifti(const GunzippedFile& file) {
  Start start;
  return is_nifti(std::span(start.data(), file.read_start(start.data(), start.size())));
}

std::unique_ptr<SampleSource> open_nifti(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  Start start;
  const NiftiHeader header = read_nifti_header(
      std::span(start.data(), file->read_at(0, start.data(), start.size())), options.limits);
  if (header.is_pair) return open_pair(header, file->path(), options);
  auto source = std::make_unique<NiftiSource>(header);
  source->set_samples(std::move(file), options);
  return source;
}

std::unique_ptr<SampleSource> open_nifti(const InputFile& file, std::shared_ptr<GunzippedFile> contents,
                                         const ReadOptions& options) {
  Start start;
  const NiftiHeader header = read_nifti_header(
      std::span(start.data(), contents->read_start(start.data(), start.size())), options.limits);
  if (header.is_pair) return open_pair(header, file.path(), options);
  auto source = std::make_unique<NiftiSource>(header);
  source->set_samples(file, std::move(contents), options);
  return source;
}

}  // namespace gpuccl::io
