#include "common/fastest_code.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// The Euler number, row by row. A row adds what its union with the rows before it has more than these: of
/// the rows p above it and, in the slice before, q above, next to and below it. Elements that touch are cubes
/// with their faces (8, 26), or without (4, 6); by 18-connectivity corners that touch nothing else are apart.
class Euler final : public Group {
 public:
  explicit Euler(const Labeling& labeling) : connectivity_(labeling.request.connectivity) {}

  std::size_t words() const override { return 1; }

  void add(const LabeledRow& row) override {
    switch (connectivity_) {
      case Connectivity::c4:
        return add_words(row, [](const Rows& rows, int word, Word mask) {
          return without_faces<false>(rows, word, mask);
        });
      case Connectivity::c8:
        return add_words(
            row, [](const Rows& rows, int word, Word mask) { return with_faces<false>(rows, word, mask); });
      case Connectivity::c6:
        return add_words(
            row, [](const Rows& rows, int word, Word mask) { return without_faces<true>(rows, word, mask); });
      case Connectivity::c18:
        return add_words(row, [](const Rows& rows, int word, Word mask) {
          return with_faces<true>(rows, word, mask) + corners_alone(rows, word, mask);
        });
      case Connectivity::c26:
        return add_words(
            row, [](const Rows& rows, int word, Word mask) { return with_faces<true>(rows, word, mask); });
    }
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const auto number = static_cast<double>(static_cast<std::int64_t>(sums.sums[0]));
    values[euler_number] = number;
    if (!is_3d(connectivity_)) values[holes] = 1 - number;
  }

 private:
  struct Rows {
    const RowBits &here, &above, &above_before, &next_before, &below_before, &below;
  };

  /// `in_word`: what a word of the row adds, as in_word(rows, word, mask).
  template <class InWord>
  void add_words(const LabeledRow& row, InWord in_word) const {
    const Rows rows{row.bits(),      row.bits(-1, 0), row.bits(-1, -1),
                    row.bits(0, -1), row.bits(1, -1), row.bits(1, 0)};
    by_fastest_counting([&] {
      for (const Stretch& stretch : row.stretches) {
        int number = 0;
        stretch.for_each_word([&](int word, Word mask) { number += in_word(rows, word, mask); });
        stretch.sums[offset] += static_cast<std::uint64_t>(std::int64_t{number});
      }
    });
  }

  /// By inclusion and exclusion the union of the row with those before it has more: of each end of an element
  /// 1 - p - q0 - q1 - q2 + p q0 + p q1 + q0 q1 + q1 q2 - p q0 q1, where a row is 1 if it has an element
  /// there, less the same of each element itself.
  template <bool is_volume>
  static int with_faces(const Rows& rows, int word, Word mask) {
    const Word here = rows.here[word] & mask;
    const auto ends = [&](Word elements, auto end) {
      if constexpr (!is_volume) return std::popcount(elements & ~end(rows.above));
      const Word q1 = end(rows.next_before);
      return std::popcount(elements & ~(end(rows.above) | end(rows.above_before) | q1)) -
             std::popcount(elements & end(rows.below_before) & ~q1);
    };
    return ends(here, [&](const RowBits& row) { return row[word] | row.left(word); }) +
           ends(here & ~rows.here.right(word),
                [&](const RowBits& row) { return row[word] | row.right(word); }) -
           ends(here, [&](const RowBits& row) { return row[word]; });
  }

  template <bool is_volume>
  static int without_faces(const Rows& rows, int word, Word mask) {
    const auto runs = [&](Word elements, Word left) { return std::popcount(elements & ~left & mask); };
    const Word here = rows.here[word], above = here & rows.above[word];
    const Word here_left = rows.here.left(word), above_left = here_left & rows.above.left(word);
    const int number = runs(here, here_left) - runs(above, above_left);
    if constexpr (!is_volume) return number;
    const Word before = here & rows.next_before[word], before_left = here_left & rows.next_before.left(word);
    return number - runs(before, before_left) +
           runs(above & before & rows.above_before[word],
                above_left & before_left & rows.above_before.left(word));
  }

  /// Elements that touch one in the slice before by a corner while the six others around that corner are
  /// background.
  static int corners_alone(const Rows& rows, int word, Word mask) {
    const Word here = rows.here[word] & mask;
    int count = 0;
    for (const int dx : {-1, 1}) {
      const Word free =
          here & ~(rows.here.beside(word, dx) | rows.next_before[word] | rows.next_before.beside(word, dx));
      const auto alone = [&](const RowBits& beside, const RowBits& across) {
        return std::popcount(free & across.beside(word, dx) &
                             ~(beside[word] | beside.beside(word, dx) | across[word]));
      };
      count += alone(rows.above, rows.above_before) + alone(rows.below, rows.below_before);
    }
    return count;
  }

  Connectivity connectivity_;
};

}  // namespace

std::unique_ptr<Group> make_euler(const Labeling& labeling) {
  if (!wants(labeling, {euler_number, holes, tunnels})) return nullptr;
  return std::make_unique<Euler>(labeling);
}

}  // namespace gpuccl::measuring
