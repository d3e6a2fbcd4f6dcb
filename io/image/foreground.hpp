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
  /// `threshold` stands for the one of the options or for Otsu's; without it every value but 0 is foreground,
  /// of colors every luma above 0. NaN never is, unless inverted; the luma of a color with one is NaN.
  /// Values that are asked for are compared with samples as stored: indices of a palette, min-is-white that
  /// is not inverted; floating-point samples are compared with what is nearest to them in their type.
  Foreground(const SampleFormat& format, const ForegroundOptions& options, std::optional<double> threshold);

  /// Writes all words of a BitVolume's row, padding included. Returns whether a value is NaN.
  bool pack(const std::byte* row, int width, std::uint32_t* bits) const;

 private:
  bool is_foreground(double value) const;
  void choose_range(const std::optional<SampleValue>& whole_threshold);
  void choose_ranges(const std::vector<SampleInterval>& values);
  void choose_ranges_of_floats();
  void unite_ranges();
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

  enum class Method { bits, ranges, codes, values };  // from the fastest to the one for everything
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

/// The rule in words, for the report: "nonzero", "luma > 0", "otsu: value > 93.5, inverted".
std::string foreground_rule(const SampleFormat& format, const ForegroundOptions& options,
                            std::optional<double> threshold);

/// The index t of a histogram that separates the bins 0..t from the others with the largest variance between
/// the two classes (Otsu 1979), the smallest such t. 0 for a histogram with a single bin in use or none.
std::size_t otsu_split(const std::vector<std::uint64_t>& histogram);

/// Otsu's threshold over all values of an input, from a histogram. Integers have a bin each if they have
/// at most 16 bits or lie less than 65,536 apart, else 65,536 bins between the least and the greatest; others
/// (floating point, colors) have 256, as in scikit-image. Values that are NaN do not count. Samples of
/// 16 bits are decoded once, others twice, in parallel by as many threads as `memory` bytes allow. Throws
/// Error as decoding does.
double otsu_threshold(const SampleSource& source, const ForegroundOptions& options, std::int64_t memory);

}  // namespace gpuccl::io
