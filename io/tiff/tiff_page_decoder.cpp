#include "io/tiff/tiff_page_decoder.hpp"

#include <fmt/core.h>
#include <tiff.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "io/files/file_error.hpp"
#include "io/image/raw_volume.hpp"
#include "io/tiff/tiff_contents.hpp"

namespace gpuccl::io {

namespace {

int compression_of(const TiffHandle& tiff) {
  return tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
}

}  // namespace

bool CheckedCodec::is_deflate(const TiffHandle& tiff) {
  return compression_of(tiff) == COMPRESSION_ADOBE_DEFLATE || compression_of(tiff) == COMPRESSION_DEFLATE;
}

std::optional<CheckedCodec> CheckedCodec::of(const TiffHandle& tiff, const TiffFormat& format,
                                             const TiffLayout& layout) {
  const bool is_zstd = compression_of(tiff) == COMPRESSION_ZSTD && is_built_in(ChunkCodec::zstd);
  if (!is_deflate(tiff) && !is_zstd) return std::nullopt;
  CheckedCodec codec;
  codec.codec_ = is_zstd ? ChunkCodec::zstd : ChunkCodec::zlib;
  codec.predictor_ = tiff.field<std::uint16_t>(TIFFTAG_PREDICTOR, PREDICTOR_NONE);
  codec.bits_ = format.samples.bits;
  const bool has_words = codec.bits_ == 16 || codec.bits_ == 32 || codec.bits_ == 64;
  const bool is_known = codec.predictor_ == PREDICTOR_NONE ||
                        (codec.predictor_ == PREDICTOR_HORIZONTAL && (has_words || codec.bits_ == 8)) ||
                        (codec.predictor_ == PREDICTOR_FLOATINGPOINT &&
                         format.samples.kind == SampleKind::floating && (has_words || codec.bits_ == 24));
  if (!is_known) return std::nullopt;
  codec.reversed_ = tiff.field<std::uint16_t>(TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_LSB2MSB;
  codec.swapped_ = TIFFIsByteSwapped(tiff.get()) != 0;
  codec.row_bytes_ = static_cast<std::size_t>(layout.piece_row_bytes);
  codec.channels_ = format.planes > 1 ? 1 : static_cast<std::size_t>(format.samples.channels);
  return codec;
}

bool CheckedCodec::decode(const TiffHandle& tiff, std::int64_t index, std::size_t bytes,
                          std::span<std::byte> out) const {
  const auto piece = static_cast<std::uint32_t>(index);
  std::vector<std::byte> stored(TIFFGetStrileByteCount(tiff.get(), piece));
  const auto size = static_cast<tmsize_t>(stored.size());
  const bool is_read = TIFFIsTiled(tiff.get()) != 0
                           ? TIFFReadRawTile(tiff.get(), piece, stored.data(), size) == size
                           : TIFFReadRawStrip(tiff.get(), piece, stored.data(), size) == size;
  if (!is_read) return false;
  if (reversed_) TIFFReverseBits(reinterpret_cast<std::uint8_t*>(stored.data()), size);
  const bool is_sound =
      decompress(codec_, stored, out.first(bytes)) || (bytes < out.size() && decompress(codec_, stored, out));
  if (is_sound) restore(out.first(bytes));
  return is_sound;
}

namespace {

/// Adds the pixel to the left to each sample.
template <class Word>
void add_left(std::span<std::byte> row, std::size_t channels) {
  const std::size_t count = row.size() / sizeof(Word);
  const auto at = [&](std::size_t i) { return row.data() + i * sizeof(Word); };
  for (std::size_t i = channels; i < count; ++i) {
    Word left, value;
    std::memcpy(&left, at(i - channels), sizeof left);
    std::memcpy(&value, at(i), sizeof value);
    value = static_cast<Word>(value + left);
    std::memcpy(at(i), &value, sizeof value);
  }
}

/// Joins the bytes of floating-point samples, which a row stores apart, the most significant ones first.
void join_bytes(std::span<std::byte> row, std::size_t sample, std::vector<std::byte>& apart) {
  apart.assign(row.begin(), row.end());
  const std::size_t count = row.size() / sample;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t byte = 0; byte < sample; ++byte)
      row[i * sample + byte] = apart[(sample - byte - 1) * count + i];
}

}  // namespace

void CheckedCodec::restore(std::span<std::byte> rows) const {
  if (predictor_ != PREDICTOR_FLOATINGPOINT && swapped_) swap_bytes(bits_, rows.data(), rows.size());
  if (predictor_ == PREDICTOR_NONE) return;
  std::vector<std::byte> apart;
  for (; !rows.empty(); rows = rows.subspan(row_bytes_)) {
    const std::span<std::byte> row = rows.first(row_bytes_);
    if (predictor_ == PREDICTOR_FLOATINGPOINT) {
      add_left<std::uint8_t>(row, channels_);
      join_bytes(row, static_cast<std::size_t>(bits_ / 8), apart);
    } else if (bits_ == 8) {
      add_left<std::uint8_t>(row, channels_);
    } else if (bits_ == 16) {
      add_left<std::uint16_t>(row, channels_);
    } else if (bits_ == 32) {
      add_left<std::uint32_t>(row, channels_);
    } else {
      add_left<std::uint64_t>(row, channels_);
    }
  }
}

namespace {

bool is_slice(const TiffHandle& tiff) {
  const auto type = tiff.field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0);
  return (type & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

/// Checks for errors, because libtiff continues without a tag that it could not read.
void require_whole(const TiffHandle& tiff, std::int64_t page) {
  try {
    tiff.require_whole();
    if (tiff.has_error()) tiff.fail("a tag cannot be read");
  } catch (const Error& error) {
    throw Error(error.code(), reason_about(fmt::format("page {}", page), error.what()));
  }
}

/// Calls `visit(page)` for each directory; it returns whether the directory counts as a page. Returns the
/// number of pages.
template <class Visit>
std::int64_t for_each_directory(TiffHandle& tiff, const Limits& limits, Visit visit) {
  if (!tiff.go_to_first()) tiff.fail("not a valid TIFF");
  std::int64_t page = 0;
  for (std::int64_t directories = 1;; ++directories) {
    if (directories > limits.max_pages)
      throw Error(ErrorCode::data, fmt::format("contains more pages than --max-pages {}", limits.max_pages));
    require_whole(tiff, page);
    const bool is_page = visit(page);
    require_whole(tiff, page);
    page += is_page ? 1 : 0;
    if (TIFFLastDirectory(tiff.get()) != 0) return page;
    tiff.clear_messages();
    if (TIFFReadDirectory(tiff.get()) == 1) continue;
    require_whole(tiff, page);
    tiff.fail(fmt::format("page {} cannot be found, or the pages form a loop", page));
  }
}

/// Returns the current page as a run of one page.
TiffRun run_of_page(const TiffHandle& tiff) {
  TiffRun run;
  run.width = tiff.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  run.height = tiff.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  run.bits = tiff.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
  run.kind = tiff.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  if (run.kind == SAMPLEFORMAT_VOID) run.kind = SAMPLEFORMAT_UINT;
  run.channels = tiff.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  run.photometric = tiff.field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, UINT16_MAX);
  run.planar = run.channels == 1 ? 0 : tiff.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  return run;
}

auto samples_of(const TiffRun& run) {
  return std::tie(run.bits, run.kind, run.channels, run.photometric, run.planar);
}

/// Returns "3 x 8 bits rgb".
std::string samples_in_words(const TiffRun& run) {
  constexpr const char* kPhotometrics[] = {" min-is-white", " min-is-black", " rgb",  " palette",
                                           " mask",         " cmyk",         " ycbcr"};
  return (run.channels > 1 ? fmt::format("{} x ", run.channels) : "") + std::to_string(run.bits) +
         (run.bits == 1 ? " bit" : " bits") +
         (run.kind == SAMPLEFORMAT_INT      ? " signed"
          : run.kind == SAMPLEFORMAT_IEEEFP ? " floating-point"
                                            : "") +
         (run.photometric < std::size(kPhotometrics) ? kPhotometrics[run.photometric] : "") +
         (run.planar == PLANARCONFIG_SEPARATE ? " in planes" : "");
}

}  // namespace

TiffDescription read_description(const TiffHandle& tiff) {
  const int channels = tiff.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  const double elements = static_cast<double>(tiff.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0)) *
                          tiff.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0) * channels;  // not checked yet
  const std::string text = tiff.text(TIFFTAG_IMAGEDESCRIPTION);
  const bool counts = channels > 1 && text.starts_with("ImageJ=");
  const std::string software = tiff.text(TIFFTAG_SOFTWARE);
  TiffDescription description = parse_description(
      text, software, {elements, channels, counts ? TIFFNumberOfDirectories(tiff.get()) : 1});
  if (description.writer == TiffDescription::Writer::unknown)
    add_vendor_axes(tiff, text, software, description);
  return description;
}

