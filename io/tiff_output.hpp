#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "io/atomic_file.hpp"
#include "io/image_info.hpp"
#include "io/label_writer.hpp"
#include "io/strips.hpp"

struct tiff;

namespace gpuccl::io {

/// What the pages of a TIFF have in common.
struct TiffPages {
  StripLayout strips;
  int bits_per_sample = 8;
  Compression compression = Compression::deflate;
  Spacing spacing;
  std::string description;  // of the first page; empty: none
};

/// Whether offsets may pass what 32 bits hold, however badly the samples compress. To be known before the
/// first byte is written.
bool needs_big_tiff(const TiffPages& pages);

/// Little-endian TIFF of unsigned gray samples, written through libtiff, one page a slice, strips in order.
class TiffOutput {
 public:
  /// Error (usage) when this libtiff lacks the compression.
  TiffOutput(AtomicFile& file, TiffPages pages);
  ~TiffOutput();
  TiffOutput(const TiffOutput&) = delete;
  TiffOutput& operator=(const TiffOutput&) = delete;

  const StripLayout& strips() const { return pages_.strips; }
  /// Strip `strip` of all, compressed as the pages say.
  void write_compressed(std::int64_t strip, const void* data, std::size_t bytes);
  /// The same from samples, which libtiff compresses and may change.
  void write_samples(std::int64_t strip, void* samples, std::size_t bytes);

 private:
  struct Client;
  void begin_strip(std::int64_t strip);
  void end_strip(std::int64_t strip);
  void start_page(std::int64_t slice);
  void require(bool done) const;

  TiffPages pages_;
  std::unique_ptr<Client> client_;
  tiff* tiff_ = nullptr;
};

}  // namespace gpuccl::io
