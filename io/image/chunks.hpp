#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/image/geometry.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// An array that is stored in chunks of one shape. Chunks at its end extend beyond it.
struct ChunkGrid {
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> chunk;     // elements along each axis of what is decoded at once
  std::vector<std::size_t> order;       // the axes as they vary in a chunk, the slowest first
  std::vector<std::string> axis_names;  // "" if unnamed; or none
  SampleFormat format;
  std::vector<std::byte> fill;  // the sample of chunks that are not there, in the order of this machine

  std::uint64_t chunk_elements() const;
  std::size_t sample_bytes() const { return static_cast<std::size_t>(format.bits) / 8; }
  std::size_t chunk_bytes() const { return static_cast<std::size_t>(chunk_elements()) * sample_bytes(); }
};

/// Checks that chunks are not empty, have less than 2 GiB each, and are not millions of tiny ones. Throws
/// Error (data).
void check_chunk(const ChunkGrid& grid);

/// Returns the order of axes in C: the last one varies fastest.
std::vector<std::size_t> order_of_c(std::size_t axes);

/// Returns the product of sizes; none if it exceeds `most`.
std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& sizes, std::uint64_t most);

/// "2x640x480".
std::string sizes_in_words(const std::vector<std::uint64_t>& sizes);

/// The chunks of an array, decoded. Thread-safe.
class Chunks {
 public:
  using Samples = std::shared_ptr<const std::vector<std::byte>>;

  virtual ~Chunks() = default;

  virtual const ChunkGrid& grid() const = 0;
  /// Decodes the chunk with this index per axis into `samples`, in the byte order of this machine. Returns
  /// false if there is none. `stored`: for encoded bytes. Throws Error (data, io, no_input).
  virtual bool read(const std::vector<std::uint64_t>& at, std::vector<std::byte>& stored,
                    std::vector<std::byte>& samples) const = 0;

  /// Returns the samples as read() does, null if there are none, and keeps those of the last `most` chunks.
  Samples read_and_keep(const std::vector<std::uint64_t>& at, std::size_t most,
                        std::vector<std::byte>& stored) const;

  /// Return the memory for the encoded bytes of a chunk, and for what is kept in addition to chunks.
  virtual std::int64_t stored_bytes() const = 0;
  virtual std::int64_t held_bytes() const { return 0; }

 private:
  struct Kept {
    std::mutex mutex;  // of one thread, which decodes the chunk
    bool is_decoded = false;
    Samples samples;
  };

  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::uint64_t>, std::shared_ptr<Kept>> kept_;
  mutable std::deque<std::vector<std::uint64_t>> order_;  // of kept_, the oldest first
};

/// Properties of an image in an array of chunks.
struct ChunkedImage {
  std::string format_name;
  ImageAxes axes;
  Geometry geometry;
  std::vector<std::string> checksums;  // ImageInfo::checksums
};

/// Opens the image; chunks are read and decoded in parallel. Throws Error (data, memory).
std::unique_ptr<SampleSource> open_chunks(std::shared_ptr<const Chunks> chunks, const ChunkedImage& image,
                                          const ReadOptions& options);

}  // namespace gpuccl::io
