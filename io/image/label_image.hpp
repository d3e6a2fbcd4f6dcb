#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "gpuccl/labels.hpp"
#include "io/image/content_hash.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_type.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

enum class Compression { none, deflate, lzw, zstd, packbits, blosc };
enum class BigTiff { automatic, yes, no };  // automatic: where a file passes the 4 GiB of a classic TIFF

struct WriteOptions {
  LabelType type = LabelType::automatic;  // automatic: u16 if N fits, else u32
  Compression compression = Compression::deflate;
  BigTiff big_tiff = BigTiff::automatic;
  std::size_t strips_at_once = SIZE_MAX;  // at most; no more than threads can use in any case
  Geometry geometry = {};
  std::array<int, 3> chunk{};  // of a Zarr, along x, y, z; 0: as usual
  int level = 0;               // of the compression of a Zarr; 0: as usual
  bool pyramid = false;        // a Zarr has smaller scales, too
  /// Called now and then with the share of rows written, 0 to 1.
  std::function<void(double share)> progress;
};

/// Labels to write: `labels` with `map` applied (may be empty); `count` is the number of labels after
/// mapping. Samples of 64 bits are `wide` at the mapped label, as the bits of an unsigned type. Encoders add
/// each row that they encode to `hash`, unless it is null.
struct MappedLabels {
  const LabelSource& labels;
  std::span<const Label> map;
  Label count = 0;
  std::span<const std::uint64_t> wide = {};
  ContentHash* hash = nullptr;

  MappedLabels without_hash() const { return {labels, map, count, wide}; }
};

/// Bits of a sample; `type` is resolved, not automatic.
int bits_per_sample(LabelType type);
/// 'u', 'i' or 'f', as NumPy names it.
char kind_of(LabelType type);
/// Returns the NumPy name with size and, if there are several bytes, byte order: "|u1", "<i2".
std::string numpy_name(LabelType type);
/// "u8", "i16", "f32".
std::string short_name(LabelType type);
/// "uint8", "int16", "float32".
std::string long_name(LabelType type);

/// LabelSource::render as samples of `type`, which are added to the hash.
void render(const MappedLabels& labels, LabelType type, std::int64_t first_row, std::int64_t rows, void* out);

/// LabelSource::list_runs of what is written.
inline void list_runs(const MappedLabels& labels, std::int64_t first_row, std::int64_t rows, LabelRuns& out) {
  labels.labels.list_runs(first_row, rows, out, labels.map.empty() ? nullptr : labels.map.data());
}

/// LabelSource::prepare of what is written.
inline PrepareRows prepare_rows(const MappedLabels& labels) {
  return [&source = labels.labels](std::int64_t first_row, std::int64_t rows) {
    return source.prepare(first_row, rows);
  };
}

}  // namespace gpuccl::io
