#pragma once

#include <memory>
#include <string>

#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

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
