#pragma once

#include "cuda/runs/bundle.cuh"

namespace gpuccl::cuda::runs {

/// Calls visit.operator()<i>() for i = 0 .. count - 1.
template <int count, int from = 0, class Visit>
__device__ void for_each_index(Visit&& visit) {
  if constexpr (from < count) {
    visit.template operator()<from>();
    for_each_index<count, from + 1>(visit);
  }
}

/// The unions that pieces of one word of a bundle ask for: with pieces of the same word of bundles at its
/// sides, and across the seam to the word on the left.
///
///     other_left | other         bit 0 of own and of other, last bit of left and of other_left:
///     -----------+------         a seam is needed only where no chain of contacts inside of words, and
///           left | own           no seam in the bundle above, says the same
template <class Tile>
struct Contacts {
  Word at_side[Tile::kSides];  // one bit a pair of pieces, as contacts_of_pieces has them
  unsigned seams;              // bits own_to_other_left, left_to_other, left_to_own
  unsigned continued;          // bit i: contact with side i in bit 0 goes on from the word to the left

  __device__ static constexpr unsigned own_to_other_left(int side) { return 1u << (2 * side); }
  __device__ static constexpr unsigned left_to_other(int side) { return 2u << (2 * side); }
  __device__ static constexpr unsigned left_to_own() { return 1u << (2 * Tile::kSides); }

  __device__ bool any() const {
    unsigned bits = seams;
#pragma unroll
    for (int i = 0; i < Tile::kSides; ++i) bits |= at_side[i];
    return bits != 0;
  }
  __device__ int count() const {
    int bits = count_bits(seams);
#pragma unroll
    for (int i = 0; i < Tile::kSides; ++i) bits += count_bits(at_side[i]);
    return bits;
  }
};

/// The last bits of a word, as find_contacts wants them of the word to the left.
template <class Tile>
__device__ unsigned last_bits(const Bundle<Tile>& own, const Bundle<Tile> (&others)[Tile::kOthers]) {
  unsigned bits = own.all() >> 31;
  for_each_index<Tile::kSides>([&]<int i>() {
    bits |= own_face<i>(own) >> 31 << (2 * i + 1);
    bits |= other_face<i>(others[i]) >> 31 << (2 * i + 2);
  });
  return bits;
}

template <class Tile>
__device__ Contacts<Tile> find_contacts(const Bundle<Tile>& own, const Bundle<Tile> (&others)[Tile::kOthers],
                                        unsigned left_bits) {
  using Contacts = runs::Contacts<Tile>;
  const Word starts = piece_starts(own.all());
  Contacts contacts{};
  for_each_index<Tile::kSides>([&]<int i>() {
    const Word touch = touching<i>(own, others[i]);
    Word found = contacts_of_pieces(touch, starts, piece_starts(others[i].all()));
    if constexpr (i > 0) found = without_witnesses(found, touch, witnesses<i>(own, others));
    contacts.at_side[i] = found;

    const unsigned a = own_face<i>(own) & 1, b = other_face<i>(others[i]) & 1;
    const unsigned a_left = left_bits >> (2 * i + 1) & 1, b_left = left_bits >> (2 * i + 2) & 1;
    if constexpr (Tile::template kSide<i>.diagonal) {
      if ((a & b_left & ~a_left & ~b) != 0) contacts.seams |= Contacts::own_to_other_left(i);
      if ((a_left & b & ~a & ~b_left) != 0) contacts.seams |= Contacts::left_to_other(i);
    }
    contacts.continued |= (a & b & a_left & b_left) << i;
  });
  // Sides 0 and 1 keep their contacts in both words, so the other bundle's seam makes this one needless.
  if ((own.all() & left_bits & 1) != 0 && (contacts.continued & 0b11) == 0)
    contacts.seams |= Contacts::left_to_own();
  return contacts;
}

/// The nodes of the pieces that contacts can name; `Node` is an index.
template <class Tile, class Node>
struct Nodes {
  Node own, left;                                      // of the word's first piece, of the left word's last
  Node other[Tile::kSides], other_left[Tile::kSides];  // the same for the bundles at the sides
  Word starts;
  Word other_starts[Tile::kSides];
};

template <class Node>
struct Pair {
  Node a, b;
};

/// Takes one contact out of `contacts`, which has any.
template <class Tile, class Node>
__device__ Pair<Node> take_contact(Contacts<Tile>& contacts, const Nodes<Tile, Node>& nodes) {
  Pair<Node> pair{nodes.own, nodes.left};
  if (contacts.seams != 0) {
    const int seam = lowest_bit(contacts.seams);
    contacts.seams &= contacts.seams - 1;
#pragma unroll
    for (int i = 0; i < Tile::kSides; ++i) {
      if (seam == 2 * i) pair = {nodes.own, nodes.other_left[i]};
      if (seam == 2 * i + 1) pair = {nodes.left, nodes.other[i]};
    }
    return pair;
  }
  bool taken = false;
#pragma unroll
  for (int i = 0; i < Tile::kSides; ++i) {
    if (taken || contacts.at_side[i] == 0) continue;
    const int bit = lowest_bit(contacts.at_side[i]);
    contacts.at_side[i] &= contacts.at_side[i] - 1;
    pair = {nodes.own + static_cast<Node>(piece_at(nodes.starts, bit)),
            nodes.other[i] + static_cast<Node>(piece_at(nodes.other_starts[i], bit))};
    taken = true;
  }
  return pair;
}

}  // namespace gpuccl::cuda::runs
