#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Numbers 1 to N for the 64-bit labels of an image. Several threads number rows at the same time.
class LabelNumbers {
 public:
  /// Bytes of the table per label, including the lists that sort() makes.
  static constexpr std::int64_t kBytesOfLabel = 72;

  explicit LabelNumbers(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Writes the number of each label, 0 for 0. Error (memory) if there are too many different labels.
  void number_row(std::span<const std::uint64_t> labels, Label* numbers);

  /// Returns all labels in ascending order, and changes the numbers in `image` to positions in this order,
  /// counted from 1. Call it once, at the end.
  std::vector<std::uint64_t> sort(LabelImage& image);

 private:
  struct Mixed {
    std::size_t operator()(std::uint64_t label) const noexcept;
  };
  struct Numbered {
    std::uint64_t label = 0;
    Label number = 0;
  };
  static constexpr std::size_t kRecent = 4096;
  using Recent = std::vector<Numbered>;  // a cache; each label has one place in it

  Label number_of(std::uint64_t label, Recent& recent);
  Label look_up(std::uint64_t label);

  const std::int64_t max_bytes_;
  std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, Label, Mixed> numbers_;
  oneapi::tbb::enumerable_thread_specific<Recent> recent_{Recent(kRecent)};
};

inline constexpr const char* kHintOfNan = "some values are NaN and count as background";

/// Reads a label image written by this program or another: TIFF of 8/16/32-bit unsigned gray (pages are
/// slices), PNG of 1 to 16-bit gray, .npy with 2 or 3 axes, NIfTI, Zarr. Values are taken as stored; NaN is
/// background, of which `warn` receives a hint. count() of the result is the largest value. Throws Error as
/// open_reader does; (memory) when the labels, and a row of each of two images that are compared, are more
/// than `limits.memory`. `info`, if given, gets what else the file specifies.
///
/// With `long_labels`, labels may have 64 bits. For samples of 64 bits, the result has numbers 1..N in the
/// order of the labels, and `long_labels` gets the label of each number; otherwise it stays empty. Error
/// (memory) also if there are too many labels.
LabelImage read_labels(const std::string& path, std::vector<std::uint64_t>* long_labels = nullptr,
                       const Limits& limits = {}, ImageInfo* info = nullptr,
                       const std::function<void(const std::string& line)>& warn = nullptr);

/// Returns ContentHash::text() of a label image in any format that is read: what a report contains if gpuccl
/// wrote it. Takes memory for a few slices, or rows of a large slice. Throws Error as open_reader() does, and
/// (data) for colors.
std::string fingerprint_of_labels(const std::string& path, const Limits& limits = {});

}  // namespace gpuccl::io
