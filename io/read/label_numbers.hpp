#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpuccl/labels.hpp"

namespace gpuccl::io {

/// Numbers from 1 on for the labels of 64 bits that an image holds, of which rows are read by several threads
/// at once.
class LabelNumbers {
 public:
  /// Bytes of the table per label, including the lists that sort() makes.
  static constexpr std::int64_t kBytesOfLabel = 72;

  explicit LabelNumbers(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Writes the number of each label, 0 of 0. Error (memory) where there are too many different ones.
  void number_row(std::span<const std::uint64_t> labels, Label* numbers);

  /// Returns all labels in ascending order, and makes numbers in `image` those of places there, from 1 on.
  /// To be called once, in the end.
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
  using Recent = std::vector<Numbered>;  // a label has one place in it

  Label number_of(std::uint64_t label, Recent& recent);
  Label look_up(std::uint64_t label);

  const std::int64_t max_bytes_;
  std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, Label, Mixed> numbers_;
  oneapi::tbb::enumerable_thread_specific<Recent> recent_{Recent(kRecent)};
};

}  // namespace gpuccl::io
