#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "io/files/file_error.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/formats.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/tiff/tiff.hpp"
#include "io/tiff/tiff_contents.hpp"
#include "io/tiff/tiff_format.hpp"
#include "io/tiff/tiff_handle.hpp"
#include "io/tiff/tiff_page_decoder.hpp"

namespace gpuccl::io {
namespace {

/// Bytes of rows read together, so that they stay in the cache.
constexpr std::int64_t kCachedBytes = std::int64_t{1} << 18;

class TiffSource final : public SampleSource {
 public:
  TiffSource(const std::shared_ptr<const InputFile>& file, const ReadOptions& options)
      : max_bytes_(memory_limit(options.limits)),
        file_(KeptInputs::get<SharedTiff>(options.kept, file->path(),
                                          [&] { return std::make_shared<SharedTiff>(file, max_bytes_); })),
        warn_(options.warn) {
    std::unique_ptr<TiffHandle> handle = file_->take_handle();
    contents_ = read_tiff_contents(*handle, *file_, options);
    info_ = std::move(contents_.info);
    file_->give_back(std::move(handle));
  }

  /// Returns the selected channel of a pixel, if any.
  std::optional<int> channel() const {
    return contents_.reading.all_channels ? std::optional(contents_.channel) : std::nullopt;
  }

  const SampleFormat& format(int z) const override { return contents_.formats[slice(z).format]; }
  Extent slice_extent(int z) const override { return {slice(z).width, slice(z).height}; }
  std::int64_t buffer_bytes() const override { return contents_.buffer_bytes; }

  /// Decodes the only page with all threads, or a page of a stack with one.
  void decode(int z, const Sink& sink) const override {
    decode(z, sink, decoding_memory(info_.extent, max_bytes_));
  }
  void decode_from_top(int z, const Sink& sink) const override { decode(z, sink, 0); }

 private:
  const TiffSlice& slice(int z) const { return contents_.slices[static_cast<std::size_t>(z)]; }

  /// `memory`: for several threads, as in for_each_part(); 0: decodes in this thread alone, from the top.
  void decode(int z, const Sink& sink, std::int64_t memory) const {
    try {
      if (slice(z).rows != 0) {
        copy_rows(z, sink, memory);
      } else {
        decode_page(z, sink, memory);
      }
    } catch (const Error& error) {
      if (contents_.slices.size() == 1 && slice(z).page == 0) throw;
      throw Error(error.code(), reason_about("page " + std::to_string(slice(z).page), error.what()));
    }
  }

  /// Copies uncompressed consecutive rows without libtiff, with a few of them in memory.
  void copy_rows(int z, const Sink& sink, std::int64_t memory) const {
    const RawSamples raw{file_->bytes(), slice(z).rows, contents_.swapped, contents_.reversed};
    decode_raw(raw, format(z), slice_extent(z), 0, memory, sink);
  }

  /// Messages of libtiff about a decoded page.
  struct Remarks {
    std::string warning, note;
  };

  void decode_page(int z, const Sink& sink, std::int64_t memory) const {
    std::vector<Remarks> remarks(1);
    int bands = 0, batch = 0;
    std::int64_t bytes_each = contents_.buffer_bytes;
    remarks.front() = with_page(z, [&](TiffPageDecoder& decoder) {
      bands = decoder.bands();
      batch = static_cast<int>(std::clamp<std::int64_t>(kCachedBytes / decoder.band_bytes(), 1, bands));
      bytes_each += decoder.table_bytes();
      if (memory == 0 || bands <= batch) decoder.decode(0, std::exchange(bands, 0), sink);
    });
    if (bands > 0) {
      remarks.resize(static_cast<std::size_t>((bands - 1) / batch + 1));
      for_each_part(static_cast<int>(remarks.size()), bytes_each, memory, [&](int i) {
        remarks[static_cast<std::size_t>(i)] = with_page(z, [&](TiffPageDecoder& decoder) {
          decoder.decode(i * batch, i * batch + std::min(batch, bands - i * batch), sink);
        });
      });
    }
    for (const auto member : {&Remarks::warning, &Remarks::note}) {
      const auto first = std::find_if(remarks.begin(), remarks.end(),
                                      [=](const Remarks& part) { return !(part.*member).empty(); });
      if (first != remarks.end() && warn_) warn_((*first).*member);
    }
  }

