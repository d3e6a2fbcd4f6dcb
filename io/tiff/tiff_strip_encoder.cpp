#include <tiff.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "gpuccl/types.hpp"
#include "io/tiff/tiff_handle.hpp"
#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {

int tiff_scheme(Compression compression) {
  switch (compression) {
    case Compression::none:
      return COMPRESSION_NONE;
    case Compression::deflate:
      return COMPRESSION_ADOBE_DEFLATE;
    case Compression::lzw:
      return COMPRESSION_LZW;
    case Compression::zstd:
      return COMPRESSION_ZSTD;
    case Compression::packbits:
      return COMPRESSION_PACKBITS;
    case Compression::blosc:
      break;
  }
  throw Error(Failure::internal, "unknown compression");
}

namespace {

/// A file in memory for libtiff to write to.
struct MemoryFile {
  std::vector<std::byte>& bytes;
  std::size_t position = 0;

  static tmsize_t write(thandle_t handle, void* data, tmsize_t count) {
    MemoryFile& file = *static_cast<MemoryFile*>(handle);
    const std::size_t end = file.position + static_cast<std::size_t>(count);
    try {
      if (file.bytes.size() < end) file.bytes.resize(end);
    } catch (const std::bad_alloc&) {
      return -1;
    }
    std::memcpy(file.bytes.data() + file.position, data, static_cast<std::size_t>(count));
    file.position = end;
    return count;
  }
  static tmsize_t read(thandle_t, void*, tmsize_t) { return -1; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    MemoryFile& file = *static_cast<MemoryFile*>(handle);
    if (whence == SEEK_CUR) offset += file.position;
    if (whence == SEEK_END) offset += file.bytes.size();
    return file.position = offset;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return static_cast<MemoryFile*>(handle)->bytes.size(); }
};

/// Sets the tags that say how the samples of a page of `rows` rows lie in its only strip; false if libtiff
/// refuses.
bool set_sample_tags(TIFF* tiff, const TiffPages& pages, std::int64_t rows) {
  const auto set = [tiff](ttag_t tag, auto value) { return TIFFSetField(tiff, tag, value) == 1; };
  return set(TIFFTAG_IMAGEWIDTH, pages.strips.extent.width) &&
         set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(rows)) &&
         set(TIFFTAG_BITSPERSAMPLE, pages.bits_per_sample) && set(TIFFTAG_SAMPLESPERPIXEL, 1) &&
         set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) && set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
         set(TIFFTAG_COMPRESSION, tiff_scheme(pages.compression)) &&
         set(TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows));
}

/// libtiff encodes only into files: a file of this one strip in `buffer`, of which the strip is taken.
std::span<const std::byte> encode_by_libtiff(const TiffPages& pages, std::int64_t rows,
                                             std::span<std::byte> samples, std::vector<std::byte>& buffer) {
  buffer.clear();
  MemoryFile file{buffer};
  TiffMessages messages;
  const auto close = [&messages](TIFF* tiff) { close_tiff(tiff, messages); };
  std::unique_ptr<TIFF, decltype(close)> tiff(
      open_tiff({"w8l", &file, MemoryFile::read, MemoryFile::write, MemoryFile::seek, MemoryFile::close,
                 MemoryFile::size},
                messages, 0),
      close);
  const auto size = static_cast<tmsize_t>(samples.size());
  if (!tiff || !set_sample_tags(tiff.get(), pages, rows) ||
      TIFFWriteEncodedStrip(tiff.get(), 0, samples.data(), size) != size)
    throw Error(Failure::io,
                messages.error.empty() ? "cannot compress" : "cannot compress (" + messages.error + ")");
  const std::size_t offset = TIFFGetStrileOffset(tiff.get(), 0),
                    bytes = TIFFGetStrileByteCount(tiff.get(), 0);
  tiff.reset();  // appends the directory, for which the buffer may move
  return std::span<const std::byte>(buffer).subspan(offset, bytes);
}

}  // namespace

EncodedStrip TiffStripEncoder::encode(std::int64_t strip) {
  samples_.resize(pages_.strips.bytes(strip));
  fill_(strip, samples_.data());
  switch (pages_.compression) {
    case Compression::none:
      return {samples_};
    case Compression::deflate: {
      if (!deflater_) deflater_.emplace(pages_.deflate_level);
      const std::size_t bytes = deflater_->compress(samples_.data(), samples_.size(), encoded_);
      return {std::span(encoded_).first(bytes)};
    }
    default:
      return {encode_by_libtiff(pages_, pages_.strips.rows(strip), samples_, encoded_)};
  }
}

}  // namespace gpuccl::io
