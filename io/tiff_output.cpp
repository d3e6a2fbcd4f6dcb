#include "io/tiff_output.hpp"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "gpuccl/error.hpp"
#include "io/tiff_open.hpp"

namespace gpuccl::io {
namespace {

static_assert(std::endian::native == std::endian::little, "strips go into the file as they lie in memory");

int scheme(Compression compression) {
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
  }
  throw Error(Failure::internal, "unknown compression");
}

/// Bytes of a compressed strip for each of its samples', at worst.
double worst_growth(Compression compression) {
  switch (compression) {
    case Compression::none:
      return 1;
    case Compression::lzw:
      return 1.5;  // codes of up to 12 bits, each for a byte
    default:
      return 1.01;  // deflate, zstd, packbits store what does not compress
  }
}

}  // namespace

bool needs_big_tiff(const TiffPages& pages) {
  constexpr double kLimit = 4096.0 * (1 << 20) - 32.0 * (1 << 20);
  constexpr double kPageBytes = 512;   // tags and small values
  constexpr double kStripBytes = 128;  // offset, byte count, frame of a compressed stream
  const StripLayout& strips = pages.strips;
  const double samples = static_cast<double>(strips.row_bytes) * static_cast<double>(strips.extent.rows());
  const double bytes = samples * worst_growth(pages.compression) +
                       kStripBytes * static_cast<double>(strips.count()) + kPageBytes * strips.extent.depth +
                       static_cast<double>(pages.description.size());
  return bytes > kLimit;
}

/// What libtiff calls back. It is C: no exception may pass through it, so the first one is kept here.
struct TiffOutput::Client {
  AtomicFile& file;
  std::size_t position = 0;
  std::exception_ptr failure{};
  TiffMessages messages{};

  /// `action()`, which returns a size, or -1 after an exception.
  template <class Action>
  tmsize_t guarded(Action action) {
    try {
      return action();
    } catch (...) {
      if (!failure) failure = std::current_exception();
      return -1;
    }
  }

  static tmsize_t write(thandle_t handle, void* data, tmsize_t bytes) {
    Client& client = *static_cast<Client*>(handle);
    return client.guarded([&] {
      client.file.write_at(data, static_cast<std::size_t>(bytes), client.position);
      client.position += static_cast<std::size_t>(bytes);
      return bytes;
    });
  }

  // libtiff reads back the end of the chain of pages when it appends one.
  static tmsize_t read(thandle_t handle, void* data, tmsize_t bytes) {
    Client& client = *static_cast<Client*>(handle);
    ssize_t done = -1;
    do
      done = ::pread(client.file.descriptor(), data, static_cast<std::size_t>(bytes),
                     static_cast<off_t>(client.position));
    while (done < 0 && errno == EINTR);
    if (done > 0) client.position += static_cast<std::size_t>(done);
    return done;
  }

  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    Client& client = *static_cast<Client*>(handle);
    if (whence == SEEK_CUR) offset += client.position;
    if (whence == SEEK_END) offset += size(handle);
    client.position = offset;
    return offset;
  }

  static toff_t size(thandle_t handle) {
    Client& client = *static_cast<Client*>(handle);
    return static_cast<toff_t>(client.guarded([&] { return static_cast<tmsize_t>(client.file.size()); }));
  }

  static int close(thandle_t) { return 0; }
};

TiffOutput::TiffOutput(AtomicFile& file, TiffPages pages)
    : pages_(std::move(pages)), client_(new Client{.file = file}) {
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(scheme(pages_.compression))) == 0)
    throw Error(Failure::usage, "this libtiff cannot write the compression asked for");

  const char* mode = needs_big_tiff(pages_) ? "w8l" : "w4l";
  tiff_ =
      open_tiff({mode, client_.get(), Client::read, Client::write, Client::seek, Client::close, Client::size},
                client_->messages, 0);
  require(tiff_ != nullptr);
}

TiffOutput::~TiffOutput() {
  if (tiff_ != nullptr) close_tiff(tiff_, client_->messages);
}

void TiffOutput::write_compressed(std::int64_t strip, const void* data, std::size_t bytes) {
  begin_strip(strip);
  const auto index = static_cast<std::uint32_t>(strips().index_in_slice(strip));
  const auto size = static_cast<tmsize_t>(bytes);
  require(TIFFWriteRawStrip(tiff_, index, const_cast<void*>(data), size) == size);
  end_strip(strip);
}

void TiffOutput::write_samples(std::int64_t strip, void* samples, std::size_t bytes) {
  begin_strip(strip);
  const auto index = static_cast<std::uint32_t>(strips().index_in_slice(strip));
  const auto size = static_cast<tmsize_t>(bytes);
  require(TIFFWriteEncodedStrip(tiff_, index, samples, size) == size);
  end_strip(strip);
}

void TiffOutput::begin_strip(std::int64_t strip) {
  if (strips().starts_slice(strip)) start_page(strip / strips().strips_per_slice);
}

void TiffOutput::end_strip(std::int64_t strip) {
  if (strips().ends_slice(strip)) require(TIFFWriteDirectory(tiff_) == 1);
}

void TiffOutput::start_page(std::int64_t slice) {
  const auto set = [this](std::uint32_t tag, auto... values) {
    require(TIFFSetField(tiff_, tag, values...) == 1);
  };
  if (strips().extent.depth > 1) set(TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
  set(TIFFTAG_IMAGEWIDTH, strips().extent.width);
  set(TIFFTAG_IMAGELENGTH, strips().extent.height);
  set(TIFFTAG_BITSPERSAMPLE, pages_.bits_per_sample);
  set(TIFFTAG_SAMPLESPERPIXEL, 1);
  set(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  set(TIFFTAG_COMPRESSION, scheme(pages_.compression));
  set(TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(strips().rows_per_strip));
  if (pages_.spacing.x_resolution > 0 && pages_.spacing.y_resolution > 0) {
    set(TIFFTAG_XRESOLUTION, pages_.spacing.x_resolution);
    set(TIFFTAG_YRESOLUTION, pages_.spacing.y_resolution);
    set(TIFFTAG_RESOLUTIONUNIT, pages_.spacing.unit);
  }
  if (slice == 0 && !pages_.description.empty()) set(TIFFTAG_IMAGEDESCRIPTION, pages_.description.c_str());
}

void TiffOutput::require(bool done) const {
  if (done) return;
  if (client_->failure) std::rethrow_exception(client_->failure);
  const std::string& message = client_->messages.error;
  throw Error(Failure::io, message.empty() ? "cannot write" : "cannot write (" + message + ")");
}

}  // namespace gpuccl::io
