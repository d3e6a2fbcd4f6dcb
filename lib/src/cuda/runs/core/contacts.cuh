#pragma once

#include "cuda/runs/core/bundle.cuh"

namespace gpuccl::cuda::runs {

/// Calls visit.operator()<i>() for i = 0 .. count - 1.
template <int count, int from = 0, class Visit>
__device__ void for_each_index(Visit&& visit) {
  if constexpr (from < count) {
    visit.template operator()<from>();
    for_each_index<count, from + 1>(visit);
  }
}

/// The contacts of the pieces of one word of a bundle: with pieces of the same word of the bundles at its
/// sides, and across the seam to the word on the left.
///
///     other_left | other         bit 0 of own and of other, last bit of left and of other_left:
///     -----------+------         a seam is needed only if no chain of contacts within words, and no seam
///           left | own           in the bundle above, makes the same connection
template <class Tile>
struct Contacts {
  /// Kinds of contacts: one for bits; for values those of `ContactShift` in value_shape.cuh.
  static constexpr int kShifts = Tile::kOfValues ? runs::kShifts : 1;

  Word at_side[Tile::kSides][kShifts];  // one bit per pair of pieces, from contacts_of_pieces()
  unsigned seams;                       // bits own_to_other_left, left_to_other, left_to_own
  unsigned continued;                   // bit i: contact with side i in bit 0 continues one of the left word

  __device__ static constexpr unsigned own_to_other_left(int side) { return 1u << (2 * side); }
  __device__ static constexpr unsigned left_to_other(int side) { return 2u << (2 * side); }
  __device__ static constexpr unsigned left_to_own() { return 1u << (2 * Tile::kSides); }

  __device__ Word any_at_side(int i) const {
    Word bits = 0;
#pragma unroll
    for (int shift = 0; shift < kShifts; ++shift) bits |= at_side[i][shift];
    return bits;
  }
  __device__ bool any() const {
    unsigned bits = seams;
#pragma unroll
    for (int i = 0; i < Tile::kSides; ++i) bits |= any_at_side(i);
    return bits != 0;
  }
  __device__ int count() const {
    int bits = count_bits(seams);
#pragma unroll
    for (int i = 0; i < Tile::kSides; ++i)
#pragma unroll
      for (int shift = 0; shift < kShifts; ++shift) bits += count_bits(at_side[i][shift]);
    return bits;
  }
};

/// Returns the last bits of the words to the left, for find_contacts().
template <class Tile>
__device__ unsigned last_bits(const Bundle<Tile>& own, const Bundle<Tile> (&others)[Tile::kNeighbors]) {
  unsigned bits = own.all() >> 31;
  for_each_index<Tile::kSides>([&]<int i>() {
    bits |= own_face<i>(own) >> 31 << (2 * i + 1);
    bits |= other_face<i>(others[i]) >> 31 << (2 * i + 2);
  });
  return bits;
}

/// The bits up to the lowest bit of `found`, and the bits up to its piece in the own word and in the other
/// word.
struct UpToPieces {
  Word here, own, other;