  /// Calls `work` with a decoder of the page.
  template <class Work>
  Remarks with_page(int z, Work work) const {
    std::unique_ptr<TiffHandle> tiff = file_->take_handle();
    tiff->clear_messages();
    if (!tiff->go_to(slice(z).directory)) tiff->fail("cannot be read");
    prepare_page(tiff->get());
    TiffFormat found = read_tiff_format(*tiff, contents_.reading, nullptr);
    const SampleFormat& expected = format(z);  // with what the description and private tags add
    found.samples.inverted_by_name_only = expected.inverted_by_name_only;
    found.samples.slope = expected.slope;
    found.samples.intercept = expected.intercept;
    found.samples.missing = expected.missing;
    const Extent extent = slice_extent(z);
    if (found.samples != expected || found.planes != contents_.planes ||
        tiff->field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0) != static_cast<std::uint32_t>(extent.width) ||
        tiff->field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0) != static_cast<std::uint32_t>(extent.height))
      throw Error(ErrorCode::data, "changed while it was read");
    tiff->clear_messages();
    TiffPageDecoder decoder(*tiff, found, extent);
    work(decoder);
    Remarks remarks{tiff->warning(), tiff->note()};
    file_->give_back(std::move(tiff));
    return remarks;
  }

  std::int64_t max_bytes_;
  std::shared_ptr<SharedTiff> file_;
  std::function<void(const std::string&)> warn_;
  TiffContents contents_;
};

}  // namespace

std::unique_ptr<SampleSource> open_tiff(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  auto source = std::make_unique<TiffSource>(file, options);
  const std::optional<int> channel = source->channel();
  return channel ? open_channel(std::move(source), *channel) : std::move(source);
}

/// Strips of more bytes than this are decoded row by row.
constexpr std::int64_t kMaxStripBytes = std::int64_t{32} << 20;
constexpr std::int64_t kBatchBytes = std::int64_t{1} << 18;  // of rows handed over together

static bool is_read_by_rows(const TiffLayout& layout, int planes) {
  return !layout.tiled && planes == 1 && layout.piece_bytes() > kMaxStripBytes;
}

static int rows_in_batch(const TiffLayout& layout) {
  return static_cast<int>(std::clamp<std::int64_t>(kBatchBytes / layout.row_bytes, 1, 64));
}

std::int64_t TiffPageDecoder::buffer_bytes(const TiffLayout& layout, int planes, const TiffPieces& pieces) {
  if (is_read_by_rows(layout, planes)) return layout.row_bytes * rows_in_batch(layout) + pieces.coefficients;
  const std::int64_t band = layout.row_bytes * layout.height;
  return band * (planes > 1 ? 2 * planes : 1) + (layout.tiled ? layout.piece_bytes() : 0) + pieces.largest +
         pieces.coefficients;
}

TiffPageDecoder::TiffPageDecoder(TiffHandle& tiff, const TiffFormat& format, const Extent& extent)
    : tiff_(tiff), format_(format), extent_(extent), layout_(read_tiff_layout(tiff, format)) {
  const int compression = tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  codec_ = CheckedCodec::of(tiff, format, layout_);
  fills_in_ = is_fax(compression) || compression == COMPRESSION_JPEG;
}

int TiffPageDecoder::bands() const {
  return is_read_by_rows(layout_, format_.planes) ? 1 : static_cast<int>(layout_.down);
}

void TiffPageDecoder::decode(int begin, int end, const SampleSource::Sink& sink) {
  if (is_read_by_rows(layout_, format_.planes)) {
    decode_rows(sink);
  } else {
    decode_pieces(begin, end, sink);
  }
}

void TiffPageDecoder::decode_rows(const SampleSource::Sink& sink) {
  const int batch = rows_in_batch(layout_);
  const auto pitch = static_cast<std::size_t>(layout_.row_bytes);
  std::vector<std::byte> rows(pitch * static_cast<std::size_t>(batch));
  for (int y = 0; y < extent_.height; y += batch) {
    const int count = std::min(batch, extent_.height - y);
    for (int i = 0; i < count; ++i)
      read_row(y + i, std::span(rows).subspan(static_cast<std::size_t>(i) * pitch, pitch));
    sink({format_.samples, y, count, rows.data(), pitch});
  }
}

void TiffPageDecoder::read_row(int y, std::span<std::byte> row) {
  if (!codec_ || !codec_->is_zlib()) {
    const bool good = TIFFReadScanline(tiff_.get(), row.data(), static_cast<std::uint32_t>(y), 0) == 1;
    return check(good, fmt::format("row {}", y));
  }
  const std::int64_t strip = y / layout_.height;
  try {
    if (y % layout_.height == 0)
      strip_.emplace(tiff_.file(), TIFFGetStrileOffset(tiff_.get(), static_cast<std::uint32_t>(strip)));
    if (strip_->read(row.data(), row.size()) != row.size()) throw Error(ErrorCode::data, "ends early");
    // The checksum follows the last row, which may be one below the page.
    const bool is_last = (y + 1) % layout_.height == 0 || y + 1 == extent_.height;
    if (is_last) strip_->skip(static_cast<std::uint64_t>(layout_.piece_bytes()));
  } catch (const Error& error) {
    throw Error(error.code(), reason_about(fmt::format("strip {}", strip), error.what()));
  }
  codec_->restore(row);
}

