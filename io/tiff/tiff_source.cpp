#include "io/tiff/tiff_source.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "io/image/bit_order.hpp"
#include "io/image/limits.hpp"
#include "io/image/reason.hpp"
#include "io/tiff/tiff_contents.hpp"
#include "io/tiff/tiff_handle.hpp"
#include "io/tiff/tiff_page_decoder.hpp"

namespace gpuccl::io {
namespace {

constexpr std::int64_t kBatchBytes = std::int64_t{1}
                                     << 18;  // of rows read together, so that they stay in the cache

/// Brings samples as stored in the file into the order of SampleFormat.
void put_in_order(const TiffContents& contents, int bits, std::byte* data, std::size_t bytes) {
  const auto size = static_cast<tmsize_t>(bytes);
  if (contents.reversed) reverse_bits(data, bytes, data);
  if (!contents.swapped) return;
  if (bits == 16) TIFFSwabArrayOfShort(reinterpret_cast<std::uint16_t*>(data), size / 2);
  if (bits == 24) TIFFSwabArrayOfTriples(reinterpret_cast<std::uint8_t*>(data), size / 3);
  if (bits == 32) TIFFSwabArrayOfLong(reinterpret_cast<std::uint32_t*>(data), size / 4);
  if (bits == 64) TIFFSwabArrayOfDouble(reinterpret_cast<double*>(data), size / 8);
}

class TiffSource final : public SampleSource {
 public:
  TiffSource(std::shared_ptr<const InputFile> file, const ReadOptions& options)
      : file_(std::move(file)), max_bytes_(memory_limit(options.limits)), warn_(options.warn) {
    auto handle = std::make_unique<TiffHandle>(file_, max_bytes_);
    contents_ = read_tiff_contents(*handle, *file_, options);
    idle_.push_back(std::move(handle));
  }

  const ImageInfo& info() const override { return contents_.info; }
  const SampleFormat& format(int z) const override { return contents_.formats[slice(z).format]; }
  std::int64_t buffer_bytes() const override { return contents_.buffer_bytes; }

  void decode_from_top(int z, const Sink& sink) const override {
    try {
      if (slice(z).rows != 0) {
        copy_rows(z, sink);
      } else {
        decode_page(z, sink);
      }
    } catch (const Error& error) {
      if (contents_.slices.size() == 1) throw;
      throw Error(error.failure(), reason_about("slice " + std::to_string(z + 1), error.what()));
    }
  }

 private:
  const TiffSlice& slice(int z) const { return contents_.slices[static_cast<std::size_t>(z)]; }

  /// Rows that lie uncompressed in one piece need no libtiff and no more memory than a few of them.
  void copy_rows(int z, const Sink& sink) const {
    const SampleFormat& samples = format(z);
    const Extent& extent = contents_.info.extent;
    const auto pitch = static_cast<std::size_t>(samples.row_bytes(extent.width));
    const int batch = static_cast<int>(
        std::clamp<std::int64_t>(kBatchBytes / static_cast<std::int64_t>(pitch), 1, extent.height));
    std::vector<std::byte> rows(pitch * static_cast<std::size_t>(batch));
    std::uint64_t offset = slice(z).rows;
    for (int y = 0; y < extent.height; y += batch) {
      const int count = std::min(batch, extent.height - y);
      const std::size_t bytes = pitch * static_cast<std::size_t>(count);
      if (file_->read_at(offset, rows.data(), bytes) != bytes)
        throw Error(Failure::data, "the file ends early");
      put_in_order(contents_, samples.bits, rows.data(), bytes);
      sink({samples, y, count, rows.data(), pitch});
      offset += bytes;
    }
  }

  void decode_page(int z, const Sink& sink) const {
    std::unique_ptr<TiffHandle> tiff = take_handle();
    tiff->clear_messages();
    if (TIFFCurrentDirOffset(tiff->get()) != slice(z).directory &&
        TIFFSetSubDirectory(tiff->get(), slice(z).directory) != 1)
      tiff->fail("cannot be read");
    prepare_page(tiff->get());
    TiffFormat found = read_tiff_format(*tiff, nullptr);
    found.samples.inverted_by_name_only = format(z).inverted_by_name_only;
    const Extent& extent = contents_.info.extent;
    if (found.samples != format(z) || found.planes != contents_.planes ||
        tiff->field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0) != static_cast<std::uint32_t>(extent.width) ||
        tiff->field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0) != static_cast<std::uint32_t>(extent.height))
      throw Error(Failure::data, "changed while it was read");
    tiff->clear_messages();
    TiffPageDecoder(*tiff, found, extent).decode(sink);
    for (const std::string& line : {tiff->warning(), tiff->note()})
      if (!line.empty() && warn_) warn_(line);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(tiff));
  }

  /// A libtiff handle serves one thread at a time.
  std::unique_ptr<TiffHandle> take_handle() const {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<TiffHandle> handle = std::move(idle_.back());
        idle_.pop_back();
        return handle;
      }
    }
    return std::make_unique<TiffHandle>(file_, max_bytes_);
  }

  std::shared_ptr<const InputFile> file_;
  std::int64_t max_bytes_;
  std::function<void(const std::string&)> warn_;
  TiffContents contents_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<TiffHandle>> idle_;
};

}  // namespace

bool is_tiff(const InputFile& file) {
  unsigned char start[4];
  if (file.read_at(0, start, sizeof start) != sizeof start) return false;
  const bool little =
      start[0] == 'I' && start[1] == 'I' && (start[2] == 42 || start[2] == 43) && start[3] == 0;
  const bool big = start[0] == 'M' && start[1] == 'M' && start[2] == 0 && (start[3] == 42 || start[3] == 43);
  return little || big;
}

std::unique_ptr<SampleSource> open_tiff(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  return std::make_unique<TiffSource>(std::move(file), options);
}

}  // namespace gpuccl::io
