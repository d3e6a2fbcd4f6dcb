// Flood-fills the outside background row by row from the border: a background run is outside if it touches an
// outside run in a neighboring row. A row is visited again if a neighboring row has changed, slice by slice
// forward and backward, so few rows are visited more than twice.

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "common/fastest_code.hpp"
#include "common/labels_in_memory.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/selection.hpp"

namespace gpuccl {
namespace {

using Word = std::uint64_t;
constexpr int kWordBits = 64;

Word load(const std::uint32_t* row, int word) {
  Word value;
  std::memcpy(&value, row + 2 * std::int64_t{word}, sizeof value);
  return value;
}
void store(std::uint32_t* row, int word, Word value) {
  std::memcpy(row + 2 * std::int64_t{word}, &value, sizeof value);
}

/// Returns the ones of `free` that are in one run with, and not below, a one of `seeds`, or with the end of
/// the previous word if `carry` is 1. `carry` becomes that of the next word.
inline Word filled_upwards(Word free, Word seeds, Word& carry) {
  const Word sum = free + seeds, with_carry = sum + carry;
  carry = (sum < seeds) | (with_carry < sum);
  return free & ((with_carry ^ free) | seeds);
}
inline Word filled_downwards(Word free, Word seeds) {
  for (int step = 1; step < kWordBits; step *= 2) {
    seeds |= free & seeds >> step;
    free &= free >> step;
  }
  return seeds;
}

/// Finds the background outside, concurrently in strips of adjacent slices.
class Outside {
 public:
  /// `outside`: initially all background.
  Outside(BitView image, bool diagonal, BitVolume& outside)
      : image_(image),
        outside_(outside),
        diagonal_(diagonal),
        words_(static_cast<int>(words_per_row(image.extent.width) / 2)),
        to_end_(~Word{0} >> (kWordBits - 1 - (image.extent.width - 1) % kWordBits)),
        stale_(static_cast<std::size_t>(image.extent.rows())),
        rows_left_(kLooksEach * image.extent.rows()) {}

  /// Returns false if it would take too long.
  bool find() {
    const Extent& extent = image_.extent;
    tbb::parallel_for(0, extent.depth, [&](int z) { begin_slice(z); });
    const int strips = std::clamp(2 * threads_at_work(), 1, std::max(1, extent.depth / kFewestSlices));
    const auto first = [&](int strip) {
      return static_cast<int>(std::int64_t{extent.depth} * strip / strips);
    };
    do {
      // Adjacent strips read rows of each other, so they are not processed at the same time.
      for (const int odd : {0, 1})
        tbb::parallel_for(0, (strips + 1 - odd) / 2, [&](int i) {
          const int strip = 2 * i + odd;
          by_fastest_code([&] { spread(first(strip), first(strip + 1)); });
        });
      if (rows_left_ < 0) return false;
    } while (std::find(stale_.begin(), stale_.end(), 1) != stale_.end());
    return true;
  }

  /// Replaces the outside mask with the enclosed background, in place.
  void turn_into_enclosed() {
    tbb::parallel_for(0, image_.extent.depth, [&](int z) {
      for (int y = 0; y < image_.extent.height; ++y) {
        const std::uint32_t* const image = image_.row(y, z);
        std::uint32_t* const row = outside_.row(y, z);
        for (int i = 0; i < words_; ++i) store(row, i, ~load(image, i) & ~load(row, i));
        store(row, words_ - 1, load(row, words_ - 1) & to_end_);
      }
    });
  }

 private:
  static constexpr int kFewestSlices = 8;
  static constexpr std::int64_t kLooksEach = 16;  // mean visits per row; winding paths need more

  void begin_slice(int z) {
    const Extent& extent = image_.extent;
    for (int y = 0; y < extent.height; ++y) {
      const bool is_border = y == 0 || y == extent.height - 1 || z == 0 || z == extent.depth - 1;
      const std::uint32_t* const image = image_.row(y, z);
      std::uint32_t* const row = outside_.row(y, z);
      if (is_border) {
        for (int i = 0; i < words_; ++i) store(row, i, ~load(image, i));
        store(row, words_ - 1, load(row, words_ - 1) & to_end_);
      } else {
        stale(y, z) = 1;
        fill_from_ends(image, row);
      }
    }
  }

  /// Adds the runs of background at either end of a row.
  void fill_from_ends(const std::uint32_t* image, std::uint32_t* row) const {
    Word carry = 1;
    for (int i = 0; i < words_ && carry != 0; ++i) store(row, i, filled_upwards(~load(image, i), 0, carry));
    store(row, words_ - 1, load(row, words_ - 1) & to_end_);
    Word seed = to_end_ ^ to_end_ >> 1;
    for (int i = words_ - 1; i >= 0; --i) {
      const Word free = ~load(image, i);
      const Word filled = filled_downwards(free, free & seed);
      store(row, i, load(row, i) | filled);
      if ((filled & 1) == 0) break;
      seed = Word{1} << (kWordBits - 1);
    }
  }

