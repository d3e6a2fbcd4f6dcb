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

/// Calls visit(pair) for the pair of nodes that each contact names.
template <class Tile, class Node, class Visit>
__device__ void for_each_contact(const Contacts<Tile>& contacts, const Nodes<Tile, Node>& nodes,
                                 Visit visit) {
  using Found = Contacts<Tile>;
  if ((contacts.seams & Found::left_to_own()) != 0) visit(Pair<Node>{nodes.own, nodes.left});
  for_each_index<Tile::kSides>([&]<int i>() {
    if constexpr (Tile::template kSide<i>.diagonal) {
      if ((contacts.seams & Found::own_to_other_left(i)) != 0)
        visit(Pair<Node>{nodes.own, nodes.other_left[i]});
      if ((contacts.seams & Found::left_to_other(i)) != 0) visit(Pair<Node>{nodes.left, nodes.other[i]});
    }
    for (Word rest = contacts.at_side[i]; rest != 0; rest &= rest - 1) {
      const Word here = up_to_lowest(rest);
      const int own = last_piece(nodes.starts & here), other = last_piece(nodes.other_starts[i] & here);
      visit(Pair<Node>{nodes.own + static_cast<Node>(own), nodes.other[i] + static_cast<Node>(other)});
    }
  });
}

}  // namespace gpuccl::cuda::runs
