#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/row_writer.hpp"
#include "cpu/runs/value_labels.hpp"
#include "cpu/runs/words.hpp"
#include "gpuccl/detail/pack_samples.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl::cpu {

template <class T>
T value_from_bits(ValueBits value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(std::bit_cast<double>(value));
  else
    return static_cast<T>(value);
}

/// The last rows of a multi-label image as elements, 64 of which are compared at once.
class RowWindow {
 public:
  /// A row. Elements before the first and after the last are 0. `starts` is in RunBits.
  struct Row {
    std::byte* elements;
    Word* starts;        // the first elements of runs
    Index* runs_before;  // per word of `starts`

    /// Returns the run that contains element x.
    Index run_at(int x) const {
      const auto word = static_cast<unsigned>(x) / kWordBits;
      return runs_before[word] + static_cast<Index>(std::popcount(starts[word] & up_to(x % kWordBits))) - 1;
    }
  };

  /// Holds the last `rows` rows of `image`. `bits`: receives the bits of rows that are added.
  RowWindow(const ValueImage& image, int rows, RunBits& bits)
      : image_(image),
        bits_(bits),
        bytes_(bytes_of(image.type())),
        words_(bits.words),
        pitch_(pitch_of(image)),
        rows_(rows),
        elements_(pitch_ * (static_cast<std::size_t>(rows) + 1)),
        runs_before_(words_ * (static_cast<std::size_t>(rows) + 1)) {}

  static std::size_t bytes_for(const ValueImage& image, int rows) {
    return (static_cast<std::size_t>(rows) + 1) * (pitch_of(image) + words_of(image) * sizeof(Index));
  }

  static std::size_t words_of(const ValueImage& image) {
    return (static_cast<std::size_t>(image.extent().width) + kWordBits - 1) / kWordBits;
  }

  std::size_t words() const { return words_; }
  std::size_t bytes_each() const { return bytes_; }
  Row row(std::int64_t row) {
    return at(row % rows_, bits_.starts.data() + static_cast<std::size_t>(row) * words_);
  }
  /// Returns a row whose elements are 0, without starts.
  Row zeros() { return at(rows_, nullptr); }

  /// Adds row `row`, whose first run is `first`.
  void add(std::int64_t row, Index first) {
    const Row to = this->row(row);
    with_type(image_.type(), [&](auto value) {
      using T = decltype(value);
      // Rows end with padding, so that their last runs can be written in complete blocks, too.
      RowWriter<T> writer(reinterpret_cast<T*>(to.elements),
                          static_cast<int>((pitch_ - kPadding) / sizeof(T)));
      for (const ValueRun& run : image_.row(row))
        writer.run(run.begin, run.end, value_from_bits<T>(run.value));
      writer.finish();
    });
    const std::byte* const others[] = {zeros().elements, to.elements - bytes_};
    for (std::size_t word = 0; word < words_; ++word) {
      Word equal[2];
      find_equal(to, others, word, equal);
      bits_.ones[static_cast<std::size_t>(row) * words_ + word] = ~equal[0];
      to.starts[word] = ~(equal[0] | equal[1]);
      to.runs_before[word] = first;
      first += static_cast<Index>(std::popcount(to.starts[word]));
    }
  }

  /// Compares the elements of a word with those of other rows: bit i of equal[k] is set if element i equals
  /// element i of row k.
  void find_equal(const Row& here, std::span<const std::byte* const> others, std::size_t word,
                  Word* equal) const {
    switch (bytes_) {
      case 1:
        return find_equal<std::uint8_t>(here, others, word, equal);
      case 2:
        return find_equal<std::uint16_t>(here, others, word, equal);
      case 4:
        return find_equal<std::uint32_t>(here, others, word, equal);
      default:
        return find_equal<std::uint64_t>(here, others, word, equal);
    }
  }

 private:
  static constexpr std::size_t kPadding = 64;

  static std::size_t pitch_of(const ValueImage& image) {
    return words_of(image) * kWordBits * bytes_of(image.type()) + 2 * kPadding;
  }
  Row at(std::int64_t place, Word* starts) {
    const auto i = static_cast<std::size_t>(place);
    return {elements_.data() + i * pitch_ + kPadding, starts, runs_before_.data() + i * words_};
  }

  template <class T>
  static void find_equal(const Row& here, std::span<const std::byte* const> others, std::size_t word,
                         Word* equal) {
    const std::size_t offset = word * kWordBits * sizeof(T);
    const auto load = [&](const std::byte* row, std::size_t i) {
      T value;
      std::memcpy(&value, row + offset + i * sizeof(T), sizeof value);
      return value;
    };
    for (const std::byte* const other : others) {
      std::uint8_t same[kWordBits];
      for (std::size_t i = 0; i < kWordBits; ++i) same[i] = load(here.elements, i) == load(other, i);
      *equal++ = nonzero_bytes(same);
    }
  }

  const ValueImage& image_;
  RunBits& bits_;
  std::size_t bytes_, words_, pitch_;
  std::int64_t rows_;
  std::vector<std::byte> elements_;
  std::vector<Index> runs_before_;
};

}  // namespace gpuccl::cpu
