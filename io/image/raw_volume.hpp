#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The warning about bytes of a file that belong to no sample.
inline constexpr const char* kBytesIgnored = "data after its samples is ignored";
inline constexpr const char* kFirstImageOnly =
    "has several images; only the first is read, so save the others as separate files";

/// Uncompressed, consecutive samples of a volume.
struct RawSamples {
  std::shared_ptr<const ByteSource> bytes;
  std::uint64_t offset = 0;  // of the first
  bool swapped = false;      // they have the other byte order
  bool reversed = false;     // bits of a byte are in reverse
};

/// Reverses the byte order of samples of `bits` bits.
void swap_bytes(int bits, std::byte* samples, std::size_t bytes);

/// Reads rows [y, y + count) of slice z of raw samples, x fastest. Throws Error (data, io).
void read_raw_rows(const RawSamples& raw, const SampleFormat& format, const Extent& extent, int z, int y,
                   int count, std::byte* out);

/// Passes all rows of slice z to `sink`, in groups that fit into the cache. `memory`: for several threads, as
/// in for_each_part(); 0: decodes in this thread alone, from the top. Throws Error (data, io).
void decode_raw(const RawSamples& raw, const SampleFormat& format, const Extent& extent, int z,
                std::int64_t memory, const SampleSource::Sink& sink);

/// Returns the memory for threads that decode a slice together; 0 if there are several slices.
std::int64_t decoding_memory(const Extent& extent, std::int64_t limit);

/// Returns the bytes that a thread needs in decode_raw().
std::int64_t raw_buffer_bytes(const SampleFormat& format, const Extent& extent);

/// Header of uncompressed samples in the order x (fastest), y, z.
struct RawVolume {
  std::string format_name;
  SampleFormat format;
  Extent extent;
  Geometry geometry;
  std::uint64_t offset = 0;     // of the first sample, after decompression
  bool swapped = false;         // numbers have the other byte order
  double frames = 1;            // volumes one after the other, of which ReadOptions::planes chooses one
  bool has_time = false;        // whether an axis is named time, if only of one element
  bool is_image_stack = false;  // its slices are images of their own
  std::vector<std::string> channel_names;  // of the samples of an element, if they are known

  /// Returns the bytes of the samples of a volume, as floating point because of the range.
  double sample_bytes() const;
  double all_bytes() const { return sample_bytes() * frames; }
};

/// Opens the samples of `volume` in `file`, or the channel that ReadOptions::planes chooses of them. Samples
/// that are not colors are channels. Throws Error (data, memory).
std::unique_ptr<SampleSource> open_raw_volume(const RawVolume& volume, std::shared_ptr<const InputFile> file,
                                              const ReadOptions& options);
/// Opens a compressed volume.
std::unique_ptr<SampleSource> open_raw_volume(const RawVolume& volume,
                                              std::shared_ptr<GunzippedFile> contents,
                                              const ReadOptions& options);

}  // namespace gpuccl::io
