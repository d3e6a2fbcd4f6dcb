#include "parts/group.hpp"

#include <algorithm>
#include <numeric>

#include "common/union_find.hpp"

namespace gpuccl {

void Piece::add(const Piece& other) {
  origin = std::min(origin, other.origin);
  known.add(other.known);
}

MergedGroups::MergedGroups(const Group& left, const Group& right) : left_(left.pieces.size()) {
  std::vector<Label> links(left_ + right.pieces.size());
  std::iota(links.begin(), links.end(), Label{0});
  const UnionFind<ZeroBased, OneThread, Walk::halving> sets(links.data());
  for (const PieceContact& contact : right.contacts)
    sets.unite(left.last[contact.before], static_cast<Index>(left_ + contact.piece));

  // A root is the smallest of its set.
  united_.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Piece& piece = i < left_ ? left.pieces[i] : right.pieces[i - left_];
    if (links[i] == i) {
      united_[i] = static_cast<std::uint32_t>(pieces_.size());
      pieces_.push_back(piece);
    } else {
      united_[i] = united_[sets.find(static_cast<Index>(i))];
      pieces_[united_[i]].add(piece);
    }
  }

  constexpr std::uint32_t kUnnumbered = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(pieces_.size(), kUnnumbered);
  const auto reaching = [&](std::size_t i) {
    std::uint32_t& n = number[united_[i]];
    if (n == kUnnumbered) {
      n = static_cast<std::uint32_t>(reaching_.size());
      reaching_.push_back(united_[i]);
      group_.pieces.push_back(pieces_[united_[i]]);
    }
    return n;
  };
  for (const PieceContact& contact : left.contacts)
    group_.contacts.push_back({contact.before, reaching(contact.piece)});
  for (const std::uint32_t piece : right.last) group_.last.push_back(reaching(left_ + piece));
}

MergedGroups::Halves MergedGroups::split(const std::vector<Piece>& whole) const {
  std::vector<Piece> pieces = pieces_;
  for (std::size_t i = 0; i < reaching_.size(); ++i) pieces[reaching_[i]] = whole[i];
  Halves halves;
  for (std::size_t i = 0; i < united_.size(); ++i)
    (i < left_ ? halves.left : halves.right).push_back(pieces[united_[i]]);
  return halves;
}

}  // namespace gpuccl