  __device__ static UpToPieces of_lowest(Word found, int shift) {
    const Word here = up_to_lowest(found);
    return {here, shift == kOwnLeft ? here >> 1 : here, shift == kOtherLeft ? here >> 1 : here};
  }
};

/// Calls visit.operator()<shift>() for each kind of contact that is possible at side `side`.
template <class Tile, int side, class Visit>
__device__ void for_each_shift(Visit&& visit) {
  for_each_index<Contacts<Tile>::kShifts>([&]<int shift>() {
    if constexpr (!Tile::kOfValues)
      visit.template operator()<shift>();
    else if constexpr ((shift == kNoShift && side < 2) ||
                       ValuePlanes<Tile::connectivity>::template kHasList<side, shift>)
      visit.template operator()<shift>();
  });
}

template <class Tile>
__device__ Contacts<Tile> find_contacts(const Bundle<Tile>& own,
                                        const Bundle<Tile> (&others)[Tile::kNeighbors], unsigned left_bits) {
  using Contacts = runs::Contacts<Tile>;
  const Word starts = own.starts();
  Contacts contacts{};
  for_each_index<Tile::kSides>([&]<int i>() {
    const Word touch = touching<i>(own, others[i]);
    Word found = contacts_of_pieces(touch, starts, others[i].starts());
    if constexpr (i > 0) found = without_witnesses(found, touch, witnesses<i>(own, others));
    contacts.at_side[i][kNoShift] = found;

    const unsigned a = own_face<i>(own) & 1, b = other_face<i>(others[i]) & 1;
    const unsigned a_left = left_bits >> (2 * i + 1) & 1, b_left = left_bits >> (2 * i + 2) & 1;
    if constexpr (Tile::template kSide<i>.diagonal) {
      if ((a & b_left & ~a_left & ~b) != 0) contacts.seams |= Contacts::own_to_other_left(i);
      if ((a_left & b & ~a & ~b_left) != 0) contacts.seams |= Contacts::left_to_other(i);
    }
    contacts.continued |= (a & b & a_left & b_left) << i;
  });
  // Sides 0 and 1 keep their contacts in both words, so the seam of the other bundle replaces this one.
  if ((own.all() & left_bits & 1) != 0 && (contacts.continued & 0b11) == 0)
    contacts.seams |= Contacts::left_to_own();
  return contacts;
}

// The overloads for values: contacts in the same column at sides 0 and 1, their continuation from the word to
// the left, and the seam to the left.

template <class Tile>
requires(Tile::kOfValues) __device__
    unsigned last_bits(const Bundle<Tile>& own, const Bundle<Tile> (&)[Tile::kNeighbors]) {
  unsigned bits = own.all() >> 31;
  for_each_index<ValuePlanes<Tile::connectivity>::kDense - ValuePlanes<Tile::connectivity>::kSameAsOther>(
      [&]<int i>() { bits |= own.template same_as_other<i>() >> 31 << (i + 1); });
  return bits;
}

template <class Tile>
requires(Tile::kOfValues) __device__ Contacts<Tile> find_contacts(
    const Bundle<Tile>& own, const Bundle<Tile> (&others)[Tile::kNeighbors], unsigned left_bits) {
  using Planes = ValuePlanes<Tile::connectivity>;
  Contacts<Tile> contacts{};
  for_each_index<Planes::kDense - Planes::kSameAsOther>([&]<int i>() {
    const Word touch = touching<i>(own, others[i]);
    const Word both_go_on = own.same_as_left() & others[i].same_as_left();
    Word found = touch & ~(touch << 1 & both_go_on);
    if constexpr (i > 0) found = without_witnesses(found, touch, witnesses<i>(own, others));
    contacts.at_side[i][kNoShift] = found;
    contacts.continued |= (touch & both_go_on & left_bits >> (i + 1) & 1) << i;
  });
  if ((own.same_as_left() & left_bits & 1) != 0 && contacts.continued == 0)
    contacts.seams |= Contacts<Tile>::left_to_own();
  return contacts;
}

/// Adds the contacts that lists contain for a word of values, at the sides with a bit in `sides`. `index`: of
/// the word, negative if the word is outside of the image.
template <class Tile>
__device__ void add_lists(const TiledImage& frame, std::int64_t index, unsigned sides,
                          Contacts<Tile>& contacts) {
  using Planes = ValuePlanes<Tile::connectivity>;
  if constexpr (Planes::kLists > 0) {
    if (index < 0) return;
    const Word nonempty = frame.words[frame.plane(Planes::kListMask) + index];
    if (nonempty == 0) return;
    for_each_index<Tile::kSides>([&]<int i>() {
      for_each_index<kShifts>([&]<int shift>() {
        if constexpr (Planes::template kHasList<i, shift>) {
          constexpr int kList = Planes::template kList<i, shift>;
          if ((nonempty >> kList & 1) == 0 || (sides >> i & 1) == 0) return;
          Word found = frame.words[frame.plane(Planes::kFirstList + kList) + index];
          if constexpr (shift != kNoShift) {  // contact across the end of the word
            if ((found & 1) != 0)
              contacts.seams |= shift == kOtherLeft ? Contacts<Tile>::own_to_other_left(i)
                                                    : Contacts<Tile>::left_to_other(i);
            found &= ~1u;
          }
          contacts.at_side[i][shift] = found;
        }
      });
    });
  }
}

/// The nodes of the pieces in contacts. `Node` is an index.
template <class Tile, class Node>
struct Nodes {
  Node own, left;  // of the word's first piece, and of the left word's last piece
  Node other[Tile::kSides], other_left[Tile::kSides];  // the same, for the bundles at the sides
  Word starts;
  Word other_starts[Tile::kSides];
};

template <class Node>
struct Pair {
  Node a, b;
};

/// Calls visit(pair) with the two nodes of each contact.
template <class Tile, class Node, class Visit>
__device__ void for_each_contact(const Contacts<Tile>& contacts, const Nodes<Tile, Node>& nodes,
                                 Visit visit) {
  if ((contacts.seams & Contacts<Tile>::left_to_own()) != 0) visit(Pair<Node>{nodes.own, nodes.left});
  for_each_index<Tile::kSides>([&]<int i>() {
    if constexpr (Tile::template kSide<i>.diagonal) {
      if ((contacts.seams & Contacts<Tile>::own_to_other_left(i)) != 0)
        visit(Pair<Node>{nodes.own, nodes.other_left[i]});
      if ((contacts.seams & Contacts<Tile>::left_to_other(i)) != 0)
        visit(Pair<Node>{nodes.left, nodes.other[i]});
    }
    for_each_shift<Tile, i>([&]<int shift>() {
      for (Word rest = contacts.at_side[i][shift]; rest != 0; rest &= rest - 1) {
        const auto up_to = UpToPieces::of_lowest(rest, shift);
        const int own = last_piece(nodes.starts & up_to.own);
        const int other = last_piece(nodes.other_starts[i] & up_to.other);
        visit(Pair<Node>{nodes.own + static_cast<Node>(own), nodes.other[i] + static_cast<Node>(other)});
      }
    });
  });
}

}  // namespace gpuccl::cuda::runs