void TiffPageDecoder::decode_pieces(int begin, int end, const SampleSource::Sink& sink) {
  const auto pitch = static_cast<std::size_t>(layout_.row_bytes);
  const auto plane_bytes = pitch * static_cast<std::size_t>(layout_.height);
  const auto plane_count = static_cast<std::size_t>(format_.planes);
  const auto planes = std::make_unique_for_overwrite<std::byte[]>(plane_bytes * plane_count);
  std::unique_ptr<std::byte[]> pixels;
  if (plane_count > 1) pixels = std::make_unique_for_overwrite<std::byte[]>(plane_bytes * plane_count);
  for (int down = begin; down < end; ++down) {
    const auto y = static_cast<int>(down * layout_.height);
    const int count = static_cast<int>(std::min<std::int64_t>(layout_.height, extent_.height - y));
    for (int plane = 0; plane < format_.planes; ++plane)
      read_band(plane, down, count, planes.get() + static_cast<std::size_t>(plane) * plane_bytes);
    if (plane_count > 1)
      interleave(planes.get(), plane_bytes, static_cast<std::size_t>(count) * pitch, pixels.get());
    sink({format_.samples, y, count, plane_count > 1 ? pixels.get() : planes.get(), pitch * plane_count});
  }
}

/// Reads `bytes` bytes of a strip or tile. `out` has room for a whole one.
void TiffPageDecoder::read_piece(std::int64_t index, std::size_t bytes, std::span<std::byte> out) {
  const auto piece = static_cast<std::uint32_t>(index);
  const auto size = static_cast<tmsize_t>(bytes);
  const bool good = codec_          ? codec_->decode(tiff_, index, bytes, out)
                    : layout_.tiled ? TIFFReadEncodedTile(tiff_.get(), piece, out.data(), size) == size
                                    : TIFFReadEncodedStrip(tiff_.get(), piece, out.data(), size) == size;
  check(good, piece_name(layout_, index));
}

/// Reads the strip or the tiles that hold one band of rows of a plane.
void TiffPageDecoder::read_band(int plane, std::int64_t down, int rows, std::byte* out) {
  const std::int64_t first = (plane * layout_.down + down) * layout_.across;
  if (!layout_.tiled) {
    return read_piece(first, static_cast<std::size_t>(rows * layout_.row_bytes),
                      {out, static_cast<std::size_t>(layout_.piece_bytes())});
  }
  const auto tile_bytes = static_cast<std::size_t>(layout_.piece_bytes());
  const auto tile_row = static_cast<std::size_t>(layout_.piece_row_bytes);
  tile_.resize(tile_bytes);
  for (std::int64_t i = 0; i < layout_.across; ++i) {
    read_piece(first + i, tile_bytes, tile_);
    for (int y = 0; y < rows; ++y)
      std::memcpy(
          out + static_cast<std::size_t>(y * layout_.row_bytes) + static_cast<std::size_t>(i) * tile_row,
          tile_.data() + static_cast<std::size_t>(y) * tile_row, tile_row);
  }
}

/// `bytes`: of each plane, at most `plane_bytes`.
void TiffPageDecoder::interleave(const std::byte* planes, std::size_t plane_bytes, std::size_t bytes,
                                 std::byte* pixels) const {
  const auto sample = static_cast<std::size_t>(format_.samples.bits / 8);
  const auto channels = static_cast<std::size_t>(format_.planes);
  for (std::size_t plane = 0; plane < channels; ++plane)
    for (std::size_t i = 0; i < bytes / sample; ++i)
      std::memcpy(pixels + (i * channels + plane) * sample, planes + plane * plane_bytes + i * sample,
                  sample);
}

/// The decoders of fax and JPEG fill in what they cannot read, with a warning.
void TiffPageDecoder::check(bool good, const std::string& what) const {
  const bool only_says_so = fills_in_ && !tiff_.warning().empty();
  if (!good || tiff_.has_error() || only_says_so) tiff_.fail_decoding(what + " is damaged");
}

using namespace std::string_view_literals;

const InputFormat kTiffFormat{
    .word = "tiff",
    .title = "TIFF",
    .extensions = {{{".tif", LabelFormat::tiff}, {".tiff", LabelFormat::tiff}, {".stk"}, {".lsm"}}},
    .magic = {{{0, "II\x2a\0"sv}, {0, "II\x2b\0"sv}, {0, "MM\0\x2a"sv}, {0, "MM\0\x2b"sv}}},
    .open = open_tiff,
    .has_pages = true,
    .selects_planes = true};

}  // namespace gpuccl::io
