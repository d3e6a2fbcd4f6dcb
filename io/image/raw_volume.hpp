#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The warning about bytes of a file that belong to no sample.
inline constexpr const char* kBytesIgnored = "data after its samples is ignored";

/// Samples of a volume that lie uncompressed one after the other.
struct RawSamples {
  std::shared_ptr<const ByteSource> bytes;
  std::uint64_t offset = 0;  // of the first
  bool swapped = false;      // they have the other byte order
  bool reversed = false;     // bits of a byte are in reverse
};

/// Samples of `bits` bits in the order of this machine from the other one, or back.
void swap_bytes(int bits, std::byte* samples, std::size_t bytes);

/// Reads rows [y, y + count) of slice z of raw samples, x fastest. Throws Error (data, io).
void read_raw_rows(const RawSamples& raw, const SampleFormat& format, const Extent& extent, int z, int y,
                   int count, std::byte* out);

/// Hands all rows of slice z to `sink`, as many at a time as stay in the cache. `memory`: for several
/// threads, as for_each_part() takes it; 0: by this thread alone, from the top. Throws Error (data, io).
void decode_raw(const RawSamples& raw, const SampleFormat& format, const Extent& extent, int z,
                std::int64_t memory, const SampleSource::Sink& sink);

/// Memory for threads that decode a slice together: none if there are several slices, which threads share.
std::int64_t decoding_memory(const Extent& extent, std::int64_t limit);

/// Returns the bytes that a thread needs in decode_raw().
std::int64_t raw_buffer_bytes(const SampleFormat& format, const Extent& extent);

/// Header of uncompressed samples in the order x (fastest), y, z.
struct RawVolume {
  std::string format_name;
  SampleFormat format;
  Extent extent;
  Geometry geometry;
  std::uint64_t offset = 0;  // of the first sample, in what is decompressed if they are compressed
  bool swapped = false;      // numbers have the other byte order
  double frames = 1;         // volumes one after the other, of which ReadOptions::planes chooses one

  /// Bytes of the samples of a volume; in floating point, for they may pass 2^63.
  double sample_bytes() const;
  double all_bytes() const { return sample_bytes() * frames; }
};

/// The samples of `volume` in `file`. Throws Error (data, memory).
std::unique_ptr<SampleSource> open_raw_volume(const RawVolume& volume, std::shared_ptr<const InputFile> file,
                                              const ReadOptions& options);
/// Opens a compressed volume.
std::unique_ptr<SampleSource> open_raw_volume(const RawVolume& volume,
                                              std::shared_ptr<GunzippedFile> contents,
                                              const ReadOptions& options);

}  // namespace gpuccl::io
