#include "io/tiff/tiff_output.hpp"

#include <bit>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

#include "gpuccl/error.hpp"
#include "io/files/descriptor.hpp"
#include "io/tiff/tiff_open.hpp"
#include "io/tiff/tiff_strip_encoder.hpp"
#include "io/tiff/tiff_tags.hpp"

namespace gpuccl::io {
namespace {

static_assert(std::endian::native == std::endian::little, "strips go into the file as they lie in memory");

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

/// What libtiff calls back. It is C: no exception may pass through it, so the first one is kept here.
struct Client {
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
    return client.guarded([&] {
      const std::size_t done =
          read_all_at(client.file.descriptor(), data, static_cast<std::size_t>(bytes), client.position);
      client.position += done;
      return static_cast<tmsize_t>(done);
    });
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

/// A TIFF written through libtiff, strips in order.
class TiffOutput {
 public:
  TiffOutput(AtomicFile& file, const TiffPages& pages);
  ~TiffOutput() { close_tiff(tiff_, client_.messages); }
  TiffOutput(const TiffOutput&) = delete;
  TiffOutput& operator=(const TiffOutput&) = delete;

  /// Strip `strip` of all, as it goes into the file.
  void write_strip(std::int64_t strip, std::span<const std::byte> encoded);

 private:
  void start_page(std::int64_t slice);
  void require(bool done) const;

  const TiffPages& pages_;
  Client client_;
  TIFF* tiff_ = nullptr;
};

TiffOutput::TiffOutput(AtomicFile& file, const TiffPages& pages) : pages_(pages), client_{.file = file} {
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(tiff_scheme(pages.compression))) == 0)
    throw Error(Failure::usage, "this libtiff cannot write the compression asked for");
  const char* mode = needs_big_tiff(pages) ? "w8l" : "w4l";
  tiff_ = open_tiff({mode, &client_, Client::read, Client::write, Client::seek, Client::close, Client::size},
                    client_.messages, 0);
  require(tiff_ != nullptr);
}

void TiffOutput::write_strip(std::int64_t strip, std::span<const std::byte> encoded) {
  const StripLayout& strips = pages_.strips;
  if (strips.starts_slice(strip)) start_page(strip / strips.strips_per_slice);
  const auto index = static_cast<std::uint32_t>(strips.index_in_slice(strip));
  const auto size = static_cast<tmsize_t>(encoded.size());
  require(TIFFWriteRawStrip(tiff_, index, const_cast<std::byte*>(encoded.data()), size) == size);
  if (strips.ends_slice(strip)) require(TIFFWriteDirectory(tiff_) == 1);
}

void TiffOutput::start_page(std::int64_t slice) {
  const auto set = [this](ttag_t tag, auto value) { require(TIFFSetField(tiff_, tag, value) == 1); };
  if (pages_.strips.extent.depth > 1) set(TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
  require(set_sample_tags(tiff_, pages_, pages_.strips.extent.height));
  if (pages_.spacing.x_resolution > 0 && pages_.spacing.y_resolution > 0) {
    set(TIFFTAG_XRESOLUTION, pages_.spacing.x_resolution);
    set(TIFFTAG_YRESOLUTION, pages_.spacing.y_resolution);
    set(TIFFTAG_RESOLUTIONUNIT, pages_.spacing.unit);
  }
  if (slice == 0 && !pages_.description.empty()) set(TIFFTAG_IMAGEDESCRIPTION, pages_.description.c_str());
}

void TiffOutput::require(bool done) const {
  if (client_.failure) std::rethrow_exception(client_.failure);  // even if libtiff made nothing of it
  if (done) return;
  const std::string& message = client_.messages.error;
  throw Error(Failure::io, message.empty() ? "cannot write" : "cannot write (" + message + ")");
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

void write_tiff(AtomicFile& file, const TiffPages& pages, const PrepareRows& prepare, const FillStrip& fill,
                const std::function<void(double share)>& progress) {
  struct Slot {
    std::vector<std::byte> samples;
    StripEncoder encoder;
    std::span<const std::byte> encoded;
  };
  TiffOutput tiff(file, pages);
  const StripLayout& strips = pages.strips;
  const auto make = [&](Slot& slot, std::int64_t strip) {
    slot.samples.resize(strips.bytes(strip));
    fill(strip, slot.samples.data());
    slot.encoded = slot.encoder.encode(pages, strips.rows(strip), slot.samples);
  };
  const auto take = [&](Slot& slot, std::int64_t strip) {
    tiff.write_strip(strip, slot.encoded);
    if (progress) progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
  };
  for_each_strip<Slot>(strips, prepare, make, take);
}

}  // namespace gpuccl::io
