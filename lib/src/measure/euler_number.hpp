#pragma once

#include "common/row_bits.hpp"
#include "gpuccl/types.hpp"

// The Euler number, row by row. A row contributes the difference that it makes to the union of the rows
// before it: row p above it and, in the previous slice, rows q above, at and below it. Elements that touch
// are cubes with their faces (8, 26) or without them (4, 6). With 18-connectivity, cubes that touch only at a
// corner are separate.
namespace gpuccl::measuring {

/// A row, and the rows around it that determine its contribution.
template <class Row>
struct EulerRows {
  const Row &here, &above, &above_before, &next_before, &below_before, &below;
};

/// By inclusion and exclusion, the contribution is a sum over the ends of elements, 1 - p - q0 - q1 - q2 + p
/// q0 + p q1 + q0 q1 + q1 q2 - p q0 q1, where a row is 1 if it has an element there, minus the same sum over
/// the elements.
template <bool is_volume, class Row, class Word>
GPUCCL_HD int with_faces(const EulerRows<Row>& rows, int word, Word mask) {
  const Word here = rows.here[word] & mask;
  const auto ends = [&](Word elements, auto end) {
    if constexpr (!is_volume) return count_ones(elements & ~end(rows.above));
    const Word q1 = end(rows.next_before);
    return count_ones(elements & ~(end(rows.above) | end(rows.above_before) | q1)) -
           count_ones(elements & end(rows.below_before) & ~q1);
  };
  return ends(here, [&](const Row& row) { return row[word] | row.left(word); }) +
         ends(here & ~rows.here.right(word), [&](const Row& row) { return row[word] | row.right(word); }) -
         ends(here, [&](const Row& row) { return row[word]; });
}

template <bool is_volume, class Row, class Word>
GPUCCL_HD int without_faces(const EulerRows<Row>& rows, int word, Word mask) {
  const auto runs = [&](Word elements, Word left) { return count_ones(elements & ~left & mask); };
  const Word here = rows.here[word], above = here & rows.above[word];
  const Word here_left = rows.here.left(word), above_left = here_left & rows.above.left(word);
  const int number = runs(here, here_left) - runs(above, above_left);
  if constexpr (!is_volume) return number;
  const Word before = here & rows.next_before[word], before_left = here_left & rows.next_before.left(word);
  return number - runs(before, before_left) +
         runs(above & before & rows.above_before[word],
              above_left & before_left & rows.above_before.left(word));
}

/// Counts the elements that touch one in the previous slice at a corner while the six others around that
/// corner are background.
template <class Row, class Word>
GPUCCL_HD int corners_alone(const EulerRows<Row>& rows, int word, Word mask) {
  const Word here = rows.here[word] & mask;
  int count = 0;
  for (const int dx : {-1, 1}) {
    const Word free =
        here & ~(rows.here.beside(word, dx) | rows.next_before[word] | rows.next_before.beside(word, dx));
    const auto alone = [&](const Row& beside, const Row& across) {
      return count_ones(free & across.beside(word, dx) &
                        ~(beside[word] | beside.beside(word, dx) | across[word]));
    };
    count += alone(rows.above, rows.above_before) + alone(rows.below, rows.below_before);
  }
  return count;
}

/// Returns the contribution of the elements `mask` of a word of a row.
template <Connectivity connectivity, class Row, class Word>
GPUCCL_HD int euler_number_of(const EulerRows<Row>& rows, int word, Word mask) {
  constexpr bool kIsVolume = is_3d(connectivity);
  if constexpr (max_axes(connectivity) == 1) return without_faces<kIsVolume>(rows, word, mask);
  const int number = with_faces<kIsVolume>(rows, word, mask);
  if constexpr (connectivity == Connectivity::c18) return number + corners_alone(rows, word, mask);
  return number;
}

}  // namespace gpuccl::measuring
