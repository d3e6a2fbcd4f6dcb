#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/parts.hpp"
#include "parts/group.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {

/// Numbers labels from 0 on, in the order they are met.
class MetLabels {
 public:
  explicit MetLabels(std::size_t count);

  std::uint32_t meet(Label label) {
    if (number_[label] == kNone) {
      number_[label] = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(label);
    }
    return number_[label];
  }
  /// kNone if it was not met.
  std::uint32_t number(Label label) const { return number_[label]; }
  const std::vector<Label>& labels() const { return labels_; }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  std::unique_ptr<std::uint32_t[]> number_;
  std::vector<Label> labels_;
};

/// The components of a part that meet those of others.
class Faces {
 public:
  /// `values`: of the components, of an image of values.
  Faces(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity, const Labeled& labeled,
        std::span<const ValueBits> values);

  /// All pieces as parts of the whole: groups of parts become one pairwise, then the way back.
  void unite();

  /// These pieces, and how many of them do not begin where they are: with a label of the part before theirs,
  /// or in another part.
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::size_t continued() const { return continued_; }
  /// What is known of a component that meets others; null if it does not.
  const Piece* piece(Label label) const {
    const std::uint32_t number = met_.number(label);
    return number == MetLabels::kNone ? nullptr : &pieces_[number];
  }

  /// Completes `part`, in whose numbers there are those of components that begin in it, by the numbers of
  /// others, which run down the path.
  void pass_numbers(NumberedPart& part);

 private:
  void send_last(const LabelSource& labels);
  void find_contacts(const LabelRuns& here, Connectivity connectivity);
  std::vector<ValueBits> values_of_met() const;
  void send_group(int to);
  Group receive_group(int from);
  void list_begun_before();
  bool begins_here(const Piece& piece) const {
    return piece.origin.part == static_cast<std::uint64_t>(link_.part());
  }

  PartLink& link_;
  const SlabFaces geometry_;
  const std::span<const ValueBits> values_;
  MetLabels met_;            // at either face, those at the last one first
  std::size_t at_last_ = 0;  // how many these are
  std::vector<PieceContact> contacts_;
  Group group_;
  std::vector<Piece> pieces_;  // by their numbers in met_
  std::size_t continued_ = 0;

  // Of components that begin in parts before, in the order in which they do: a piece of each. And the place
  // there of what a piece is of.
  std::vector<std::uint32_t> begun_before_, place_before_;
};

}  // namespace gpuccl