bool TiffArrays::begin_at(const TiffHandle& tiff) {
  // Copies may have the description of the first page in all pages.
  if (left_ > 0) {
    --left_;
    return false;
  }
  if (!tiff.text(TIFFTAG_IMAGEDESCRIPTION).starts_with('{')) return false;
  const TiffDescription description = read_description(tiff);
  // Consecutive arrays of one page are slices that were written one by one.
  const std::int64_t pages = description.series.empty() ? 1 : description.series.front().planes();
  const bool begins = pages > 1 || follows_several_;
  left_ = description.single_directory ? 0 : pages - 1;
  follows_several_ = pages > 1;
  return begins;
}

void for_each_page(TiffHandle& tiff, const Limits& limits, const std::function<void(std::int64_t)>& visit) {
  const auto visit_slices = [&](std::int64_t page) {
    const bool is_page = is_slice(tiff);
    if (is_page) visit(page);
    return is_page;
  };
  if (for_each_directory(tiff, limits, visit_slices) > 0) return;
  for_each_directory(tiff, limits, [&](std::int64_t page) {
    visit(page);
    return true;
  });
}

std::unique_ptr<TiffHandle> SharedTiff::take_handle() {
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

void SharedTiff::give_back(std::unique_ptr<TiffHandle> handle) {
  if (!handle->warning().empty()) return;  // who opens the file next reads its warning again
  handle->clear_messages();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(handle));
}