  char& stale(int y, int z) {
    return stale_[static_cast<std::size_t>(std::int64_t{z} * image_.extent.height + y)];
  }

  /// Visits the stale rows of slices [z0, z1) until there are none, or the limit of visits is reached.
  void spread(int z0, int z1) {
    const std::int64_t height = image_.extent.height;
    std::vector<Word> beside(static_cast<std::size_t>(words_) + 2);
    const auto begin = stale_.begin() + z0 * height, end = stale_.begin() + z1 * height;
    for (bool forwards = true; std::find(begin, end, 1) != end; forwards = !forwards)
      for (int i = 0; i < z1 - z0; ++i)
        if (!spread_in_slice(forwards ? z0 + i : z1 - 1 - i, beside)) return;
  }

  bool spread_in_slice(int z, std::vector<Word>& beside) {
    std::int64_t looks = 0;
    const auto look = [&](int y) {
      if (stale(y, z) == 0) return;
      stale(y, z) = 0;
      ++looks;
      if (diagonal_ ? grow<true>(y, z, beside.data() + 1) : grow<false>(y, z, beside.data() + 1))
        mark_beside(y, z);
    };
    const int height = image_.extent.height;
    for (int y = 0; y < height; ++y) look(y);
    for (int y = height - 1; y >= 0; --y) look(y);
    return rows_left_.fetch_sub(looks, std::memory_order_relaxed) >= looks;
  }

  void mark_beside(int y, int z) {
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        if ((dy == 0 && dz == 0) || (!diagonal_ && dy != 0 && dz != 0)) continue;
        const int by = y + dy, bz = z + dz;
        const bool is_border =
            by == 0 || by == image_.extent.height - 1 || bz == 0 || bz == image_.extent.depth - 1;
        if (!is_border) stale(by, bz) = 1;
      }
  }

  /// Extends the outside of a row that is not at the border. `beside`: buffer for a row of words, and one
  /// word on either side. Returns true if the row has changed.
  template <bool diagonal>
  bool grow(int y, int z, Word* beside) {
    const std::uint32_t* const image = image_.row(y, z);
    std::uint32_t* const row = outside_.row(y, z);
    const std::uint32_t *const above = outside_.row(y - 1, z), *const below = outside_.row(y + 1, z),
                               *const before = outside_.row(y, z - 1), *const behind = outside_.row(y, z + 1);
    for (int i = 0; i < words_; ++i)
      beside[i] = load(above, i) | load(below, i) | load(before, i) | load(behind, i);
    if constexpr (diagonal) {
      for (const int dz : {-1, 1})
        for (const int dy : {-1, 1}) {
          const std::uint32_t* const other = outside_.row(y + dy, z + dz);
          for (int i = 0; i < words_; ++i) beside[i] |= load(other, i);
        }
      beside[-1] = beside[words_] = 0;
      Word left = 0;
      for (int i = 0; i < words_; ++i) {
        const Word here = beside[i];
        beside[i] = here | here << 1 | left >> (kWordBits - 1) | here >> 1 | beside[i + 1] << (kWordBits - 1);
        left = here;
      }
      beside[words_ - 1] &= to_end_;
    }
    Word more = 0;
    for (int i = 0; i < words_; ++i) {
      const Word known = load(row, i);
      beside[i] = (beside[i] & ~load(image, i)) | known;
      more |= beside[i] ^ known;
    }
    if (more == 0) return false;
    fill(image, row, beside);
    return true;
  }

  /// Adds the runs of background that contain one of `seeds`.
  void fill(const std::uint32_t* image, std::uint32_t* row, const Word* seeds) const {
    Word carry = 0;
    for (int i = 0; i < words_; ++i) store(row, i, filled_upwards(~load(image, i), seeds[i], carry));
    store(row, words_ - 1, load(row, words_ - 1) & to_end_);
    Word from_right = 0;
    for (int i = words_ - 1; i >= 0; --i) {
      const Word free = ~load(image, i), known = load(row, i);
      Word filled = known | (free & from_right << (kWordBits - 1));
      if ((filled >> 1 & free & ~filled) != 0) filled = filled_downwards(free, filled);
      from_right = filled & 1;
      store(row, i, filled);
    }
  }

  BitView image_;
  BitVolume& outside_;
  bool diagonal_;
  int words_;
  Word to_end_;              // mask of the elements of the last word
  std::vector<char> stale_;  // rows whose neighbors have changed since the last visit
  std::atomic<std::int64_t> rows_left_;
};

}  // namespace

BitVolume enclosed_background(const LabelRows& labels, Connectivity connectivity) {
  const Extent extent = labels.extent();
  BitVolume enclosed(extent);
  const SpanSource* const spans = spans_of(labels);
  if (spans != nullptr && extent.elements() > 0) {
    Outside outside(spans->bits(), connectivity == Connectivity::c26, enclosed);
    if (outside.find()) {
      outside.turn_into_enclosed();
      return enclosed;
    }
  }
  draw_background(labels, 0, enclosed);
  return enclosed;
}

}  // namespace gpuccl
