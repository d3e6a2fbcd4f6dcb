#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/detail/pack_samples.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Foreground rule for one sample format: converts a row of samples to a row of bits.
class Foreground {
 public:
  /// `threshold`: that of the options, or Otsu's. Without it, every value but 0 is foreground, of colors
  /// every luma above 0. NaN and missing values are background, inverted or not; the luma of a color with a
  /// NaN is NaN. Values of the options are compared with samples as stored: palette indices, and min-is-white
  /// samples without inversion. For floating-point samples they are rounded to the type of the samples.
  Foreground(const SampleFormat& format, const ForegroundOptions& options, std::optional<double> threshold);

  /// Writes all words of a BitVolume's row, padding included. Returns whether a value is NaN.
  bool pack(const std::byte* row, int width, std::uint32_t* bits) const;

 private:
  bool is_foreground(double value) const;
  void choose_range(const std::optional<SampleValue>& whole_threshold);
  void add_ranges(const std::vector<SampleInterval>& values);
  void choose_ranges_of_floats();
  void exclude_valueless(std::vector<SampleRange<std::uint64_t>> chosen);
  void choose_intervals(const std::vector<SampleInterval>& values);
  bool is_flipped() const;
  void choose_table();
  void pack_bits(const std::byte* row, int width, std::uint32_t* bits) const;
  template <class Unsigned>
  bool pack_ranges(const std::byte* row, int width, std::uint32_t* bits) const;
  template <class Unsigned>
  void pack_integers(const std::byte* row, int width, std::uint32_t* bits) const;
  template <class Unsigned>
  void pack_many_ranges(const std::byte* row, int width, std::uint32_t* bits) const;
  void pack_codes(const std::byte* row, int width, std::uint32_t* bits) const;
  bool pack_values(const std::byte* row, int width, std::uint32_t* bits) const;

  enum class Method { bits, ranges, codes, values };  // fastest first; `values` is for all formats
  const SampleFormat format_;
  bool as_stored_;
  bool invert_;
  std::optional<double> threshold_;
  Method method_ = Method::values;
  std::vector<SampleRange<std::uint64_t>>
      ranges_;  // of the bits of samples that are foreground, in ascending order
  std::vector<SampleRange<double>> intervals_;  // of values that are foreground, in ascending order, if given
  std::array<std::uint8_t, 256> table_{};       // bits, codes: 1 for foreground
};

/// Returns the rule for the report: "nonzero", "luma > 0", "otsu: value > 93.5, inverted".
std::string foreground_rule(const SampleFormat& format, const ForegroundOptions& options,
                            std::optional<double> threshold);

/// Returns the smallest index t of a histogram for which the bins 0..t and the other bins have the largest
/// variance between classes (Otsu 1979); 0 if fewer than two bins are in use.
std::size_t otsu_split(const std::vector<std::uint64_t>& histogram);

struct OtsuThreshold {
  SampleValue value;
  /// Whether it is among the most frequent values and not in a valley between two peaks: without objects that
  /// differ from the background, it divides the noise.
  bool cuts_peak = false;

  double number() const { return value.number(); }
};

/// Returns Otsu's threshold over all values of an input, from a histogram. Integers of up to 16 bits, or in a
/// range of less than 65,536, have one bin per value; others have 65,536 bins between minimum and maximum,
/// none is rounded to a double. Floating-point samples and colors have 256 bins, as in scikit-image. NaN is
/// ignored. Samples of 16 bits are decoded once, others twice, in parallel by as many threads as `memory`
/// bytes allow. Throws Error as decoding does.
OtsuThreshold otsu_threshold(const SampleSource& source, const ForegroundOptions& options,
                             std::int64_t memory);

}  // namespace gpuccl::io
