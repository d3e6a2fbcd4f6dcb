#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Which pixels of one sample format are foreground, as a function from a row of samples to a row of bits.
class Foreground {
 public:
  /// `threshold` stands for the one of the options or for Otsu's; without it every value but 0 is foreground,
  /// of colours every luma above 0. NaN never is, unless inverted; the luma of a colour with one is NaN.
  Foreground(const SampleFormat& format, const ForegroundOptions& options, std::optional<double> threshold);

  /// Writes all words of a BitVolume's row, padding included.
  void pack(const std::byte* row, int width, std::uint32_t* bits) const;

 private:
  bool is_foreground(double value) const { return threshold_ ? value > *threshold_ : value < 0 || value > 0; }
  void choose_range();
  void choose_table();
  void pack_bits(const std::byte* row, int width, std::uint32_t* bits) const;
  template <class Unsigned>
  void pack_range(const std::byte* row, int width, std::uint32_t* bits) const;
  template <class Float>
  void pack_floats(const std::byte* row, int width, std::uint32_t* bits) const;
  void pack_codes(const std::byte* row, int width, std::uint32_t* bits) const;
  void pack_values(const std::byte* row, int width, std::uint32_t* bits) const;

  enum class Method { bits, range, floats, codes, values };  // from the fastest to the one for everything
  const SampleFormat format_;
  bool as_stored_;
  bool invert_;
  std::optional<double> threshold_;
  Method method_ = Method::values;
  std::uint64_t low_ = 0, high_ = 0;       // range: foreground is low <= sample <= high
  std::array<std::uint8_t, 256> table_{};  // bits, codes: 1 for foreground
};

/// The rule in words, for the report: "nonzero", "luma > 0", "otsu: value > 93.5, inverted".
std::string foreground_rule(const SampleFormat& format, const ForegroundOptions& options,
                            std::optional<double> threshold);

}  // namespace gpuccl::io
