#include "io/tiff/checked_codec.hpp"

#include <cstring>
#include <vector>

#include "io/image/raw_volume.hpp"

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

}  // namespace gpuccl::io
