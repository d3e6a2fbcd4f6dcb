#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"
#include "io/image/sample_value.hpp"

namespace gpuccl::io {

enum class SampleKind { unsigned_integer, signed_integer, floating };
enum class Photometric { min_is_black, min_is_white, palette, rgb, cmyk, ycbcr };

/// Layout and meaning of the decoded samples of a row.
///
/// Rows start on a byte. Samples of 8, 16, 24, 32 and 64 bits are in the byte order of this machine; others
/// are packed without gaps, most significant bit first. Of the `channels` of a pixel, those after the color
/// (alpha) are ignored.
struct SampleFormat {
  int bits = 8;
  SampleKind kind = SampleKind::unsigned_integer;
  int channels = 1;
  Photometric photometric = Photometric::min_is_black;
  bool inverted_by_name_only = false;  // min-is-white, but written by a program that stores 1 for true
  std::vector<double> palette;         // luma of each index on a scale of 0 to 255
  // From stored samples to values. The value of a sample of one channel is slope * sample + intercept. A
  // pixel whose samples are all in `missing` has no value; set_missing() sets it.
  double slope = 1, intercept = 0;
  std::vector<SampleInterval> missing = {};

  /// Sets the stored samples that have no value, rounded to the type of samples. NaN never has one.
  void set_missing(const std::vector<SampleValue>& samples);
  bool is_scaled() const { return slope != 1 || intercept != 0; }
  /// Returns whether values are integers of 32 bits: samples of up to 16 bits with an offset at most, as
  /// ImageJ stores signed ones.
  bool has_narrow_integers() const;

  std::int64_t row_bytes(std::int64_t width) const { return (width * bits * channels + 7) / 8; }
  friend bool operator==(const SampleFormat&, const SampleFormat&) = default;
};

/// Checks that samples of this format can be read. Throws Error (data).
void check_format(const SampleFormat& format);

const char* name_of(Photometric photometric);

/// Returns the nearest number of the type of samples, if that is floating-point.
double rounded_to_type(const SampleFormat& format, double number);

/// Throws Error (data) about a color image. `remedy`: what needs one channel, and how to select one.
[[noreturn]] void refuse_colors(Photometric photometric, const std::string& remedy);

/// Returns the number of samples for the color of a pixel; 1 for gray.
int colors_of(Photometric photometric);

/// 0.299 R + 0.587 G + 0.114 B; exact for grays of integers.
double luma(double red, double green, double blue);

/// Returns how stored samples become values, for the report: "0.01 * sample + 273.15", "-9999 is missing", or
/// both; "" if samples are values.
std::string value_rule(const SampleFormat& format);

/// Converts pixels [first, first + count) of a row to values: the sample as a number, or the luma of a color.
/// Inverts min-is-white and looks up indices, unless `as_stored` is set. Always applies the scale of the
/// format. A missing value is NaN.
void to_values(const SampleFormat& format, bool as_stored, const std::byte* row, std::int64_t first,
               std::int64_t count, double* values);

/// Calls visit(i) for each of pixels [first, first + count) of a row, counted from the first, that is
/// missing.
void for_each_missing(const SampleFormat& format, const std::byte* row, std::int64_t first,
                      std::int64_t count, const std::function<void(std::int64_t i)>& visit);

/// Extracts samples [first, first + count) of `bits` bits, at most 32, stored without gaps.
void to_codes(int bits, const std::byte* row, std::int64_t first, std::int64_t count, std::uint32_t* codes);

/// Rows [y, y + count) of a slice, decoded.
struct SampleRows {
  const SampleFormat& format;
  int y;
  int count;
  const std::byte* data;
  std::size_t pitch;  // bytes from a row to the next
};

/// The decoder of an input whose header is valid.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  /// Without path and foreground rule, which the caller sets.
  const ImageInfo& info() const { return info_; }
  virtual const SampleFormat& format(int /*z*/) const { return format_; }
  /// Returns width and height of slice z, which are equal for all slices unless ImageInfo::has_smaller_pages.
  virtual Extent slice_extent(int) const { return {info().extent.width, info().extent.height}; }
  /// Returns the memory of decode() for one slice.
  virtual std::int64_t buffer_bytes() const = 0;
  /// Returns the memory that decode() keeps from its first call on.
  virtual std::int64_t held_bytes() const { return 0; }
  /// Returns whether slices must be decoded one after the other, because each depends on earlier ones.
  virtual bool in_order() const { return false; }

  /// Passes every row of slice z to `sink`, in any order and from several threads at once. Thread-safe.
  /// Throws Error (data, io).
  using Sink = std::function<void(const SampleRows& rows)>;
  virtual void decode(int z, const Sink& sink) const { decode_from_top(z, sink); }
  /// Decodes in this thread alone, from the top, with a few rows in memory if possible.
  virtual void decode_from_top(int z, const Sink& sink) const = 0;

  /// Returns the number of slices, from each multiple of it on, that are stored together in one format.
  /// Decoding one of them costs as much as decoding all.
  virtual int group_depth() const { return 1; }
  /// Decodes slices [z0, z1) of one group, as decode().
  using GroupSink = std::function<void(int z, const SampleRows& rows)>;
  virtual void decode_group(int z0, int z1, const GroupSink& sink) const {
    for (int z = z0; z < z1; ++z) decode(z, [&sink, z](const SampleRows& rows) { sink(z, rows); });
  }

 protected:
  /// Sets format() and info().
  void describe(const std::string& format_name, const Extent& extent, const SampleFormat& format);

  ImageInfo info_;
  SampleFormat format_;
};

/// Files keep the first pixel in the most significant bit of a byte, a BitVolume in the least significant.
constexpr std::uint64_t reverse_bits_of_bytes(std::uint64_t word) {
  word = (word >> 1 & 0x5555555555555555u) | (word & 0x5555555555555555u) << 1;
  word = (word >> 2 & 0x3333333333333333u) | (word & 0x3333333333333333u) << 2;
  return (word >> 4 & 0x0f0f0f0f0f0f0f0fu) | (word & 0x0f0f0f0f0f0f0f0fu) << 4;
}

/// Reverses the bits of many bytes, keeps the bits in `keep` and inverts those in `flip`, both patterns of
/// eight bytes. `to` may be `from`.
void reverse_bits(const std::byte* from, std::size_t bytes, std::byte* to,
                  std::uint64_t keep = ~std::uint64_t{0}, std::uint64_t flip = 0);

/// Finds in some rows of an input whether its pixels have more than two values. Thread-safe.
class TwoValueDetector {
 public:
  using Found = std::array<double, 3>;  // different values; NaN until one was found

  /// Checks a few of `rows`, of a slice of this extent. NaN does not count.
  void look_at(const SampleRows& rows, const Extent& extent);
  bool has_more_than_two() const { return more_; }
  /// Returns at most three of the values: those of all parts of an image show whether it has more than two.
  std::vector<double> values() const;

 private:
  Found seen() const;
  /// Adds new values among these, and returns all.
  Found learn(const double* values, std::int64_t count);

  std::atomic<bool> more_ = false;
  mutable std::mutex mutex_;
  Found seen_{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(),
              std::numeric_limits<double>::quiet_NaN()};
};

}  // namespace gpuccl::io
