#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "slabs/faces.hpp"

namespace gpuccl {

/// Start of a component: its part, and the label of its first element there. Labels of a part and parts are
/// in raster order, so the earliest start is the smallest.
struct Origin {
  std::uint64_t part = 0, label = 0;

  auto operator<=>(const Origin&) const = default;
};

/// State of a component in a part, or in several adjacent parts.
struct OpenComponent {
  Origin origin;
  Component known;  // in coordinates of the whole

  void add(const OpenComponent& other);
};

/// Two components that touch.
struct PieceContact {
  std::uint32_t before;  // index of the earlier one, among the components at the last face of the part before
  std::uint32_t piece;
};

/// Adjacent parts, and their components that reach beyond them. All other components are complete.
struct OpenSet {
  std::vector<OpenComponent> pieces;
  std::vector<PieceContact> contacts;  // with components at the last face of the part before the group
  std::vector<std::uint32_t> last;     // pieces of the components at the last face of the group, by index
};

/// Merges two adjacent groups (upward pass), and divides the result again (downward pass).
class MergeNode {
 public:
  MergeNode(const OpenSet& left, const OpenSet& right);

  /// Returns the merged group. Call it once.
  OpenSet take() { return std::move(group_); }

  /// Downward pass: given the final pieces of the merged group, returns those of the left and right groups.
  struct Halves {
    std::vector<OpenComponent> left, right;
  };
  Halves split(const std::vector<OpenComponent>& whole) const;

 private:
  OpenSet group_;
  std::size_t left_;                   // pieces of the left group
  std::vector<std::uint32_t> united_;  // the merged piece of each piece of the left, then of the right group
  std::vector<OpenComponent> pieces_;  // merged pieces
  std::vector<std::uint32_t> reaching_;  // those of them that belong to the merged group
};

/// Numbers labels from 0, in the order of first occurrence.
class DenseIndex {
 public:
  explicit DenseIndex(std::size_t count);

  std::uint32_t add(Label label) {
    if (number_[label] == kNone) {
      number_[label] = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(label);
    }
    return number_[label];
  }
  /// Returns kNone if the label has no number.
  std::uint32_t number(Label label) const { return number_[label]; }
  const std::vector<Label>& labels() const { return labels_; }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  std::unique_ptr<std::uint32_t[]> number_;
  std::vector<Label> labels_;
};

/// Merges the components of a part with those of other parts across boundaries.
///
/// Components that cross one boundary, as nearly all small ones do, are merged by the part after it, which
/// reports to the part before. Components that cross several are merged pairwise in a tree over the parts.
class BoundaryMerger {
 public:
  /// `labeled` must not change before unite() returns. `values`: of its components, for a multi-label image.
  /// `elements`: faces of that image.
  BoundaryMerger(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                 const Labeling& labeled, std::span<const ValueBits> values, ValueFaces elements);

  /// Merges all components that touch across boundaries. Collective.
  void unite();

  /// Returns the number of components of the part that begin before their label in the part.
  std::size_t continued() const { return continued_; }
  /// Returns the components that begin here and continue in other parts, or elsewhere in this one.
  const std::vector<Component>& united() const { return united_; }

  /// Row to write for a component of the part: the component itself, its entry in united(), or nothing if it
  /// does not begin where its label does.
  enum class Row { itself, united, none };
  Row row_of(Label label) const {
    const std::uint32_t number = at_faces_.number(label);
    if (number == DenseIndex::kNone) return Row::itself;
    if (begins_[number] != label) return Row::none;
    return united_of_[number] == DenseIndex::kNone ? Row::itself : Row::united;
  }
  const Component& united(Label label) const { return united_[united_of_[at_faces_.number(label)]]; }

  /// Completes `part`, which contains the labels of components that begin in it, by the labels of components
  /// that begin in earlier parts. These labels are passed from part to part.
  void pass_numbers(PartResult& part);

 private:
  void send_last(const LabelRuns& runs);
  void unite_with_before(LabelRuns first);
  void take_from_next();
  std::uint32_t in_group(std::uint32_t number);
  void unite_groups();
  void send_group(int to);
  OpenSet receive_group(int from);
  void list_begun_before();
  /// Returns the values of the first `count` components at faces. Empty for a binary image, and with a delta,
  /// because components then have several values.
  std::vector<ValueBits> values_at_faces(std::size_t count) const;
  Component placed_at_face(std::uint32_t number) const;
  std::uint64_t part() const { return static_cast<std::uint64_t>(link_.part()); }

  PartLink& link_;
  const SlabFaces geometry_;
  const Slab slab_;
  const Components& components_;
  const std::span<const ValueBits> values_;
  ValueFaces elements_;

  DenseIndex at_faces_;                 // at either face, those at the last one first
  std::size_t at_last_ = 0;             // number of those at the last face
  std::vector<std::uint8_t> at_first_;  // by number in at_faces_: it is at the first face

  // By number in at_faces_: the label in this part with which the component begins, 0 if it begins in an
  // earlier part, and its index in united_.
  std::vector<Label> begins_;
  std::vector<std::uint32_t> united_of_;
  std::vector<Component> united_;
  std::size_t continued_ = 0;

  std::vector<PieceContact> contacts_;  // at the first face; pieces are numbers in at_faces_
  OpenSet group_;
  std::vector<std::uint32_t> group_number_;  // by number in at_faces_; kNone if not in the group
  std::vector<std::uint32_t> of_group_;      // inverse of group_number_

  /// Component that begins in an earlier part.
  struct Before {
    Origin origin;
    std::uint32_t number;

    auto operator<=>(const Before&) const = default;
  };
  std::vector<Before> before_;
  // By number in at_faces_: index among the components that begin earlier.
  std::vector<std::uint32_t> place_before_;
};

}  // namespace gpuccl