std::shared_ptr<const DescribedPages> SharedTiff::pages() const {
  const std::lock_guard lock(mutex_);
  return pages_;
}

void SharedTiff::remember(std::shared_ptr<const DescribedPages> pages) {
  const std::lock_guard lock(mutex_);
  pages_ = std::move(pages);
}

void at_page(TiffHandle& tiff, std::uint64_t directory, std::int64_t page,
             const std::function<void()>& visit) {
  if (TIFFCurrentDirOffset(tiff.get()) != directory) {
    tiff.clear_messages();
    if (!tiff.go_to(directory)) {
      require_whole(tiff, page);
      tiff.fail(fmt::format("page {} cannot be found", page));
    }
  }
  require_whole(tiff, page);
  visit();
  require_whole(tiff, page);
}

bool TiffRun::is_like(const TiffRun& other) const {
  return width == other.width && height == other.height && samples_of(*this) == samples_of(other);
}

std::vector<TiffRun> runs_of_pages(TiffHandle& tiff, const Limits& limits) {
  std::vector<TiffRun> runs;
  TiffArrays arrays;
  for_each_page(tiff, limits, [&](std::int64_t page) {
    TiffRun run = run_of_page(tiff);
    const bool begins_array = arrays.begin_at(tiff);
    if (runs.empty() || !runs.back().is_like(run) || begins_array) {
      run.begin = page;
      runs.push_back(run);
    }
    runs.back().end = page + 1;
  });
  return runs;
}

bool have_like_samples(const std::vector<TiffRun>& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const TiffRun& run) { return samples_of(run) == samples_of(runs.front()); });
}

std::string to_string(const std::vector<TiffRun>& runs) {
  constexpr std::size_t kMax = 8;
  const bool are_alike = have_like_samples(runs);
  std::string text = fmt::format("{} images (", runs.size());
  for (std::size_t i = 0; i < std::min(kMax, runs.size()); ++i) {
    const TiffRun& run = runs[i];
    if (i > 0) text += ", ";
    if (run.end - run.begin > 1) text += fmt::format("{} pages of ", run.end - run.begin);
    text += fmt::format("{}x{}", run.width, run.height);
    if (!are_alike) text += " of " + samples_in_words(run);
  }
  return text + (runs.size() > kMax ? ", ..." : "") + ")";
}

}  // namespace gpuccl::io
